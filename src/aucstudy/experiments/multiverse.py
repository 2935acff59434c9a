"""The experiment `multiverse`: how much do the shares of disagreement depend on the study's design?

The same shares are computed under every choice that the paper leaves open or that this study made.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pandas as pd

from aucstudy.experiments.compared import DISTINCT_AREAS, DISTINCT_PAIRS
from aucstudy.experiments.conventions import RIVALS
from aucstudy.experiments.disagreement import SHARE, TOP_COLUMNS, first_places_differ
from aucstudy.experiments.inputs import Study, Task
from aucstudy.experiments.quantities import Quantity
from aucstudy.metrics.areas import areas_many
from aucstudy.statistics.intervals import LEVEL
from aucstudy.statistics.ranks import agreement, random_orders, rounded
from aucstudy.statistics.seeds import generator
from aucstudy.store.estimates import ALL, SOURCE, TASK

MIN_POSITIVES = (20, 50, 100)
# The numbers of models to draw from each task that has more. 30 is the number of models in the paper.
MODELS = (30, 20, 10, 5)


def of_task(task: Task, *, seed: int) -> dict[str, pd.DataFrame]:
    """Return further metrics of the models of a task, with one row for each run_id.

    For `majority_<area>`, the other class is the positive one and the scores are negated. For
    `auprg_unit_square`, negative precision gains count as 0. The other columns have the names of conventions
    and contain AUPR by these conventions.
    """
    y, scores = task.predictions.y_true, task.predictions.scores
    turned_areas = areas_many(~y, -scores)
    values = {f"majority_{area}": getattr(turned_areas, area) for area in DISTINCT_AREAS}
    values["auprg_unit_square"] = areas_many(y, scores, negative_gains="clip").auprg
    by_run = pd.DataFrame({"run_id": list(task.predictions.run_ids), **values})
    conventions = task.frames["convention_values"][["run_id", *RIVALS]]
    return {"other_values": by_run.merge(conventions, on="run_id")}


CONFIGURED = "this study: as configured"
QUANTITIES = (
    Quantity(
        "differs", "multiverse_tasks", "differs",
        {"first": "{first}", "second": "{second}", "setting": "{dimension}: {choice}", "at": "{top}"},
        kind="share", exact=True,
    ),
)  # fmt: skip


def by_task(study: Study, *, aggregation: str, seed: int) -> dict[str, pd.DataFrame]:
    """Return the probability that two metrics put different models first, under every choice of the design."""
    if "other_values" not in study.frames:
        return {}
    rows = []
    for dimension, choice, values in universes(study.scores(), study.frames["other_values"], aggregation):
        differs = differing(values)
        if differs.empty:
            continue
        rows.append(_by_task(dimension, choice, differs))
        if dimension == "this study":
            rows.append(_by_task("ties", "strict", (differs > 0).astype(float)))
            rows.append(_by_task("ties", "lenient", (differs == 1).astype(float)))
    return {"multiverse_tasks": pd.concat(rows, ignore_index=True)} if rows else {}


def _by_task(dimension: str, choice: str, differs: pd.DataFrame) -> pd.DataFrame:
    rows = differs.rename_axis(index="task_id", columns=["first", "second", "top"])
    rows = rows.T.stack().rename("differs").reset_index()
    return rows.assign(dimension=dimension, choice=choice)


def over_all(study: Study, *, redraws: int, aggregation: str, seed: int) -> dict[str, pd.DataFrame]:
    if study.estimates.empty:
        return {}
    rows = [*_of_choices(study.estimates), *_redrawn(study.scores(aggregation), redraws, seed)]
    return {"multiverse": pd.DataFrame(rows)}


def _of_choices(estimates: pd.DataFrame) -> Iterator[dict]:
    """Yield the shares under every choice, each task counted once, and this study's with each source counted once."""
    estimates = estimates[estimates["subset"] == ALL]
    own = estimates["setting"] == CONFIGURED
    by_source = estimates[own & (estimates["weight"] == SOURCE)].assign(
        setting="source groups: one task each"
    )
    by_task = estimates[estimates["weight"] == TASK]
    is_tie = by_task["setting"].str.startswith("ties: ")
    first_rows = by_task["setting"] == CONFIGURED
    others = by_task[~first_rows & ~is_tie]
    for row in pd.concat([by_task[first_rows], by_task[is_tie], by_source, others]).to_dict("records"):
        dimension, choice = row["setting"].split(": ", 1)
        named = _named(dimension, choice, row["first"], row["second"], int(row["at"]))
        share = {name: row[name] for name in ("estimate", "low", "high", "n_tasks")}
        yield {**named, **share, "n_groups": row["n_sources"], "range_of": "source groups", "draws": 0}


def universes(
    scores: pd.DataFrame, rivals: pd.DataFrame, aggregation: str
) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Yield the dimension, the choice and the metrics of all models for every choice in the study's design.

    The study's own choice comes first. `rivals` are the metrics from `of_task`. They are computed from the
    predictions of all folds together, as most tools do.
    """
    by_aggregation = dict(iter(scores.groupby("aggregation", sort=True)))
    averaged = by_aggregation[aggregation]
    yield "this study", "as configured", averaged
    for name, areas_of_aggregation in by_aggregation.items():
        if name != aggregation:
            yield "folds", name, areas_of_aggregation
    pooled = by_aggregation["pooled"].merge(rivals, on=["task_id", "run_id"], suffixes=("_own", ""))
    majority = {f"majority_{area}": area for area in DISTINCT_AREAS}
    yield "positive class", "majority", rivals[["task_id", "run_id", *majority]].rename(columns=majority)
    for name in RIVALS:
        yield "AUPR is", name, pooled.assign(aupr=pooled[name])
    yield "AUPRG is", "unit_square", pooled.assign(auprg=pooled["auprg_unit_square"])
    for fewest in MIN_POSITIVES:
        yield "positives", f"at least {fewest}", averaged[averaged["n_positive"] >= fewest]
    # If a task has a perfect model, every metric picks it, or picks one of several perfect models.
    perfect_tasks = averaged.loc[rounded(averaged["auroc"].to_numpy()) == 1, "task_id"]
    yield "tasks", "no perfect model", averaged[~averaged["task_id"].isin(perfect_tasks)]


def differing(values: pd.DataFrame) -> pd.DataFrame:
    """Return the probability that two metrics put different models in the first places.

    The frame has a row for each task and a column for each (first, second, top). Tasks in which some metric
    is not finite are left out.
    """
    tasks = _areas_by_task(values)
    return pd.DataFrame({task_id: first_places_differ(areas) for task_id, areas in tasks.items()}).T


def _areas_by_task(values: pd.DataFrame) -> dict[str, dict[str, np.ndarray]]:
    tasks = {
        task_id: {area: rounded(task_rows[area].to_numpy()) for area in DISTINCT_AREAS}
        for task_id, task_rows in values.groupby("task_id", sort=True)
    }
    return {task_id: areas for task_id, areas in tasks.items() if np.isfinite(list(areas.values())).all()}


def _named(*key: str | int) -> dict[str, str | int]:
    return dict(zip(["dimension", "choice", *SHARE], key, strict=True))


def _redrawn(study_scores: pd.DataFrame, redraws: int, seed: int) -> Iterator[dict]:
    tasks = _areas_by_task(study_scores.sort_values(["task_id", "run_id"]))
    for size in MODELS:
        redrawn = []
        for task_id, areas in tasks.items():
            n_models = len(areas["aupr"])
            if n_models > size:
                rng = generator(seed, task_id, "redraw", size)
                models = random_orders(n_models, redraws, rng)[:, :size]
                redrawn.append({area: values[models] for area, values in areas.items()})
        if not redrawn:
            continue
        sizes = {"range_of": "redraws", "draws": redraws, "n_tasks": len(redrawn), "n_groups": 0}
        for (a, b), top in product(DISTINCT_PAIRS, TOP_COLUMNS):
            shares = sum(_differ(areas[a], areas[b], top) for areas in redrawn) / len(redrawn)
            low, high = np.percentile(shares, [50 * (1 - LEVEL), 100 - 50 * (1 - LEVEL)])
            share = {"estimate": shares.mean(), "low": low, "high": high}
            yield {**_named("models drawn", str(size), a, b, top), **share, **sizes}


def _differ(first: np.ndarray, second: np.ndarray, top: int) -> np.ndarray:
    """Return the probability of disagreement for each row of two (draws, m) arrays.

    Only rows in which leading models are tied need `agreement`, which is slow.
    """
    orders = [np.argsort(-values, axis=1, kind="stable")[:, : top + 1] for values in (first, second)]
    p_differs = (orders[0][:, :top] != orders[1][:, :top]).any(axis=1).astype(float)
    leading = [np.take_along_axis(*pair, axis=1) for pair in zip((first, second), orders, strict=True)]
    has_ties = (np.diff(leading) == 0).any(axis=(0, 2))
    for row in np.flatnonzero(has_ties):
        p_differs[row] = 1 - agreement(first[row], second[row], top)
    return p_differs
