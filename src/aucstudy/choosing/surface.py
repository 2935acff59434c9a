"""The cells of a study with what the rule says of each."""

import pandas as pd

from aucstudy.area_names import BESIDE
from aucstudy.area_names import NAMEABLE as AREAS
from aucstudy.area_names import SURFACE_CELL as SHOWN
from aucstudy.choosing.rule import decided

CELL = ["study", *SHOWN]
FACTS = ["status", "n_training_positive", "n_groups"]
BY_NATURE = "by nature"  # how models of the study `natural` were trained


def cells_of(rows: pd.DataFrame) -> pd.DataFrame:
    keys, facts = ([name for name in names if name in rows] for names in (CELL, FACTS))
    cells = rows.groupby(keys, sort=False, dropna=False)
    decisions = pd.DataFrame([decided(cell) for _, cell in cells])
    return cells[facts].first().reset_index().join(decisions)


def judged(surface: pd.DataFrame, study: str = "rare") -> pd.DataFrame:
    return cells_of(surface[surface["chooser"].isin((*AREAS, *BESIDE))].assign(study=study))
