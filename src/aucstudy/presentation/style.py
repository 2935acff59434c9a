"""The one look of the study's figures, and how they are saved: the same bytes for the same tables."""

import io
from collections.abc import Mapping
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from PIL import Image

from aucstudy.store.tables import write_whole

plt.style.use(Path(__file__).with_name("aucstudy.mplstyle"))

COLUMN, PAGE = 3.5, 7.2  # inches: one column and the full width of a page
COLOURS = 256
NOTE = 7  # points: text inside a plot; all other text has the size of the style file
AREA_COLOURS = {
    "aupr": "#0072B2",
    "auprg": "#D55E00",
    "auroc": "#009E73",
    "aucnpr": "#CC79A7",
    "average_precision": "#E69F00",
}
# printed in grey the colours of areas are near one another: lines of areas also differ in their markers
AREA_MARKERS = {"aupr": "o", "auprg": "s", "auroc": "^", "aucnpr": "D", "average_precision": "v"}
# what is not an area has other colours; the first three differ in grey as well, more need their markers
SERIES_COLOURS = ("#000000", "#56B4E9", "#8C510A", "#8C8C8C", "#332288", "#999933", "#AA4499")
SERIES_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
MUTED = "0.55"  # what stands behind the rest


def area_look(area: str, *, variant: bool = False) -> dict[str, object]:
    """How the line of an area is drawn; that of a variant of the area (clipped, moved) is dashed, its marks hollow."""
    look = {"color": AREA_COLOURS[area], "marker": AREA_MARKERS[area], "linewidth": 1.0}
    return look | ({"linestyle": "--", "markerfacecolor": "white"} if variant else {"linestyle": "-"})


def nothing_drawn(why: str) -> plt.Figure:
    """A figure that says why there is nothing on it."""
    figure, axis = plt.subplots(figsize=(PAGE, 0.8))
    axis.set_axis_off()
    axis.text(0.5, 0.5, why, ha="center", va="center")
    return figure


def save(figure: plt.Figure, files: Mapping[str, str]) -> None:
    """Write a figure as PNG (for the report, of 256 colours) and SVG (for a paper), without dates, and close it.

    Parameters
    ----------
    files : the paths by format, keys png and svg.
    """
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", metadata={"Software": None})
    # lines, dots and text have few colours: a third of the bytes, and no difference to be seen
    light = Image.open(drawn).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    write_whole(files["png"], lambda path: light.save(path, format="png", optimize=True))
    write_whole(files["svg"], lambda path: figure.savefig(path, format="svg", metadata={"Date": None}))
    plt.close(figure)
