"""How often the intervals of docs/choosing.md err, alone and together, on studies redrawn from the committed rows.

The families are the blocks of numbers on that page. The mean over source groups is subtracted from each difference,
so that the true value is 0. Groups are then drawn with replacement, as many as there are. An interval errs if it
excludes 0. It errs below if it lies below 0, and above if it lies above 0. `alone` are Student's intervals, whose
errors are means over the numbers of a family, and those of the number that errs most often. `together` are the
intervals of the studentised bootstrap, which err if one of them does.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from origin import write_measured

from aucstudy.config import REPOSITORY, STUDIES
from aucstudy.statistics.intervals import LEVEL, TAIL, largest_of_class, limits, resampled_t
from aucstudy.statistics.seeds import generator
from aucstudy.store.tables import read_table
from aucstudy.study_folder.modules import import_file

compared = import_file(STUDIES / "few_positives" / "few_positives_compared.py")
# A study, its candidates, whether it has bands, and the ways to set the threshold that the page leaves out.
NATURAL, THINNED = ("few_natural", "today", True, ()), ("few_thinned", "older", False, ("share",))
# By name: the study; and the target metric, the prevalence, the set of outcomes and the number of positives.
FAMILIES = {
    "first table": (NATURAL, ("f1", 0.0, "all", 10)),
    "F1, sources with all numbers of positives, 20": (NATURAL, ("f1", 0.0, "common", 10)),
    "F1, sources with all numbers of positives, 60": (NATURAL, ("f1", 0.0, "common", 30)),
    "TPR minus FPR": (NATURAL, ("net:odds", 0.0, "all", 10)),
    "net benefit, 20": (NATURAL, ("net:sqrt", 0.0, "all", 10)),
    "net benefit, 60": (NATURAL, ("net:sqrt", 0.0, "all", 30)),
    "F1, thinned to 10 %": (THINNED, ("f1", 0.1, "all", 10)),
    "F1, thinned to 3 %": (THINNED, ("f1", 0.03, "all", 10)),
    "F1, thinned to 3 %, unshared": (THINNED, ("f1", 0.03, "without shared", 10)),
    "F1, thinned to 1 %": (THINNED, ("f1", 0.01, "all", 10)),
}
TOGETHER = {"first table"}  # the families whose intervals also hold together
SIMULATIONS, RESAMPLES, SEED = 2000, 1000, 5
FEWEST_GROUPS = 15
# The second level is that of the intervals of rules.
LEVELS = {"together, 95 % quantile": LEVEL, "together, 97.5 % quantile": 1 - TAIL}


def values_of(study: str, candidates: str, in_bands: bool, left_out: tuple, setting: tuple) -> np.ndarray:
    """Return the (groups, k) differences to the reference in one setting, for all ways that can be used."""
    rows = read_table(REPOSITORY / "results" / study / "tables" / "few_positives_groups.csv.gz")
    target = setting[0]
    rows = rows[(rows["candidates"] == candidates) & (rows["target"] == target)]
    for facts, values in compared.cells_of(rows, in_bands, FEWEST_GROUPS):
        if (target, *(facts[key] for key in ("prevalence", "outcomes", "positives"))) == setting:
            differences, described = compared.differences_of(values, facts, FEWEST_GROUPS)
            ways = pd.DataFrame(described)
            shown = compared.usable(ways) & ~ways["threshold"].isin(left_out).to_numpy()
            return np.column_stack(differences)[:, shown]
    raise LookupError(f"{study}: no rows of {setting}")


def levels(
    values: np.ndarray, simulations: int, resamples: int, seed: int, *, together: bool
) -> Iterator[dict]:
    """Yield how often the intervals of (groups, k) values err, by their kind."""
    centred = values - values.mean(axis=0)
    n, k = centred.shape
    random = generator(seed, "few positives intervals", n, k)
    alone = np.zeros((simulations, 2, k), dtype=bool)
    joint = {name: np.zeros((simulations, 2), dtype=bool) for name in LEVELS if together}
    student = compared.student_reach(np.full(k, n))
    for s in range(simulations):
        study = centred[random.integers(n, size=n)]
        intervals = limits(study, student)
        alone[s] = intervals.high < 0, intervals.low > 0
        t = resampled_t(study, resamples, s) if joint else None
        for name in joint:
            intervals = limits(study, largest_of_class(t, np.full(k, n), level=LEVELS[name]))
            joint[name][s] = (intervals.high < 0).any(), (intervals.low > 0).any()
    of_number = alone.mean(axis=0)
    worst = of_number.sum(axis=0).argmax()
    for name, (below, above) in (
        ("alone, mean", of_number.mean(axis=1)),
        ("alone, worst", of_number[:, worst]),
    ):
        yield {"intervals": name, "errs": below + above, "errs_below": below, "errs_above": above}
    for name, errors in joint.items():
        below, above = errors.mean(axis=0)
        yield {"intervals": name, "errs": errors.any(axis=1).mean(), "errs_below": below, "errs_above": above}


def table_of(families: dict, simulations: int, resamples: int, seed: int) -> pd.DataFrame:
    rows = []
    for family, (study, setting) in families.items():
        values = values_of(*study, setting)
        sizes = {"n_numbers": values.shape[1], "n_groups": len(values), "n_draws": simulations}
        made = levels(values, simulations, resamples, seed, together=family in TOGETHER)
        rows += [{"family": family, **row, **sizes} for row in made]
    return pd.DataFrame(rows).round(6)


def run(out: Path, largest: int) -> None:
    made = table_of(FAMILIES, SIMULATIONS, RESAMPLES, SEED)
    write_measured(made, out / "few_positives_intervals.csv")
    print(made.to_string(index=False))
