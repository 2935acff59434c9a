"""The table of estimates as it is read: its keys, weights, kinds and subsets, and its rows by key."""

from collections.abc import Sequence

import pandas as pd

from aucstudy.store.tables import rows_with

# The columns of the table that say which number a row has, in their order.
KEYS = ("quantity", "first", "second", "target", "setting", "at")
ALL = "all"
TASK, SOURCE = WEIGHTS = ("task", "source")
QUANTILES = {"lower quartile": 0.25, "median": 0.5, "upper quartile": 0.75}
# A quantity may have estimates of these kinds beside its mean.
OF_OTHER_KINDS = (*QUANTILES, "simultaneous")
# A study that has data of the default study and other data has all estimates for either part, too. A study with
# simulated data sets has the estimates over all tasks for the others, too.
KNOWN, NEW, REAL = "known source groups", "new source groups", "not simulated"


def subset_of_part(subset: str, part: str) -> str:
    """Return the name of a subset of a part of the study.

    >>> subset_of_part("all", NEW), subset_of_part("prevalence under 0.1", NEW), subset_of_part("all", "")
    ('new source groups', 'prevalence under 0.1, new source groups', 'all')
    """
    return ", ".join(filter(None, ["" if subset == ALL and part else subset, part]))


def selected(
    estimates: pd.DataFrame,
    experiment: str,
    *,
    weight: str,
    subset: str = ALL,
    known: Sequence[str] = (),
    **keys: object,
) -> pd.DataFrame:
    """Return the rows of a table of estimates that have these keys.

    They are means, shares, ratios and correlations, unless `kind` is among the keys. Rows with a missing value in a
    column of `known` are left out. TooFewRows is raised if no row is left.
    """
    if "kind" not in keys:
        estimates = estimates[~estimates["kind"].isin(OF_OTHER_KINDS)]
    return rows_with(
        estimates, "estimates", known, experiment=experiment, weight=weight, subset=subset, **keys
    )
