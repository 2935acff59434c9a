"""What the three displays share: an estimator's scores, the axes, and guides drawn once an axis."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

GUIDE = {"color": "0.6", "linewidth": 0.8, "zorder": 0.5}


class CurveDisplay:
    """A curve that can be drawn on one axis with others; subclasses give `from_predictions` and `plot`."""

    from_predictions: ClassVar[Callable[..., Any]]
    x_name: ClassVar[str]
    y_name: ClassVar[str]
    legend_place: ClassVar[Any]
    pos_label: Any

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

    def _draw(self, ax: "Axes | None", x: np.ndarray, y: np.ndarray, label: str, line: dict) -> "Axes":
        """Draw the curve, label the axes, and set `ax_`, `figure_` and `line_` as scikit-learn does."""
        import matplotlib.pyplot as plt

        if ax is None:
            _, ax = plt.subplots()
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


def label_of(name: str | None, area: float | None, what: str) -> str:
    """Legend text as scikit-learn words it: NAME (AREA = 0.12)."""
    if area is None:
        return name or ""
    return f"{name} ({what} = {area:.2f})" if name else f"{what} = {area:.2f}"


def once(ax: "Axes", key: str, draw: "Callable[[], list[Artist]]") -> None:
    """Draw a guide unless the axis holds the one of this key already."""
    if any(artist.get_gid() == key for artist in ax.get_children()):
        return
    for artist in draw():
        artist.set_gid(key)


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
