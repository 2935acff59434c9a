"""The metrics as scorers for scikit-learn's `cross_validate`, `GridSearchCV` and their kin."""

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from typing import Any

from aucstudy.metrics.areas import aucnpr, aupr, auprg, auroc, average_precision
from aucstudy.metrics.gains import expected_f_gain, f_gain, precision_gain, recall_gain
from aucstudy.metrics.wants import WANTS, want_of, worth

_OF_SCORES: dict[str, tuple[Callable, dict[str, Any]]] = {
    "auroc": (auroc, {}),
    "aupr": (aupr, {}),
    "auprg": (auprg, {}),
    "auprg_clipped": (auprg, {"negative_gains": "clip"}),
    "aucnpr": (aucnpr, {}),
    "average_precision": (average_precision, {}),
    "expected_f_gain": (expected_f_gain, {}),
    **{want: (worth, {"want": want}) for want in WANTS},
}
_OF_LABELS: dict[str, Callable] = {
    "precision_gain": precision_gain,
    "recall_gain": recall_gain,
    "f_gain": f_gain,
}


class Scorers(Mapping):
    """Scorers by name; each is made by scikit-learn's `make_scorer` when it is first asked for.

    Beside the areas there are wants: `scorers["f1"]` has the best threshold of the ranking, where scikit-learn's has
    .5, and `scorers["recall@.8"]` or `scorers["auroc@.1"]`, though not listed, are as good as `scorers["recall@.9"]`.
    Everybody gets a copy to set requests of. Labels must be 0/1, -1/1 or False/True. For others, use
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

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            from sklearn.metrics import make_scorer

            if name in _OF_SCORES or _is_want(name):
                function, options = _OF_SCORES.get(name, (worth, {"want": name}))
                responses = ("decision_function", "predict_proba")
                self._made[name] = make_scorer(function, response_method=responses, **options)
            elif name in _OF_LABELS:
                self._made[name] = make_scorer(_OF_LABELS[name])
            else:
                raise KeyError(f"{name!r}; there are {', '.join(self)}")
        return deepcopy(self._made[name])

    def __iter__(self) -> Iterator[str]:
        return iter((*_OF_SCORES, *_OF_LABELS))

    def __len__(self) -> int:
        return len(_OF_SCORES) + len(_OF_LABELS)


def _is_want(name: str) -> bool:
    try:
        return bool(want_of(name))
    except (TypeError, ValueError):
        return False


scorers = Scorers()
