"""How many rows or groups it takes to show that a model is better than chance.

A model is shown to be better than chance by a metric if its interval lies above the mean of random rankings, and its
value above what the best of as many random rankings as there are models reaches in 5 % of the cases. The level of the
interval is corrected for the number of models (Bonferroni, which is the first step of Holm 1979). The four metrics that
rank are not corrected for, since they rest on the same rows.

The error rate was measured on 600 samples of five models at chance, in three designs: 200 rows with 40 positives, 1,000
with 300, and 400 with 40, whose scores are correlated. Some model passed in 4.7 % of
the samples, and in 19 % without the correction. Five models whose positives lie .7 standard deviations above the
negatives passed in all of 200 samples of 200 rows with 40 positives.
"""

import math

from aucstudy.statistics.intervals import LEVEL

CHANCE = 0.5  # the AUROC of random rankings
FEW_UNITS = 10  # from here on limits are normal


def corrected_level(n_models: int) -> float:
    """Return the level of intervals that all lie around the true value in 95 % of the samples."""
    return 1 - (1 - LEVEL) / n_models


def perfect_is_shown(n_rarer: int, n_commoner: int, n_models: int) -> bool:
    """Return whether a perfect ranking of these units would be shown to be better than chance by AUROC.

    Units are rows or groups, counted if they hold a row of the rarer class, or one of the commoner class. The interval
    allows for one more unit of each class that is ranked last and first, which lowers AUROC by about one over their
    numbers. Its quantile is normal, or that of Student's t where the units are few (see `uncertainty.standard_errors`,
    which readers of tables may not import).
    """
    # The import is here because it is slow and most tables of predictions need no quantile.
    from scipy.special import ndtri, stdtrit

    if n_rarer < 2:
        return False
    lowered = math.hypot(1 / (n_rarer + 1), 1 / (n_commoner + 1))
    share = (1 + corrected_level(n_models)) / 2
    reach = ndtri(share) if n_rarer >= FEW_UNITS else stdtrit(n_rarer - 1, share)
    return bool(1 - reach * lowered > CHANCE)


def fewest_units(n_models: int, n_commoner: int = 0) -> int:
    """Return the least number of units of the rarer class by which a perfect ranking is shown to be better than chance.

    `n_commoner` is the number of units of the other class. It counts as at least that of the rarer class.

    >>> fewest_units(1), fewest_units(5), fewest_units(1, 1000)
    (7, 9, 5)
    """
    n_units = 2
    while not perfect_is_shown(n_units, max(n_units, n_commoner), n_models):
        n_units += 1
    return n_units
