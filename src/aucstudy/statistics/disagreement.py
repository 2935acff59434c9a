"""The disagreement of two metrics on the models of one task, which the study and the audit share."""

from collections.abc import Sequence

import numpy as np

from aucstudy.statistics.ranks import agreement, rank_correlation

TOP_COLUMNS = {1: "p_best_differs", 3: "p_top3_differs"}


def disagreement(first: np.ndarray, second: np.ndarray, models: Sequence[str]) -> dict[str, object]:
    """Return how far two metrics, each with a rounded value for each model, disagree about the models.

    The names of tied best models are joined by "|". Tied models are put in one random order that both metrics
    share.

    >>> found = disagreement(np.array([0.9, 0.8, 0.1]), np.array([0.5, 0.6, 0.1]), ["a", "b", "c"])
    >>> found["best_first"], found["best_second"], found["p_best_differs"], found["rank_correlation"]
    ('a', 'b', 1.0, 0.5)
    """
    names = np.asarray(models, dtype=object)
    return {
        "best_first": "|".join(names[first == first.max()]),
        "best_second": "|".join(names[second == second.max()]),
        **{column: 1 - agreement(first, second, top) for top, column in TOP_COLUMNS.items()},
        "rank_correlation": rank_correlation(first, second),
        "n_models": len(first),
    }
