"""The evidence of four experiments, condensed to one table: a row a number, with its range, error and source."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pandas as pd

from aucstudy.area_names import DISTINCT_PAIRS
from aucstudy.experiments.inputs import Study
from aucstudy.statistics.intervals import over_tasks

# a difference of a utility or area, as in the rule of the room
MATTERS = 0.01
POSITIVES = (10, 30, 100, 1000, 10000)
# of tasks, where they are further divided or are few
COARSE_POSITIVES = (10, 100, 1000)
PREVALENCES = (0.001, 0.01, 0.1, 0.5)
# in AUPR
MARGINS = (0.0, 0.002, 0.02, 1.0)
FEWEST_GROUPS = 5
# what a practitioner may want of a model, as `selection` judges it
WANTED = ("f1", "f2", "f05", "recall_at_90", "precision_at_p", "minus_cost", "accuracy")
DIRECTIONS = tuple(way for pair in DISTINCT_PAIRS for way in (pair, pair[::-1]))
BOUNDS = ("positives_from", "positives_to", "prevalence_from", "prevalence_to", "margin_from", "margin_to")
COLUMNS = (
    "quantity", "first", "second", "judged_by", *BOUNDS, "estimate", "low", "high", "n", "n_groups", "counted",
    "verdict", "source",
)  # fmt: skip


def over_all(study: Study, *, seed: int) -> dict[str, pd.DataFrame]:
    """The table; experiments that are switched off leave their quantities out."""
    read = (
        "disagreement_tasks",
        "noise_swaps",
        "selection",
        "selection_tasks",
        "simulated_choices",
        "simulated_swaps",
    )
    tables = {name: table for name in read if (table := study.table(name)) is not None}
    tasks = study.tasks.set_index("task_id")
    sizes = pd.DataFrame(
        {"positives": tasks["n_positive"], "prevalence": tasks["n_positive"] / tasks["n_rows"]}
    )
    return {"decision": condensed(tables, sizes)}


def condensed(tables: dict[str, pd.DataFrame], sizes: pd.DataFrame) -> pd.DataFrame:
    """The table of the room.

    Parameters
    ----------
    tables : those that `over_all` reads, by name.
    sizes : `positives` and `prevalence`, indexed by task_id.

    Returns
    -------
    The columns of COLUMNS. NaN in a bound: for every value. `estimate`, `low`, `high`: a share, or a difference in
    the area or utility `judged_by`; 95 % interval over source groups, or two Monte Carlo errors either way. `n` of what
    `counted` names, and the `n_groups` (source groups, sets of models) they are in.
    """
    rows: list[dict] = []
    if "disagreement_tasks" in tables:
        rows += _swaps(tables["disagreement_tasks"], sizes, tables.get("selection_tasks"))
    if "noise_swaps" in tables:
        rows += _real(tables["noise_swaps"], sizes)
    if "simulated_swaps" in tables:
        rows += _power(tables["simulated_swaps"])
    if "simulated_choices" in tables:
        rows += _costs(tables["simulated_choices"])
    if "selection_tasks" in tables:
        rows += _worth(tables["selection_tasks"], sizes)
    if "selection" in tables:
        rows += _use(tables["selection"], sizes)
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _bounds(positives: tuple = (), prevalence: tuple = (), margin: tuple = ()) -> dict[str, float]:
    ends = [end for band in (positives, prevalence, margin) for end in (band or (np.nan, np.nan))]
    return dict(zip(BOUNDS, ends, strict=True))


def in_band(values: pd.Series, band: tuple, edges: tuple) -> pd.Series:
    """Which values lie in a band: the lower end belongs to it, the upper one only where no band follows."""
    low, high = band
    return (values >= low) & ((values < high) | ((values == high) & (high == edges[-1])))


def _over(values: pd.Series, groups: pd.Series, *, share: bool) -> dict | None:
    """Mean over tasks with its interval, None where there are too few source groups."""
    if groups.nunique() < FEWEST_GROUPS:
        return None
    made = over_tasks(values.to_numpy(), groups.to_numpy(), exact=share)
    return {"n": made.pop("n_tasks"), "counted": "tasks", **made}


def _swaps(disagreement: pd.DataFrame, sizes: pd.DataFrame, selected: pd.DataFrame | None) -> Iterator[dict]:
    """p_swap by positives and prevalence, and by positives and margin."""
    table = disagreement.join(sizes, on="task_id")
    bands = [
        (
            _bounds(n, p),
            in_band(table["positives"], n, POSITIVES) & in_band(table["prevalence"], p, PREVALENCES),
        )
        for n in pairwise(POSITIVES)
        for p in pairwise(PREVALENCES)
    ]
    if selected is not None:
        margin = table["task_id"].map(selected.drop_duplicates("task_id").set_index("task_id")["margin"])
        inside = in_band(table["prevalence"], (PREVALENCES[0], PREVALENCES[-1]), PREVALENCES)
        bands += [
            (
                _bounds(n, (), m),
                inside & in_band(table["positives"], n, COARSE_POSITIVES) & in_band(margin, m, MARGINS),
            )
            for n in pairwise(COARSE_POSITIVES)
            for m in pairwise(MARGINS)
        ]
    for first, second in DISTINCT_PAIRS:
        of_pair = (table["first"] == first) & (table["second"] == second)
        for bounds, inside in bands:
            cell = table[of_pair & inside]
            if made := _over(cell["p_best_differs"], cell["source_group"], share=True):
                yield {
                    "quantity": "p_swap", "first": first, "second": second, **bounds, **made,
                    "source": "disagreement_tasks",
                }  # fmt: skip


def _real(swaps: pd.DataFrame, sizes: pd.DataFrame) -> Iterator[dict]:
    """p_real by positives; tasks whose two best models are tied in either area have no swap to test."""
    table = swaps.join(sizes, on="task_id")
    for first, second in DISTINCT_PAIRS:
        for n in pairwise(COARSE_POSITIVES):
            of_pair = (table["first"] == first) & (table["second"] == second)
            cell = table[of_pair & in_band(table["positives"], n, COARSE_POSITIVES)]
            if made := _over(cell["real"].astype(float), cell["source_group"], share=True):
                yield {
                    "quantity": "p_real", "first": first, "second": second, **_bounds(n), **made,
                    "source": "noise_swaps",
                }  # fmt: skip


def _power(swaps: pd.DataFrame) -> Iterator[dict]:
    """The largest share of true swaps called real, by positives, and of false ones (`level`) at any size."""
    halves = swaps[swaps["test"] == "halves"]
    for first, second in DISTINCT_PAIRS:
        of_pair = halves[(halves["first"] == first) & (halves["second"] == second)]
        null = of_pair["is_null"].astype(bool)
        true, false = of_pair[~null], of_pair[null]
        names = {"first": first, "second": second}
        for n in pairwise(POSITIVES):
            cell = true[true["positives"].between(*n)]
            if set(n) <= set(cell["positives"]):
                yield {"quantity": "power", **names, **_bounds(n), **_largest_share(cell)}
        if len(false):
            n = false["positives"].min(), false["positives"].max()
            yield {"quantity": "level", **names, **_bounds(n), **_largest_share(false)}


def _largest_share(cell: pd.DataFrame) -> dict:
    best = cell.loc[cell["p_real"].idxmax()]
    reach = 2 * best["mc_se"]
    return {
        "estimate": best["p_real"],
        "low": max(0.0, best["p_real"] - reach),
        "high": min(1.0, best["p_real"] + reach),
        "n": best["tests"],
        "n_groups": 1,
        "counted": "samples",
        "source": "simulated_swaps",
    }


def _costs(choices: pd.DataFrame) -> Iterator[dict]:
    """The largest excess regret of a band, on fitted curves; and of all cells, on curves made to cross."""
    for first, second in DIRECTIONS:
        ways = choices[(choices["chooser"] == first) & (choices["judged_by"] == second)]
        fitted, crossing = (ways[ways["truth_model"] == name] for name in ("fitted", "crossing"))
        for n in pairwise(POSITIVES):
            for p in pairwise(PREVALENCES):
                cell = fitted[fitted["positives"].between(*n) & fitted["prevalence"].between(*p)]
                corners = set(zip(cell["positives"], cell["prevalence"], strict=True))
                if {(a, b) for a in n for b in p} <= corners:
                    yield {"quantity": "cost", **_bounds(n, p), **_largest(cell)}
        if len(crossing):
            ends = [(crossing[name].min(), crossing[name].max()) for name in ("positives", "prevalence")]
            yield {"quantity": "cost_crossing", **_bounds(*ends), **_largest(crossing)}


def _largest(cell: pd.DataFrame) -> dict:
    worst = cell.loc[cell["excess_regret"].idxmax()]
    errors = 2 * cell["excess_mc_se"]
    return {
        "first": worst["chooser"],
        "second": worst["judged_by"],
        "judged_by": worst["judged_by"],
        "estimate": worst["excess_regret"],
        "low": worst["excess_regret"] - 2 * worst["excess_mc_se"],
        "high": (cell["excess_regret"] + errors).max(),
        "n": worst["n_sets"] * worst["draws"],
        "n_groups": worst["n_sets"],
        "counted": "samples",
        "verdict": "matters" if (cell["excess_regret"] - errors > MATTERS).any() else "noise",
        "source": "simulated_choices",
    }


def _worth(selected: pd.DataFrame, sizes: pd.DataFrame) -> Iterator[dict]:
    """Differences between the choices of two areas on the other half of the rows, by positives."""
    halves = selected[selected["design"] == "halves"].set_index("task_id")
    for first, second in DISTINCT_PAIRS:
        a, b = (halves[halves["chooser"] == name] for name in (first, second))
        for n in pairwise(COARSE_POSITIVES):
            tasks = sizes.index[in_band(sizes["positives"], n, COARSE_POSITIVES)].intersection(a.index)
            for utility in WANTED:
                difference = (a[utility] - b[utility]).loc[tasks]
                if made := _over(difference, a["source_group"].loc[tasks], share=False):
                    yield {
                        "quantity": "worth", "first": first, "second": second, "judged_by": utility, **_bounds(n),
                        **made, "source": "selection_tasks",
                    }  # fmt: skip


def _use(matrix: pd.DataFrame, sizes: pd.DataFrame) -> Iterator[dict]:
    """Which area to use for a utility, against AUROC; and what a choice at random costs."""
    cells = matrix[
        (matrix["design"] == "halves") & (matrix["tasks"] == "all") & matrix["utility"].isin(WANTED)
    ]
    cells = cells[cells["chooser"].isin(("aupr", "auprg", "average_precision", "random"))]
    bounds = _bounds(*((sizes[name].min(), sizes[name].max()) for name in ("positives", "prevalence")))
    for row in cells.itertuples():
        if row.n_groups < FEWEST_GROUPS:
            continue
        alone, jointly = row.low * row.high > 0, row.simultaneous_low * row.simultaneous_high > 0
        yield {
            "quantity": "use", "first": row.chooser, "second": "auroc", "judged_by": row.utility, **bounds,
            "estimate": row.difference, "low": row.low, "high": row.high, "n": row.n_tasks, "n_groups": row.n_groups,
            "counted": "tasks", "verdict": "sure" if jointly else "hint" if alone else "nothing",
            "source": "selection",
        }  # fmt: skip
