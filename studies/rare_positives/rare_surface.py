"""The comparison of each selection metric with AUROC in every setting, with simultaneous intervals."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd

from aucstudy.experiments.compared import MARGIN
from aucstudy.experiments.inputs import Study
from aucstudy.statistics.intervals import joint_limits, limits, reach_of

from .rare import BEST, CELL, CROSSED, EARLY, ITSELF, NATURAL, PROPER, RANDOM, THINNED, column

# A setting is shown if it has FEWEST_GROUPS source groups. EVERY stands for source groups with any number of
# training positives. SHOWN are the columns that name a setting.
FEWEST_GROUPS = 15
EVERY = "all"
SHOWN = ["n_models", "trained", "learned", "prevalence", "positives", "target", "threshold"]
# All these selection metrics are compared with AUROC. The intervals are simultaneous within a family of them.
AREAS = ("average_precision", "aupr", "auprg")
BESIDE = (EARLY, ITSELF, *PROPER)
FAMILIES = {"areas": AREAS, "beside": BESIDE}
# the lowest and the highest number of training positives in a band of source groups
BANDS = {EVERY: (0, np.inf), "under 60": (0, 59.5), "60 to 200": (59.5, 200.5), "over 200": (200.5, np.inf)}
LARGEST = 3  # Each mean is also shown without so many source groups, those that add most to it.
FIXED, EXPLORATORY = "fixed beforehand", "exploratory"
# Target metrics are sorted into kinds by what a false positive costs, compared with a missed positive.
KINDS = {
    "the first rows": ("recall@.5", "recall@.9", "precision@P", "precision@100"),
    "F": ("f1", "f2"),
    "false positives dear": ("net:1", "net:odds^.25", "net:sqrt"),
    "by rates": ("net:odds^.75", "net:odds", "cost:10"),
}
STEPS = {"share": (THINNED, CROSSED), "number": (CROSSED, NATURAL)}


def over_all(study: Study, *, bootstrap: int, seed: int) -> dict[str, pd.DataFrame]:
    rows = study.table("rare_groups")
    if rows is None or not largest_cell(rows) >= FEWEST_GROUPS:
        return {}
    return {
        "rare_surface": surface(rows, bootstrap, seed),
        "rare_pooled": pooled(rows, bootstrap, seed),
        "rare_share": share_table(rows, bootstrap, seed),
        "rare_ap": ap_table(rows, bootstrap, seed),
    }


def largest_cell(rows: pd.DataFrame) -> float:
    return rows[rows["kept"] == 1].groupby(CELL)["source_group"].nunique().max()


def _column(selected_by: str) -> str:
    return column("difference", selected_by)


def surface(rows: pd.DataFrame, resamples: int, seed: int) -> pd.DataFrame:
    """Return the comparison with AUROC of each selection metric in each setting with enough source groups.

    The intervals are simultaneous for all rows with the same number of models and the same family of metrics.
    Rows of all source groups and rows of bands of training positives are in separate sets. A random model has
    no interval.
    """
    closed = rows.groupby("source_group")["closed"].first().astype(bool)
    blocks: list[pd.DataFrame] = []
    for _, same_models in rows.groupby("n_models"):
        all_cells = [*cells_judged(same_models)]
        unbanded = [cell for cell in all_cells if EVERY in cell.key]
        bands = [cell for cell in all_cells if EVERY not in cell.key]
        for cells, (name, selection_metrics) in product(
            (unbanded, bands), {**FAMILIES, "": (RANDOM,)}.items()
        ):
            values, facts = family(cells, selection_metrics)
            if len(facts):
                numbers = described(values, closed, resamples, seed)
                blocks.append(facts.assign(family=name, **numbers))
    table = pd.concat(blocks, ignore_index=True)
    end_columns = [column for column in table if column.endswith(("low", "high"))]
    table.loc[table["family"] == "", end_columns] = np.nan
    order = {
        "trained": (*rows["trained"].unique(),), "learned": (*BANDS,), "target": (*rows["target"].unique(),),
        "threshold": (*rows["threshold"].unique(),), "selected_by": (*AREAS, *BESIDE, RANDOM),
    }  # fmt: skip
    return sorted_by(table, [*SHOWN, "selected_by"], order)


def sorted_by(table: pd.DataFrame, keys: Sequence[str], order: Mapping[str, Sequence]) -> pd.DataFrame:
    ranks = {
        key: pd.Categorical(table[key], order[key]).codes if key in order else table[key] for key in keys
    }
    return table.iloc[pd.DataFrame(ranks).sort_values([*keys], kind="stable").index].reset_index(drop=True)


class Cell(NamedTuple):
    """A setting, for all source groups or for those of one band of training positives.

    `kept_rows` are the differences of the kept splits by source group. `unfiltered` are the means over the
    source groups of all splits, kept or not.
    """

    key: tuple
    facts: dict[str, object]
    kept_rows: pd.DataFrame
    unfiltered: pd.Series


def cells_judged(rows: pd.DataFrame) -> Iterator[Cell]:
    """Yield each setting without crossed training, for all source groups and for each band."""
    columns = [_column(selected_by) for selected_by in (*AREAS, *BESIDE, RANDOM)]
    for key, cell in rows[rows["trained"] != CROSSED].groupby(CELL, sort=False):
        trained, prevalence, positives, n_models, target, threshold = key
        all_splits = of_all_splits(cell, columns)
        training = cell.groupby("source_group")["n_training_positive"].first()
        kept_rows = cell[cell["kept"] == 1].set_index("source_group")[columns]
        for band, (lower, upper) in BANDS.items():
            groups_inside = training.index[training.between(lower, upper)]
            rows_inside = kept_rows[kept_rows.index.isin(groups_inside)]
            if len(rows_inside) < FEWEST_GROUPS:
                continue
            is_main = trained == THINNED and threshold == BEST and band == EVERY
            facts = {
                "status": FIXED if is_main else EXPLORATORY,
                "n_training_positive": training[rows_inside.index].median(),
                "n_groups": len(rows_inside),
                "n_unfiltered": len(groups_inside),
            }
            names = n_models, trained, band, prevalence, positives, target, threshold
            yield Cell(names, facts, rows_inside, all_splits.loc[groups_inside].mean())


def family(cells: Sequence[Cell], selection_metrics: Sequence[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the differences, a column for each setting and selection metric, and what each column is."""
    return side_by_side(
        (
            {**dict(zip(SHOWN, cell.key, strict=True)), "selected_by": selected_by, **cell.facts}
            | {"unfiltered": cell.unfiltered[_column(selected_by)]},
            cell.kept_rows[_column(selected_by)],
        )
        for cell, selected_by in product(cells, selection_metrics)
        if cell.kept_rows[_column(selected_by)].notna().any()
    )


def side_by_side(described_values: Iterable[tuple[dict, pd.Series]]) -> tuple[pd.DataFrame, pd.DataFrame]:
    pairs = [*described_values]
    return pd.DataFrame({i: values for i, (_, values) in enumerate(pairs)}), pd.DataFrame(
        [facts for facts, _ in pairs]
    )


def of_all_splits(cell: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Return the means over all splits of each source group, kept or not."""
    weights = cell["n_splits"]
    sums = cell[[*columns]].mul(weights, axis=0).groupby(cell["source_group"]).sum(min_count=1)
    return sums.div(weights.groupby(cell["source_group"]).sum(), axis=0)


def described(values: pd.DataFrame, closed: pd.Series, resamples: int, seed: int) -> dict[str, np.ndarray]:
    """Return the columns that describe (groups, k) differences.

    They are the means with simultaneous intervals, the medians, the shares above 0, the means without the
    source groups that add most, and the means of the closed third.
    """
    matrix = values.to_numpy()
    reach = reach_of(matrix, resamples, seed)
    complete, without = limits(matrix, reach), limits(without_largest(matrix), reach)
    third = values[closed[values.index].to_numpy()]
    return {
        "difference": complete.estimate, "low": complete.low, "high": complete.high,
        "median": np.nanmedian(matrix, axis=0),
        "above_0": np.nanmean(np.where(np.isnan(matrix), np.nan, matrix > 0), axis=0),
        "without_3": without.estimate, "without_3_low": without.low, "without_3_high": without.high,
        "closed_third": third.mean().to_numpy(), "n_closed": third.notna().sum().to_numpy(),
    }  # fmt: skip


def without_largest(values: np.ndarray) -> np.ndarray:
    """Return (groups, k) values, with NaN for those that add most to the size of each column's mean.

    Each column loses LARGEST values.
    """
    signed = np.where(np.isnan(values), -np.inf, values * np.sign(np.nanmean(values, axis=0)))
    largest = np.argsort(-signed, axis=0, kind="stable")[:LARGEST]
    remaining = values.copy()
    np.put_along_axis(remaining, largest, np.nan, axis=0)
    return remaining


def _kept(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[(rows["kept"] == 1) & (rows["n_models"] == rows["n_models"].max())]


def pooled(rows: pd.DataFrame, resamples: int, seed: int) -> pd.DataFrame:
    """Return the comparison with AUROC by kind of target metric and by target metric.

    Each source group counts with the mean over its settings.
    """
    closed = rows.groupby("source_group")["closed"].first().astype(bool)
    kept_rows = _kept(rows[rows["trained"] != CROSSED])
    targets = KINDS | {target: (target,) for target in kept_rows["target"].unique()}

    def means() -> Iterator[tuple[dict, pd.Series]]:
        for (trained, threshold), block in kept_rows.groupby(["trained", "threshold"], sort=False):
            for (name, members), selected_by in product(targets.items(), AREAS):
                by_group = block[block["target"].isin(members)].groupby("source_group")[_column(selected_by)]
                values = by_group.agg(["mean", "size"])
                if len(values) >= FEWEST_GROUPS:
                    facts = {
                        "trained": trained,
                        "threshold": threshold,
                        "targets": name,
                        "selected_by": selected_by,
                    }
                    sizes = {"n_groups": len(values), "n_cells": values["size"].sum()}
                    yield facts | sizes, values["mean"]

    values, facts = side_by_side(means())
    return facts.assign(**described(values, closed, resamples, seed))


def share_table(rows: pd.DataFrame, resamples: int, seed: int) -> pd.DataFrame:
    """Return how the share of training positives changes the differences to AUROC, and how their number does.

    The intervals are simultaneous for all rows that pool the prevalences, and separately for all rows of one
    prevalence.
    """
    keys = ["prevalence", "positives", "target", "threshold", "source_group"]
    arms = {trained: block.set_index(keys) for trained, block in _kept(rows).groupby("trained")}
    steps = {step: pair for step, pair in STEPS.items() if set(pair) <= set(arms)}

    def means(prevalences: Sequence) -> Iterator[tuple[dict, pd.Series]]:
        for (step, (first, second)), selected_by in product(steps.items(), AREAS):
            differences = (arms[first][_column(selected_by)] - arms[second][_column(selected_by)]).dropna()
            contrast = differences.reset_index(name="x")
            for prevalence in prevalences:
                contrast_rows = (
                    contrast if prevalence == EVERY else contrast[contrast["prevalence"] == prevalence]
                )
                for (target, threshold), target_rows in contrast_rows.groupby(
                    ["target", "threshold"], sort=False
                ):
                    values = target_rows.groupby("source_group")["x"].mean()
                    if len(values) >= FEWEST_GROUPS:
                        facts = {
                            "step": step,
                            "prevalence": prevalence,
                            "target": target,
                            "threshold": threshold,
                        }
                        yield {**facts, "selected_by": selected_by, "n_groups": len(values)}, values

    families = [
        side_by_side(means(prevalences)) for prevalences in ([EVERY], sorted(rows["prevalence"].unique()))
    ]
    blocks = [facts.assign(**_joint(values, resamples, seed)) for values, facts in families if len(facts)]
    if not blocks:
        return pd.DataFrame()
    table = pd.concat(blocks, ignore_index=True)
    ends = zip(table["difference"], table["low"], table["high"], strict=True)
    return table.assign(verdict=[matters(*row) for row in ends])


def _joint(values: pd.DataFrame, resamples: int, seed: int) -> dict[str, np.ndarray]:
    joint = joint_limits(values.to_numpy(), resamples, seed)
    return {
        "difference": joint.estimate, "low": joint.low, "high": joint.high, "median": values.median().to_numpy(),
        "above_0": values.gt(0).sum().to_numpy() / values.notna().sum().to_numpy(),
    }  # fmt: skip


def matters(difference: float, low: float, high: float) -> str:
    """Return whether a change matters.

    It matters if it is half a point or more and its interval excludes 0. It does not matter if its interval
    lies within half a point of 0. Otherwise the answer is `open`, which means inconclusive.

    >>> matters(0.01, 0.002, 0.03), matters(0.001, -0.002, 0.004), matters(0.01, -0.001, 0.03)
    ('matters', 'does not matter', 'open')
    """
    if (low > 0 or high < 0) and abs(difference) >= MARGIN:
        return "matters"
    return "does not matter" if max(-low, high) <= MARGIN else "open"


def ap_table(rows: pd.DataFrame, resamples: int, seed: int) -> pd.DataFrame:
    """Return the F1 and F2 of AP's model minus those of AUPR's model, in each setting with enough groups."""
    kept_rows = _kept(rows[(rows["trained"] != CROSSED) & rows["target"].isin(KINDS["F"])])
    values, facts = side_by_side(
        (
            {**dict(zip(CELL, key, strict=True)), "n_groups": len(cell)},
            cell[_column("average_precision")] - cell[_column("aupr")],
        )
        for key, cell in kept_rows.set_index("source_group").groupby(CELL, sort=False)
        if len(cell) >= FEWEST_GROUPS
    )
    return facts.assign(**_joint(values, resamples, seed))
