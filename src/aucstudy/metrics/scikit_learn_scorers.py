"""The metrics as scorers of scikit-learn, for the argument `scoring` of `cross_validate`, `GridSearchCV` and others."""

from collections.abc import Callable
from typing import Any

from sklearn.metrics import make_scorer

from aucstudy.metrics.areas import auprg, one_area
from aucstudy.metrics.gains import expected_f_gain, f_gain, precision_gain, recall_gain
from aucstudy.metrics.registry import keys, metric
from aucstudy.metrics.target_metrics import TARGET_METRICS, target_of, target_value

_OF_SCORES: dict[str, tuple[Callable, dict[str, Any]]] = {
    "auprg_clipped": (auprg, {"negative_gains": "clip"}),
    "expected_f_gain": (expected_f_gain, {}),
    **{name: (target_value, {"target_metric": name}) for name in TARGET_METRICS},
}
_OF_LABELS: dict[str, Callable] = {
    "precision_gain": precision_gain,
    "recall_gain": recall_gain,
    "f_gain": f_gain,
}


class Scorers(dict):
    """Scorers by name, each made by scikit-learn's `make_scorer`.

    There is one for each metric of `aucstudy.metrics.registry` that was registered when `scorers` was last imported.
    Others are made where they are asked for by name. So are target metrics that are not listed, as `recall@.8` or
    `auroc@.1`. A target metric has the threshold that is best for it, while scikit-learn's `f1` has .5. Each access by
    name makes a new scorer, so that a request for metadata changes no other. Labels must be 0/1, -1/1 or False/True;
    for others use
    ``make_scorer(auprg, response_method=("decision_function", "predict_proba"), pos_label="yes")``.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_validate
    >>> from aucstudy.metrics import scorers
    >>> X, y = make_classification(200, random_state=0)
    >>> cross_validate(LogisticRegression(), X, y, scoring={"auprg": scorers["auprg"]})["test_auprg"].shape
    (5,)
    """

    def fill(self) -> None:
        self.clear()
        self.update({name: _scorer(name) for name in (*keys(), *_OF_SCORES, *_OF_LABELS)})

    def __getitem__(self, name: str) -> Any:
        try:
            return _scorer(name)
        except (TypeError, ValueError):
            raise KeyError(f"{name!r}; there are {', '.join(self)}") from None


def _scorer(name: str) -> Any:
    if name in _OF_LABELS:
        return make_scorer(_OF_LABELS[name])
    function, options = _OF_SCORES.get(name) or _metric_or_target(name)
    return make_scorer(function, response_method=("decision_function", "predict_proba"), **options)


def _metric_or_target(name: str) -> tuple[Callable, dict[str, Any]]:
    try:
        return one_area, {"metric": metric(name).key}
    except ValueError:
        return target_value, {"target_metric": target_of(name).name}


_scorers = Scorers()


def __getattr__(name: str) -> Any:
    if name == "scorers":
        _scorers.fill()
        return _scorers
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
