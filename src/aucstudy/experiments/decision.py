"""Which area should choose your model? The evidence of four experiments, a row a number, with its range and source."""

from collections.abc import Iterator
from itertools import pairwise, product

import numpy as np
import pandas as pd

from aucstudy.area_names import DISTINCT_PAIRS, PAIR_LABELS
from aucstudy.experiments.decision_rule import MATTERS, WORDS
from aucstudy.experiments.inputs import Study
from aucstudy.presentation import charts
from aucstudy.statistics.intervals import over_tasks

Tables = dict[str, pd.DataFrame]
READ = (
    "disagreement_tasks", "noise_swaps", "selection", "selection_tasks", "simulated_choices", "simulated_swaps",
)  # fmt: skip
POSITIVES = (10, 30, 100, 1000, 10000)
# of tasks, where they are further divided or are few
COARSE_POSITIVES = (10, 100, 1000)
PREVALENCES = (0.001, 0.01, 0.1, 0.5)
# in AUPR
MARGINS = (0.0, 0.002, 0.02, 1.0)
ANY = (np.nan, np.nan)
FEWEST_GROUPS = 5
DIRECTIONS = tuple(way for pair in DISTINCT_PAIRS for way in (pair, pair[::-1]))


def over_all(study: Study, *, seed: int) -> Tables:
    tables = {name: table for name in READ if (table := study.table(name)) is not None}
    tasks = study.tasks.set_index("task_id")
    sizes = {"positives": tasks["n_positive"], "prevalence": tasks["n_positive"] / tasks["n_rows"]}
    return {"decision": condensed(tables, pd.DataFrame(sizes))}


def condensed(tables: Tables, sizes: pd.DataFrame) -> pd.DataFrame:
    """The table; experiments that a study leaves out leave their quantities out.

    `tables` are those of READ that there are, `sizes` has `positives` and `prevalence` by task_id.
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
    return pd.DataFrame(rows)


def _row(source: str, quantity: str, pair: tuple, *bands: tuple, **numbers: object) -> dict:
    row = {"source": source, "quantity": quantity, "first": pair[0], "second": pair[1]}
    for axis, (low, high) in zip(("positives", "prevalence", "margin"), (*bands, ANY, ANY), strict=False):
        row |= {f"{axis}_from": low, f"{axis}_to": high}
    return {**row, "judged_by": None, "verdict": None, **numbers}


def in_band(values: pd.Series, band: tuple, edges: tuple) -> pd.Series:
    """Which values lie in a band: the lower end belongs to it, the upper one only where no band follows."""
    low, high = band
    return (values >= low) & ((values < high) | ((values == high) & (high == edges[-1])))


def _over(values: pd.Series, groups: pd.Series, *, share: bool) -> dict | None:
    if groups.nunique() < FEWEST_GROUPS:
        return None
    made = over_tasks(values.to_numpy(), groups.to_numpy(), exact=share)
    return {"n": made.pop("n_tasks"), "counted": "tasks", **made}


def _swaps(disagreement: pd.DataFrame, sizes: pd.DataFrame, selected: pd.DataFrame | None) -> Iterator[dict]:
    table = disagreement.join(sizes, on="task_id")
    bands = {
        (n, p): in_band(table["positives"], n, POSITIVES) & in_band(table["prevalence"], p, PREVALENCES)
        for n, p in product(pairwise(POSITIVES), pairwise(PREVALENCES))
    }
    if selected is not None:
        margin = table["task_id"].map(selected.drop_duplicates("task_id").set_index("task_id")["margin"])
        inside = in_band(table["prevalence"], (PREVALENCES[0], PREVALENCES[-1]), PREVALENCES)
        for n, m in product(pairwise(COARSE_POSITIVES), pairwise(MARGINS)):
            of_size = inside & in_band(table["positives"], n, COARSE_POSITIVES)
            bands[n, ANY, m] = of_size & in_band(margin, m, MARGINS)
    for pair in DISTINCT_PAIRS:
        of_pair = (table["first"] == pair[0]) & (table["second"] == pair[1])
        for ends, inside in bands.items():
            cell = table[of_pair & inside]
            if made := _over(cell["p_best_differs"], cell["source_group"], share=True):
                yield _row("disagreement_tasks", "p_swap", pair, *ends, **made)


def _real(swaps: pd.DataFrame, sizes: pd.DataFrame) -> Iterator[dict]:
    """p_real by positives; tasks whose two best models are tied in either area have no swap to test."""
    table = swaps.join(sizes, on="task_id")
    for pair, n in product(DISTINCT_PAIRS, pairwise(COARSE_POSITIVES)):
        of_pair = (table["first"] == pair[0]) & (table["second"] == pair[1])
        cell = table[of_pair & in_band(table["positives"], n, COARSE_POSITIVES)]
        if made := _over(cell["real"].astype(float), cell["source_group"], share=True):
            yield _row("noise_swaps", "p_real", pair, n, **made)


def _power(swaps: pd.DataFrame) -> Iterator[dict]:
    """The largest share of true swaps called real, by positives, and of false ones (`level`) at any size."""
    halves = swaps[swaps["test"] == "halves"]
    for pair in DISTINCT_PAIRS:
        of_pair = halves[(halves["first"] == pair[0]) & (halves["second"] == pair[1])]
        null = of_pair["is_null"].astype(bool)
        true, false = of_pair[~null], of_pair[null]
        for n in pairwise(POSITIVES):
            cell = true[true["positives"].between(*n)]
            if set(n) <= set(cell["positives"]):
                yield _row("simulated_swaps", "power", pair, n, **_largest_share(cell))
        if len(false):
            n = false["positives"].min(), false["positives"].max()
            yield _row("simulated_swaps", "level", pair, n, **_largest_share(false))


def _largest_share(cell: pd.DataFrame) -> dict:
    best = cell.loc[cell["p_real"].idxmax()]
    low, high = best["p_real"] - 2 * best["mc_se"], best["p_real"] + 2 * best["mc_se"]
    ends = {"estimate": best["p_real"], "low": max(0.0, low), "high": min(1.0, high)}
    return {**ends, "n": best["tests"], "n_groups": 1, "counted": "samples"}


def _costs(choices: pd.DataFrame) -> Iterator[dict]:
    """The largest excess regret of a band, on fitted curves; and of all cells, on curves made to cross."""
    for pair in DIRECTIONS:
        ways = choices[(choices["chooser"] == pair[0]) & (choices["judged_by"] == pair[1])]
        fitted, crossing = (ways[ways["truth_model"] == name] for name in ("fitted", "crossing"))
        for n, p in product(pairwise(POSITIVES), pairwise(PREVALENCES)):
            cell = fitted[fitted["positives"].between(*n) & fitted["prevalence"].between(*p)]
            if set(product(n, p)) <= set(zip(cell["positives"], cell["prevalence"], strict=True)):
                yield _row("simulated_choices", "cost", pair, n, p, **_largest(cell))
        if len(crossing):
            ends = [(crossing[name].min(), crossing[name].max()) for name in ("positives", "prevalence")]
            yield _row("simulated_choices", "cost_crossing", pair, *ends, **_largest(crossing))


def _largest(cell: pd.DataFrame) -> dict:
    worst = cell.loc[cell["excess_regret"].idxmax()]
    errors = 2 * cell["excess_mc_se"]
    return {
        "judged_by": worst["judged_by"],
        "estimate": worst["excess_regret"],
        "low": worst["excess_regret"] - 2 * worst["excess_mc_se"],
        "high": (cell["excess_regret"] + errors).max(),
        "n": worst["n_sets"] * worst["draws"],
        "n_groups": worst["n_sets"],
        "counted": "samples",
        "verdict": "matters" if (cell["excess_regret"] - errors > MATTERS).any() else "noise",
    }


def _worth(selected: pd.DataFrame, sizes: pd.DataFrame) -> Iterator[dict]:
    halves = selected[selected["design"] == "halves"].set_index("task_id")
    for pair in DISTINCT_PAIRS:
        a, b = (halves[halves["chooser"] == name] for name in pair)
        for n in pairwise(COARSE_POSITIVES):
            tasks = sizes.index[in_band(sizes["positives"], n, COARSE_POSITIVES)].intersection(a.index)
            for utility in WORDS:
                difference = (a[utility] - b[utility]).loc[tasks]
                if made := _over(difference, a["source_group"].loc[tasks], share=False):
                    yield _row("selection_tasks", "worth", pair, n, judged_by=utility, **made)


def _use(matrix: pd.DataFrame, sizes: pd.DataFrame) -> Iterator[dict]:
    """Which area to use for a utility, against AUROC; and what a choice at random costs."""
    choosers = ("aupr", "auprg", "average_precision", "random")
    cells = matrix[(matrix["design"] == "halves") & (matrix["tasks"] == "all")]
    cells = cells[cells["utility"].isin(WORDS) & cells["chooser"].isin(choosers)]
    ends = [(sizes[name].min(), sizes[name].max()) for name in ("positives", "prevalence")]
    for row in cells[cells["n_groups"] >= FEWEST_GROUPS].itertuples():
        alone, jointly = row.low * row.high > 0, row.simultaneous_low * row.simultaneous_high > 0
        yield _row(
            "selection", "use", (row.chooser, "auroc"), *ends, judged_by=row.utility, estimate=row.difference,
            low=row.low, high=row.high, n=row.n_tasks, n_groups=row.n_groups, counted="tasks",
            verdict="sure" if jointly else "hint" if alone else "nothing",
        )  # fmt: skip


def decision(study: Study):
    table = study.table("decision")
    table = table.assign(middle=np.sqrt(table["positives_from"] * table["positives_to"]))
    looks = {
        low: {"color": colour, "marker": marker, "markersize": 4}
        for low, colour, marker in zip(
            PREVALENCES[:-1], charts.SERIES_COLOURS[1:], charts.SERIES_MARKERS, strict=False
        )
    }
    figure, axes = charts.panels(3, len(DISTINCT_PAIRS), height=5.2, sharex=True, sharey="row")
    for column, pair in zip(axes.T, DISTINCT_PAIRS, strict=True):
        rows = table[table["first"].isin(pair) & table["second"].isin(pair)].set_index("quantity")
        differ, real, costs = column
        for shift, (prevalence, look) in zip((0.8, 1, 1.25), looks.items(), strict=True):
            of_band = rows[(rows["prevalence_from"] == prevalence) & rows["margin_from"].isna()]
            swaps = of_band[of_band.index == "p_swap"]
            charts.upwards(
                differ,
                shift * swaps["middle"],
                swaps,
                estimate="estimate",
                scale=100,
                linestyle="none",
                **look,
            )
            highest = 100 * of_band[of_band.index == "cost"].groupby("middle")["high"].max()
            costs.plot(highest, **look)
        shown = rows[rows.index == "p_real"]
        charts.upwards(
            real, shown["middle"], shown, estimate="estimate", scale=100, fmt="D", color="black", markersize=4
        )
        for row in rows[rows.index == "power"].itertuples():
            real.plot([row.positives_from, row.positives_to], [100 * row.estimate] * 2, ":", color="black")
        costs.axhline(100 * MATTERS, color=charts.MUTED, linewidth=0.7)
        differ.set(title=PAIR_LABELS[pair], xscale="log", xlim=(8, 12_500), ylim=(-3, 103))
        costs.set_xlabel("positives")
        costs.xaxis.set_major_formatter("{x:.0f}")
    axes[1, 0].set_ylim(bottom=-2)
    axes[2, 0].set_ylim(bottom=0)
    for axis, label in zip(
        axes[:, 0], ("best models differ (%)", "swaps shown real (%)", "cost below (points)"), strict=True
    ):
        axis.set_ylabel(label)
    handles = [
        charts.line(f"prevalence {low:g} to {high:g}", **looks[low]) for low, high in pairwise(PREVALENCES)
    ]
    handles.append(charts.line("true swaps shown, at most", color="black", linestyle=":"))
    charts.legend_above(figure, handles)
    return figure
