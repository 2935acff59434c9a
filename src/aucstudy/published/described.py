"""The claims in plain words, as docs/claims.md and the report of a study show them."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pandas as pd
import yaml

from aucstudy.published import FOLDER
from aucstudy.study_folder.files import WORDS_OF_CLAIMS
from aucstudy.wording import in_percent, number

AMENDMENT = re.compile(r"(\d{4}-\d\d-\d\d): (.+?)(?= \d{4}-\d\d-\d\d: |$)")
ROUNDING = 1e-9  # A smaller number without an interval is shown as 0.


@cache
def described(folders: tuple[Path, ...] = ()) -> dict[str, dict]:
    """Return the plain words of each claim by its id.

    They are those of the package, and those in the folders of studies that have claims of their own.
    """
    files = [folder / WORDS_OF_CLAIMS for folder in (FOLDER, *folders)]
    return {name: facts for file in files if file.is_file() for name, facts in _read(file).items()}


def amendments(amended: str) -> list[tuple[str, str]]:
    """Return the date and the change of each amendment of a rule, from the column `amended` of values.csv.

    >>> amendments("2026-11-23: AUPRG stands beside.")
    [('2026-11-23', 'The change of AUPRG is now shown too.')]
    """
    words = _amendments_in_words()
    return [(date, words.get(change, change)) for date, change in AMENDMENT.findall(amended)]


@cache
def _amendments_in_words() -> dict[str, str]:
    return _read(FOLDER / "amendments.yaml")


def _read(file: Path) -> dict:
    return yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader)


def place_and_address(place: str) -> tuple[str, str]:
    """Return where a paper makes a claim, and the address of the paper.

    The address is empty for the two papers that are replicated.

    >>> place_and_address("McDermott et al. 2024, abstract, arXiv 2401.06091")
    ('McDermott et al. 2024, abstract', 'https://arxiv.org/abs/2401.06091')
    >>> place_and_address("Boyd et al. 2012, table 3")
    ('table 3', '')
    """
    for words in ("this study, ", "Flach & Kull 2015, ", "Boyd et al. 2012, "):
        place = place.removeprefix(words)
    place, _, doi = place.partition(", doi ")
    place, _, preprint = place.partition(", arXiv ")
    if preprint:
        return place, f"https://arxiv.org/abs/{preprint}"
    return place, f"https://doi.org/{doi}" if doi else ""


def with_unit(row: pd.Series, claim: Mapping[str, object]) -> str:
    """Return a number of claims_values.csv with its interval, in the unit that the claim's words ask for.

    >>> row = pd.Series({"here": 0.00264, "low": -0.006, "high": 0.0067, "unit": "F1"})
    >>> with_unit(row, {"in": "points"}), with_unit(row, {})
    ('0.3 points (-0.6 to 0.7)', '0.00264 (-0.00600 to 0.00670)')
    """
    if abs(row["here"]) < ROUNDING and pd.isna(row["low"]):
        return "0"
    unit = claim.get("in") or ("%" if row["unit"] == "%" else "")
    if not unit:
        return number(row, "here")
    factor = 1 if row["unit"] == "%" else 100
    hundredths = pd.Series({column: factor * row[column] for column in ("here", "low", "high")})
    estimate, _, interval = in_percent(hundredths, "here").partition(" ")
    return f"{estimate} {unit} {interval}".rstrip()
