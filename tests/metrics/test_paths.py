"""Every way to compute a metric gives what the definition gives for the counts by score."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

from aucstudy.metrics import areas, areas_many, areas_of_counts
from aucstudy.metrics.counts import RunningAreas
from aucstudy.metrics.kernel import order_of
from aucstudy.metrics.registry import index, keys
from aucstudy.metrics.resamples import areas_of_order
from aucstudy.metrics.subsets import SUBSET_AREAS, areas_of_subsets

AREAS = keys()

OPTIONS = [
    {},
    {"prevalence": 0.03},
    {"recall_range": (0.2, 0.7)},
    {"negative_gains": "clip"},
    {"prevalence": 0.9, "recall_range": (0.0, 0.4), "negative_gains": "clip"},
]


def drawn(seed):
    """Draw labels (n,), scores (n, 5) of models that tie no, some, most or all rows, and whole weights."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 700))
    y = rng.random(n) < rng.choice([0.02, 0.3, 0.5, 0.98])
    y[:2] = True, False
    untied = rng.normal(size=n) + y
    scores = np.column_stack([untied, untied.round(1), untied > 0.5, np.zeros(n), -untied.round()])
    return y, scores, rng.integers(0, 4, n) + (np.arange(n) < 2)


def counts_by_score(y, scores, weight):
    groups = np.unique(-scores, return_inverse=True)[1]
    return np.bincount(groups, weight * y), np.bincount(groups, weight)


def defined(y, scores, weight=None, **options):
    """Return the metrics by their definition, (m, 5); NaN where one class has no weight."""
    weight = np.ones(len(y)) if weight is None else weight
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        by_model = [areas_of_counts(*counts_by_score(y, model, weight), **options) for model in scores.T]
    return np.array([[areas_of_model[area] for area in AREAS] for areas_of_model in by_model])


def of_order(order, weight=None, prevalence=None, recall_range=(0.0, 1.0), negative_gains="signed"):
    clip = negative_gains == "clip"
    return areas_of_order(order, weight, prevalence=prevalence, recall_range=recall_range, clip=clip)


def agree(got, expected):
    assert_allclose(got, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("seed", range(6))
def test_rows_and_weighted_rows_one_ranking_or_many(seed, options):
    y, scores, weight = drawn(seed)
    for weights in (None, weight, weight / 7):
        expected = defined(y, scores, weights, **options)
        agree([areas(y, model, sample_weight=weights, **options)[:5] for model in scores.T], expected)
        agree(np.array(areas_many(y, scores, sample_weight=weights, **options)[:5]).T, expected)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.filterwarnings("ignore:.*one class only")
def test_folds(seed, options):
    y, scores, weight = drawn(seed)
    folds = np.random.default_rng(seed).integers(0, 4, len(y))
    for weights in (None, weight, weight / 7):
        by_fold = np.array(areas_many(y, scores, groups=folds, sample_weight=weights, **options)[:5])
        for i, fold in enumerate(np.unique(folds)):
            rows = folds == fold
            some = None if weights is None else weights[rows]
            if rows.any() and (some is None or some.any()):
                agree(by_fold[:, i].T, defined(y[rows], scores[rows], some, **options))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("seed", range(6))
def test_resamples_whose_rows_count_several_times_or_have_weights(seed, options):
    y, scores, weight = drawn(seed)
    order = order_of(y, scores)
    agree(of_order(order, **options), defined(y, scores, **options))
    for weights in (weight.astype(np.uint8), weight, weight / 7):
        agree(of_order(order, weights, **options), defined(y, scores, weights, **options))
    agree(
        of_order(order, np.stack([weight, weight[::-1]]), **options)[0], defined(y, scores, weight, **options)
    )


@pytest.mark.parametrize("prevalence", [None, 0.03])
@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_subsets_that_are_disjoint_or_nested(seed, nested, prevalence):
    y, scores, _ = drawn(seed)
    subsets = np.random.default_rng(seed).integers(0, 4, (2, len(y)))
    by_subset = areas_of_subsets(order_of(y, scores), subsets, 3, nested=nested, prevalence=prevalence)
    for draw in range(2):
        for k in range(3):
            rows = subsets[draw] <= k if nested else subsets[draw] == k
            if rows.any():
                signed, clipped = (
                    defined(y[rows], scores[rows], prevalence=prevalence, negative_gains=gains)
                    for gains in ("signed", "clip")
                )
                expected = [signed[:, index(area)] for area in SUBSET_AREAS[:-1]]
                agree(by_subset[:, draw, k], [*expected, clipped[:, index("auprg")]])


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("seed", range(6))
def test_running_areas_whose_counts_come_in_batches(seed, options):
    y, scores, weight = drawn(seed)
    for weights in (weight, weight / 7):
        for model, expected in zip(scores.T, defined(y, scores, weights, **options), strict=True):
            positives, rows = counts_by_score(y, model, weights)
            running = RunningAreas(positives.sum(), (rows - positives).sum(), **options)
            for start in range(0, len(rows), 7):
                batch = slice(start, start + 7)
                running.add(positives[batch], rows[batch] - positives[batch])
            agree(list(running.areas().values()), expected)
