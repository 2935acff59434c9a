"""The flows of one task, fitted on several cross-validations with several learner seeds, and their areas."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from aucstudy.area_names import DISTINCT_AREAS
from aucstudy.experiments.noise.numbers import half_splits
from aucstudy.learners.cross_validation import (
    FlowFailed,
    cross_validated_scores,
    derived_seed,
    prepare_folds,
)
from aucstudy.learners.datasets import DataSet
from aucstudy.learners.flows import FLOWS, Flow
from aucstudy.metrics.engine.walks import areas_of_subsets, order_of
from aucstudy.statistics.ranks import rounded
from aucstudy.statistics.seeds import generator

FAILURE_COLUMNS = ("task_id", "flow_name", "cross_validation", "learner_seed", "detail")


class Replicates(NamedTuple):
    """The flows of one task that could be fitted on every cross-validation with every learner seed.

    Attributes
    ----------
    flows : their m names.
    scores : (cross-validations, learner seeds, n, m) float64
    failures : a row a fit that failed, with the reason; its flow is in no replicate.
    """

    flows: tuple[str, ...]
    scores: np.ndarray
    failures: pd.DataFrame


def named_flows(names: str | Sequence[str]) -> list[Flow]:
    """The flows that the packaged source draws from, in the order of its registry."""
    return [flow for name, flow in FLOWS.items() if names == "all" or name in names]


def redrawn(seed: int, factor: str, number: int) -> int:
    """The seed of a factor's redraw; number 0 is the study's own, so that the first replicate is the task store's."""
    return seed if number == 0 else derived_seed(seed, "variance", factor, number)


def fitted(
    data: DataSet, flows: Sequence[Flow], folds: int, cross_validations: int, learner_seeds: int, seed: int
) -> Replicates:
    """Fit every flow on every cross-validation with every learner seed; one without a seed once a cross-validation."""
    scores = np.full((cross_validations, learner_seeds, len(data.target), len(flows)), np.nan)
    failures = []
    for split in range(cross_validations):
        prepared = prepare_folds(data, folds, redrawn(seed, "cross-validation", split))
        for column, flow in enumerate(flows):
            for number in range(learner_seeds if flow.seeded else 1):
                try:
                    scores[split, number, :, column] = cross_validated_scores(
                        flow, prepared, data.name, redrawn(seed, "learner seed", number)
                    )
                except FlowFailed as failure:
                    failures.append((data.name, flow.name, split, number, str(failure)))
            if not flow.seeded:
                scores[split, 1:, :, column] = scores[split, 0, :, column]
    usable = ~np.isnan(scores).any(axis=(0, 1, 2))
    names = tuple(flow.name for flow, used in zip(flows, usable, strict=True) if used)
    return Replicates(names, scores[..., usable], pd.DataFrame(failures, columns=list(FAILURE_COLUMNS)))


def replicate_areas(data: DataSet, scores: np.ndarray, halves: int, seed: int) -> np.ndarray:
    """The rounded areas of every replicate, on all test rows and on random halves of them.

    The halves are stratified by class and the same rows in every replicate.

    Returns
    -------
    (cross-validations, learner seeds, 1 + halves, areas, m), the first of the third axis on all rows.
    """
    y, cells = data.target, np.zeros(len(data.target), dtype=int)
    rng = generator(seed, data.name, "variance halves")
    left_out = ~half_splits(y, cells, np.arange(len(y)), halves, rng)
    parts = np.vstack([np.zeros(len(y), dtype=bool), left_out])
    return rounded(
        np.array(
            [
                [
                    areas_of_subsets(order_of(y, of_seed), parts, 1, of=DISTINCT_AREAS)[:, :, 0].swapaxes(
                        0, 1
                    )
                    for of_seed in of_split
                ]
                for of_split in scores
            ]
        )
    )


def best_models(areas: np.ndarray, models: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Which models are best among those drawn, in every replicate.

    Parameters
    ----------
    areas : (..., areas, m) as `replicate_areas` gives them.
    models : how many of the m are drawn, all of them where there are no more.
    draws : how often; the draws are shared by the replicates.

    Returns
    -------
    (..., draws, areas, m) bool, more than one True where models tie.
    """
    n_models = areas.shape[-1]
    drawn = rng.permuted(np.tile(np.arange(n_models), (draws, 1)), axis=1) < models
    values = np.where(drawn[:, None], areas[..., None, :, :], -np.inf)
    return values == values.max(axis=-1, keepdims=True)


def best_differs(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Probability that the best models of two (..., m) bool sets differ, ties broken by one shared permutation.

    As `statistics.ranks.agreement`, but the two may have been chosen from different models.

    >>> best_differs(np.array([True, True, False]), np.array([True, False, False])).item()
    0.5
    """
    return 1 - (first & second).sum(axis=-1) / (first | second).sum(axis=-1)
