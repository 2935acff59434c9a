"""Test sets cut to a ratio of negatives to positives [Boyd et al. 2012, section 4.3, table 3, on many tasks].

The positives stay, the negatives are drawn at random. The draws are nested (the negatives at 1:2 hold those at 1:1)
and shared by all models of a task. Only the predictions are cut here; the models are those of the whole data.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from aucstudy.area_names import AREAS_COMPARED, CLIPPED
from aucstudy.experiments.inputs import Study, Task
from aucstudy.metrics.areas import areas_many
from aucstudy.metrics.engine.walks import Order, areas_of_subsets, order_of
from aucstudy.statistics.draws import draws_needed
from aucstudy.statistics.intervals import over_tasks, statistic_interval
from aucstudy.statistics.seeds import generator
from aucstudy.store.task_store import Predictions

ORIGINAL = "original"
# rows x draws held at once: bounds the memory of a large task
CELLS_AT_ONCE = 4_000_000
TABLE_COLUMNS = (
    "tasks", "ratio", "area", "mean", "difference", "low", "high", "sd_over_draws", "n_tasks", "n_groups",
    "mean_low", "mean_high",
)  # fmt: skip


def of_task(task: Task, *, ratios: Sequence[int], draws: int, seed: int) -> dict[str, pd.DataFrame]:
    """One task's `downsampled_areas`."""
    return {"areas": downsampled_areas(task.predictions, ratios, draws, seed)}


def over_all(study: Study, *, bootstrap: int, seed: int) -> dict[str, pd.DataFrame]:
    """The experiment's tables."""
    given = study.frames["areas"], study.source_groups
    claims = downsampling_claims(*given, bootstrap, seed)
    return {"downsampling": downsampling_table(*given), "downsampling_claims": claims}


def ratio_name(ratio: int) -> str:
    """How a ratio of one positive to so many negatives is written.

    >>> ratio_name(10)
    '1:10'
    """
    return f"1:{ratio}"


def admitted(y_true: np.ndarray, ratios: Sequence[int]) -> list[int]:
    """The ratios that (n,) labels can be cut to: those with enough negatives.

    >>> admitted(np.array([True, False, False, False]), (1, 3, 5))
    [1, 3]
    """
    n_positive = int(np.sum(y_true))
    return [ratio for ratio in sorted(ratios) if ratio * n_positive <= len(y_true) - n_positive]


def negative_orders(y_true: np.ndarray, draws: int, rng: np.random.Generator) -> np.ndarray:
    """(draws, N) row numbers of the negatives, each draw in a random order; a draw's first k rows are its sample."""
    orders = np.tile(np.flatnonzero(~y_true).astype(np.int32), (draws, 1))
    return rng.permuted(orders, axis=1, out=orders)


def areas_of_all(predictions: Predictions, **options: object) -> np.ndarray:
    """(areas, models) areas of all rows, in the order of AREAS_COMPARED; options as for `areas_many`."""
    areas = areas_many(predictions.y_true, predictions.scores, **options)
    return np.stack([getattr(areas, area) for area in AREAS_COMPARED])


def areas_of_cuts(
    order: Order, orders: np.ndarray, sizes: Sequence[int], *, prevalence: float | None = None
) -> np.ndarray:
    """(areas, sizes, draws, models) areas of cut test sets, in the order of AREAS_COMPARED.

    Parameters
    ----------
    orders : (draws, N) as `negative_orders` gives them.
    sizes : how many of a draw's negatives are kept, rising; all positives are.
    prevalence : the one to compute at, None for that of the cut set.

    Examples
    --------
    >>> y, scores = np.array([True, False, False]), np.array([[0.5], [0.9], [0.1]])
    >>> areas_of_cuts(order_of(y, scores), np.array([[2, 1]]), [1, 2])[2, :, 0, 0].tolist()
    [1.0, 0.5]
    """
    cuts, at_once = [], max(1, CELLS_AT_ONCE // len(order.positive))
    for some in np.split(orders, range(at_once, len(orders), at_once)):
        parts = np.full((len(some), len(order.positive)), len(sizes), dtype=np.uint8)
        parts[:, order.positive] = 0
        for part, (low, high) in enumerate(pairwise([0, *sizes])):
            np.put_along_axis(parts, some[:, low:high], part, axis=1)
        options = {"nested": True, "prevalence": prevalence, "of": AREAS_COMPARED}
        cuts.append(areas_of_subsets(order, parts, len(sizes), **options))
    return np.concatenate(cuts, axis=1).swapaxes(1, 2)


def downsampled_areas(predictions: Predictions, ratios: Sequence[int], draws: int, seed: int) -> pd.DataFrame:
    """The areas of a task's models on test sets cut to each ratio that the task admits, and on the whole one.

    Returns
    -------
    One row a model and ratio: task_id, run_id, ratio ("1:1", ..., "original"), and for each area its mean over the
    draws and, as `<area>_sd`, the standard deviation over the draws (0 for the original); so for `CLIPPED`, which
    is AUPRG in draws where it is positive, else 0.
    """
    y = predictions.y_true
    orders = negative_orders(y, draws_needed(draws, y), generator(seed, predictions.task_id, "downsampling"))
    kept = admitted(y, ratios)
    drawn = areas_of_cuts(order_of(y, predictions.scores), orders, [ratio * int(y.sum()) for ratio in kept])
    frames = [_frame(predictions, ratio_name(ratio), drawn[:, i]) for i, ratio in enumerate(kept)]
    whole = areas_of_all(predictions)[:, None]
    return pd.concat([*frames, _frame(predictions, ORIGINAL, whole)], ignore_index=True)


def _frame(predictions: Predictions, ratio: str, drawn: np.ndarray) -> pd.DataFrame:
    spread = [_deviation(values) for values in drawn]
    means = dict(zip(AREAS_COMPARED, drawn.mean(axis=1), strict=True))
    spreads = {f"{area}_sd": values for area, values in zip(AREAS_COMPARED, spread, strict=True)}
    clipped = drawn[AREAS_COMPARED.index("auprg")].clip(0)
    means[CLIPPED], spreads[f"{CLIPPED}_sd"] = clipped.mean(axis=0), _deviation(clipped)
    facts = {"task_id": predictions.task_id, "run_id": list(predictions.run_ids), "ratio": ratio}
    return pd.DataFrame({**facts, **means, **spreads})


def _deviation(drawn: np.ndarray) -> np.ndarray:
    """(models,) standard deviation over the draws of (draws, models), 0 of a single draw."""
    return drawn.std(axis=0, ddof=1) if len(drawn) > 1 else np.zeros_like(drawn[0])


def task_means(downsampled: pd.DataFrame, column: str) -> pd.DataFrame:
    """The mean over a task's models: one row a task, one column a ratio, NaN where the task does not admit it."""
    ratios = downsampled["ratio"].drop_duplicates()
    ordered = sorted(ratios, key=lambda name: np.inf if name == ORIGINAL else int(name.split(":")[1]))
    return downsampled.pivot_table(index="task_id", columns="ratio", values=column)[ordered]


def downsampling_table(downsampled: pd.DataFrame, source_groups: pd.Series) -> pd.DataFrame:
    """Each area at each ratio, and how far it lies from the same task's original area.

    Parameters
    ----------
    downsampled : rows of `downsampled_areas` of all tasks.
    source_groups : the source group of each task, indexed by task_id.

    Returns
    -------
    One row a set of tasks, ratio and area. `tasks` is `common` (those that admit every ratio: rows may be compared
    with one another) or `admitted` (those that admit this ratio). `mean` is the mean over tasks of the mean over
    models, `mean_low` and `mean_high` its 95 % interval; `difference`, `low`, `high` that of the differences within
    tasks to the original; `sd_over_draws` the mean standard deviation over draws at this ratio.
    """
    rows = []
    for area in (*AREAS_COMPARED, CLIPPED):
        means, spreads = task_means(downsampled, area), task_means(downsampled, f"{area}_sd")
        common = means.dropna().index
        for ratio in means.columns:
            for name, tasks in (("common", common), ("admitted", means[ratio].dropna().index)):
                if tasks.empty:
                    continue
                differences = (means[ratio] - means[ORIGINAL])[tasks]
                level = over_tasks(means.loc[tasks, ratio], source_groups[tasks])
                rows.append(
                    {
                        "tasks": name,
                        "ratio": ratio,
                        "area": area,
                        "mean": means.loc[tasks, ratio].mean(),
                        **over_tasks(differences, source_groups[tasks], name="difference"),
                        "sd_over_draws": spreads.loc[tasks, ratio].mean(),
                        "mean_low": level["low"],
                        "mean_high": level["high"],
                    }
                )
    table = pd.DataFrame(rows)[list(TABLE_COLUMNS)]
    return table.sort_values(["tasks", "area"], kind="stable", ignore_index=True)


def downsampling_claims(
    downsampled: pd.DataFrame, source_groups: pd.Series, resamples: int, seed: int
) -> pd.DataFrame:
    """What table 3 is quoted for, measured on the tasks that admit every ratio.

    Returns
    -------
    One row a statistic with its 95 % interval: the standard deviation over the ratios (original included) of a
    model's means, for AUPR, AUCNPR and the first minus the second; the median over tasks of AUCNPR at the smallest
    ratio divided by the original's; the mean rise of AUCNPR and AUPR from each ratio to the next nearer 1:1.
    """
    means = {area: task_means(downsampled, area).dropna() for area in ("aupr", "aucnpr")}
    tasks = means["aupr"].index
    if tasks.empty:
        return pd.DataFrame(columns=["statistic", "area", "estimate", "low", "high", "n_tasks", "n_groups"])
    groups = source_groups[tasks].to_numpy()
    rows = []

    def add(statistic: str, area: str, values: np.ndarray) -> None:
        mean = over_tasks(values, groups)
        rows.append({"statistic": statistic, "area": area, **mean})

    spread = {area: _spread_over_ratios(downsampled, area)[tasks].to_numpy() for area in means}
    spread["aupr minus aucnpr"] = spread["aupr"] - spread["aucnpr"]
    for area, values in spread.items():
        add("SD over ratios", area, values)
    nearest = means["aucnpr"].columns[0]
    times = (means["aucnpr"][nearest] / means["aucnpr"][ORIGINAL]).to_numpy()
    median = statistic_interval(lambda weights: _weighted_medians(times, weights), groups, resamples, seed)
    sizes = {"n_tasks": len(tasks), "n_groups": len(set(groups))}
    rows.append(
        {"statistic": f"median of {nearest} over original", "area": "aucnpr", **vars(median), **sizes}
    )
    for area, table in means.items():
        for near, far in zip(table.columns[:-2], table.columns[1:-1], strict=True):
            add(f"rise from {far} to {near}", area, (table[near] - table[far]).to_numpy())
    return pd.DataFrame(rows)


def _spread_over_ratios(downsampled: pd.DataFrame, area: str) -> pd.Series:
    """For each task, the mean over its models of the standard deviation over ratios."""
    spread = downsampled.groupby(["task_id", "run_id"])[area].std(ddof=1)
    return spread.groupby("task_id").mean()


def _weighted_medians(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(k,) medians of (n,) values under (k, n) weights: the lower one where two values stand in the middle."""
    order = np.argsort(values)
    share = np.cumsum(weights[:, order], axis=1) / weights.sum(axis=1, keepdims=True)
    return values[order][np.argmax(share >= 0.5, axis=1)]
