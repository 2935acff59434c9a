"""Displays of ROC, precision-recall and precision-recall-gain curves; drawing loads matplotlib.

They draw at `ax` or in a new figure, with `name` and area in the legend, `pos_label` on the axes, and each guide once.
Further arguments are those of `plot`, and of matplotlib's; others and errors are as for `areas`. Afterwards `line_`,
`ax_` and `figure_` are matplotlib's objects.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.metrics.areas import areas, aupr, auroc
from aucstudy.metrics.curves import (
    min_pr_curve,
    precision_at,
    prg_curve,
    ranking_counts,
    roc_curve,
    with_hyperbolas,
)
from aucstudy.metrics.hulls import PrgHull, RocHull, prg_hull, roc_hull

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

GUIDE = {"color": "0.6", "linewidth": 0.8, "zorder": 0.5}
CONTOUR_TEXT = {"ha": "right", "va": "bottom", "color": "0.4", "fontsize": "small"}
EVERY_FOLD = {"color": "blue", "alpha": 0.5}
RECALL_STEP = 1 / 400  # farther apart than this, points of a hyperbola are drawn between vertices
CONTOURS = (0.2, 0.4, 0.6, 0.8)  # of F1, or of its gain


@dataclass(eq=False, repr=False, kw_only=True)
class CurveDisplay:
    """A curve; its subclass names axes, the `options` of its area, and `guides` with their defaults."""

    area_name: ClassVar[str]
    points: ClassVar[tuple[str, str]]
    x_name: ClassVar[str]
    y_name: ClassVar[str]
    legend_corner: ClassVar[Any]
    options: ClassVar[tuple[str, ...]] = ()
    guides: ClassVar[dict[str, bool]]
    hull_marks: ClassVar[dict[str, str]] = {}
    _values: ClassVar[Callable[..., dict[str, Any]]]

    prevalence: float | None = None
    name: str | None = None
    pos_label: Any = None

    def __post_init__(self) -> None:
        for points in self.points:
            setattr(self, points, np.asarray(getattr(self, points)))

    @property
    def area(self) -> float | None:
        return getattr(self, self.area_name.lower())

    @classmethod
    def _computed(
        cls, y_true: ArrayLike, y_score: ArrayLike, name: str | None = None, **options: Any
    ) -> Self:
        values = cls._values(y_true, y_score, **options)
        return cls(**values, name=name, pos_label=options["pos_label"])

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

        Further options are `prevalence` (not of ROC curves) and `negative_gains` (of gain curves).
        """
        options = {key: kwargs.pop(key) for key in cls.options if key in kwargs}
        options |= {"sample_weight": sample_weight, "pos_label": pos_label}
        return cls._computed(y_true, y_score, name, **options).plot(ax=ax, **kwargs)

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
        """Draw the curve of a fitted classifier of two classes, or a pipeline or search that ends in one.

        Further options as for `from_predictions`; `name` is by default the estimator's class.

        Parameters
        ----------
        response_method : {"auto", "decision_function", "predict_proba"}
            "auto" takes decision_function where there is one.
        pos_label : label, optional
            Default ``estimator.classes_[1]``.
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
    ) -> "FoldsDisplay":
        """Draw the curve of every fold of a cross-validation, with guides at the folds' mean prevalence.

        Further options as for `from_predictions` and `FoldsDisplay.plot`; hulls only with ``plot_hull=True``.

        Parameters
        ----------
        cv_results : dict
            What scikit-learn's `cross_validate` returns with ``return_estimator=True, return_indices=True``.
        X, y, sample_weight
            The rows that it got.
        """
        options = {key: kwargs.pop(key) for key in cls.options if key in kwargs}
        displays = []
        for estimator, rows, labels, weight in _tested(cv_results, X, y, sample_weight):
            scores, positive = _response(estimator, rows, response_method, pos_label)
            rows_of_fold = {"sample_weight": weight, "pos_label": positive}
            displays.append(cls._computed(labels, scores, **rows_of_fold, **options))
        return FoldsDisplay(displays, name=name).plot(ax, curve_kwargs=curve_kwargs, **kwargs)

    def plot(self, ax: "Axes | None" = None, *, name: str | None = None, **kwargs: Any) -> Self:
        """Draw the curve, and guides as ``plot_hull=True``."""
        import matplotlib.pyplot as plt

        drawn_guides = [guide for guide, usual in self.guides.items() if kwargs.pop(guide, usual)]
        if ax is None:
            _, ax = plt.subplots()
        single_area = None if self.area is None else [self.area]
        label = label_of(self.name if name is None else name, single_area, self.area_name)
        x, y = (getattr(self, points) for points in self.points)
        (self.line_,) = ax.plot(x, y, **({"label": label} if label else {}) | kwargs)
        self.ax_, self.figure_ = ax, ax.figure
        ax.set(xlabel=self._axis_label(self.x_name), ylabel=self._axis_label(self.y_name))
        ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
        for guide in drawn_guides:
            getattr(self, f"_{guide}")(ax)
        if ax.get_legend_handles_labels()[1]:
            ax.legend(loc=self.legend_corner)
        return self

    def _axis_label(self, quantity: str) -> str:
        return quantity if self.pos_label is None else f"{quantity} (positive label: {self.pos_label})"

    def _plot_hull(self, ax: "Axes") -> None:
        if (hull := getattr(self, "hull", None)) is not None:
            x, y = (getattr(hull, points) for points in self.points)
            ax.plot(x, y, color=self.line_.get_color(), linestyle=":", **self.hull_marks)


@dataclass(eq=False, repr=False)
class RocDisplay(CurveDisplay):
    """ROC curve of one model, with `plot_chance_level` and on request `plot_hull`.

    Examples
    --------
    >>> display = RocDisplay.from_predictions([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1], name="model")
    >>> display.line_.get_label()
    'model (AUROC = 0.75)'
    """

    area_name, points, legend_corner = "AUROC", ("fpr", "tpr"), "lower right"
    x_name, y_name = "False positive rate", "True positive rate"
    guides: ClassVar = {"plot_chance_level": True, "plot_hull": False}

    fpr: ArrayLike
    tpr: ArrayLike
    auroc: float | None = field(default=None, kw_only=True)
    hull: RocHull | None = field(default=None, kw_only=True)

    @staticmethod
    def _values(y_true: ArrayLike, y_score: ArrayLike, **rows: Any) -> dict[str, Any]:
        curve = roc_curve(y_true, y_score, **rows)
        area, hull = auroc(y_true, y_score, **rows), roc_hull(y_true, y_score, **rows)
        return {"fpr": curve.fpr, "tpr": curve.tpr, "auroc": area, "hull": hull}

    def _plot_chance_level(self, ax: "Axes") -> None:
        once(ax, "chance", lambda: ax.plot([0, 1], [0, 1], linestyle="--", **GUIDE))


@dataclass(eq=False, repr=False)
class PrecisionRecallDisplay(CurveDisplay):
    """Precision-recall curve of one model, with hyperbolas between vertices.

    `plot_minimum` shades what no ranking can reach, `plot_chance_level` is a line at the prevalence, and on request
    `plot_f_contours` has equal F1.

    Examples
    --------
    >>> display = PrecisionRecallDisplay.from_predictions([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1], name="model")
    >>> display.line_.get_label(), display.prevalence
    ('model (AUPR = 0.80)', 0.5)
    """

    area_name, points, legend_corner = "AUPR", ("recall", "precision"), "lower left"
    x_name, y_name, options = "Recall", "Precision", ("prevalence",)
    guides: ClassVar = {"plot_minimum": True, "plot_chance_level": True, "plot_f_contours": False}

    recall: ArrayLike
    precision: ArrayLike
    aupr: float | None = field(default=None, kw_only=True)

    @staticmethod
    def _values(y_true: ArrayLike, y_score: ArrayLike, **rows: Any) -> dict[str, Any]:
        counts = ranking_counts(y_true, y_score, **rows)
        steps = np.diff(counts.true_positives) / (counts.P or 1) / RECALL_STEP
        vertices = with_hyperbolas(counts, np.ceil(steps))
        return {
            "recall": vertices.true_positives / (counts.P or np.nan),
            "precision": precision_at(vertices),
            "aupr": aupr(y_true, y_score, **rows),
            "prevalence": counts.prevalence,
        }

    def _plot_minimum(self, ax: "Axes") -> None:
        def draw(prevalence: float) -> "list[Artist]":
            recall, precision = min_pr_curve(prevalence)
            shade = ax.fill_between(recall, 0, precision, color="0.85", linewidth=0, zorder=0.4)
            return [shade, *ax.plot(recall, precision, **GUIDE)]

        self._once_at_prevalence(ax, "minimum", draw)

    def _plot_chance_level(self, ax: "Axes") -> None:
        self._once_at_prevalence(ax, "prevalence", lambda level: [ax.axhline(level, linestyle="--", **GUIDE)])

    def _once_at_prevalence(self, ax: "Axes", guide: str, draw: "Callable[[float], list[Artist]]") -> None:
        prevalence = self.prevalence
        if prevalence is not None and 0 < prevalence < 1:
            once(ax, f"{guide} {prevalence:.6g}", lambda: draw(prevalence))

    def _plot_f_contours(self, ax: "Axes") -> None:
        def draw() -> "Iterator[Artist]":
            for f1 in CONTOURS:
                recall = np.linspace(f1 / (2 - f1), 1, 200)
                yield from ax.plot(recall, f1 * recall / (2 * recall - f1), linestyle=":", **GUIDE)
                yield ax.text(1, f1 / (2 - f1), f"F1={f1:g}", **CONTOUR_TEXT)

        once(ax, "contours", draw)


@dataclass(eq=False, repr=False)
class PrecisionRecallGainDisplay(CurveDisplay):
    """Precision-recall-gain curve of one model in the unit square.

    `plot_f_contours` has equal F1, `plot_hull` the hull, and on request `plot_calibrated` its F-calibrated scores.

    Examples
    --------
    >>> y, scores = [1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1]
    >>> display = PrecisionRecallGainDisplay.from_predictions(y, scores, name="model")
    >>> display.line_.get_label()
    'model (AUPRG = 0.25)'
    """

    area_name, points, legend_corner = "AUPRG", ("recall_gain", "precision_gain"), "lower left"
    x_name, y_name, options = "Recall gain", "Precision gain", ("prevalence", "negative_gains")
    guides: ClassVar = {"plot_f_contours": True, "plot_hull": True, "plot_calibrated": False}
    hull_marks: ClassVar = {"marker": "."}

    recall_gain: ArrayLike
    precision_gain: ArrayLike
    auprg: float | None = field(default=None, kw_only=True)
    hull: PrgHull | None = field(default=None, kw_only=True)

    @staticmethod
    def _values(
        y_true: ArrayLike, y_score: ArrayLike, negative_gains: str = "signed", **rows: Any
    ) -> dict[str, Any]:
        curve = prg_curve(y_true, y_score, from_zero=True, **rows)
        values = areas(y_true, y_score, negative_gains=negative_gains, **rows)
        return {
            "recall_gain": curve.recall_gain,
            "precision_gain": curve.precision_gain,
            "auprg": values.auprg,
            "prevalence": values.reference_prevalence,
            "hull": prg_hull(y_true, y_score, unit_square=True, **rows),
        }

    def _plot_f_contours(self, ax: "Axes") -> None:
        # equal F1 is an equal sum of the gains, 2 FG1 (Flach & Kull 2015, Theorem 2 with beta = 1)
        prevalence = self.prevalence
        is_known = prevalence is not None and 0 < prevalence < 1

        def draw() -> "Iterator[Artist]":
            for gain in CONTOURS:
                ends = (max(0.0, 2 * gain - 1), min(1.0, 2 * gain))
                yield from ax.plot(ends, ends[::-1], linestyle=":", **GUIDE)
                text = f"F1={prevalence / (1 - (1 - prevalence) * gain):.2g}" if is_known else f"FG1={gain:g}"
                yield ax.text(ends[1], ends[0], text, **CONTOUR_TEXT)

        once(ax, "contours" if prevalence is None else f"contours {prevalence:.6g}", draw)

    def _plot_calibrated(self, ax: "Axes") -> None:
        if self.hull is None:
            return
        x, y = self.hull.recall_gain, self.hull.precision_gain
        for i, d in enumerate(self.hull.d):
            middle = ((x[i] + x[i + 1]) / 2, (y[i] + y[i + 1]) / 2)
            style = {"textcoords": "offset points", "color": self.line_.get_color()}
            ax.annotate(f"{d:.2g}", middle, xytext=(3, 3), **style)


class FoldsDisplay:
    """The curves of one model's folds, as `from_cv_results` returns them."""

    def __init__(self, displays: "list[CurveDisplay]", *, name: str | list[str] | None = None) -> None:
        self.displays, self.name, self.pos_label = displays, name, displays[0].pos_label
        if displays[0].prevalence is not None:
            # one set of guides for all: else every fold draws its own
            mean_prevalence = float(np.mean([display.prevalence for display in displays]))
            for display in displays:
                display.prevalence = mean_prevalence

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        name: str | list[str] | None = None,
        curve_kwargs: dict[str, Any] | list[dict[str, Any]] | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw all curves; the legend has the mean and standard deviation of the folds' areas.

        Parameters
        ----------
        name : str or list of str, optional
            A list needs a list of `curve_kwargs`.
        curve_kwargs : dict or list of dict, optional
            Matplotlib's, the same for every fold, or one a fold; then each stands in the legend.
        """
        from matplotlib.cbook import normalize_kwargs
        from matplotlib.lines import Line2D

        name = self.name if name is None else name
        labels = self._labels(name, isinstance(curve_kwargs, list))
        styles = curve_kwargs if isinstance(curve_kwargs, list) else [curve_kwargs or {}] * len(labels)
        self._check_length("curve_kwargs", styles)
        if "plot_hull" in self.displays[0].guides:
            kwargs = {"plot_hull": False} | kwargs
        self.line_ = []
        for display, label, style in zip(self.displays, labels, styles, strict=True):
            # a None for the label keeps the line out of the legend
            line = EVERY_FOLD | {"label": label} | normalize_kwargs(style, Line2D)
            display.plot(ax, **kwargs, **line)
            self.ax_ = ax = display.ax_
            self.line_.append(display.line_)
        self.figure_ = self.ax_.figure
        return self

    def _labels(self, name: str | list[str] | None, each: bool) -> list[str | None]:
        n, area_name = len(self.displays), self.displays[0].area_name
        fold_areas = [display.area for display in self.displays]
        if isinstance(name, list):
            self._check_length("name", name)
            if not each:
                raise ValueError(
                    f"names for {n} folds need a list of {n} curve_kwargs: else the folds look alike"
                )
        elif not each:
            return [label_of(name, fold_areas, area_name), *[None] * (n - 1)]
        names = name if isinstance(name, list) else [name] * n
        return [label_of(*fold, area_name) for fold in zip(names, zip(fold_areas, strict=True), strict=True)]

    def _check_length(self, argument: str, values: list) -> None:
        if len(values) != len(self.displays):
            n = len(self.displays)
            raise ValueError(f"{argument} must hold one entry a fold, {n}, not {len(values)}")


def label_of(name: str | None, areas: Sequence[float] | None, area_name: str) -> str:
    """In scikit-learn's words NAME (AREA = 0.12), of several areas NAME (AREA = 0.12 +/- 0.01)."""
    if areas is None:
        return name or ""
    spread = f" +/- {np.std(areas):.2f}" if len(areas) > 1 else ""
    value = f"{area_name} = {np.mean(areas):.2f}{spread}"
    return f"{name} ({value})" if name else value


def once(ax: "Axes", key: str, draw: "Callable[[], Iterable[Artist]]") -> None:
    if any(artist.get_gid() == key for artist in ax.get_children()):
        return
    for artist in draw():
        artist.set_gid(key)


def _tested(
    cv_results: dict[str, Any], X: Any, y: ArrayLike, sample_weight: ArrayLike | None
) -> Iterator[tuple]:
    """Each fold's estimator, rows, labels and weights."""
    for key in ("estimator", "indices"):
        if key not in cv_results:
            raise ValueError(
                f"cv_results has no {key!r}; call cross_validate with return_estimator=True and return_indices=True"
            )
    trained, tested = cv_results["indices"]["train"], cv_results["indices"]["test"]
    n_rows = len(trained[0]) + len(tested[0])
    for name, values in {"X": X, "y": y, "sample_weight": sample_weight}.items():
        n = n_rows if values is None else values.shape[0] if hasattr(values, "shape") else len(values)
        if n != n_rows:
            raise ValueError(f"{name} has {n} rows and cv_results is of {n_rows}; they must be the same")
    for estimator, rows in zip(cv_results["estimator"], tested, strict=True):
        weight = None if sample_weight is None else _rows_of(sample_weight, rows)
        yield estimator, _rows_of(X, rows), _rows_of(y, rows), weight


def _rows_of(values: Any, rows: np.ndarray) -> Any:
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
