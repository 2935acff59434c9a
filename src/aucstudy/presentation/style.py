"""The one look of the study's figures, and how they are saved: the same bytes for the same tables."""

from collections.abc import Mapping
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

from aucstudy.store.tables import write_whole

plt.style.use(Path(__file__).with_name("aucstudy.mplstyle"))

COLUMN, PAGE = 3.5, 7.2  # inches: one column and the full width of a page
AREA_COLOURS = {
    "aupr": "#0072B2",
    "auprg": "#D55E00",
    "auroc": "#009E73",
    "aucnpr": "#CC79A7",
    "average_precision": "#E69F00",
}


def nothing_drawn(why: str) -> plt.Figure:
    """A figure that says why there is nothing on it."""
    figure, axis = plt.subplots(figsize=(PAGE, 0.8))
    axis.set_axis_off()
    axis.text(0.5, 0.5, why, ha="center", va="center")
    return figure


def save(figure: plt.Figure, files: Mapping[str, str]) -> None:
    """Write a figure as PNG (for the report) and SVG (for a paper), without dates, and close it.

    Parameters
    ----------
    files : the paths by format, keys png and svg.
    """
    write_whole(files["png"], lambda path: figure.savefig(path, format="png", metadata={"Software": None}))
    write_whole(files["svg"], lambda path: figure.savefig(path, format="svg", metadata={"Date": None}))
    plt.close(figure)
