"""The metrics as scorers of scikit-learn, for the argument `scoring` of `cross_validate`, `GridSearchCV` and others."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sklearn.metrics import make_scorer

from aucstudy.metrics.areas import aucnpr, aupr, auprg, auroc, average_precision
from aucstudy.metrics.gains import expected_f_gain, f_gain, precision_gain, recall_gain
from aucstudy.metrics.target_metrics import TARGET_METRICS, target_of, target_value

_OF_SCORES: dict[str, tuple[Callable, dict[str, Any]]] = {
    "auroc": (auroc, {}),
    "aupr": (aupr, {}),
    "auprg": (auprg, {}),
    "auprg_clipped": (auprg, {"negative_gains": "clip"}),
    "aucnpr": (aucnpr, {}),
    "average_precision": (average_precision, {}),
    "expected_f_gain": (expected_f_gain, {}),
    **{name: (target_value, {"target_metric": name}) for name in TARGET_METRICS},
}
_OF_LABELS: dict[str, Callable] = {
    "precision_gain": precision_gain,
    "recall_gain": recall_gain,
    "f_gain": f_gain,
}


class Scorers(Mapping):
    """Scorers by name, each made by scikit-learn's `make_scorer`.

    A target metric has the threshold that is best for it, while scikit-learn's `f1` has .5. Target metrics
    that are not listed, as `recall@.8` or `auroc@.1`, are made, too. Labels must be 0/1, -1/1 or
    False/True; for others use
    ``make_scorer(auprg, response_method=("decision_function", "predict_proba"), pos_label="yes")``.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_validate
    >>> X, y = make_classification(200, random_state=0)
    >>> cross_validate(LogisticRegression(), X, y, scoring={"auprg": scorers["auprg"]})["test_auprg"].shape
    (5,)
    """

    def __getitem__(self, name: str) -> Any:
        if name in _OF_LABELS:
            return make_scorer(_OF_LABELS[name])
        try:
            function, options = _OF_SCORES.get(name) or (
                target_value,
                {"target_metric": target_of(name).name},
            )
        except (TypeError, ValueError):
            raise KeyError(f"{name!r}; there are {', '.join(self)}") from None
        return make_scorer(function, response_method=("decision_function", "predict_proba"), **options)

    def __iter__(self) -> Iterator[str]:
        return iter((*_OF_SCORES, *_OF_LABELS))

    def __len__(self) -> int:
        return len(_OF_SCORES) + len(_OF_LABELS)


scorers = Scorers()
