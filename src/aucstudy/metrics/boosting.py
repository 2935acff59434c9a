"""The areas as evaluation functions of LightGBM, XGBoost and CatBoost, for early stopping on a validation set.

`area` is the key of a metric of `aucstudy.metrics.registry`, such as auprg, else ValueError; its values have this name
in the history of a fit. All functions can be pickled, and cloned with the model that holds them. None of the libraries
is imported here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.metrics.areas import one_area
from aucstudy.metrics.registry import keys


def _check(area: str) -> None:
    if area not in keys():
        raise ValueError(f"area {area!r} is not known; expected: {', '.join(keys())}")


def _value(area: str, y_true: ArrayLike, scores: ArrayLike, weight: ArrayLike | None) -> float:
    return float(one_area(y_true, scores, area, sample_weight=weight))


@dataclass(frozen=True)
class lightgbm_metric:
    """Return an area for `eval_metric` of LGBMClassifier.fit, and for `feval` of lightgbm's `train` and `cv`.

    Both accept a list of several areas. The parameter ``metric="None"`` turns LightGBM's own metrics off, so that early
    stopping looks at these areas alone.

    Examples
    --------
    >>> lightgbm_metric("auroc")([0, 1, 1], [0.2, 0.1, 0.9])
    ('auroc', 0.5, True)
    """

    area: str

    def __post_init__(self) -> None:
        _check(self.area)

    def __call__(self, y_true: Any, scores: Any, weight: ArrayLike | None = None) -> tuple[str, float, bool]:
        """Return the name, the value, and True as more is better, from (n,) labels and scores.

        LightGBM's `train` and `cv` pass scores and a lightgbm.Dataset in their place.
        """
        if hasattr(scores, "get_label"):
            scores, dataset = y_true, scores
            y_true, weight = dataset.get_label(), dataset.get_weight()
        return self.area, _value(self.area, y_true, scores, weight), True


class xgboost_metric:
    """Return an area for `eval_metric` of XGBClassifier, or areas for `custom_metric` of xgboost's `train` and `cv`.

    Stop with ``EarlyStopping(rounds, metric_name=area, maximize=True)``. Without `maximize` XGBoost guesses from the
    name whether more is better, and guesses wrong for every area but aucnpr.

    Examples
    --------
    >>> xgboost_metric("auroc")([0, 1, 1], [0.2, 0.1, 0.9])
    0.5
    """

    def __init__(self, area: str, *further_areas: str) -> None:
        self.areas = (area, *further_areas)
        for name in self.areas:
            _check(name)
        self.__name__ = area  # XGBClassifier calls the values so

    def __call__(self, y_true: Any, scores: Any, sample_weight: ArrayLike | None = None) -> Any:
        """Return the area of (n,) labels and scores; of scores and an xgboost.DMatrix, a list of names and values."""
        if hasattr(scores, "get_label"):
            scores, matrix = y_true, scores
            weight = matrix.get_weight() if matrix.get_weight().size else None
            return [(area, _value(area, matrix.get_label(), scores, weight)) for area in self.areas]
        if len(self.areas) > 1:
            raise ValueError(
                f"XGBClassifier takes one function of one area, not {', '.join(self.areas)}; several areas are for "
                "custom_metric of xgboost.train and xgboost.cv"
            )
        return _value(self.areas[0], y_true, scores, sample_weight)


class catboost_metric:
    """An area as `eval_metric` of CatBoostClassifier and of catboost's `train` and `cv`, which call its three methods.

    Examples
    --------
    >>> catboost_metric("auroc").evaluate([[0.2, 0.1, 0.9]], [0, 1, 1], None)
    (0.5, 1.0)
    """

    def __new__(cls, area: str) -> catboost_metric:
        _check(area)
        # CatBoost calls the values by the name of the class
        return object.__new__(type(area, (cls,), {}))

    def __init__(self, area: str) -> None:
        self.area = area

    def __reduce__(self) -> tuple:
        # a fit leaves functions in the object that cannot be pickled
        return catboost_metric, (self.area,)

    def __deepcopy__(self, memo: dict) -> catboost_metric:
        # CatBoost copies its parameters, and scikit-learn's clone needs back what it gave
        return self

    def is_max_optimal(self) -> bool:
        return True

    def evaluate(self, approxes: Any, target: Any, weight: Any) -> tuple[float, float]:
        """Return the area of (1, n) scores and (n,) labels, and the weight of this value, which is 1."""
        weight = None if weight is None else np.asarray(weight)
        return _value(self.area, np.asarray(target), np.asarray(approxes[0]), weight), 1.0

    def get_final_error(self, error: float, weight: float) -> float:
        return error
