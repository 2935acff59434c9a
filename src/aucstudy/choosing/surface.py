"""The cells of a study with what the rule says of each, and which cells are nearest to somebody's data."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pandas as pd

from aucstudy.area_names import BESIDE, EVERY, FEWEST_GROUPS
from aucstudy.area_names import NAMEABLE as AREAS
from aucstudy.area_names import SURFACE_CELL as SHOWN
from aucstudy.choosing.rule import decided
from aucstudy.store.tables import read_table

CELL = ["study", *SHOWN]
FACTS = ["status", "n_training_positive", "n_groups"]
UTILITIES = {
    "f1": "F1", "f2": "F2", "recall_at_90": "recall at precision .9", "precision_at_p": "precision of the first P",
    "accuracy": "accuracy", "minus_cost": "low expected cost",
}  # fmt: skip
# the cells of the committed studies, so that the audit needs none; docs/making/rule.py makes it
EVIDENCE = Path(__file__).with_name("evidence.csv")
BY_NATURE = "by nature"  # how models of the study `natural` were trained
TEXTS = ("learned", "chooser", "worse", "better", "as_good")


@cache
def evidence() -> pd.DataFrame:
    return read_table(EVIDENCE).fillna(dict.fromkeys(TEXTS, ""))


def cells_of(rows: pd.DataFrame) -> pd.DataFrame:
    keys, facts = ([name for name in names if name in rows] for names in (CELL, FACTS))
    cells = rows.groupby(keys, sort=False, dropna=False)
    decisions = pd.DataFrame([decided(cell) for _, cell in cells])
    return cells[facts].first().reset_index().join(decisions)


def judged(surface: pd.DataFrame, study: str = "rare") -> pd.DataFrame:
    return cells_of(surface[surface["chooser"].isin((*AREAS, *BESIDE))].assign(study=study))


def by_purpose(table: Callable[[str], pd.DataFrame | None]) -> pd.DataFrame:
    """Decisions for a study's cells by `want` and `data`, the tasks or how models were trained.

    From rare_surface.csv both arms with the fewest positives, at the judge's threshold; else selection.csv's halves.
    """
    surface, selection = table("rare_surface"), table("selection")
    if surface is not None and len(surface):
        rows = surface[(surface["n_models"] == surface["n_models"].max()) & (surface["learned"] == EVERY)]
        rows = rows[(rows["positives"] == rows["positives"].min()) & (rows["threshold"] == "best")]
        rows = judged(rows)
        return rows.assign(data=rows["trained"] + ", " + (100 * rows["prevalence"]).map("{:g} %".format))
    if selection is None:
        return pd.DataFrame()
    eligible = (selection["design"] == "halves") & (selection["n_groups"] >= FEWEST_GROUPS)
    rows = selection[eligible & selection["chooser"].isin(AREAS) & selection["utility"].isin(UTILITIES)]
    rows = rows.assign(
        data=rows["tasks"] + " (" + rows["n_tasks"].astype(str) + " tasks)",
        want=rows["utility"].map(UTILITIES),
        low=rows["simultaneous_low"],
        high=rows["simultaneous_high"],
    )
    cells = rows.groupby(["want", "data"], sort=False)
    return pd.DataFrame(
        [{"want": want, "data": data, **decided(cell)._asdict()} for (want, data), cell in cells]
    )
