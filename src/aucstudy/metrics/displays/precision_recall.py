"""The display of precision-recall curves, with what cannot be reached shaded."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.metrics.counts import ranking_counts
from aucstudy.metrics.curves import min_pr_curve, precision_at, with_hyperbolas
from aucstudy.metrics.displays.base import GUIDE, CurveDisplay, once
from aucstudy.metrics.single import aupr

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

RECALL_STEP = 1 / 400  # farther apart than this, points of a hyperbola are drawn between vertices


class PrecisionRecallDisplay(CurveDisplay):
    """Precision-recall curve of one model: hyperbolas between vertices, minimum curve, prevalence line.

    Parameters
    ----------
    recall, precision : array_like of one shape
        Points of the curve.
    aupr : float, optional
        Area, shown in the legend.
    prevalence : float, optional
        Share of positives; without it neither the minimum curve nor the prevalence line is drawn.
    name : str, optional
        Name in the legend.
    pos_label : label, optional
        Shown on the axes.

    Attributes
    ----------
    line_, ax_, figure_
        The matplotlib objects, once drawn.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> display = PrecisionRecallDisplay.from_predictions([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1], name="model")
    >>> display.line_.get_label(), display.prevalence
    ('model (AUPR = 0.80)', 0.5)
    """

    x_name, y_name, legend_place = "Recall", "Precision", "lower left"
    area_name = "AUPR"

    def __init__(
        self,
        recall: ArrayLike,
        precision: ArrayLike,
        *,
        aupr: float | None = None,
        prevalence: float | None = None,
        name: str | None = None,
        pos_label: Any = None,
    ) -> None:
        self.recall, self.precision = np.asarray(recall), np.asarray(precision)
        self.aupr, self.prevalence, self.name, self.pos_label = aupr, prevalence, name, pos_label

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: Any = None,
        prevalence: float | None = None,
        name: str | None = None,
        ax: "Axes | None" = None,
        **kwargs: Any,
    ) -> Self:
        """Compute the curve and its area, and draw them.

        Parameters
        ----------
        y_true, y_score, sample_weight, pos_label, prevalence
            As for `aucstudy.metrics.areas`.
        name : str, optional
            Name in the legend.
        ax : matplotlib Axes, optional
            Where to draw; default a new figure.
        **kwargs
            As for `plot`.

        Returns
        -------
        PrecisionRecallDisplay
        """
        rows = {"sample_weight": sample_weight, "pos_label": pos_label, "prevalence": prevalence}
        return cls._of(y_true, y_score, name, **rows).plot(ax=ax, **kwargs)

    @classmethod
    def _of(cls, y_true: ArrayLike, y_score: ArrayLike, name: str | None, **rows: Any) -> Self:
        counts = ranking_counts(y_true, y_score, **rows)
        points = with_hyperbolas(
            counts, np.ceil(np.diff(counts.true_positives) / (counts.P or 1) / RECALL_STEP)
        )
        return cls(
            points.true_positives / (counts.P or np.nan),
            precision_at(points),
            aupr=aupr(y_true, y_score, **rows),
            prevalence=counts.prevalence,
            name=name,
            pos_label=rows["pos_label"],
        )

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        name: str | None = None,
        plot_minimum: bool = True,
        plot_chance_level: bool = True,
        plot_f_contours: bool = False,
        **line: Any,
    ) -> Self:
        """Draw the curve; the guides are drawn once an axis and prevalence.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; default a new figure.
        name : str, optional
            Name in the legend instead of the display's own.
        plot_minimum : bool, default True
            Minimum curve, with the region shaded that no ranking can reach (Boyd et al. 2012, Theorem 1).
        plot_chance_level : bool, default True
            Line at the prevalence.
        plot_f_contours : bool, default False
            Curves of equal F1.
        **line
            Passed to matplotlib's `plot`.

        Returns
        -------
        PrecisionRecallDisplay
        """
        ax = self._draw(ax, self.recall, self.precision, name, line)
        pi = self.prevalence
        if pi is not None and 0 < pi < 1:
            if plot_minimum:
                once(ax, f"minimum {pi:.6g}", lambda: _minimum(ax, pi))
            if plot_chance_level:
                once(ax, f"prevalence {pi:.6g}", lambda: [ax.axhline(pi, linestyle="--", **GUIDE)])
        if plot_f_contours:
            once(ax, "contours", lambda: _f_contours(ax))
        self._legend()
        return self


def _minimum(ax: "Axes", prevalence: float) -> "list[Artist]":
    recall, precision = min_pr_curve(prevalence)
    shade = ax.fill_between(recall, 0, precision, color="0.85", linewidth=0, zorder=0.4)
    return [shade, *ax.plot(recall, precision, **GUIDE)]


def _f_contours(ax: "Axes") -> "list[Artist]":
    drawn = []
    for f1 in (0.2, 0.4, 0.6, 0.8):
        recall = np.linspace(f1 / (2 - f1), 1, 200)
        drawn += ax.plot(recall, f1 * recall / (2 * recall - f1), linestyle=":", **GUIDE)
        drawn.append(
            ax.text(1, f1 / (2 - f1), f"F1={f1:g}", ha="right", va="bottom", color="0.4", fontsize="small")
        )
    return drawn
