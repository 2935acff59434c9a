"""The style of figures: colours that differ for colour-blind eyes and in grey, text sizes, small files."""

import os
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.text import Text
from PIL import Image

from aucstudy.experiments.compared import AREAS_COMPARED
from aucstudy.experiments.contract import experiments
from aucstudy.figures import papers
from aucstudy.figures.charts import (
    AREA_COLOURS,
    AREA_MARKERS,
    COLOURS,
    NOTE,
    SERIES_COLOURS,
    SERIES_MARKERS,
    area_look,
    save,
)
from aucstudy.jobs.environment import environment_of_jobs

# These are the matrices of Machado, Oliveira, Fernandes 2009 for severity 1; they apply to linear RGB.
SEEN_BY = {
    "trichromat": np.eye(3),
    "protanope": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranope": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanope": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
XYZ_OF_RGB = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
# These figures need no tables.
FIGURES = tuple(experiments()["papers"].figures)


def lab(colour: str, eye: str) -> np.ndarray:
    """Return the CIE L*a*b* coordinates of a colour as this eye sees it."""
    rgb = np.array(to_rgb(colour))
    linear = np.where(rgb > 0.04045, ((rgb + 0.055) / 1.055) ** 2.4, rgb / 12.92)
    xyz = XYZ_OF_RGB @ np.clip(SEEN_BY[eye] @ linear, 0, 1) / XYZ_OF_RGB.sum(axis=1)
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("eye", SEEN_BY)
def test_no_two_areas_that_are_compared_look_alike_to_any_eye(eye):
    for first, second in combinations(AREAS_COMPARED, 2):
        apart = np.linalg.norm(lab(AREA_COLOURS[first], eye) - lab(AREA_COLOURS[second], eye))
        assert apart > 10, (first, second, apart)


def test_in_grey_the_first_three_series_differ_by_lightness_and_all_others_by_markers():
    lightness = sorted(lab(colour, "trichromat")[0] for colour in SERIES_COLOURS[:3])
    assert min(np.diff(lightness)) > 25
    assert len(set(SERIES_MARKERS)) == len(SERIES_COLOURS)
    assert len(set(AREA_MARKERS.values())) == len(AREA_COLOURS)


def test_no_series_has_the_colour_of_an_area():
    assert not set(SERIES_COLOURS) & set(AREA_COLOURS.values())


def test_a_variant_of_an_area_has_its_colour_and_marker_and_is_dashed():
    area, variant = area_look("auprg"), area_look("auprg", variant=True)
    assert (area["color"], area["marker"]) == (variant["color"], variant["marker"])
    assert (area["linestyle"], variant["linestyle"], variant["markerfacecolor"]) == ("-", "--", "white")


@pytest.mark.parametrize("name", FIGURES)
def test_text_has_the_size_of_the_style_or_of_a_note(name):
    figure = getattr(papers, name)(None)
    sizes = {text.get_fontsize() for text in figure.findobj(Text) if text.get_text() and text.get_visible()}
    assert sizes <= {plt.rcParams["font.size"], NOTE}
    plt.close(figure)


def test_the_same_figure_gives_the_same_bytes_and_no_date(tmp_path):
    written = []
    for k in range(2):
        files = {kind: tmp_path / f"{k}.{kind}" for kind in ("png", "svg")}
        save(papers.f1_contours(None), {kind: str(path) for kind, path in files.items()})
        written.append({kind: path.read_bytes() for kind, path in files.items()})
    assert written[0] == written[1]
    assert b"<dc:date>" not in written[0]["svg"]


def test_a_png_has_a_palette_and_keeps_its_colours(tmp_path):
    figure, axis = plt.subplots()
    for slope, colour in enumerate(AREA_COLOURS.values()):
        axis.plot([0, 1], [0, slope], color=colour, linewidth=4)
    save(figure, {kind: str(tmp_path / f"figure.{kind}") for kind in ("png", "svg")})
    drawn = Image.open(tmp_path / "figure.png")
    assert drawn.mode == "P"
    counted = drawn.convert("RGB").getcolors(COLOURS)
    colours = np.array([colour for _, colour in counted])
    for colour in (*AREA_COLOURS.values(), "#ffffff", "#000000"):
        expected = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
        assert np.abs(colours - expected).max(axis=1).min() <= 2, colour


DRAW = """
import sys
from aucstudy.figures import charts
figure, axis = charts.panels(height=1.5)
axis.plot([1, 2], label="a")
axis.set(xlabel="x", title="t")
charts.legend_above(figure, axis=axis)
charts.save(figure, {kind: f"{sys.argv[1]}.{kind}" for kind in ("png", "svg")})
"""
RC = "font.size: 20\naxes.facecolor: red\nlegend.loc: lower left\nsvg.fonttype: path\nbackend: pdf\n"


def test_the_settings_of_a_user_do_not_show_in_a_figure(tmp_path):
    own = {name: value for name, value in os.environ.items() if name not in ("MPLBACKEND", "MATPLOTLIBRC")}
    (tmp_path / "rc" / "matplotlib").mkdir(parents=True)
    (tmp_path / "rc" / "matplotlib" / "matplotlibrc").write_text(RC)
    in_a_notebook = {"MPLBACKEND": "module://a.backend.that.is.not.installed"}
    environments = {
        "plain": own,
        "rc": {**own, "XDG_CONFIG_HOME": str(tmp_path / "rc")},
        "job": own | in_a_notebook | environment_of_jobs({**own, **in_a_notebook}, Path("nowhere")),
    }
    for name, environment in environments.items():
        subprocess.run([sys.executable, "-c", DRAW, str(tmp_path / name)], env=environment, check=True)
    for kind in ("png", "svg"):
        assert len({(tmp_path / f"{name}.{kind}").read_bytes() for name in environments}) == 1
