"""Why one selection metric selects better models than another: selections with some models left out."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from aucstudy.experiments.inputs import Study, Task
from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.kernel import Order, count_groups
from aucstudy.metrics.target_metrics import AREAS, on_samples
from aucstudy.statistics.intervals import joint_limits
from aucstudy.statistics.ranks import random_orders

from .rare import BEST, LEAST_FALSE_POSITIVES, REFERENCE, cells_of, judged_choices, pool_of
from .rare_surface import FEWEST_GROUPS

FEW_SCORES = 20  # A model has few scores if it has fewer distinct ones on the validation rows.
CHANCE = 0.55  # A model whose AUROC on the validation rows is lower ranks hardly better than chance.
FEWEST_MODELS = 3
UNTIED = "average precision, ties in random order"
EVERY, WHOLE_POOL = "all models", "all models, areas of the whole pool"
AT_RANDOM = "as many left out at random"
CELL = ["trained", "prevalence", "positives", "target"]
AGAINST = (
    (REFERENCE, ("average_precision", "aupr", "auprg", UNTIED)),
    ("aupr", ("average_precision", UNTIED)),
)


def of_task(
    task: Task,
    *,
    prevalences: Sequence[float],
    positives: Sequence[int],
    targets: Sequence[str],
    draws: int,
    seed: int,
) -> dict[str, pd.DataFrame]:
    pool = pool_of(task)
    y, scores, order = pool
    models_of_variants = models_kept(order, scores)
    rows: list[dict] = []
    for cell, judge, samples, random in cells_of(task, pool, prevalences, positives, targets, draws, seed):
        on_sample = on_samples(order, scores, samples, judge.targets, of_rows=judge.n_rows)
        criteria = dict(zip(AREAS, on_sample.areas, strict=True))
        criteria[UNTIED] = untied_precision(order, scores, samples)
        candidates = random_orders(len(order.rows), draws, random)
        judged_values = [row for row in judge.judged_values(on_sample) if row.threshold == BEST]
        weight = (1 - cell["prevalence"]) / cell["prevalence"] * y.sum() / (~y).sum()
        all_rows = np.ones((1, len(y)), dtype=np.uint8)
        pool_areas = on_samples(order, scores, all_rows, [], negative_weight=weight).areas
        of_pool = dict(zip(AREAS, np.repeat(pool_areas, draws, axis=1), strict=True))
        for variant, values, models in variants(criteria, of_pool, candidates, models_of_variants):
            for row in judged_choices(judged_values, values, models):
                rows.append({**cell, "variant": variant, "n_left": models.shape[1], **_against(row)})
    return {"rare_why_tasks": pd.DataFrame(rows)} if rows else {}


def models_kept(order: Order, scores: np.ndarray) -> dict[str, np.ndarray]:
    """Return the (m,) models that each variant keeps, by the variant's name."""
    many_scores = np.array([len(np.unique(column)) >= FEW_SCORES for column in scores.T])
    auroc = on_samples(order, scores, np.ones((1, len(scores)), dtype=np.uint8), []).areas
    above_chance = auroc[AREAS.index(REFERENCE), 0] >= CHANCE
    return {
        f"without models of under {FEW_SCORES} scores": many_scores,
        f"without models of AUROC under {CHANCE:g}": above_chance,
        "without both": many_scores & above_chance,
    }


def variants(
    criteria: Mapping[str, np.ndarray],
    of_pool: Mapping[str, np.ndarray],
    candidates: np.ndarray,
    usable: Mapping[str, np.ndarray],
) -> Iterator[tuple[str, Mapping[str, np.ndarray], np.ndarray]]:
    """Yield the name, the criteria and the (draws, n) candidates of each variant of the selection.

    The first two variants have all models. In the second one, the metrics are measured on all validation
    rows. The others leave out some models. Each of these is followed by one that leaves out as many models at
    random.
    """
    yield EVERY, criteria, candidates
    yield WHOLE_POOL, of_pool, candidates
    for name, stays in usable.items():
        n = int(stays.sum())
        if n >= FEWEST_MODELS:
            yield name, criteria, candidates[stays[candidates]].reshape(len(candidates), n)
            yield f"{name}: {AT_RANDOM}", criteria, candidates[:, :n]


def untied_precision(order: Order, scores: np.ndarray, samples: np.ndarray) -> np.ndarray:
    """Return the (draws, m) expected average precision if tied rows are in random order.

    McSherry and Najork 2008, Computing information retrieval performance measures efficiently in the presence
    of tied scores.

    >>> from aucstudy.metrics.kernel import order_of
    >>> scores = np.array([[0.9], [0.5], [0.5], [0.1]])
    >>> order = order_of(np.array([False, True, False, True]), scores)
    >>> untied_precision(order, scores, np.ones((1, 4), dtype=np.uint8)).round(4).tolist()
    [[0.4583]]
    """
    precision = np.empty((len(samples), len(order.rows)))
    _fill_untied(order, np.ascontiguousarray(samples, dtype=np.uint8), precision)
    return precision


@compiled
def _fill_untied(order, samples, precision):
    groups = np.empty((4, np.count_nonzero(order.positive) + 1))
    for s in range(len(samples)):
        for m in range(len(order.rows)):
            size = count_groups(order.rows[m], order.ends_group[m], order.positive, samples[s], groups)
            total = P = 0.0
            for g in range(size):
                t, f, d, e = groups[:, g]
                P = t + d
                # With a positive at one place of the group, this is the share of positives at the others.
                others = (d - 1) / max(d + e - 1, 1.0)
                for place in range(int(d + e)):
                    total += d / (d + e) * (t + 1 + place * others) / (t + f + place + 1)
            precision[s, m] = total / P


def _against(row: Mapping[str, object]) -> dict[str, object]:
    differences = {
        f"{selected_by} - {against}": row.get(f"difference {selected_by}", np.nan)
        - row[f"difference {against}"]
        for against, selection_metrics in AGAINST
        for selected_by in selection_metrics
    }
    return {"target": row["target"], "false_positives": row["false_positives"], **differences}


def over_all(study: Study, *, bootstrap: int, seed: int) -> dict[str, pd.DataFrame]:
    tasks = study.frames.get("rare_why_tasks")
    if tasks is None or tasks.empty or tasks["source_group"].nunique() < FEWEST_GROUPS:
        return {}
    tasks = tasks[tasks["false_positives"] >= LEAST_FALSE_POSITIVES]
    pairs = [column for column in tasks if " - " in column]
    keys = [*CELL, "source_group", "variant"]
    groups = tasks.groupby(keys, sort=False)[[*pairs, "n_left"]].mean()
    pooled = groups.groupby([key for key in keys if key != "prevalence"], sort=False).mean().reset_index()
    frames = pooled.assign(prevalence="all").set_index(keys), groups
    tables = [variants_table(frame, pairs, bootstrap, seed) for frame in frames]
    return {"rare_why": pd.concat(tables, ignore_index=True)}


def variants_table(groups: pd.DataFrame, pairs: Sequence[str], bootstrap: int, seed: int) -> pd.DataFrame:
    """Return the mean over source groups for each variant and pair of selection metrics.

    `change` is this mean minus that of the variant that leaves out as many models at random.
    """
    columns, changes, facts = {}, {}, []
    for key, cell in groups.groupby(CELL, sort=False):
        by_variant = cell.droplevel([*range(len(key))]).swaplevel()
        for variant in by_variant.index.unique(level="variant"):
            rows, control = by_variant.loc[variant], f"{variant}: {AT_RANDOM}"
            for pair in pairs:
                if len(rows) < FEWEST_GROUPS or rows[pair].isna().all():
                    continue
                columns[*key, variant, pair] = rows[pair]
                if control in by_variant.index:
                    changes[*key, variant, pair] = rows[pair] - by_variant.loc[control, pair]
                selected_by, _, against = pair.partition(" - ")
                names = {"variant": variant, "selected_by": selected_by, "against": against}
                sizes = {"n_groups": len(rows), "n_left": rows["n_left"].mean()}
                facts.append({**dict(zip(CELL, key, strict=True)), **names, **sizes})
    values, changed = pd.DataFrame(columns), pd.DataFrame(changes)
    joint, change = (joint_limits(frame.to_numpy(), bootstrap, seed) for frame in (values, changed))
    numbers = {
        "difference": joint.estimate,
        "low": joint.low,
        "high": joint.high,
        "median": values.median().to_numpy(),
    }
    ends = {"change": change.estimate, "change_low": change.low, "change_high": change.high}
    table = pd.DataFrame(facts, index=values.columns).assign(**numbers)
    return table.join(pd.DataFrame(ends, index=changed.columns)).reset_index(drop=True)
