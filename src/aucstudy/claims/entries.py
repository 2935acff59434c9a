"""The claims as they are written: one YAML file a paper, with an entry for each claim.

An entry has all that is said of a claim: what the paper says, its printed numbers, where the numbers of a study
are found, the rule of the verdict, and when the rule was changed. `claims.schema.yaml` explains the keys.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from aucstudy.errors import InputError
from aucstudy.study_folder.settings import explained, first_error

FOLDER = Path(__file__).parent
# The order is that of claims.csv.
FILES = ("flach-kull-2015", "boyd-2012", "later-papers", "ours", "confirmation")
# The claims that print shares of tasks, and how many of the best models they compare.
SHARES = {"FK-top1": 1, "FK-top3": 3}


@dataclass(frozen=True)
class Number:
    """A number of a claim: what a paper prints, and where a study has it.

    Attributes
    ----------
    printed : the digits as printed, "" if the paper prints none.
    words : under which words pages and reports show it. Without words, they do not show it.
    row : the values by which its row of estimates.csv is found, besides those of all numbers. If several rows have
        them, it is the first, or with `most` the one with the largest value in this column.
    holds : the condition that it must meet if the claim is right. A number without a condition is only shown.
    times : what the estimate is multiplied by. With `closed`, the number is `verdicts.closed_gap` of it.
    shown_in : the unit in which it is shown, if it is not that of the other numbers.
    digits : how many decimals are shown, in the unit of the number. With 0, it has three significant digits, or in
        points and % one or no decimal.
    """

    printed: str = ""
    unit: str = ""
    words: str = ""
    row: Mapping[str, object] = field(default_factory=dict)
    holds: str = ""
    times: float = 1.0
    closed: bool = False
    most: str = ""
    shown_in: str = ""
    digits: int = 0


@dataclass(frozen=True)
class Query:
    """Which estimates of which experiment decide a claim.

    The claim holds if all its numbers meet their conditions, or with `one_suffices` if one does. A difference
    smaller than `matters` does not matter. With `scale`, the range of the unit, the numbers are compared with the
    printed ones. `noted` are further numbers, for the note.
    """

    experiment: str
    matters: float = 0.0
    one_suffices: bool = False
    scale: float | None = None
    noted: Mapping[str, Number] = field(default_factory=dict)


@dataclass(frozen=True)
class Entry:
    """A claim. `facts` are the keys of its entry that have no field of their own."""

    id: str
    file: Path
    source: str
    paper: str
    numbers: Mapping[str, Number]
    query: Query | None
    facts: Mapping[str, Any]

    def __getitem__(self, key: str) -> Any:
        return self.facts[key]

    def get(self, key: str, default: Any = "") -> Any:
        return self.facts.get(key, default)

    @property
    def kind(self) -> str:
        return self["kind"]

    @property
    def printed(self) -> dict[str, Decimal]:
        return {name: Decimal(number.printed) for name, number in self.numbers.items() if number.printed}

    @property
    def shown(self) -> dict[str, str]:
        """The words of the numbers that pages and reports show, by the name of the number."""
        return {name: number.words for name, number in self.numbers.items() if number.words}

    @property
    def says(self) -> str:
        """What the paper says, and how we read what it leaves open."""
        return " ".join(filter(None, [self.get("says"), self.get("reading")]))

    @property
    def in_index(self) -> dict[str, list[str]]:
        """The names of the numbers that the index shows, by the words before them.

        They are those that decide the verdict and those against it, or else the first that is shown.
        """
        return self.get("index") or {"": [*self.shown][:1]}

    @property
    def place(self) -> str:
        """The paper, the place in it, and where the paper is found."""
        found_at = [f"doi {self['doi']}"] if "doi" in self.facts else []
        found_at += [f"arXiv {self['arxiv']}"] if "arxiv" in self.facts else []
        return ", ".join([self.paper, self["place"], *found_at])

    @property
    def short_place(self) -> str:
        """The place, without the paper if it is the one of the file."""
        return f"{self['paper']}, {self['place']}" if "paper" in self.facts else self["place"]

    @property
    def address(self) -> str:
        """The address of a paper other than the two that are replicated, or ""."""
        if "arxiv" in self.facts:
            return f"https://arxiv.org/abs/{self['arxiv']}"
        return f"https://doi.org/{self['doi']}" if "doi" in self.facts else ""

    @property
    def rule(self) -> str:
        """The rule of the verdict. That of a rule of confirmation is in the words that were committed."""
        if "rule_of" in self.facts:
            return entries()[self["rule_of"]].rule
        if "committed" not in self.facts:
            return self.get("rule")
        said = self["committed"]
        too_few = "Fewer than eight source groups, or no row for want of tasks: too few data."
        return (
            f"{said['table']}. Confirmed if {said['confirmed']}; contradicted if {said['contradicted']}; "
            f"else undecided. {too_few}"
        )

    @property
    def amendments(self) -> list[tuple[str, str]]:
        """The date and the change of each amendment of the rule."""
        return [(amendment["date"], amendment["change"]) for amendment in self.get("amended", [])]

    @property
    def amended(self) -> str:
        return " ".join(f"{date}: {change}" for date, change in self.amendments)


@cache
def entries(further: tuple[Path, ...] = ()) -> Mapping[str, Entry]:
    """Return the claims of the package and those of further files by id, in the order of claims.csv."""
    by_id: dict[str, Entry] = {}
    for file in (*(FOLDER / f"{name}.yaml" for name in FILES), *further):
        for name, entry in entries_of(file).items():
            if name in by_id:
                raise InputError(f"{file}: {name}: {by_id[name].file} has a claim of this id, too")
            by_id[name] = entry
    return by_id


@cache
def entries_of(file: Path) -> Mapping[str, Entry]:
    """Return the claims of a file by id. InputError if the file does not follow the schema."""
    content = _checked(file, _read(file))
    return {
        name: _entry(name, file, content["source"], facts.get("paper", content["paper"]), facts)
        for name, facts in content["claims"].items()
    }


def _read(file: Path) -> Any:
    try:
        return yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader)
    except FileNotFoundError:
        raise InputError(f"{file}: no such file") from None
    except yaml.YAMLError as error:
        raise InputError(f"{file}: not readable as YAML ({' '.join(str(error).split())})") from None


def _checked(file: Path, content: Any) -> Mapping[str, Any]:
    error = first_error(content, _read(FOLDER / "claims.schema.yaml"))
    if error is None:
        return content
    path, reason = explained(error)
    raise InputError(
        f"{file}: {'.'.join(path[1:] if path[:1] == ['claims'] else path) or 'the file'}: {reason}"
    )


def _entry(name: str, file: Path, source: str, paper: str, facts: Mapping[str, Any]) -> Entry:
    asked = dict(facts.get("estimates", {}))
    where, every, noted = (asked.pop(key, {}) for key in ("where", "every", "noted"))

    def read(group: Mapping[str, Mapping[str, Any]]) -> dict[str, Number]:
        return {
            item: Number(**{**every, **of_item, "row": {**where, **of_item.get("row", {})}})
            for item, of_item in group.items()
        }

    query = Query(**asked, noted=read(noted)) if asked else None
    others = {key: value for key, value in facts.items() if key not in ("numbers", "estimates")}
    return Entry(name, file, source, paper, read(facts.get("numbers", {})), query, others)


def not_decided(claims: Mapping[str, Entry] | None = None) -> dict[str, str]:
    """Return the reasons why no committed study decides some claims, by the id of the claim."""
    claims = entries() if claims is None else claims
    return {name: entry["reason"] for name, entry in claims.items() if "reason" in entry.facts}


def printed_shares() -> dict[tuple[str, str, int], float]:
    """Return the published shares of tasks in which two metrics disagree, in per cent.

    The keys are (first metric, second metric, number of top models that are compared).

    >>> printed_shares()["aupr", "auprg", 1]
    24.0
    """
    return {
        (*pair.lower().split("-"), top): float(printed)
        for name, top in SHARES.items()
        for pair, printed in entries()[name].printed.items()
    }
