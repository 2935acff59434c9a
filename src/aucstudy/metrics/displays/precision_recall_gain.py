"""The display of precision-recall-gain curves in the unit square."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.metrics.areas import areas
from aucstudy.metrics.curves import prg_curve
from aucstudy.metrics.displays.base import GUIDE, CurveDisplay, once
from aucstudy.metrics.hulls import PrgHull, prg_hull

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes


class PrecisionRecallGainDisplay(CurveDisplay):
    """Precision-recall-gain curve of one model, its convex hull and contours of equal F1.

    Parameters
    ----------
    recall_gain, precision_gain : array_like of one shape
        Vertices of the curve from recall gain 0 on.
    auprg : float, optional
        Area, shown in the legend.
    prevalence : float, optional
        Share of positives; names the contours by their F1.
    name : str, optional
        Name in the legend.
    pos_label : label, optional
        Shown on the axes.
    hull : PrgHull, optional
        Hull in the unit square.

    Attributes
    ----------
    line_, ax_, figure_
        The matplotlib objects, once drawn.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> y, scores = [1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1]
    >>> display = PrecisionRecallGainDisplay.from_predictions(y, scores, name="model")
    >>> display.line_.get_label()
    'model (AUPRG = 0.25)'
    """

    x_name, y_name, legend_place = "Recall gain", "Precision gain", "lower left"
    area_name = "AUPRG"

    def __init__(
        self,
        recall_gain: ArrayLike,
        precision_gain: ArrayLike,
        *,
        auprg: float | None = None,
        prevalence: float | None = None,
        name: str | None = None,
        pos_label: Any = None,
        hull: PrgHull | None = None,
    ) -> None:
        self.recall_gain, self.precision_gain = np.asarray(recall_gain), np.asarray(precision_gain)
        self.auprg, self.prevalence, self.name = auprg, prevalence, name
        self.pos_label, self.hull = pos_label, hull

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: Any = None,
        prevalence: float | None = None,
        negative_gains: str = "signed",
        name: str | None = None,
        ax: "Axes | None" = None,
        **kwargs: Any,
    ) -> Self:
        """Compute the curve, its area and its hull, and draw them.

        Parameters
        ----------
        y_true, y_score, sample_weight, pos_label, prevalence, negative_gains
            As for `aucstudy.metrics.areas`.
        name : str, optional
            Name in the legend.
        ax : matplotlib Axes, optional
            Where to draw; default a new figure.
        **kwargs
            As for `plot`.

        Returns
        -------
        PrecisionRecallGainDisplay
        """
        rows = {"sample_weight": sample_weight, "pos_label": pos_label, "prevalence": prevalence}
        return cls._of(y_true, y_score, name, negative_gains=negative_gains, **rows).plot(ax=ax, **kwargs)

    @classmethod
    def _of(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        name: str | None,
        negative_gains: str = "signed",
        **rows: Any,
    ) -> Self:
        curve = prg_curve(y_true, y_score, from_zero=True, **rows)
        values = areas(y_true, y_score, negative_gains=negative_gains, **rows)
        return cls(
            curve.recall_gain,
            curve.precision_gain,
            auprg=values.auprg,
            prevalence=values.reference_prevalence,
            name=name,
            pos_label=rows["pos_label"],
            hull=prg_hull(y_true, y_score, unit_square=True, **rows),
        )

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        name: str | None = None,
        plot_f_contours: bool = True,
        plot_hull: bool = True,
        plot_calibrated: bool = False,
        **line: Any,
    ) -> Self:
        """Draw the curve in the unit square; what lies below precision gain 0 is not seen.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; default a new figure.
        name : str, optional
            Name in the legend instead of the display's own.
        plot_f_contours : bool, default True
            Lines of equal F1, once an axis and prevalence.
        plot_hull : bool, default True
            Convex hull, dotted in the curve's colour.
        plot_calibrated : bool, default False
            Write the F-calibrated score of each hull segment beside it.
        **line
            Passed to matplotlib's `plot`.

        Returns
        -------
        PrecisionRecallGainDisplay
        """
        ax = self._draw(ax, self.recall_gain, self.precision_gain, name, line)
        if plot_f_contours:
            key = "contours" if self.prevalence is None else f"contours {self.prevalence:.6g}"
            once(ax, key, lambda: _f_contours(ax, self.prevalence))
        if self.hull is not None and plot_hull:
            x, y = self.hull.recall_gain, self.hull.precision_gain
            ax.plot(x, y, color=self.line_.get_color(), linestyle=":", marker=".")
        if self.hull is not None and plot_calibrated:
            self._write_calibrated()
        self._legend()
        return self

    def _write_calibrated(self) -> None:
        x, y = self.hull.recall_gain, self.hull.precision_gain
        for i, d in enumerate(self.hull.d):
            place = ((x[i] + x[i + 1]) / 2, (y[i] + y[i + 1]) / 2)
            self.ax_.annotate(
                f"{d:.2g}", place, xytext=(3, 3), textcoords="offset points", color=self.line_.get_color()
            )


def _f_contours(ax: "Axes", prevalence: float | None) -> "list[Artist]":
    """Equal F1 is an equal sum of the gains, 2 FG1 (Flach & Kull 2015, Theorem 2 with beta = 1)."""
    drawn = []
    for gain in (0.2, 0.4, 0.6, 0.8):
        ends = (max(0.0, 2 * gain - 1), min(1.0, 2 * gain))
        drawn += ax.plot(ends, ends[::-1], linestyle=":", **GUIDE)
        known = prevalence is not None and 0 < prevalence < 1
        text = f"F1={prevalence / (1 - (1 - prevalence) * gain):.2g}" if known else f"FG1={gain:g}"
        drawn.append(ax.text(ends[1], ends[0], text, ha="right", va="bottom", color="0.4", fontsize="small"))
    return drawn
