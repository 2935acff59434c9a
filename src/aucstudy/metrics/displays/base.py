"""What the three displays share: an estimator's scores, the axes, and guides drawn once an axis."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.metrics.displays.folds import FoldsDisplay
from aucstudy.metrics.displays.legend import label_of

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes


GUIDE = {"color": "0.6", "linewidth": 0.8, "zorder": 0.5}


class CurveDisplay:
    """A curve that can be drawn on one axis with others.

    Subclasses give `from_predictions` and `plot`, and `_of`, which computes the curve and does not draw it.
    """

    from_predictions: ClassVar[Callable[..., Any]]
    _of: ClassVar[Callable[..., Any]]
    plot: Callable[..., Any]
    area_name: ClassVar[str]
    x_name: ClassVar[str]
    y_name: ClassVar[str]
    legend_place: ClassVar[Any]
    name: str | None
    pos_label: Any
    prevalence: float | None  # not of ROC curves

    @property
    def area(self) -> float | None:
        """The area that the legend shows."""
        return getattr(self, self.area_name.lower())

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        response_method: str = "auto",
        pos_label: Any = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve of a fitted binary classifier.

        Parameters
        ----------
        estimator : fitted classifier
            A scikit-learn classifier, a pipeline or a search that ends in one.
        X, y
            Rows to score and their labels.
        response_method : {"auto", "decision_function", "predict_proba"}
            Where scores come from; "auto" takes decision_function where there is one.
        pos_label : label, optional
            The positive class, default ``estimator.classes_[1]``.
        name : str, optional
            Name in the legend, default the estimator's class.
        **kwargs
            As for `from_predictions`.

        Returns
        -------
        display

        Raises
        ------
        ValueError
            The estimator has not two classes, or lacks the method.
        """
        scores, pos_label = _response(estimator, X, response_method, pos_label)
        name = type(estimator).__name__ if name is None else name
        return cls.from_predictions(y, scores, pos_label=pos_label, name=name, **kwargs)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: dict[str, Any],
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        response_method: str = "auto",
        pos_label: Any = None,
        name: str | list[str] | None = None,
        ax: "Axes | None" = None,
        curve_kwargs: dict[str, Any] | list[dict[str, Any]] | None = None,
        **kwargs: Any,
    ) -> FoldsDisplay:
        """Draw the curve of every fold of a cross-validation, each on the rows that it was tested on.

        Parameters
        ----------
        cv_results : dict
            What scikit-learn's `cross_validate` returns with ``return_estimator=True, return_indices=True``.
        X, y, sample_weight
            The rows that it got.
        response_method, pos_label
            As for `from_estimator`.
        name, ax, curve_kwargs
            As for `plot` of what is returned.
        **kwargs
            `prevalence` and `negative_gains` as for `from_predictions`, and which guides to draw as for `plot`. Guides
            are drawn once, at the mean prevalence of the folds; hulls only with ``plot_hull=True``.

        Returns
        -------
        FoldsDisplay
            With `line_`, a line a fold, `ax_`, `figure_`, and `displays`, a display a fold.

        Raises
        ------
        ValueError
            Estimators or rows are missing in `cv_results`, or the rows are others than it had.
        """
        options = {key: kwargs.pop(key) for key in ("prevalence", "negative_gains") if key in kwargs}
        displays = []
        for estimator, rows, labels, weight in _tested(cv_results, X, y, sample_weight):
            scores, positive = _response(estimator, rows, response_method, pos_label)
            own = {"sample_weight": weight, "pos_label": positive}
            displays.append(cls._of(labels, scores, None, **own, **options))
        return FoldsDisplay(displays, name=name).plot(ax, curve_kwargs=curve_kwargs, **kwargs)

    def _draw(self, ax: "Axes | None", x: np.ndarray, y: np.ndarray, name: str | None, line: dict) -> "Axes":
        """Draw the curve, label the axes, and set `ax_`, `figure_` and `line_` as scikit-learn does."""
        import matplotlib.pyplot as plt

        if ax is None:
            _, ax = plt.subplots()
        areas = None if self.area is None else [self.area]
        label = label_of(self.name if name is None else name, areas, self.area_name)
        (self.line_,) = ax.plot(x, y, **({"label": label} if label else {}) | line)
        self.ax_, self.figure_ = ax, ax.figure
        ax.set(xlabel=self._axis_label(self.x_name), ylabel=self._axis_label(self.y_name))
        ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
        return ax

    def _axis_label(self, quantity: str) -> str:
        return quantity if self.pos_label is None else f"{quantity} (positive label: {self.pos_label})"

    def _legend(self) -> None:
        if self.ax_.get_legend_handles_labels()[1]:
            self.ax_.legend(loc=self.legend_place)


def once(ax: "Axes", key: str, draw: "Callable[[], list[Artist]]") -> None:
    """Draw a guide unless the axis holds the one of this key already."""
    if any(artist.get_gid() == key for artist in ax.get_children()):
        return
    for artist in draw():
        artist.set_gid(key)


def _tested(
    cv_results: dict[str, Any], X: Any, y: ArrayLike, sample_weight: ArrayLike | None
) -> Iterator[tuple]:
    """Each fold's estimator, and the rows, labels and weights (or None) that it was tested on."""
    for key in ("estimator", "indices"):
        if key not in cv_results:
            how = "call cross_validate with return_estimator=True and return_indices=True"
            raise ValueError(f"cv_results has no {key!r}; {how}")
    trained, tested = cv_results["indices"]["train"], cv_results["indices"]["test"]
    wanted = len(trained[0]) + len(tested[0])
    for name, values in {"X": X, "y": y, "sample_weight": sample_weight}.items():
        n = wanted if values is None else values.shape[0] if hasattr(values, "shape") else len(values)
        if n != wanted:
            raise ValueError(f"{name} has {n} rows and cv_results is of {wanted}; they must be the same")
    for estimator, rows in zip(cv_results["estimator"], tested, strict=True):
        weight = None if sample_weight is None else _rows_of(sample_weight, rows)
        yield estimator, _rows_of(X, rows), _rows_of(y, rows), weight


def _rows_of(values: Any, rows: np.ndarray) -> Any:
    """Some rows of a frame, array, sparse matrix or list, each by the means that it has."""
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    return values[rows] if hasattr(values, "shape") else [values[row] for row in rows]


def _response(estimator: Any, X: Any, method: str, pos_label: Any) -> tuple[np.ndarray, Any]:
    allowed = ("auto", "decision_function", "predict_proba")
    if method not in allowed:
        raise ValueError(f"response_method must be one of {', '.join(allowed)}, not {method!r}")
    if method == "auto":
        method = next((m for m in allowed[1:] if hasattr(estimator, m)), "predict_proba")
    if not hasattr(estimator, method):
        raise ValueError(f"{type(estimator).__name__} has no {method}: a classifier with scores is wanted")
    values = np.asarray(getattr(estimator, method)(X))
    classes = list(estimator.classes_)
    if len(classes) != 2:
        raise ValueError(f"{type(estimator).__name__} must have two classes, not {len(classes)}")
    pos_label = classes[1] if pos_label is None else pos_label
    if pos_label not in classes:
        raise ValueError(f"pos_label={pos_label!r} is not among the classes {classes}")
    if method == "predict_proba":
        return values[:, classes.index(pos_label)], pos_label
    return (values if pos_label == classes[1] else -values), pos_label
