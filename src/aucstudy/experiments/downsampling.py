"""The experiment `downsampling`: metrics on test sets that are cut to a ratio of negatives to positives.

Table 3 of Boyd et al. 2012 (section 4.3) is repeated here on many tasks.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from aucstudy.experiments.compared import AREAS_COMPARED, CLIPPED
from aucstudy.experiments.inputs import Task
from aucstudy.experiments.quantities import Frames, Quantity, each, measured_rows
from aucstudy.metrics.areas import areas_many
from aucstudy.metrics.kernel import Order, order_of
from aucstudy.metrics.subsets import areas_of_subsets
from aucstudy.statistics.seeds import draws_needed, generator
from aucstudy.store.estimates import ALL

ORIGINAL = "original"
LEAST_AUCNPR = 1e-12


def changes(frames: Frames) -> pd.DataFrame:
    """Return the metrics of each task at each ratio, as means over its models, and how they change from all rows."""
    areas = measured_rows(frames, "areas")
    if (areas["ratio"] == ORIGINAL).all():
        return pd.DataFrame()
    by_task = []
    for area in (*AREAS_COMPARED, CLIPPED):
        means, spreads = task_means(areas, area), task_means(areas, f"{area}_sd")
        for ratio in means:
            differences = means[ratio] - means[ORIGINAL]
            values = pd.DataFrame({"mean": means[ratio], "change": differences, "sd": spreads[ratio]})
            by_task.append(values.dropna().reset_index().assign(area=area, ratio=ratio))
    return pd.concat(by_task, ignore_index=True)


def over_ratios(frames: Frames) -> pd.DataFrame:
    """Return the spread of AUPR and AUCNPR over the ratios, for tasks that admit every ratio.

    `times` is the metric at the ratio nearest to 1:1, divided by the metric on all rows. The AUCNPR of the worst
    ranking is 0, so nothing can be divided by it.
    """
    areas = measured_rows(frames, "areas")
    if (areas["ratio"] == ORIGINAL).all():
        return pd.DataFrame()
    means = {area: task_means(areas, area).dropna() for area in ("aupr", "aucnpr")}
    model_sds = areas.groupby(["task_id", "source_group", "run_id"])[list(means)].std(ddof=1)
    spreads = model_sds.groupby(["task_id", "source_group"]).mean().loc[means["aupr"].index]
    rows = {area: pd.DataFrame({"sd": spreads[area], "second": ""}) for area in means}
    rows["aupr "] = pd.DataFrame({"sd": spreads["aupr"] - spreads["aucnpr"], "second": "aucnpr"})
    nearest, original = means["aucnpr"].columns[0], means["aucnpr"][ORIGINAL]
    above_worst = original > LEAST_AUCNPR
    rows["aucnpr"]["times"] = (means["aucnpr"][nearest] / original).where(above_worst)
    frames_of_area = [rows_of.assign(area=area.strip(), nearest=nearest) for area, rows_of in rows.items()]
    return pd.concat(frames_of_area).reset_index()


def rises(frames: Frames) -> pd.DataFrame:
    """Return how much AUPR and AUCNPR rise from each ratio to the next one nearer to 1:1."""
    areas = measured_rows(frames, "areas")
    if (areas["ratio"] == ORIGINAL).all():
        return pd.DataFrame()
    rows = []
    for area in ("aupr", "aucnpr"):
        table = task_means(areas, area).dropna()
        for near, far in pairwise(table.columns[:-1]):
            rise = (table[near] - table[far]).rename("rise").reset_index()
            rows.append(rise.assign(area=area, step=f"{far} to {near}"))
    return pd.concat(rows, ignore_index=True) if rows else pd.DataFrame()


_OF_CUT = {"first": "{area}", "setting": "{ratio}"}
EVERY_RATIO = "negatives for every ratio"
QUANTITIES = (
    *each(
        {"metric": "mean", "change of the metric": "change", "SD over draws": "sd"}, changes, keys=_OF_CUT,
        subsets=(ALL, EVERY_RATIO),
    ),
    Quantity("SD over ratios", over_ratios, "sd", {"first": "{area}", "second": "{second}"}),
    Quantity(
        "times the metric on all rows", over_ratios, "times", {"first": "{area}", "setting": "{nearest}"},
        {"area": "aucnpr"}, kind="median",
    ),
    Quantity("rise", rises, "rise", {"first": "{area}", "setting": "{step}"}),
)  # fmt: skip


def of_task(task: Task, *, ratios: Sequence[int], draws: int, seed: int) -> dict[str, pd.DataFrame]:
    y, scores = task.predictions.y_true, task.predictions.scores
    orders = negative_orders(y, draws_needed(draws, y), generator(seed, task.task_id, "downsampling"))
    by_ratio = {}
    if ratios := admitted(y, ratios):
        cut_areas = areas_of_cuts(order_of(y, scores), orders, [ratio * int(y.sum()) for ratio in ratios])
        by_ratio = {ratio_name(ratio): cut_areas[:, i] for i, ratio in enumerate(ratios)}
    by_ratio[ORIGINAL] = areas_of_all(y, scores)[:, None]
    runs = list(task.predictions.run_ids)
    frames = [over_draws(areas).assign(run_id=runs, ratio=ratio) for ratio, areas in by_ratio.items()]
    return {"areas": pd.concat(frames, ignore_index=True)}


def ratio_name(ratio: int) -> str:
    return f"1:{ratio}"


def admitted(y_true: np.ndarray, ratios: Sequence[int]) -> list[int]:
    """Return the ratios for which the labels (n,) have enough negatives, in ascending order.

    >>> admitted(np.array([True, False, False, False]), (1, 3, 5))
    [1, 3]
    """
    n_positive = int(np.sum(y_true))
    return [ratio for ratio in sorted(ratios) if ratio * n_positive <= len(y_true) - n_positive]


def negative_orders(y_true: np.ndarray, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Return the row numbers (draws, N) of the negatives, in a random order for each draw.

    The sample of k negatives in a draw consists of its first k, so samples of different sizes are nested.
    """
    orders = np.tile(np.flatnonzero(~y_true).astype(np.int32), (draws, 1))
    return rng.permuted(orders, axis=1, out=orders)


def areas_of_all(y_true: np.ndarray, scores: np.ndarray, prevalence: float | None = None) -> np.ndarray:
    areas = areas_many(y_true, scores, prevalence=prevalence)
    return np.stack([getattr(areas, area) for area in AREAS_COMPARED])


def areas_of_cuts(
    order: Order, orders: np.ndarray, sizes: Sequence[int], *, prevalence: float | None = None
) -> np.ndarray:
    """Return metrics (areas, sizes, draws, models) on all positives and the first negatives of each order.

    `sizes` are the numbers of negatives, in ascending order. The metrics are those of `areas_of_all`. If no
    prevalence is given, that of the cut set is taken.

    >>> y, scores = np.array([True, False, False]), np.array([[0.5], [0.9], [0.1]])
    >>> areas_of_cuts(order_of(y, scores), np.array([[2, 1]]), [1, 2])[2, :, 0, 0].tolist()
    [1.0, 0.5]
    """
    part_of_row = np.full((len(orders), len(order.positive)), len(sizes), dtype=np.uint8)
    part_of_row[:, order.positive] = 0
    for k, (low, high) in enumerate(pairwise([0, *sizes])):
        np.put_along_axis(part_of_row, orders[:, low:high], k, axis=1)
    options = {"nested": True, "prevalence": prevalence, "names": AREAS_COMPARED}
    return areas_of_subsets(order, part_of_row, len(sizes), **options).swapaxes(1, 2)


def over_draws(areas: np.ndarray) -> pd.DataFrame:
    """Return the mean and standard deviation of each metric over the draws, with one row for each model.

    AUPRG is also included with negative values counted as 0.
    """
    by_name = dict(zip(AREAS_COMPARED, areas, strict=True))
    by_name[CLIPPED] = by_name["auprg"].clip(0)
    columns = {name: drawn.mean(axis=0) for name, drawn in by_name.items()}
    for name, drawn in by_name.items():
        columns[f"{name}_sd"] = drawn.std(axis=0, ddof=1) if len(drawn) > 1 else 0.0
    return pd.DataFrame(columns)


def task_means(areas: pd.DataFrame, column: str) -> pd.DataFrame:
    means = areas.pivot_table(index=["task_id", "source_group"], columns="ratio", values=column)
    return means[sorted(means, key=lambda name: np.inf if name == ORIGINAL else int(name.split(":")[1]))]
