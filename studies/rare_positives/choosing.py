"""The rule of use, cell by cell: which area should select a model, for docs/choosing.md and the table of README.md.

Each row is a selection metric: the target metric of its choice minus that of AUROC's, with limits that hold at once:

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

from aucstudy.area_names import MARGIN

from .rare import REFERENCE
from .rare_surface import AREAS, BESIDE, SHOWN

NAMED, SLIGHT, ALIKE, OPEN = "named", "under half a point", "no difference that matters", "open"
CELL = ["study", *SHOWN]
FACTS = ["status", "n_training_positive", "n_groups"]
BY_NATURE = "by nature"  # how models of the study `natural` were trained


class Decision(NamedTuple):
    """What the rule says of a cell.

    `gain`, `low` and `high` are over AUROC (AUROC's over the next area). `open_to`: what the limits of areas that are
    not worse leave open. `worse`: areas; `better`, `as_good`: other selection metrics against every area. They are
    joined by semicolons.
    """

    outcome: str
    selected_by: str
    gain: float
    low: float
    high: float
    worse: str
    open_to: float
    better: str
    as_good: str
    fragile: bool


def decided(cell: pd.DataFrame) -> Decision:
    """From a row a selection metric: difference, low, high, and the same without_3 where known."""
    outcome = _outcome(_limits(cell, "difference", "low", "high"))
    fragile = False
    if "without_3" in cell and cell["without_3"].notna().any():
        robust = _outcome(_limits(cell, "without_3", "without_3_low", "without_3_high"))
        fragile = any(robust[key] != outcome[key] for key in ("outcome", "selected_by"))
    return Decision(**outcome, fragile=fragile)


class _Limits(NamedTuple):
    gain: float
    low: float
    high: float

    def turned(self) -> "_Limits":
        return _Limits(-self.gain, -self.high, -self.low)


def _limits(cell: pd.DataFrame, *columns: str) -> dict[str, _Limits]:
    numbers = zip(*(cell[name].tolist() for name in columns), strict=True)
    return {name: _Limits(*row) for name, row in zip(cell["selected_by"], numbers, strict=True)}


def _outcome(rows: dict[str, _Limits]) -> dict:
    areas = {name: row for name, row in rows.items() if name in AREAS}
    others = {name: row for name, row in rows.items() if name in BESIDE and not np.isnan(row).any()}
    above = [name for name, row in areas.items() if row.low > 0]
    worse_areas = [name for name, row in areas.items() if row.high < 0]
    selected_by, gain = "", _Limits(np.nan, np.nan, np.nan)
    no_area_matters = all(row.low >= -MARGIN and row.high <= MARGIN for row in areas.values())
    outcome = ALIKE if no_area_matters else OPEN
    if above:
        selected_by = max(above, key=lambda name: areas[name].gain)
        gain = areas[selected_by]
    elif len(worse_areas) == len(areas):
        selected_by = REFERENCE
        gain = max(areas.values(), key=lambda row: row.gain).turned()
    if selected_by:
        outcome = NAMED if gain.gain >= MARGIN else SLIGHT
    best = max(0.0, *(row.gain for row in areas.values()))
    better = [name for name, row in others.items() if row.low > 0 and row.gain >= best + MARGIN]
    as_good = [
        name for name, row in others.items() if row.low > -MARGIN and row.gain >= best and name not in better
    ]
    undecided = [row for name, row in areas.items() if name not in worse_areas]
    return {
        "outcome": outcome, "selected_by": selected_by, **gain._asdict(), "worse": ";".join(worse_areas),
        "open_to": max((abs(end) for row in undecided for end in row[1:]), default=np.nan),
        "better": ";".join(better), "as_good": ";".join(as_good),
    }  # fmt: skip


def cells_of(rows: pd.DataFrame) -> pd.DataFrame:
    """The cells of a study, with what the rule says of each."""
    keys, facts = ([name for name in names if name in rows] for names in (CELL, FACTS))
    cells = rows.groupby(keys, sort=False, dropna=False)
    decisions = pd.DataFrame([decided(cell) for _, cell in cells])
    return cells[facts].first().reset_index().join(decisions)


def judged(surface: pd.DataFrame, study: str = "rare") -> pd.DataFrame:
    return cells_of(surface[surface["selected_by"].isin((*AREAS, *BESIDE))].assign(study=study))
