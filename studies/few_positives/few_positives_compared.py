"""The table `few_positives_compared`: ways to select a model and to set its threshold, each against other ways.

It is made from the rows by source group alone, so make_compared.py can make it from the committed rows of a study.
"""

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import pandas as pd

from aucstudy.statistics.intervals import LEVEL, TAIL, largest_of_class, limits, resampled_t

from .few_positives_tables import (
    BOTH,
    CROSSED,
    FIXED,
    HINDSIGHT,
    ITSELF,
    ONE,
    OTHER,
    PATIENCE,
    POOLED,
    RANDOM,
    REFERENCE,
    SAME,
    SELECTED_BY,
    TABLE_DECIMALS,
    VALUES,
    WHOLE,
    Cells,
    column,
)

COMMON = "common"
# Sets of outcomes, by the column and the value that their rows have. `common` are the source groups that have
# every number of positives for which there are enough source groups.
OUTCOMES = {
    "all": None, "without cuts": ("cut", 0), "without doubtful": ("doubtful", 0), "without shared": ("shared", 0),
    "shared": ("shared", 1), COMMON: (COMMON, 1),
}  # fmt: skip
NAMES = {column("value", name): name for name in SELECTED_BY}
# A way is (selected_by, chosen_on, threshold). AGAINST has, by name, the weighted ways that are subtracted from a
# way, or nothing if the comparison makes no sense for it.
Way = tuple[str, str, str]
TO_REFERENCE, TO_AUROC, TO_SAME, TO_SPLIT, TO_GAIN = "reference", "auroc", "same", "split", "gain of auroc"


def _same_rows(way: Way) -> list[tuple[float, Way]]:
    name, rows, how = way
    return [] if how == SAME else [(1, (name, rows, SAME))]


def _split(way: Way) -> list[tuple[float, Way]]:
    return [(1, (way[0], ONE, OTHER))] if way[1:] == (BOTH, SAME) else []


def _gain_of_auroc(way: Way) -> list[tuple[float, Way]]:
    name, rows, how = way
    if how != OTHER:
        return []
    return [(1, (name, rows, SAME)), (1, (REFERENCE, rows, how)), (-1, (REFERENCE, rows, SAME))]


def _round(fixed: str) -> Callable[[Way], list[tuple[float, Way]]]:
    return lambda way: [(1, (fixed, *way[1:]))]


AGAINST: Mapping[str, Callable[[Way], list[tuple[float, Way]]]] = {
    TO_REFERENCE: lambda way: [(1, (REFERENCE, way[1], SAME))],
    TO_AUROC: lambda way: [(1, (REFERENCE, *way[1:]))],
    TO_SAME: _same_rows,
    TO_SPLIT: _split,
    TO_GAIN: _gain_of_auroc,
    **{fixed: _round(fixed) for fixed in FIXED},
}
# The numbers of the first table of docs/choosing.md, whose intervals are also simultaneous.
FIRST_TARGET = "f1"


def compared_table(
    rows: pd.DataFrame, in_bands: bool, fewest_groups: int, resamples: int, seed: int
) -> pd.DataFrame:
    """Return the differences between ways, with 95 % intervals of each difference alone.

    The ways that can be used with the fewest positives, and the target metric F1, also have intervals that hold
    together.
    """
    blocks = []
    for facts, values in cells_of(rows, in_bands, fewest_groups):
        differences, described = differences_of(values, facts, fewest_groups)
        if not described:
            continue
        matrix = np.column_stack(differences)
        n = np.isfinite(matrix).sum(axis=0)
        alone = limits(matrix, student_reach(n))
        block = pd.DataFrame(described).assign(
            difference=alone.estimate, low=alone.low, high=alone.high,
            better=(matrix > 0).sum(axis=0) / n, joint_low=np.nan, joint_high=np.nan,
        )  # fmt: skip
        in_family = family(block)
        if in_family.any():
            together = limits(matrix[:, in_family], joint_reach(matrix[:, in_family], resamples, seed))
            block.loc[in_family, "joint_low"], block.loc[in_family, "joint_high"] = (
                together.low,
                together.high,
            )
        blocks.append(block)
    if not blocks:
        return pd.DataFrame()
    table = pd.concat(blocks, ignore_index=True)
    numbers = table.select_dtypes("float").columns
    return table.assign(**table[numbers].round(TABLE_DECIMALS))


def cells_of(
    rows: pd.DataFrame, in_bands: bool, fewest_groups: int
) -> Iterator[tuple[dict, dict[Way, np.ndarray]]]:
    """Yield the facts of each setting and the (groups,) values of each way, with NaN for what is missing."""
    cells = Cells(rows, in_bands, fewest_groups)
    kept = cells.rows[(cells.rows["prevalence"] == POOLED) == in_bands]
    keys = ["candidates", "target", "prevalence"]
    for key, of_target in kept.groupby(keys, sort=False):
        of_target = of_target.assign(
            common=of_target["source_group"].isin(with_every_number(of_target, fewest_groups))
        )
        for outcomes, mark in OUTCOMES.items():
            part = of_target if mark is None else of_target[of_target[mark[0]] == mark[1]]
            if mark is not None and part["source_group"].nunique() == of_target["source_group"].nunique():
                continue
            for positives, cell in part.groupby("positives", sort=False):
                by_way = cell.set_index(["source_group", "chosen_on", "threshold"])[VALUES].unstack([1, 2])
                values = {(NAMES[name], *way): by_way[name, *way].to_numpy() for name, *way in by_way}
                facts = {**dict(zip(keys, key, strict=True)), "outcomes": outcomes, "positives": positives}
                yield facts, values


def with_every_number(rows: pd.DataFrame, fewest_groups: int) -> set[str]:
    """Return the source groups that have every number of positives for which there are enough of them."""
    rows = rows[rows["positives"] != WHOLE]
    groups = [set(of_number["source_group"]) for _, of_number in rows.groupby("positives")]
    enough = [names for names in groups if len(names) >= fewest_groups]
    return set.intersection(*enough) if enough else set()


def differences_of(
    values: Mapping[Way, np.ndarray], facts: Mapping, fewest_groups: int
) -> tuple[list[np.ndarray], list[dict]]:
    """Return the (groups,) values of each comparison of a setting, and what it compares.

    The differences to AUROC's model with the threshold of the same rows are there for all sets of outcomes. Other
    comparisons are only there for all outcomes together.
    """
    differences, described = [], []
    for way, of_way in values.items():
        if way[0] == RANDOM and way[2] == CROSSED:
            continue  # No row selects a random model, so this is the threshold of the same rows.
        for against, terms_of in AGAINST.items():
            terms = terms_of(way)
            if against != TO_REFERENCE and facts["outcomes"] != "all":
                continue
            if not terms or not {other for _, other in terms} <= values.keys():
                continue
            difference = of_way - sum(weight * values[other] for weight, other in terms)
            n = int(np.isfinite(difference).sum())
            if n >= fewest_groups:
                differences.append(difference)
                described.append({
                    **facts, **dict(zip(("selected_by", "chosen_on", "threshold"), way, strict=True)),
                    "against": against, "n_groups": n, "value": np.nanmean(of_way),
                })  # fmt: skip
    return differences, described


def family(block: pd.DataFrame) -> np.ndarray:
    """Return whether each comparison is a number of the first table: (comparisons,) bool."""
    is_first = (
        (block["target"] == FIRST_TARGET) & (block["outcomes"] == "all") & (block["positives"] != WHOLE)
    )
    return is_first.to_numpy() & usable(block)


def usable(block: pd.DataFrame) -> np.ndarray:
    """Return whether each comparison is one of a way that can be used with the reference: (comparisons,) bool.

    Both samples select the model, and no threshold is set on test rows. The reference itself is left out, and so is
    selection by the target itself, which is that by F1 if F1 is the target metric.
    """
    is_usable = (
        (block["chosen_on"] == BOTH)
        & (block["threshold"] != HINDSIGHT)
        & (block["against"] == TO_REFERENCE)
        & ~block["selected_by"].isin([ITSELF, *FIXED, *PATIENCE])
        & ~((block["selected_by"] == REFERENCE) & (block["threshold"] == SAME))
    )
    return is_usable.to_numpy()


def student_reach(n: np.ndarray) -> np.ndarray:
    """Return how many standard errors Student's 95 % interval of a mean of `n` (k,) groups reaches."""
    from scipy.special import stdtrit

    return stdtrit(n - 1.0, 1 - TAIL)


def joint_reach(values: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """Return how many standard errors the intervals of (groups, k) values reach that hold together, (k,).

    It is the 95 % quantile of the largest absolute t among the means of resampled source groups. The intervals of
    the rules (`joint_limits`) take the 97.5 % quantile instead.
    """
    return largest_of_class(
        resampled_t(values, resamples, seed), np.isfinite(values).sum(axis=0), level=LEVEL
    )
