"""Predict what larger studies cost, from the measured unit costs in results/benchmarks.

`python benchmarks/costs.py` writes the tables of docs/costs.md again. The unit costs are measured, in
fetch_speed.csv and scale.csv. Everything else is an assumption and listed as one.
"""

from pathlib import Path
from typing import NamedTuple

import pandas as pd

from aucstudy.config import REPOSITORY
from aucstudy.sources.openml.settings import Settings
from aucstudy.store.files import write_text
from aucstudy.store.tables import read_table

DOCUMENT = REPOSITORY / "docs" / "costs.md"
RESULTS = REPOSITORY / "results" / "benchmarks"
MARKS = ("<!-- costs: made by python benchmarks/costs.py -->", "<!-- end of costs -->")
MODELS = 30
DAY = 24.0  # hours
# The value, the unit and the reason of each assumption.
ASSUMED = {
    "all binary tasks": (
        5000,
        "tasks",
        "each with 30 flows in 10-fold cross-validation; the true number of tasks was not known",
    ),
    "price of a core hour": (0.05, "USD", "on demand, about the list price of large clouds in January 2025"),
    "price of a GB for a month": (
        0.02,
        "USD",
        "object storage, about the list price of large clouds in January 2025",
    ),
    "time of storage": (12, "months", "for the server's raw answers and the task store"),
    "price of transfer": (
        0,
        "USD",
        "downloads into a cloud are free; the costs of the server are not included",
    ),
}
VALUES = {name: value for name, (value, _, _) in ASSUMED.items()}
RUNS = {
    f"886 tasks x {MODELS} models": 886 * MODELS,
    "all binary tasks of OpenML": VALUES["all binary tasks"] * MODELS,
    "ten million runs": 10_000_000,
}


class Units(NamedTuple):
    """The measured costs of one run that is kept, and the memory of the largest job.

    `fetched` and `studied` say how many tasks and models were measured.
    """

    requests: float
    client_seconds: float
    raw_bytes: float
    store_bytes: float
    study_seconds: float
    peak_mb: float
    fetched: str
    studied: str


def units(results: Path = RESULTS) -> Units:
    """Read the unit costs from the benchmarks' tables.

    They come from the last fetch in fetch_speed.csv, in which some requests failed, and from the largest
    whole run in scale.csv.
    """
    fetch, scale = read_table(results / "fetch_speed.csv").iloc[-1], read_table(results / "scale.csv")
    study = scale[scale["rule"] == "whole run"].iloc[-1]
    n_runs = fetch["runs asked for"] - fetch["runs rejected"]
    return Units(
        requests=fetch["requests"] / n_runs,
        client_seconds=fetch["client cpu seconds"] / n_runs,
        raw_bytes=1000 * fetch["raw kB a run"] * fetch["runs asked for"] / n_runs,
        store_bytes=1000 * fetch["store kB a run"],
        study_seconds=study["cpu_seconds"] / (study["tasks"] * MODELS),
        peak_mb=study["peak_mb"],
        fetched=f"{fetch['tasks']:.0f} tasks x {fetch['models']:.0f} models",
        studied=f"{study['tasks']:.0f} tasks x {MODELS} models",
    )


def costs(unit: Units) -> pd.DataFrame:
    """Return the predicted costs as text: a row for each kind of cost, a column for each size of study."""
    return pd.DataFrame({name: _costs_of(n_runs, unit) for name, n_runs in RUNS.items()})


def _costs_of(n_runs: int, unit: Units) -> dict[str, str]:
    client_hours, study_hours = n_runs * unit.client_seconds / 3600, n_runs * unit.study_seconds / 3600
    raw, store = n_runs * unit.raw_bytes / 1e9, n_runs * unit.store_bytes / 1e9
    money = (client_hours + study_hours) * VALUES["price of a core hour"]
    money += (raw + store) * VALUES["price of a GB for a month"] * VALUES["time of storage"]
    return {
        "runs": f"{n_runs:,}",
        "requests": f"{rounded(n_runs * unit.requests):,}",
        "time of fetching, with one request a second": _time(
            n_runs * unit.requests * Settings().pause / 3600
        ),
        "computing time of the client during the fetch": _time(client_hours),
        "size of the server's raw answers (about the amount of data transferred)": f"{rounded(raw):,} GB",
        "size of the task store": f"{rounded(store):,} GB",
        "core time from the task store to the report": _time(study_hours),
        "memory of the largest job of a batch, if no task has more rows than the largest made-up task": (
            f"{unit.peak_mb / 1000:.1f} GB"
        ),
        "price in all": f"{rounded(money):,} USD",
    }


def rounded(value: float) -> float | int:
    """Round to two digits, since the assumptions are no more exact.

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
    """Return the predicted costs, the measured costs and the assumptions as tables in Markdown."""
    unit = units(results)
    table = costs(unit)
    rows = [
        f"| {kind} | {' | '.join(row)} |" for kind, row in zip(table.index, table.to_numpy(), strict=True)
    ]
    assumed = [f"| {name} | {value:g} {unit_} | {why} |" for name, (value, unit_, why) in ASSUMED.items()]
    return "\n".join([
        f"| predicted cost | {' | '.join(table.columns)} |", "|---|" + "---:|" * len(table.columns), *rows, "",
        "The costs of the fetch, which fills the task store, were measured with a test server on the same machine "
        f"as the client ({unit.fetched}). The costs of all steps from the task store to the report were measured on "
        f"made-up tasks ({unit.studied}).", "",
        "| measured costs of one run that was not rejected | |", "|---|---:|",
        f"| requests | {unit.requests:.3g} |",
        f"| computing time of the client | {1000 * unit.client_seconds:.3g} ms |",
        f"| size of the server's raw answers | {unit.raw_bytes / 1000:.3g} kB |",
        f"| size of the task store | {unit.store_bytes / 1000:.3g} kB |",
        f"| core time from the task store to the report | {unit.study_seconds:.3g} s |", "",
        "| assumption | value | explanation |", "|---|---:|---|", *assumed,
    ])  # fmt: skip


def with_section(text: str, made: str) -> str:
    """Return the document with `made` as the text between its marks."""
    before, _, rest = text.partition(MARKS[0])
    _, _, after = rest.partition(MARKS[1])
    return f"{before}{MARKS[0]}\n{made}\n{MARKS[1]}{after}"


if __name__ == "__main__":
    document = with_section(DOCUMENT.read_text(encoding="utf-8"), section())
    write_text(DOCUMENT, document)
