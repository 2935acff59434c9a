"""Displays of ROC, precision-recall and precision-recall-gain curves, which are used like scikit-learn's.

A display holds the points and the area of one curve or, in lists, of the curves of folds. Once drawn, it has
matplotlib's objects in `line_` (of folds a list), `ax_` and `figure_`. Guides that curves share are drawn once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.metrics.areas import areas
from aucstudy.metrics.curves import (
    min_pr_curve,
    precision_at,
    prg_curve,
    ranking_counts,
    roc_curve,
    with_hyperbolas,
)
from aucstudy.metrics.hulls import PrgHull, prg_hull

try:
    # These two and the methods of the mixin are private to scikit-learn; nothing else private is used.
    from sklearn.utils import _safe_indexing
    from sklearn.utils._plotting import _BinaryClassifierCurveDisplayMixin
except ImportError as error:
    raise ImportError(
        "the displays are built on scikit-learn, 1.8 or later; pip install 'aucstudy[plots]' brings it"
    ) from error

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

GUIDE = {"color": "0.6", "linewidth": 0.8, "zorder": 0.5}
CONTOUR_TEXT = {"ha": "right", "va": "bottom", "color": "0.4", "fontsize": "small"}
EVERY_FOLD = {"color": "blue", "alpha": 0.5}
CONTOURS = (0.2, 0.4, 0.6, 0.8)  # of F1, or of its gain
HYPERBOLA_STEP = 1 / 400  # of recall, between two points of a hyperbola


@dataclass(eq=False, repr=False, kw_only=True)
class CurveDisplay(_BinaryClassifierCurveDisplayMixin):
    """The base of the three displays. Each has a curve of its own, `options` of its area, and guides around it."""

    fields: ClassVar[tuple[str, str, str]]  # of the points and the area
    axis_names: ClassVar[tuple[str, str]]
    legend_corner: ClassVar[str] = "lower left"
    options: ClassVar[tuple[str, ...]] = ("prevalence",)
    _curve: ClassVar[Callable[..., dict[str, Any]]]
    _draw_guides: ClassVar[Callable[..., None]]

    name: str | list[str] | None = None
    pos_label: Any = None

    def __post_init__(self) -> None:
        for key in self.fields[:2]:
            points = getattr(self, key)
            if np.ndim(points[0]) == 0:  # a list of numbers is one curve
                setattr(self, key, np.asarray(points))

    @classmethod
    def from_predictions(
        cls, y_true: ArrayLike, y_score: ArrayLike, *, sample_weight: ArrayLike | None = None,
        pos_label: Any = None, name: str | None = None, ax: Axes | None = None, **options: Any,
    ) -> Self:  # fmt: skip
        """Draw the curve of the scores (n,), with the label `name` in the legend.

        Further options are those of `plot`, and those options of `areas` that matter to the display:
        PrecisionRecallDisplay takes `prevalence`, PrecisionRecallGainDisplay `prevalence` and `negative_gains`.
        RocDisplay takes neither, as a ROC curve is the same at every prevalence.
        """
        pos_label, name = cls._validate_from_predictions_params(
            y_true, y_score, sample_weight=sample_weight, pos_label=pos_label, name=name
        )
        of_area = {key: options.pop(key) for key in cls.options if key in options}
        curve = cls._curve(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label, **of_area)
        return cls(**curve, name=name, pos_label=pos_label).plot(ax, **options)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike, *, response_method: str = "auto", pos_label: Any = None,
        name: str | None = None, **options: Any,
    ) -> Self:  # fmt: skip
        """Draw the curve of a fitted classifier of two classes, with `name` or the name of its class in the legend.

        `response_method` is predict_proba, decision_function, or auto for the first of them that there is; `pos_label`
        is by default ``estimator.classes_[1]``. Further options are those of `from_predictions`.
        """
        scores, pos_label, name = cls._validate_and_get_response_values(
            estimator, X, y, response_method=response_method, pos_label=pos_label, name=name
        )
        return cls.from_predictions(y, scores, pos_label=pos_label, name=name, **options)

    @classmethod
    def from_cv_results(
        cls, cv_results: dict[str, Any], X: Any, y: ArrayLike, *, sample_weight: ArrayLike | None = None,
        response_method: str = "auto", pos_label: Any = None, name: str | list[str] | None = None,
        ax: Axes | None = None, **options: Any,
    ) -> Self:  # fmt: skip
        """Draw a curve for each fold, from `cross_validate` with return_estimator=True and return_indices=True.

        The legend has the mean and standard deviation of the areas or, with a list of `curve_kwargs`, every fold.
        Guides that depend on the prevalence are drawn at the mean prevalence of the folds. Options are as for
        `from_estimator`.
        """
        cls._validate_from_cv_results_params(cv_results, X, y, sample_weight=sample_weight)
        of_area = {key: options.pop(key) for key in cls.options if key in options}
        curves = []
        for estimator, rows in zip(cv_results["estimator"], cv_results["indices"]["test"], strict=True):
            scores, label, _ = cls._validate_and_get_response_values(
                estimator, _safe_indexing(X, rows), y, response_method=response_method, pos_label=pos_label
            )
            weight = None if sample_weight is None else _safe_indexing(sample_weight, rows)
            y_true = _safe_indexing(y, rows)
            curves.append(cls._curve(y_true, scores, sample_weight=weight, pos_label=label, **of_area))
        folds = {key: [curve[key] for curve in curves] for key in curves[0]}
        return cls(**folds, name=name, pos_label=label).plot(ax, **options)

    def plot(
        self, ax: Axes | None = None, *, name: str | list[str] | None = None,
        curve_kwargs: dict | list[dict] | None = None, **guides: bool,
    ) -> Self:  # fmt: skip
        """Draw the curve on `ax`, or in a new figure, with the guides of the display.

        A guide is turned on or off by its name, for instance ``plot_chance_level=False``. `curve_kwargs` are
        matplotlib's options of a line, one dict for all curves or a list of one for each.
        """
        self.ax_, self.figure_, name = self._validate_plot_params(ax=ax, name=name)
        xs, ys, values = (_as_list(getattr(self, key)) for key in self.fields)
        known = values != [None]
        if len(xs) == 1 or isinstance(curve_kwargs, list):
            legend: dict[str, Any] = {"metric": values if known else [None] * len(xs)}
        else:
            legend = {"mean": np.mean(values) if known else None, "std": np.std(values) if known else None}
        styles = self._validate_curve_kwargs(
            len(xs), name, legend, self.fields[-1].upper(), curve_kwargs,
            default_multi_curve_kwargs=dict(EVERY_FOLD),
        )  # fmt: skip
        lines = [self.ax_.plot(x, y, **style)[0] for x, y, style in zip(xs, ys, styles, strict=True)]
        self.line_ = lines if len(lines) > 1 else lines[0]
        positive = "" if self.pos_label is None else f" (Positive label: {self.pos_label})"
        x_name, y_name = (f"{axis_name}{positive}" for axis_name in self.axis_names)
        self.ax_.set(xlabel=x_name, ylabel=y_name, xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
        self._draw_guides(**guides)
        if self.ax_.get_legend_handles_labels()[1]:
            self.ax_.legend(loc=self.legend_corner)
        return self

    def _draw_once(self, guide: str, artists: Callable[[], Iterable[Artist]]) -> None:
        if all(artist.get_gid() != guide for artist in self.ax_.get_children()):
            for artist in artists():
                artist.set_gid(guide)


def _as_list(values: Any) -> list:
    return values if isinstance(values, list) else [values]


@dataclass(eq=False, repr=False)
class RocDisplay(CurveDisplay):
    """A ROC curve. The option `plot_chance_level` draws the line of chance.

    `fpr`, `tpr` : (n,) arrays. `auroc` : float. Of several curves each is a list.

    Examples
    --------
    >>> display = RocDisplay.from_predictions([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1], name="model")
    >>> display.line_.get_label()
    'model (AUROC = 0.75)'
    """

    fields, axis_names = ("fpr", "tpr", "auroc"), ("False positive rate", "True positive rate")
    legend_corner, options = "lower right", ()

    fpr: Any
    tpr: Any
    auroc: float | list[float] | None = None

    @staticmethod
    def _curve(y_true: ArrayLike, y_score: ArrayLike, **rows: Any) -> dict[str, Any]:
        curve, area = roc_curve(y_true, y_score, **rows), areas(y_true, y_score, **rows).auroc
        return {"fpr": curve.fpr, "tpr": curve.tpr, "auroc": area}

    def _draw_guides(self, plot_chance_level: bool = True) -> None:
        if plot_chance_level:
            self._draw_once("chance", lambda: self.ax_.plot([0, 1], [0, 1], linestyle="--", **GUIDE))


@dataclass(eq=False, repr=False)
class PrecisionRecallDisplay(CurveDisplay):
    """A precision-recall curve, with hyperbolas between its vertices.

    Guides are the region that no ranking can reach (`plot_minimum`), the line at the prevalence
    (`plot_chance_level`) and, if requested, lines of equal F1 (`plot_f_contours`).

    `recall`, `precision` : (n,) arrays. `aupr`, `prevalence` : float. Of several curves each is a list.

    Examples
    --------
    >>> display = PrecisionRecallDisplay.from_predictions([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1], name="model")
    >>> display.line_.get_label(), display.prevalence
    ('model (AUPR = 0.80)', 0.5)
    """

    fields, axis_names = ("recall", "precision", "aupr"), ("Recall", "Precision")

    recall: Any
    precision: Any
    aupr: float | list[float] | None = None
    prevalence: float | list[float] = field(default=np.nan, kw_only=True)

    @staticmethod
    def _curve(
        y_true: ArrayLike, y_score: ArrayLike, prevalence: float | None = None, **rows: Any
    ) -> dict[str, Any]:
        values = areas(y_true, y_score, prevalence=prevalence, **rows)
        counts = ranking_counts(y_true, y_score, prevalence=prevalence, **rows)
        steps = np.ceil(np.diff(counts.true_positives) / (HYPERBOLA_STEP * (counts.P or 1.0)))
        points = with_hyperbolas(counts, np.maximum(steps - 1, 0))
        return {
            "recall": points.true_positives / (counts.P or np.nan),
            "precision": precision_at(points.true_positives, points.false_positives),
            "aupr": values.aupr,
            "prevalence": values.reference_prevalence,
        }

    def _draw_guides(
        self, plot_minimum: bool = True, plot_chance_level: bool = True, plot_f_contours: bool = False
    ) -> None:
        prevalence = float(np.mean(self.prevalence))
        if plot_minimum and 0 < prevalence < 1:
            self._draw_once(f"minimum {prevalence:.6g}", lambda: self._minimum(prevalence))
        if plot_chance_level and 0 < prevalence < 1:
            style = {"linestyle": "--", **GUIDE}
            self._draw_once(f"chance {prevalence:.6g}", lambda: [self.ax_.axhline(prevalence, **style)])
        if plot_f_contours:
            self._draw_once("contours", self._contours)

    def _minimum(self, prevalence: float) -> Iterable[Artist]:
        precision, recall = min_pr_curve(prevalence)
        yield self.ax_.fill_between(recall, 0, precision, color="0.85", linewidth=0, zorder=0.4)
        yield from self.ax_.plot(recall, precision, **GUIDE)

    def _contours(self) -> Iterable[Artist]:
        for f1 in CONTOURS:
            recall = np.linspace(f1 / (2 - f1), 1, 200)
            yield from self.ax_.plot(recall, f1 * recall / (2 * recall - f1), linestyle=":", **GUIDE)
            yield self.ax_.text(1, f1 / (2 - f1), f"F1={f1:g}", **CONTOUR_TEXT)


@dataclass(eq=False, repr=False)
class PrecisionRecallGainDisplay(CurveDisplay):
    """A precision-recall-gain curve in the unit square.

    Guides are lines of equal F1 (`plot_f_contours`) and the convex hull of the curve (`plot_hull`).

    `recall_gain`, `precision_gain` : (n,) arrays. `auprg`, `prevalence` : float. `hull` : as of `prg_hull`.
    Of several curves each is a list, and hulls are drawn only if requested.

    Examples
    --------
    >>> y, scores = [1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1]
    >>> display = PrecisionRecallGainDisplay.from_predictions(y, scores, name="model")
    >>> display.line_.get_label()
    'model (AUPRG = 0.25)'
    """

    fields, axis_names = ("recall_gain", "precision_gain", "auprg"), ("Recall gain", "Precision gain")
    options = ("prevalence", "negative_gains")

    recall_gain: Any
    precision_gain: Any
    auprg: float | list[float] | None = None
    prevalence: float | list[float] = field(default=np.nan, kw_only=True)
    hull: PrgHull | list[PrgHull] | None = field(default=None, kw_only=True)

    @staticmethod
    def _curve(
        y_true: ArrayLike, y_score: ArrayLike, negative_gains: str = "signed", **rows: Any
    ) -> dict[str, Any]:
        curve = prg_curve(y_true, y_score, from_zero=True, **rows)
        values = areas(y_true, y_score, negative_gains=negative_gains, **rows)
        points = {"recall_gain": curve.recall_gain, "precision_gain": curve.precision_gain}
        hull = prg_hull(y_true, y_score, unit_square=True, **rows)
        return {**points, "auprg": values.auprg, "prevalence": values.reference_prevalence, "hull": hull}

    def _draw_guides(self, plot_f_contours: bool = True, plot_hull: bool | None = None) -> None:
        prevalence = float(np.mean(self.prevalence))
        if plot_f_contours and 0 < prevalence < 1:
            self._draw_once(f"contours {prevalence:.6g}", lambda: self._contours(prevalence))
        if self.hull is None or not (plot_hull or (plot_hull is None and not isinstance(self.hull, list))):
            return
        for hull, line in zip(_as_list(self.hull), _as_list(self.line_), strict=True):
            style = {"color": line.get_color(), "linestyle": ":", "marker": "."}
            self.ax_.plot(hull.recall_gain, hull.precision_gain, **style)

    def _contours(self, prevalence: float) -> Iterable[Artist]:
        # Equal F1 means an equal sum of the gains, 2 FG1 (Flach & Kull 2015, Theorem 2 with beta = 1).
        for gain in CONTOURS:
            low, high = max(0.0, 2 * gain - 1), min(1.0, 2 * gain)
            yield from self.ax_.plot([low, high], [high, low], linestyle=":", **GUIDE)
            f1 = prevalence / (1 - (1 - prevalence) * gain)
            yield self.ax_.text(high, low, f"F1={f1:.2g}", **CONTOUR_TEXT)
