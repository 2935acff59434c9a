"""The areas as evaluation functions of LightGBM, XGBoost and CatBoost, for early stopping on a validation set.

`area` is auroc, aupr, auprg, aucnpr or average_precision, else ValueError. None of the libraries is imported here.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from aucstudy.metrics.areas import aucnpr, aupr, auprg, auroc, average_precision

_AREAS: dict[str, Callable[..., float]] = {
    function.__name__: function for function in (auroc, aupr, auprg, aucnpr, average_precision)
}


def _area(name: str) -> Callable[..., float]:
    if name not in _AREAS:
        raise ValueError(f"area {name!r} is not known; wanted: {', '.join(_AREAS)}")
    return _AREAS[name]


def lightgbm_metric(area: str) -> Callable[..., tuple[str, float, bool]]:
    """An area as `eval_metric` of LGBMClassifier.fit; with `metric="None"` in the classifier nothing else stops.

    Examples
    --------
    >>> lightgbm_metric("auroc")([0, 1, 1], [0.2, 0.1, 0.9])
    ('auroc', 0.5, True)
    """
    function = _area(area)

    def evaluate(
        y_true: np.ndarray, scores: np.ndarray, weight: np.ndarray | None = None
    ) -> tuple[str, float, bool]:
        return area, float(function(y_true, scores, sample_weight=weight)), True

    return evaluate


def xgboost_metric(area: str) -> Callable[..., float]:
    """An area as `eval_metric` of XGBClassifier.

    XGBoost takes less of its own functions for better: stop with `EarlyStopping(rounds, metric_name=area,
    maximize=True)`.

    Examples
    --------
    >>> xgboost_metric("auroc")([0, 1, 1], [0.2, 0.1, 0.9])
    0.5
    """
    function = _area(area)

    def evaluate(y_true: np.ndarray, scores: np.ndarray, sample_weight: np.ndarray | None = None) -> float:
        return float(function(y_true, scores, sample_weight=sample_weight))

    evaluate.__name__ = area
    return evaluate


class catboost_metric:
    """An area as `eval_metric` of CatBoostClassifier, which calls its three methods.

    Examples
    --------
    >>> catboost_metric("auroc").evaluate([[0.2, 0.1, 0.9]], [0, 1, 1], None)
    (0.5, 1.0)
    """

    def __init__(self, area: str) -> None:
        self._function = _area(area)

    def is_max_optimal(self) -> bool:
        return True

    def evaluate(self, approxes: Any, target: Any, weight: Any) -> tuple[float, float]:
        """The area of the (1, n) scores and (n,) labels, and its weight 1."""
        weights = None if weight is None else np.asarray(weight)
        return float(self._function(np.asarray(target), np.asarray(approxes[0]), sample_weight=weights)), 1.0

    def get_final_error(self, error: float, weight: float) -> float:
        return error
