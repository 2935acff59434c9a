"""Why AUROC leads among models of thinned positives, and AP beside exact AUPR: the same choices without some models."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from aucstudy.experiments.inputs import Study, Task
from aucstudy.experiments.rare import (
    BEST,
    JUDGE,
    LEAST_FALSE_POSITIVES,
    NATURAL,
    POOL,
    REFERENCE,
    Judge,
    drawn,
    judged_choices,
)
from aucstudy.experiments.rare_surface import FEWEST_GROUPS
from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.ranking import Order, order_of
from aucstudy.metrics.wants import AREAS, on_samples, want_of
from aucstudy.statistics.intervals import joint_limits
from aucstudy.statistics.seeds import generator

FEW_SCORES = 20  # a model with fewer distinct scores on the pool has few
CHANCE = 0.55  # a model whose AUROC on the pool is lower ranks hardly better than chance
FEWEST_MODELS = 3
UNTIED = "average precision, ties in random order"
EVERY, AT_RANDOM, WHOLE_POOL = (
    "all models",
    "as many left out at random",
    "all models, areas of the whole pool",
)
AGAINST = (
    (REFERENCE, ("average_precision", "aupr", "auprg", UNTIED)),
    ("aupr", ("average_precision", UNTIED)),
)


def of_task(
    task: Task,
    *,
    prevalences: Sequence[float],
    positives: Sequence[int],
    wants: Sequence[str],
    draws: int,
    seed: int,
) -> dict[str, pd.DataFrame]:
    """Worths of the choices of `rare`, among models that are left when those that may carry a difference are not."""
    facts, predictions = task.facts, task.predictions
    pool, judge = (predictions.fold == fold for fold in (POOL, JUDGE))
    names = facts["dataset_name"], facts["split"]
    y, scores = predictions.y_true[pool], predictions.scores[pool]
    order = order_of(y, scores)
    usable = models_kept(order, scores)
    natural = [p for p in prevalences if p <= facts["prevalence"]]
    rows: list[dict] = []
    for prevalence in natural if facts["trained"] == NATURAL else [facts["trained_at"]]:
        random = generator(seed, *names, "halves of the judge")
        truth = Judge(
            predictions.y_true[judge], predictions.scores[judge], prevalence, [*map(want_of, wants)], random
        )
        for k in positives:
            random = generator(seed, *names, f"{prevalence:g}", k, "rare")
            samples = drawn(y, k, round(k * (1 - prevalence) / prevalence), draws, random)
            if samples is None:
                continue
            on_sample = on_samples(order, scores, samples, truth.wants, of_rows=truth.n_rows)
            criteria = dict(zip(AREAS, on_sample.areas, strict=True))
            criteria[UNTIED] = untied_precision(order, scores, samples)
            tie_order = random.permuted(np.tile(np.arange(len(order.rows)), (draws, 1)), axis=1)
            worths = [worth for worth in truth.worths(on_sample) if worth.threshold == BEST]
            weight = (1 - prevalence) / prevalence * y.sum() / (~y).sum()
            all_rows = np.ones((1, len(y)), dtype=np.uint8)
            pool_areas = on_samples(order, scores, all_rows, [], negative_weight=weight).areas
            pooled = {
                name: np.repeat(area, draws, axis=0) for name, area in zip(AREAS, pool_areas, strict=True)
            }
            cell = {"trained": facts["trained"], "prevalence": prevalence, "positives": k}
            for variant, values, models in variants(criteria, pooled, tie_order, usable):
                for row in judged_choices(worths, values, models):
                    rows.append({**cell, "variant": variant, "n_left": models.shape[1], **_against(row)})
    return {"rare_why_tasks": pd.DataFrame(rows)} if rows else {}


def models_kept(order: Order, scores: np.ndarray) -> dict[str, np.ndarray]:
    """(m,) whether each model stays, by what is left out."""
    many_scores = np.array([len(np.unique(column)) >= FEW_SCORES for column in scores.T])
    auroc = on_samples(order, scores, np.ones((1, len(scores)), dtype=np.uint8), []).areas
    better = auroc[AREAS.index(REFERENCE), 0] >= CHANCE
    return {
        f"without models of under {FEW_SCORES} scores": many_scores,
        f"without models of AUROC under {CHANCE:g}": better,
        "without both": many_scores & better,
    }


def variants(
    criteria: Mapping[str, np.ndarray],
    pooled: Mapping[str, np.ndarray],
    shared: np.ndarray,
    kept: Mapping[str, np.ndarray],
) -> Iterator[tuple[str, Mapping[str, np.ndarray], np.ndarray]]:
    """Names, criteria and the (draws, n) models to choose from, each cut beside one of as many models at random."""
    yield EVERY, criteria, shared
    yield WHOLE_POOL, pooled, shared
    for name, stays in kept.items():
        n = int(stays.sum())
        if n >= FEWEST_MODELS:
            yield name, criteria, shared[stays[shared]].reshape(len(shared), n)
            yield f"{name}: {AT_RANDOM}", criteria, shared[:, :n]


def untied_precision(order: Order, scores: np.ndarray, samples: np.ndarray) -> np.ndarray:
    """The (draws, m) average precision that is expected where tied rows stand in random order.

    McSherry and Najork 2008, Computing information retrieval performance measures efficiently in the presence of tied
    scores.

    >>> scores = np.array([[0.9], [0.5], [0.5], [0.1]])
    >>> order = order_of(np.array([False, True, False, True]), scores)
    >>> untied_precision(order, scores, np.ones((1, 4), dtype=np.uint8)).round(4).tolist()
    [[0.4583]]
    """
    precision = np.empty((len(samples), len(order.rows)))
    for s, sample in enumerate(np.ascontiguousarray(samples, dtype=np.uint8)):
        _untied(order.rows, order.ends_group, order.positive, sample, precision[s])
    return precision


@compiled
def _untied(rows, ends, positive, sampled, precision):
    for m in range(rows.shape[0]):
        total = true = false = d = e = 0.0
        for i in range(rows.shape[1]):
            row = rows[m, i]
            if sampled[row]:
                d += positive[row]
                e += not positive[row]
            if ends[m, i] and d > 0:
                before = (d - 1) / max(d + e - 1, 1.0)
                for j in range(int(d + e)):
                    total += d / (d + e) * (true + 1 + j * before) / (true + false + j + 1)
            if ends[m, i]:
                true, false, d, e = true + d, false + e, 0.0, 0.0
        precision[m] = total / true


def _against(row: Mapping[str, object]) -> dict[str, object]:
    """A row with what each chooser's model is worth more than another's."""
    pairs = [(first, second) for second, choosers in AGAINST for first in choosers]
    values = {
        f"{first} - {second}": row.get(f"difference {first}", np.nan) - row[f"difference {second}"]
        for first, second in pairs
    }
    return {"want": row["want"], "false_positives": row["false_positives"], **values}


def over_all(study: Study, *, bootstrap: int, seed: int) -> dict[str, pd.DataFrame]:
    tasks = study.frames.get("rare_why_tasks")
    if tasks is None or tasks.empty or tasks["source_group"].nunique() < FEWEST_GROUPS:
        return {}
    tasks = tasks[tasks["false_positives"] >= LEAST_FALSE_POSITIVES]
    pairs = [column for column in tasks if " - " in column]
    keys = ["trained", "prevalence", "positives", "want", "source_group", "variant"]
    groups = tasks.groupby(keys, sort=False)[[*pairs, "n_left"]].mean()
    over_prevalences = (
        groups.groupby([key for key in keys if key != "prevalence"], sort=False).mean().reset_index()
    )
    every = over_prevalences.assign(prevalence="all").set_index(keys)
    return {
        "rare_why": pd.concat(
            [_rows(some, pairs, bootstrap, seed) for some in (every, groups)], ignore_index=True
        )
    }


def _rows(groups: pd.DataFrame, pairs: Sequence[str], bootstrap: int, seed: int) -> pd.DataFrame:
    """Means over source groups, and what a cut changes more than as many models left out at random do."""
    columns, changes, facts = {}, {}, []
    for key, cell in groups.groupby(
        [name for name in groups.index.names if name not in ("source_group", "variant")], sort=False
    ):
        by_variant = cell.droplevel([*range(len(key))]).swaplevel()
        for variant in by_variant.index.unique(level="variant"):
            variant_rows = by_variant.loc[variant]
            for pair in pairs:
                if len(variant_rows) < FEWEST_GROUPS or variant_rows[pair].isna().all():
                    continue
                column = (*key, variant, pair)
                columns[column] = variant_rows[pair]
                if (control := f"{variant}: {AT_RANDOM}") in by_variant.index:
                    changes[column] = variant_rows[pair] - by_variant.loc[control, pair]
                first, _, second = pair.partition(" - ")
                names = dict(zip(("trained", "prevalence", "positives", "want"), key, strict=True))
                sizes = {"n_groups": len(variant_rows), "n_left": variant_rows["n_left"].mean()}
                facts.append({**names, "variant": variant, "chooser": first, "against": second, **sizes})
    values, changed = pd.DataFrame(columns), pd.DataFrame(changes)
    joint, joint_changes = (joint_limits(frame.to_numpy(), bootstrap, seed) for frame in (values, changed))
    numbers = {
        "difference": joint.estimate,
        "low": joint.low,
        "high": joint.high,
        "median": values.median().to_numpy(),
    }
    table = pd.DataFrame(facts, index=values.columns).assign(**numbers)
    ends = {
        "change": joint_changes.estimate,
        "change_low": joint_changes.low,
        "change_high": joint_changes.high,
    }
    return table.join(pd.DataFrame(ends, index=changed.columns)).reset_index(drop=True)
