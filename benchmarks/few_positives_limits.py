"""How often limits of the studies on few positives err where no metric is better, with these studies' own skew.

A simulated study has the source groups, cells and holes of few_natural, one target metric. In *labels permuted* each
group's metrics change their names, in all cells alike; in *redrawn* groups are drawn again from those whose mean over
groups was taken off. Limits err where one of the differences to AUROC has limits beside 0. `in use` are those of all
tables and rules, *sign flips* those that rules of earlier studies had.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from aucstudy.config import REPOSITORY, STUDIES
from aucstudy.statistics.intervals import joint_limits, simultaneous_intervals
from aucstudy.statistics.seeds import generator
from aucstudy.store.tables import read_table, write_table
from aucstudy.study_folder.modules import import_file

few_positives = import_file(STUDIES / "rare_positives" / "few_positives_tables.py")
ROWS = REPOSITORY / "results" / "few_natural" / "tables" / "few_positives_groups.csv.gz"
CANDIDATES, TARGET = "today", "f1"
SIMULATIONS, RESAMPLES, SEED = 400, 1000, 3
PERMUTED, REDRAWN = "labels permuted", "redrawn"
METHODS = {
    "in use": joint_limits,
    "sign flips": lambda values, *how: simultaneous_intervals(values, np.arange(len(values)), *how),
}


def values_of(rows: pd.DataFrame, candidates: str = CANDIDATES, target: str = TARGET) -> np.ndarray:
    """(groups, cells, metrics) values of a family of limits, AUROC's first; NaN where a group has no such cell."""
    cells = few_positives.Cells(rows, True, few_positives.FEWEST_GROUPS)
    columns = [few_positives.column("value", name) for name in few_positives.METRICS]
    for name, of, family in cells.families():
        if (name, of) == (candidates, target):
            keys = ("prevalence", "positives", "chosen_on", "threshold")
            parts = [cell.set_index("source_group")[columns] for _, cell in cells.of(family, *keys)]
            groups = sorted(set().union(*(part.index for part in parts)))
            return np.stack([part.reindex(groups).to_numpy() for part in parts], axis=1)
    raise LookupError(f"no rows of {candidates} and {target}")


def differences(values: np.ndarray) -> np.ndarray:
    """(groups, cells x metrics) differences to AUROC."""
    return (values[..., 1:] - values[..., :1]).reshape(len(values), -1)


def simulated(values: np.ndarray, scenario: str, random: np.random.Generator) -> np.ndarray:
    """Differences of one simulated study in which no metric is better."""
    if scenario == PERMUTED:
        names = random.permuted(np.tile(np.arange(values.shape[2]), (len(values), 1)), axis=1)
        return differences(np.take_along_axis(values, names[:, None], axis=2))
    centred = differences(values)
    centred = centred - np.nanmean(centred, axis=0)
    return centred[random.integers(len(centred), size=len(centred))]


def levels(values: np.ndarray, simulations: int, resamples: int, seed: int) -> pd.DataFrame:
    """How often the limits of each method err, by scenario, and how wide they are in the median."""
    return pd.DataFrame(_levels(values, simulations, resamples, seed)).round(6)


def _levels(values: np.ndarray, simulations: int, resamples: int, seed: int) -> Iterator[dict]:
    for scenario in (PERMUTED, REDRAWN):
        random = generator(seed, "few positives limits", scenario)
        seen: dict[str, list] = {name: [] for name in METHODS}
        for number in range(simulations):
            study = simulated(values, scenario, random)
            n = np.isfinite(study).sum(axis=0)
            study = study[:, (n >= few_positives.FEWEST_GROUPS) & (np.nanstd(study, axis=0) > 0)]
            for name, method in METHODS.items():
                made = method(study, resamples, number)
                below, above = bool((made.high < 0).any()), bool((made.low > 0).any())
                seen[name].append((below or above, below, above, np.median(made.high - made.low)))
        for name, errors in seen.items():
            errs, below, above, width = np.mean(errors, axis=0)
            sizes = {
                "n_differences": differences(values).shape[1],
                "n_groups": len(values),
                "n_draws": simulations,
            }
            yield {"scenario": scenario, "limits": name, "errs": errs, "errs_below": below, "errs_above": above,
                   "width": width, **sizes}  # fmt: skip


def run(out: Path, largest: int) -> None:
    if not ROWS.exists():
        print(f"{ROWS}: is not there; the study few_natural makes it")
        return
    made = levels(values_of(read_table(ROWS)), SIMULATIONS, RESAMPLES, SEED)
    write_table(made, out / "few_positives_limits.csv")
    print(made.to_string(index=False))
