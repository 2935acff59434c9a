"""The rules of the room, applied to its tables: when the choice among areas matters, and which interval to take."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

# of an area
MARGIN = 0.01
LEVEL = 0.95
# candidates whose mean miss of 95 % lies so close to the smallest are told apart by their width
AS_CLOSE = 0.005


def matters_from(choices: pd.DataFrame, choosers: Sequence[str], judges: Sequence[str]) -> pd.DataFrame:
    """From how many positives on the choice among areas matters, by the rule of the room.

    Returns
    -------
    One row a truth model and prevalence: `matters_from` (NaN where it does not up to the largest number), and the
    chooser and judge of the largest excess at that number (at the largest number where it never matters),
    `excess_regret` with its `excess_mc_se`.
    """
    asked = choices[choices["chooser"].isin(choosers) & choices["judged_by"].isin(judges)]
    asked = asked[asked["chooser"] != asked["judged_by"]]
    rows = []
    for (truth_model, prevalence), cell in asked.groupby(["truth_model", "prevalence"], sort=False):
        costly = cell["excess_regret"] - 2 * cell["excess_mc_se"] > MARGIN
        at = costly.groupby(cell["positives"]).any().sort_index()
        lasting = at[::-1].cummin()[::-1]
        first = at.index[lasting].min() if lasting.any() else np.nan
        shown = cell[cell["positives"] == (at.index.max() if np.isnan(first) else first)]
        largest = shown.loc[
            shown["excess_regret"].idxmax(), ["chooser", "judged_by", "excess_regret", "excess_mc_se"]
        ]
        rows.append({"truth_model": truth_model, "prevalence": prevalence, "matters_from": first, **largest})
    return pd.DataFrame(rows)


def candidates_over_quantities(coverage: pd.DataFrame) -> pd.DataFrame:
    """How each candidate does over all quantities of a kind: the table behind the recommendation.

    Returns
    -------
    One row a kind and candidate: `miss` (mean of |coverage - .95| over quantities, models and numbers of groups),
    `coverage`, `lowest` coverage, `relative_width`, `recommended` (by the rule of the room).
    """
    coverage = coverage.assign(miss=(coverage["coverage"] - LEVEL).abs())
    by_candidate = coverage.groupby(["kind", "candidate"], sort=False)
    table = by_candidate.agg(
        miss=("miss", "mean"),
        coverage=("coverage", "mean"),
        lowest=("coverage", "min"),
        relative_width=("relative_width", "mean"),
    ).reset_index()
    close = table["miss"] <= table.groupby("kind")["miss"].transform("min") + AS_CLOSE
    narrowest = table["relative_width"].where(close).groupby(table["kind"]).transform("min")
    return table.assign(recommended=close & (table["relative_width"] == narrowest))


def level_of_swaps(swaps: pd.DataFrame) -> pd.DataFrame:
    """The null cell with the most real swaps by test and number of models, and whether it `exceeds` the level."""
    null = swaps[swaps["is_null"].astype(bool)]
    worst = null.loc[null.groupby(["test", "models"], sort=False)["p_real"].idxmax()]
    return worst.assign(exceeds=worst["p_real"] - 2 * worst["mc_se"] > 1 - LEVEL)
