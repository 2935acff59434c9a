"""The table and the figure of docs/peers.md: which definition each function of a tool follows.

Both are made from conformance/matrix.csv.
"""

import numpy as np
import pandas as pd
from committed import ROOT

from aucstudy.figures import charts

RULES = {
    "auroc": "AUROC", "average_precision": "average precision", "aupr": "exact integral",
    "trapezoid": "straight lines from (0, 1)", "trapezoid_first_point": "straight lines from the first point",
    "left_dropped": "straight lines, left part dropped", "fewest_false_positives": "best point of each recall",
    "davis_goadrich_unit": "straight lines at unit steps", "thresholds_200": "integral over 200 thresholds",
    "envelope_101": "envelope at 101 recalls",
    "auprg": "AUPRG", "aucnpr": "AUCNPR",
}  # fmt: skip
ONE_CLASS, NOT_RUN = "one class", "not run"
SAME, ANOTHER = "the row's definition", "another definition"
COLOURS = {
    SAME: "#cfe2f3", ANOTHER: "#e69f00", "none of these": "#d55e00", "a number": "#cc79a7", "undefined": "0.88",
    "refused": "0.7", NOT_RUN: "#fff2cc",
}  # fmt: skip


def matrix() -> pd.DataFrame:
    """Return a row for each function of a tool and kind of case.

    `answers` is SAME if all answers follow the row's definition. Otherwise it is the most frequent kind of
    the other answers.
    """
    table = pd.read_csv(ROOT / "conformance" / "matrix.csv", keep_default_na=False)
    first = table["otherwise"].str.replace(r" \d+(;.*)?$", "", regex=True)
    others = first.where(first.isin(list(COLOURS)), ANOTHER)
    all_same = (table["n_same"] == table["n_cases"]) & (table["n_cases"] > 0)
    return table.assign(answers=others.mask(all_same, SAME))


def by_function(table: pd.DataFrame) -> pd.DataFrame:
    """Return the definition of each function, and in how many cases with two classes it is followed.

    The column `one_class` is the function's answer if a class is missing.
    """
    keys = ["convention", "tool", "version", "language", "function"]
    table = table[table["answers"] != NOT_RUN]
    table = table.assign(largest_error=table["largest_error"].astype(float))
    of_two = table[table["kind"] != ONE_CLASS].groupby(keys)
    counts = of_two[["n_cases", "n_same"]].sum().join(of_two["largest_error"].max())
    of_one = table[table["kind"] == ONE_CLASS].set_index(keys)["answers"]
    rows = counts.join(of_one.rename("one_class")).reset_index()
    rows["rule"] = pd.Categorical(rows["convention"], RULES)
    return rows.sort_values(["rule", "tool", "function"], ignore_index=True)


def peers_figure():
    """Draw the functions by kind of case, coloured by what they answer.

    A number says how many answers do not follow the definition.
    """
    from matplotlib.colors import ListedColormap

    table = matrix()
    functions = by_function(table)
    kinds = sorted(dict.fromkeys(table["kind"]), key=lambda kind: kind == ONE_CLASS)
    cells = table.assign(left=table["n_cases"] - table["n_same"], code=table["answers"].map([*COLOURS].index))
    by_cell = cells.pivot_table(
        index=["convention", "tool", "function"], columns="kind", values=["code", "left"]
    )
    by_cell = by_cell.loc[[*functions[["convention", "tool", "function"]].itertuples(index=False, name=None)]]
    figure, axis = charts.panels(height=0.21 * len(functions) + 1.9, width=1.3 * charts.PAGE)
    colours = ListedColormap([*COLOURS.values()])
    axis.imshow(by_cell["code"][kinds], cmap=colours, vmin=-0.5, vmax=len(COLOURS) - 0.5, aspect="auto")
    for (y, x), left in np.ndenumerate(by_cell["left"][kinds].to_numpy()):
        if left > 0:
            axis.text(x, y, f"{left:.0f}", ha="center", va="center", fontsize=charts.NOTE)
    axis.set_xticks(np.arange(len(kinds)), kinds, rotation=90, fontsize=charts.NOTE)
    axis.set_xticks(np.arange(1, len(kinds)) - 0.5, minor=True)
    axis.set_yticks(np.arange(len(functions)), functions["tool"] + "  " + functions["function"])
    axis.set_yticks(np.arange(1, len(functions)) - 0.5, minor=True)
    axis.grid(which="minor", color="white", linewidth=1.5)
    axis.tick_params(which="both", length=0, top=False, labeltop=True, bottom=False, labelbottom=False)
    axis.spines[:].set_visible(False)
    rules = functions["rule"].astype(str).map(RULES)
    begins = np.flatnonzero(rules != rules.shift())
    right = axis.secondary_yaxis("right")
    right.set_yticks(begins, rules[begins])
    right.tick_params(length=0)
    right.spines[:].set_visible(False)
    for y in begins[1:]:
        axis.axhline(y - 0.5, color="0.4", linewidth=0.6)
    charts.legend_above(
        figure, [charts.patch(name, color=colour) for name, colour in COLOURS.items()], columns=4
    )
    return figure
