"""What larger studies cost, from the measured unit costs in results/benchmarks: the table of docs/costs.md.

`python benchmarks/costs.py` writes it anew. Measured: fetch_speed.csv and, where it is there, scale.csv. All else is an
assumption and named as one.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from aucstudy.config import REPOSITORY
from aucstudy.sources.openml.settings import Manners
from aucstudy.store.files import write_whole
from aucstudy.store.tables import read_table

DOCUMENT = REPOSITORY / "docs" / "costs.md"
RESULTS = REPOSITORY / "results" / "benchmarks"
MARKS = ("<!-- costs: made by python benchmarks/costs.py -->", "<!-- end of costs -->")
MODELS = 30
UNKNOWN = "not measured"
DAY = 24.0  # hours


class Assumption(NamedTuple):
    """What is assumed and not measured."""

    value: float
    unit: str
    why: str


ASSUMED = {
    "all binary tasks": Assumption(5000, "tasks", "with 30 flows in 10-fold cross-validation; no count was at hand"),
    "core hour": Assumption(0.05, "USD", "on demand, about the list price of large clouds in January 2025"),
    "GB month": Assumption(0.02, "USD", "object storage, about the list price of large clouds in January 2025"),
    "months kept": Assumption(12, "months", "that raw answers and task store are kept"),
    "transfer": Assumption(0, "USD", "downloads into a cloud are free; the server's own costs are not counted"),
}  # fmt: skip


class Units(NamedTuple):
    """Measured costs of one run; the costs of measuring are None where scale.csv is missing."""

    requests: float
    client_seconds: float
    raw_bytes: float
    store_bytes: float
    study_seconds: float | None
    peak_mb: float | None


def populations() -> Mapping[str, int]:
    """The number of runs of each population."""
    return {
        f"886 x {MODELS}": 886 * MODELS,
        "all binary tasks of OpenML": int(ASSUMED["all binary tasks"].value) * MODELS,
        "ten million runs": 10_000_000,
    }


def units(results: Path = RESULTS) -> Units:
    """The unit costs out of the benchmarks' tables, those of the fetch with faults."""
    fetch = read_table(results / "fetch_speed.csv").iloc[-1]
    n_runs = fetch["runs asked for"] - fetch["runs rejected"]
    seconds = peak = None
    if (results / "scale.csv").exists():
        scale = read_table(results / "scale.csv")
        whole = scale[scale["rule"] == "whole run"].iloc[-1]
        seconds, peak = whole["cpu_seconds"] / (whole["tasks"] * MODELS), float(whole["peak_mb"])
    return Units(
        requests=fetch["requests"] / n_runs,
        client_seconds=fetch["client cpu seconds"] / n_runs,
        raw_bytes=1000 * fetch["raw kB a run"] * fetch["runs asked for"] / n_runs,
        store_bytes=1000 * fetch["store kB a run"],
        study_seconds=seconds,
        peak_mb=peak,
    )


def costs(unit: Units) -> pd.DataFrame:
    """One column a population, one row a kind of cost, as text."""
    return pd.DataFrame({name: _of(n_runs, unit) for name, n_runs in populations().items()})


def _of(n_runs: int, unit: Units) -> dict[str, str]:
    client_hours = n_runs * unit.client_seconds / 3600
    study_hours = None if unit.study_seconds is None else n_runs * unit.study_seconds / 3600
    raw, store = n_runs * unit.raw_bytes / 1e9, n_runs * unit.store_bytes / 1e9
    prices = {name: assumed.value for name, assumed in ASSUMED.items()}
    cores = client_hours + (study_hours or 0)
    money = cores * prices["core hour"] + (raw + store) * prices["GB month"] * prices["months kept"]
    return {
        "runs": f"{n_runs:,}",
        "requests": f"{rounded(n_runs * unit.requests):,}",
        "fetching, one request a second": _time(n_runs * unit.requests * Manners().pause / 3600),
        "of it work of the client": _time(client_hours),
        "raw answers kept, about what is transferred": f"{rounded(raw):,} GB",
        "task store": f"{rounded(store):,} GB",
        "from the store to the report, core time": UNKNOWN if study_hours is None else _time(study_hours),
        "memory of the largest job of a batch, if no task has more rows than the largest made one": UNKNOWN
        if unit.peak_mb is None
        else f"{unit.peak_mb / 1000:.1f} GB",
        "money"
        + (", without the study's core time" if study_hours is None else ""): f"{rounded(money):,} USD",
    }


def rounded(value: float) -> float | int:
    """Two digits: the assumptions carry no more.

    >>> rounded(15432.0), rounded(0.123)
    (15000, 0.12)
    """
    short = float(f"{value:.2g}")
    return int(short) if short >= 10 else short


def _time(hours: float) -> str:
    if hours < 1:
        return f"{rounded(60 * hours):,} min"
    return f"{rounded(hours):,} h" if hours < 3 * DAY else f"{rounded(hours / DAY):,} days"


def section(results: Path = RESULTS) -> str:
    """The table and the assumptions in Markdown."""
    unit = units(results)
    table = costs(unit)
    lines = [f"| predicted | {' | '.join(table.columns)} |", "|---|" + "---:|" * len(table.columns)]
    lines += [
        f"| {kind} | {' | '.join(row)} |" for kind, row in zip(table.index, table.to_numpy(), strict=True)
    ]
    lines += ["", _where(results), "", "| measured, a run that is kept | |", "|---|---:|"]
    measured = [
        ("requests", f"{unit.requests:.3g}"),
        ("time of the client", f"{1000 * unit.client_seconds:.3g} ms"),
        ("raw answers", f"{unit.raw_bytes / 1000:.3g} kB"),
        ("task store", f"{unit.store_bytes / 1000:.3g} kB"),
        ("from the store to the report", UNKNOWN if unit.study_seconds is None else f"{unit.study_seconds:.3g} core s"),
    ]  # fmt: skip
    lines += [f"| {name} | {value} |" for name, value in measured]
    lines += ["", "| assumed | | |", "|---|---:|---|"]
    lines += [f"| {name} | {given.value:g} {given.unit} | {given.why} |" for name, given in ASSUMED.items()]
    return "\n".join(lines)


def _where(results: Path) -> str:
    """What the measurements were made on."""
    fetch = read_table(results / "fetch_speed.csv").iloc[-1]
    said = f"Measured on a local test server ({fetch['tasks']:.0f} tasks x {fetch.get('models', MODELS):.0f} models)"
    if (results / "scale.csv").exists():
        scale = read_table(results / "scale.csv")
        whole = scale[scale["rule"] == "whole run"].iloc[-1]
        said += f" and, from the store on, on made tasks ({whole['tasks']:.0f} x {MODELS})"
    return f"{said}:"


def with_section(text: str, made: str) -> str:
    """A document with the section between its marks."""
    before, _, rest = text.partition(MARKS[0])
    _, _, after = rest.partition(MARKS[1])
    return f"{before}{MARKS[0]}\n{made}\n{MARKS[1]}{after}"


def main() -> int:
    """Write the section of docs/costs.md."""
    text = with_section(DOCUMENT.read_text(encoding="utf-8"), section())
    write_whole(DOCUMENT, lambda temporary: temporary.write_text(text, encoding="utf-8"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
