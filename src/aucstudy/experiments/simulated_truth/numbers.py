"""Simulations in which the truth is known: choices, tests of swaps, and intervals."""

from collections.abc import Sequence

import pandas as pd

from aucstudy.experiments.inputs import Study
from aucstudy.experiments.simulated_truth.choices import simulated_choices
from aucstudy.experiments.simulated_truth.group_intervals import interval_coverage
from aucstudy.experiments.simulated_truth.swaps import simulated_swaps


def over_all(
    study: Study,
    *,
    positives: Sequence[int],
    prevalences: Sequence[float],
    draws: int,
    tests: int,
    resamples: int,
    tested_rows: int,
    simulations: int,
    bootstrap: int,
    seed: int,
) -> dict[str, pd.DataFrame]:
    """The experiment's tables; nothing of the study is read."""
    swaps, coverage = simulated_swaps(positives, prevalences, tests, resamples, tested_rows, seed)
    return {
        "simulated_choices": simulated_choices(positives, prevalences, draws, seed),
        "simulated_swaps": swaps,
        "simulated_coverage": coverage,
        "interval_coverage": interval_coverage(simulations, bootstrap, seed),
    }
