"""The rule of use: which area should choose a model, by what is wanted of it, from the committed studies.

Cells are of prevalence, positives, number of models and want. Intervals hold for all cells with so many models at once
(Bonferroni); `aucstudy/report/by_purpose.py` has the rule for a cell.
"""

from itertools import product

import numpy as np
import pandas as pd
from committed import Study, Tables, committed

from aucstudy.experiments.rare import REFERENCE
from aucstudy.report.by_purpose import AREAS, CELL, decided, jointly

# of the study wide
UTILITIES = {"f1": "f1", "f2": "f2", "recall@.9": "recall_at_90", "precision@P": "precision_at_p"}


def rule_of_use(tables: Tables = committed) -> pd.DataFrame:
    """The rule of use from the study `rare`, and from `wide` where positives are more than its commonest ones.

    A row a cell; of `wide` the prevalence is the least one, and the positives are NaN.
    """
    rare = tables("rare", "rare")
    least = rare["prevalence"].max()
    wide = Study("wide", tables).of_prevalence(least, 1)
    n_models = Study("wide", tables).table("disagreement_tasks")["n_models"].max()
    rows = []
    for (want, utility), area in product(UTILITIES.items(), AREAS):
        gain = wide.gain(area, REFERENCE, utility)
        cell = {"study": "wide", "prevalence": least, "positives": np.nan, "n_models": n_models, "want": want}
        numbers = {"difference": gain["estimate"], "low": gain["all_low"], "high": gain["all_high"]}
        rows.append({**cell, "chooser": area, "n_groups": gain["n_groups"], **numbers})
    rows = pd.concat([jointly(rare), pd.DataFrame(rows)], ignore_index=True)
    cells = rows.groupby(CELL, sort=False, dropna=False)
    made = [{**dict(zip(CELL, key, strict=True)), **decided(cell)} for key, cell in cells]
    return pd.DataFrame(made).round(5)
