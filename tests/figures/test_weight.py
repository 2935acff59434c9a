"""A figure for the report is light."""

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

from aucstudy.figures.charts import AREA_COLOURS, COLOURS, save


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
        wanted = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
        assert np.abs(colours - wanted).max(axis=1).min() <= 2, colour
