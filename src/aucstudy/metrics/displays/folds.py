"""The curves of all folds of a cross-validation on one axis, as scikit-learn's displays draw them."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from aucstudy.metrics.displays.legend import label_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from aucstudy.metrics.displays.base import CurveDisplay

EVERY_FOLD = {"color": "blue", "alpha": 0.5}


class FoldsDisplay:
    """The curves of one model's folds; what `from_cv_results` of the three displays returns.

    Parameters
    ----------
    displays : list of displays of one class
        One a fold.
    name : str or list of str, optional
        Name of all, or one a fold, in the legend.

    Attributes
    ----------
    displays, pos_label
        The displays as they came, and the label that counted as positive.
    line_, ax_, figure_
        The lines, one a fold, and the other matplotlib objects, once drawn.
    """

    def __init__(self, displays: "list[CurveDisplay]", *, name: str | list[str] | None = None) -> None:
        self.displays, self.name, self.pos_label = displays, name, displays[0].pos_label
        prevalences = [display.prevalence for display in displays if hasattr(display, "prevalence")]
        for display in displays if prevalences else []:
            # one set of guides for all: else every fold draws its own
            display.prevalence = float(np.mean(prevalences))

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        name: str | list[str] | None = None,
        curve_kwargs: dict[str, Any] | list[dict[str, Any]] | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw all curves; the legend says the mean of the folds' areas and their standard deviation.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; default a new figure.
        name : str or list of str, optional
            Name in the legend instead of the display's own; a list needs a list of `curve_kwargs`.
        curve_kwargs : dict or list of dict, optional
            What matplotlib's `plot` gets: the same for every fold, or one a fold; then each stands in the legend.
        **kwargs
            Which guides to draw, as for `plot` of the displays.

        Returns
        -------
        FoldsDisplay

        Raises
        ------
        ValueError
            A list of another length than there are folds, or names for folds that look alike.
        """
        from matplotlib.cbook import normalize_kwargs
        from matplotlib.lines import Line2D

        name = self.name if name is None else name
        labels = self._labels(name, isinstance(curve_kwargs, list))
        of_folds = curve_kwargs if isinstance(curve_kwargs, list) else [curve_kwargs or {}] * len(labels)
        self._check_length("curve_kwargs", of_folds)
        if hasattr(self.displays[0], "hull"):
            kwargs = {"plot_hull": False} | kwargs
        self.line_ = []
        for display, label, own in zip(self.displays, labels, of_folds, strict=True):
            # a None for the label keeps the line out of the legend
            line = EVERY_FOLD | {"label": label} | normalize_kwargs(own, Line2D)
            display.plot(ax, **kwargs, **line)
            self.ax_ = ax = display.ax_
            self.line_.append(display.line_)
        self.figure_ = self.ax_.figure
        return self

    def _labels(self, name: str | list[str] | None, each: bool) -> list[str | None]:
        n, what = len(self.displays), self.displays[0].area_name
        areas = [display.area for display in self.displays]
        if isinstance(name, list):
            self._check_length("name", name)
            if not each:
                raise ValueError(
                    f"names for {n} folds need a list of {n} curve_kwargs: else the folds look alike"
                )
        if not each:
            return [label_of(name, areas, what), *[None] * (n - 1)]
        names = name if isinstance(name, list) else [name] * n
        return [label_of(*of_fold, what) for of_fold in zip(names, np.split(np.array(areas), n), strict=True)]

    def _check_length(self, what: str, values: list) -> None:
        if len(values) != len(self.displays):
            raise ValueError(f"{what} must hold one entry a fold, {len(self.displays)}, not {len(values)}")
