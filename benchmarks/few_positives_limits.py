"""How often the limits of the studies on few positives err where no metric is better than another.

A simulated study has the source groups, the settings, the missing values and the skew of few_natural, for one
target metric. In *labels permuted*, the metrics of each group exchange their names, in all settings alike. In
*redrawn*, the mean over groups is subtracted, and groups are then drawn with replacement. Limits err where
those of one of the differences to AUROC exclude 0. The limits `in use` are those of all tables and rules.
*Sign flips* are those of the rules of earlier studies.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from origin import write_measured

from aucstudy.config import REPOSITORY, STUDIES
from aucstudy.statistics.intervals import joint_limits, simultaneous_intervals
from aucstudy.statistics.seeds import generator
from aucstudy.store.tables import read_table
from aucstudy.study_folder.modules import import_file

few_positives = import_file(STUDIES / "few_positives" / "few_positives_tables.py")
ROWS = REPOSITORY / "results" / "few_natural" / "tables" / "few_positives_groups.csv.gz"
CANDIDATES, TARGET = "today", "f1"
SIMULATIONS, RESAMPLES, SEED = 400, 1000, 3
PERMUTED, REDRAWN = "labels permuted", "redrawn"
METHODS = {
    "in use": joint_limits,
    "sign flips": lambda values, *how: simultaneous_intervals(values, np.arange(len(values)), *how),
}


def values_of(rows: pd.DataFrame, candidates: str = CANDIDATES, target: str = TARGET) -> np.ndarray:
    """Return the values of a family of limits, (groups, settings, metrics), with AUROC first.

    They are NaN where a group has no such setting.
    """
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
    """Return the differences to AUROC, (groups, settings x metrics)."""
    return (values[..., 1:] - values[..., :1]).reshape(len(values), -1)


def simulated(values: np.ndarray, scenario: str, random: np.random.Generator) -> np.ndarray:
    """Return the differences of one simulated study in which no metric is better."""
    if scenario == PERMUTED:
        names = random.permuted(np.tile(np.arange(values.shape[2]), (len(values), 1)), axis=1)
        return differences(np.take_along_axis(values, names[:, None], axis=2))
    centred = differences(values)
    centred = centred - np.nanmean(centred, axis=0)
    return centred[random.integers(len(centred), size=len(centred))]


def levels(values: np.ndarray, simulations: int, resamples: int, seed: int) -> pd.DataFrame:
    """Return how often the limits of each method err, by scenario, and the mean of their median widths."""
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
    write_measured(made, out / "few_positives_limits.csv")
    print(made.to_string(index=False))
