"""The common look of the figures, the parts of which they are made, and the way they are saved."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from aucstudy.store.files import write_whole

COLUMN, PAGE = 3.5, 7.2  # inches: one column and the full width of a page
COLOURS = 256
NOT_DRAWN = "Description"  # the field of a PNG that says why nothing is drawn
NOTE = 7  # points, for text inside a plot. All other text has the size of the style file.
AREA_COLOURS = {
    "aupr": "#0072B2",
    "auprg": "#D55E00",
    "auroc": "#009E73",
    "aucnpr": "#CC79A7",
    "average_precision": "#E69F00",
}
# In grey the colours of the metrics are hard to distinguish. So their lines also differ in their markers.
AREA_MARKERS = {"aupr": "o", "auprg": "s", "auroc": "^", "aucnpr": "D", "average_precision": "v"}
# Series that are not metrics have other colours. Only the first three also differ in grey, the others need
# markers.
SERIES_COLOURS = ("#000000", "#56B4E9", "#8C510A", "#8C8C8C", "#332288", "#999933", "#AA4499")
SERIES_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
MUTED = "0.55"  # for lines in the background


@cache
def pyplot():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    # A user's matplotlibrc and styles must not show in a study's figures.
    plt.style.use(["default", Path(__file__).with_name("aucstudy.mplstyle")])
    return plt


def panels(rows: int = 1, columns: int = 1, *, height: float, width: float = PAGE, **options: object):
    """Return a figure and its axes. Sizes are in inches, and `options` are those of `pyplot.subplots`."""
    return pyplot().subplots(rows, columns, figsize=(width, height), **options)


def area_look(area: str, *, variant: bool = False) -> dict[str, object]:
    """Return the look of a metric's line.

    The line of a variant of the metric (clipped, moved) is dashed, and its markers are hollow.
    """
    look = {"color": AREA_COLOURS[area], "marker": AREA_MARKERS[area], "linewidth": 1.0}
    return look | ({"linestyle": "--", "markerfacecolor": "white"} if variant else {"linestyle": "-"})


def series_look(number: int, **look: object) -> dict[str, object]:
    """Return the look of a series that is not a metric, by its number from 0."""
    return {"color": SERIES_COLOURS[number], "marker": SERIES_MARKERS[number], **look}


def line(label: str, **look: object):
    return pyplot().Line2D([], [], label=label, **look)


def patch(label: str, **look: object):
    from matplotlib.patches import Patch

    return Patch(label=label, **look)


def across(
    axis,
    y: Sequence[float],
    rows: pd.DataFrame,
    *,
    estimate: str = "estimate",
    scale: float = 100,
    **look: object,
) -> None:
    """Draw a mark at each estimate and a line from `low` to `high`, by default in hundredths."""
    axis.hlines(y, scale * rows["low"], scale * rows["high"], color=look.get("color"), linewidth=1.2)
    axis.plot(scale * rows[estimate], y, **{"marker": "o", "linestyle": "none", **look})


ENDS = ("low", "high")
FAR = 5  # times as far as all the others


def far_ends_as_arrows(
    axis,
    series: Sequence[tuple[Sequence[float], pd.DataFrame, str]],
    *,
    whole: float = 100,
    upright: bool = False,
) -> None:
    """Cut an axis on which one series would flatten the others, and mark with arrows what lies beyond.

    Parameters
    ----------
    series : the place of each row on the other axis, its two ends as columns, and the colour.
    whole : the value 1 of a metric in the unit of the axis. Metrics from 0 to 1 differ by no more.
        Only signed AUPRG goes beyond.
    upright : whether the ends lie on the y-axis.
    """
    reaches = [float(np.nanmax(np.abs(ends.to_numpy()), initial=0)) for _, ends, _ in series]
    *_, second, furthest = [0, 0, *sorted(reaches)]
    if furthest <= max(whole, FAR * second):
        return
    name, marks = ("ylim", "v^") if upright else ("xlim", "<>")
    limit, shown = max(1.3 * second, whole / 100), axis.get_ylim() if upright else axis.get_xlim()
    lowest, highest = max(shown[0], -limit), min(shown[1], limit)
    axis.set(**{name: (lowest, highest)})
    for places, ends, colour in series:
        least, most = ends.min(axis=1).to_numpy(), ends.max(axis=1).to_numpy()
        for beyond, edge, mark in ((least < lowest, lowest, marks[0]), (most > highest, highest, marks[1])):
            if beyond.any():
                on_edge = np.asarray(places)[beyond], np.full(beyond.sum(), edge)
                axis.plot(
                    *(on_edge if upright else on_edge[::-1]), mark, color=colour, clip_on=False, zorder=4
                )


def upwards(
    axis,
    x: Sequence[float],
    rows: pd.DataFrame,
    *,
    estimate: str = "estimate",
    ends: Sequence[str] = ENDS,
    scale: float = 1,
    **look: object,
) -> None:
    """Draw a line through the estimates, each with a bar between its `ends`."""
    bars = np.abs(rows[list(ends)].to_numpy().T - rows[estimate].to_numpy())
    axis.errorbar(x, scale * rows[estimate], scale * bars, **{"elinewidth": 0.8, **look})


def series_upwards(
    axis,
    series: Sequence[tuple[str, Mapping[str, object], pd.DataFrame]],
    ticks: Sequence[str],
    *,
    reach: float,
    ends: Sequence[str] = ENDS,
    scale: float = 1,
    **options: object,
) -> None:
    """Draw series (label, look, rows) beside one another at named ticks.

    At each tick they are spread over a distance of `reach` to both sides. `options` are those of `upwards`.
    """
    shifts, drawn = np.linspace(-reach, reach, len(series)), []
    for shift, (label, look, rows) in zip(shifts, series, strict=True):
        places = np.arange(len(rows)) + shift
        upwards(axis, places, rows, label=label, ends=ends, scale=scale, **options, **look)
        drawn.append((places, scale * rows[list(ends)], str(look.get("color"))))
    far_ends_as_arrows(axis, drawn, whole=scale, upright=True)
    axis.set_xticks(range(len(ticks)), ticks)
    axis.grid(True, axis="y")


def named_rows(axes, y: Sequence[float], names: Iterable[str]) -> None:
    """Write names along the left side of the first axes, and remove the tick marks of all axes."""
    axes = np.atleast_1d(axes)
    axes[0].set_yticks(list(y), list(names))
    for axis in axes:
        axis.tick_params(axis="y", length=0)


def so_many_tasks(rows: pd.DataFrame) -> str:
    """Return the number of tasks behind the rows of a table, in words.

    >>> so_many_tasks(pd.DataFrame({"n_tasks": [25, 24]})), so_many_tasks(pd.DataFrame({"n_tasks": [1]}))
    ('25 tasks', '1 task')
    """
    number = int(rows["n_tasks"].max())
    return f"{number} task{'s' * (number != 1)}"


def legend_above(
    figure, handles: Sequence | Mapping[str, Mapping] | None = None, *, axis=None, columns: int | None = None
) -> None:
    """Draw one legend above all panels, from handles, from looks by label, or from the labels on an axis."""
    if isinstance(handles, Mapping):
        handles = [line(label, **look) for label, look in handles.items()]
    labelled = (
        axis.get_legend_handles_labels() if handles is None else (handles, [h.get_label() for h in handles])
    )
    placement = {"loc": "outside upper center", "columnspacing": 1, "handletextpad": 0.4}
    figure.legend(*labelled, ncols=columns or max(len(labelled[0]), 1), **placement)


def save(figure, files: Mapping[str, str]) -> None:
    """Write a figure, or a text in its place, as a PNG of 256 colours and as an SVG, and close it.

    The files have no dates.
    """
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    metadata, why = PngInfo(), figure if isinstance(figure, str) else ""
    if why:
        metadata.add_itxt(NOT_DRAWN, why)
        figure, axis = panels(height=0.8)
        axis.set_axis_off()
        axis.text(0.5, 0.5, why, ha="center", va="center", wrap=True)
    figure.canvas.draw()
    image = Image.fromarray(np.asarray(figure.canvas.buffer_rgba()))
    # Lines, dots and text have few colours, so this takes a third of the bytes without a visible difference.
    light = image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    write_whole(files["png"], lambda path: light.save(path, format="png", optimize=True, pnginfo=metadata))
    write_whole(files["svg"], lambda path: figure.savefig(path, format="svg", metadata={"Date": None}))
    pyplot().close(figure)


def why_not_drawn(png: Path) -> str:
    """Return the text that `save` wrote in place of a figure, or "" if one was drawn."""
    from PIL import Image

    with Image.open(png) as image:
        return str(image.info.get(NOT_DRAWN, ""))
