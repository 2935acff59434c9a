"""The display of ROC curves."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.metrics.curves import roc_curve
from aucstudy.metrics.displays.base import GUIDE, CurveDisplay, once
from aucstudy.metrics.hulls import RocHull, roc_hull
from aucstudy.metrics.single import auroc

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class RocDisplay(CurveDisplay):
    """ROC curve of one model, with the diagonal of chance and on request its convex hull.

    Parameters
    ----------
    fpr, tpr : array_like of one shape
        Vertices of the curve.
    auroc : float, optional
        Area, shown in the legend.
    name : str, optional
        Name in the legend.
    pos_label : label, optional
        Shown on the axes.
    hull : RocHull, optional
        Drawn by ``plot(plot_hull=True)``.

    Attributes
    ----------
    line_, ax_, figure_
        The matplotlib objects, once drawn.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> display = RocDisplay.from_predictions([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1], name="model")
    >>> display.line_.get_label()
    'model (AUROC = 0.75)'
    """

    x_name, y_name, legend_place = "False positive rate", "True positive rate", "lower right"
    area_name = "AUROC"

    def __init__(
        self,
        fpr: ArrayLike,
        tpr: ArrayLike,
        *,
        auroc: float | None = None,
        name: str | None = None,
        pos_label: Any = None,
        hull: RocHull | None = None,
    ) -> None:
        self.fpr, self.tpr = np.asarray(fpr), np.asarray(tpr)
        self.auroc, self.name, self.pos_label, self.hull = auroc, name, pos_label, hull

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: "Axes | None" = None,
        **kwargs: Any,
    ) -> Self:
        """Compute the curve, its area and its hull, and draw them.

        Parameters
        ----------
        y_true, y_score, sample_weight, pos_label
            As for `aucstudy.metrics.areas`.
        name : str, optional
            Name in the legend.
        ax : matplotlib Axes, optional
            Where to draw; default a new figure.
        **kwargs
            As for `plot`.

        Returns
        -------
        RocDisplay
        """
        return cls._of(y_true, y_score, name, sample_weight=sample_weight, pos_label=pos_label).plot(
            ax=ax, **kwargs
        )

    @classmethod
    def _of(cls, y_true: ArrayLike, y_score: ArrayLike, name: str | None, **rows: Any) -> Self:
        curve = roc_curve(y_true, y_score, **rows)
        return cls(
            curve.fpr,
            curve.tpr,
            auroc=auroc(y_true, y_score, **rows),
            name=name,
            pos_label=rows["pos_label"],
            hull=roc_hull(y_true, y_score, **rows),
        )

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        name: str | None = None,
        plot_chance_level: bool = True,
        plot_hull: bool = False,
        **line: Any,
    ) -> Self:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; default a new figure.
        name : str, optional
            Name in the legend instead of the display's own.
        plot_chance_level, plot_hull : bool
            Whether to draw the diagonal (once an axis) and the convex hull.
        **line
            Passed to matplotlib's `plot`.

        Returns
        -------
        RocDisplay
        """
        ax = self._draw(ax, self.fpr, self.tpr, name, line)
        if plot_chance_level:
            once(ax, "chance", lambda: ax.plot([0, 1], [0, 1], linestyle="--", **GUIDE))
        if plot_hull and self.hull is not None:
            ax.plot(self.hull.fpr, self.hull.tpr, color=self.line_.get_color(), linestyle=":")
        self._legend()
        return self
