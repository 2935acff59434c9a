"""The experiment `downsampling`: metrics on test sets that are cut to a ratio of negatives to positives.

Table 3 of Boyd et al. 2012 (section 4.3) is repeated here on many tasks.
"""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd

from aucstudy.experiments.compared import AREAS_COMPARED, CLIPPED
from aucstudy.experiments.inputs import Study, Task
from aucstudy.metrics.areas import areas_many
from aucstudy.metrics.kernel import Order, order_of
from aucstudy.metrics.subsets import areas_of_subsets
from aucstudy.statistics.intervals import estimated, over_tasks, statistic_interval, with_interval
from aucstudy.statistics.seeds import draws_needed, generator

ORIGINAL = "original"
LEAST_AUCNPR = 1e-12


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


def over_all(study: Study, *, bootstrap: int, seed: int) -> dict[str, pd.DataFrame]:
    areas = study.frames.get("areas", pd.DataFrame({"ratio": []}))
    if (areas["ratio"] == ORIGINAL).all():
        return {}
    table, claims = downsampling_table(areas), downsampling_claims(areas, bootstrap, seed)
    return {"downsampling": table, "downsampling_claims": claims}


def nearest_ratio(table: pd.DataFrame) -> pd.DataFrame:
    rows = table[table["tasks"] == "common"]
    return rows[rows["ratio"] == rows["ratio"].iloc[0]].set_index("area") if len(rows) else rows


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


def downsampling_table(areas: pd.DataFrame) -> pd.DataFrame:
    by_task = []
    for area in (*AREAS_COMPARED, CLIPPED):
        means, spreads = task_means(areas, area), task_means(areas, f"{area}_sd")
        for ratio in means:
            differences = means[ratio] - means[ORIGINAL]
            values = pd.DataFrame({"mean": means[ratio], "difference": differences, "sd": spreads[ratio]})
            values = values.dropna().assign(area=area, ratio=ratio)
            for tasks, index in (("admitted", values.index), ("common", means.dropna().index)):
                by_task.append(values.loc[index].assign(tasks=tasks))
    table = estimated(
        pd.concat(by_task).reset_index(),
        ["tasks", "area", "ratio"],
        lambda tasks: {"": tasks["difference"]},
        name="difference",
        facts=lambda tasks: {
            **with_interval("mean", tasks["mean"], tasks["source_group"]),
            "sd_over_draws": tasks["sd"].mean(),
        },
    )
    return table.sort_values(["tasks", "area"], kind="stable")


def downsampling_claims(areas: pd.DataFrame, resamples: int, seed: int) -> pd.DataFrame:
    means = {area: task_means(areas, area).dropna() for area in ("aupr", "aucnpr")}
    groups = means["aupr"].index.get_level_values("source_group").to_numpy()
    model_sds = areas.groupby(["task_id", "source_group", "run_id"])[list(means)].std(ddof=1)
    spreads = model_sds.groupby(["task_id", "source_group"]).mean().loc[means["aupr"].index]
    spreads["aupr minus aucnpr"] = spreads["aupr"] - spreads["aucnpr"]
    rows = {("SD over ratios", area): over_tasks(values, groups) for area, values in spreads.items()}
    nearest = means["aucnpr"].columns[0]
    # The AUCNPR of the worst ranking is 0, so nothing can be divided by it.
    above_worst = (means["aucnpr"][ORIGINAL] > LEAST_AUCNPR).to_numpy()
    if above_worst.any():
        times = (means["aucnpr"][nearest] / means["aucnpr"][ORIGINAL]).to_numpy()[above_worst]
        medians, times_groups = partial(weighted_medians, times), groups[above_worst]
        median = statistic_interval(medians, times_groups, resamples, seed)
        sizes = {"n_tasks": len(times), "n_groups": len(set(times_groups))}
        rows[f"median of {nearest} over original", "aucnpr"] = vars(median) | sizes
    for area, table in means.items():
        for near, far in pairwise(table.columns[:-1]):
            rows[f"rise from {far} to {near}", area] = over_tasks(table[near] - table[far], groups)
    return pd.DataFrame([{"statistic": name, "area": area, **row} for (name, area), row in rows.items()])


def weighted_medians(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the medians (k,) of (n,) values under (k, n) weights, the lower one of two in the middle."""
    order = np.argsort(values)
    share = np.cumsum(weights[:, order], axis=1) / weights.sum(axis=1, keepdims=True)
    return values[order][np.argmax(share >= 0.5, axis=1)]
