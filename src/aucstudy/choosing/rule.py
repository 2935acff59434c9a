"""The rule for one cell, and what it says in words.

A cell has the rows of its choosers, each the worth of its choice minus that of AUROC's with limits that hold at once:

* an area is *named* where its limits lie above AUROC's choice and its mean gain is half a point or more, of several
  the one that gains most; AUROC is named where the limits of all other areas lie below, and every mean by half a point;
* *under half a point*: an area, or AUROC, is better by less than that;
* *no difference that matters*: the limits of all areas lie inside half a point;
* else the cell is *open*, but for areas that are *worse*: their limits lie below AUROC's choice.

A cell is *fragile* where the rule says otherwise without the three source groups that add most to each mean.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

from aucstudy.area_names import AREA_LABELS, BESIDE, MARGIN, REFERENCE
from aucstudy.area_names import NAMEABLE as AREAS

NAMED, SLIGHT, ALIKE, OPEN = "named", "under half a point", "no difference that matters", "open"
LABELS = {
    **AREA_LABELS, "auroc@.1": "AUROC up to .1", "the want itself": "the want itself", "brier": "Brier score",
    "log_loss": "log loss",
}  # fmt: skip


class Decision(NamedTuple):
    """What the rule says of a cell.

    `gain`, `low` and `high` are those of the chooser over AUROC, AUROC's over the next area; `open_to` is how much the
    limits of the areas that are not worse leave open. `worse` are areas; `better` and `as_good` are other choosers that
    choose better than every area, or as well; several have a semicolon between.
    """

    outcome: str
    chooser: str
    gain: float
    low: float
    high: float
    worse: str
    open_to: float
    better: str
    as_good: str
    fragile: bool


def decided(cell: pd.DataFrame) -> Decision:
    """The rule for the rows of one cell, by chooser: difference, low and high, and the same without_3 where known."""
    outcome = _outcome(_limits(cell, "difference", "low", "high"))
    fragile = False
    if "without_3" in cell and cell["without_3"].notna().any():
        robust = _outcome(_limits(cell, "without_3", "without_3_low", "without_3_high"))
        fragile = any(robust[key] != outcome[key] for key in ("outcome", "chooser"))
    return Decision(**outcome, fragile=fragile)


class _Limits(NamedTuple):
    gain: float
    low: float
    high: float

    def turned(self) -> "_Limits":
        return _Limits(-self.gain, -self.high, -self.low)


def _limits(cell: pd.DataFrame, *columns: str) -> dict[str, _Limits]:
    """By chooser its gain and the limits of it."""
    numbers = zip(*(cell[name].tolist() for name in columns), strict=True)
    return {name: _Limits(*row) for name, row in zip(cell["chooser"], numbers, strict=True)}


def _outcome(rows: dict[str, _Limits]) -> dict:
    areas = {name: row for name, row in rows.items() if name in AREAS}
    other_choosers = {name: row for name, row in rows.items() if name in BESIDE and not np.isnan(row).any()}
    above = [name for name, row in areas.items() if row.low > 0]
    worse_areas = [name for name, row in areas.items() if row.high < 0]
    chooser, gain = "", _Limits(np.nan, np.nan, np.nan)
    no_area_matters = all(row.low >= -MARGIN and row.high <= MARGIN for row in areas.values())
    outcome = ALIKE if no_area_matters else OPEN
    if above:
        chooser = max(above, key=lambda name: areas[name].gain)
        gain = areas[chooser]
    elif len(worse_areas) == len(areas):
        chooser = REFERENCE
        gain = max(areas.values(), key=lambda row: row.gain).turned()
    if chooser:
        outcome = NAMED if gain.gain >= MARGIN else SLIGHT
    best = max(0.0, *(row.gain for row in areas.values()))
    better = [name for name, row in other_choosers.items() if row.low > 0 and row.gain >= best + MARGIN]
    as_good = [
        name
        for name, row in other_choosers.items()
        if row.low > -MARGIN and row.gain >= best and name not in better
    ]
    undecided = [row for name, row in areas.items() if name not in worse_areas]
    return {
        "outcome": outcome, "chooser": chooser, **gain._asdict(), "worse": ";".join(worse_areas),
        "open_to": max((abs(end) for row in undecided for end in row[1:]), default=np.nan),
        "better": ";".join(better), "as_good": ";".join(as_good),
    }  # fmt: skip


def points(value: float) -> str:
    """A difference in points, with one digit.

    >>> points(0.0123), points(-0.0004)
    ('1.2', '0.0')
    """
    return f"{100 * value:.1f}".replace("-0.0", "0.0")


def named(names: str) -> str:
    """Choosers as they are called."""
    return ", ".join(LABELS[name] for name in names.split(";") if name)


def in_short(cell: pd.Series) -> str:
    """What the rule says of a cell, for a table.

    >>> cell = {"outcome": NAMED, "chooser": "average_precision", "gain": 0.012, "low": 0.004, "high": 0.02}
    >>> in_short(pd.Series({**cell, "fragile": False}))
    'AP +1.2 (0.4 to 2.0)'
    >>> in_short(pd.Series({"outcome": OPEN, "worse": "aupr;auprg", "open_to": 0.017, "fragile": True}))
    'open, not AUPR, AUPRG (1.7), fragile'
    """
    outcome = cell["outcome"]
    if outcome == NAMED:
        text = f"{LABELS[cell['chooser']]} +{points(cell['gain'])} ({points(cell['low'])} to {points(cell['high'])})"
    elif outcome == SLIGHT:
        text = f"{LABELS[cell['chooser']]} by under half a point"
    elif outcome == ALIKE:
        text = ALIKE
    else:
        but = f", not {named(cell['worse'])}" if cell["worse"] else ""
        text = f"open{but} ({points(cell['open_to'])})"
    return text + (", fragile" if cell["fragile"] else "")


def in_words(cell: pd.Series) -> str:
    """What the rule says of a cell, in sentences."""
    outcome, chooser = cell["outcome"], LABELS.get(cell["chooser"], "")
    rival = "the next area" if cell["chooser"] == REFERENCE else "AUROC"
    if outcome == NAMED:
        ends = f"{points(cell['low'])} to {points(cell['high'])}"
        text = f"let {chooser} choose: {points(cell['gain'])} points ({ends}) over {rival}"
    elif outcome == SLIGHT:
        text = f"{chooser} chooses better, by under half a point over {rival}"
    elif outcome == ALIKE:
        text = "any area will do: none differs from AUROC by half a point"
    else:
        which_are_worse = f", {named(cell['worse'])} worse" if cell["worse"] else ""
        text = f"no area is shown to choose better{which_are_worse}; up to {points(cell['open_to'])} points stay open"
    if cell["fragile"]:
        text += "; without three source groups the rule says otherwise"
    if cell["better"]:
        text += f"; {named(cell['better'])} chooses better still"
    elif cell["as_good"]:
        text += f"; {named(cell['as_good'])} chooses as well"
    return text
