"""A second round of the tournament, for differences: intervals that hold everywhere and whose tests keep their power.

In `area_interval_tournament` the interval of a difference that the package had broke the rule in two cells. The winner,
which joins the intervals of two models, had a third less power. The interval has two limits: the *far* one lies beyond
the observed difference, seen from 0, and the *near* one lies on the side of 0, so that the test depends on it. The near
limit of the package had the variance alone. Here it also has a share of the squared effects of unseen rows. A candidate
is one choice of each of these:

* *share*: a number from 0 (the package's) to 1; "disagreement", which is 1 - r, where r is the correlation of the
  two models' metrics over random halves, because the same unseen row meets both models; "half the disagreement"; or
  "same end", by which the unseen row of each class lies at the same end of both rankings, the one that is worse for
  the observed difference;
* *weight* of the unseen row whose squared effects have this share;
* *combination*: the "sum" of the variance and the share, or the "larger" one of the two;
* *freedom*: the quantile of both limits, as in `area_interval_candidates`.

The far limit has the effects of unseen rows of weight 1 of both models, as in the package. Variances are those of
random halves.

The rule was written and committed before any result of these candidates was seen:

1. The settings and samples are those of the tournament. A cell is a setting and a metric.
2. A candidate is admitted if its type I error is at most 6.5 % and its coverage at least 93 % in every cell of the
   samples for tuning.
3. Of those that are admitted, the winner has the highest mean power over the metrics in `POWER_SETTINGS`. Of equal
   powers the smaller share wins.
4. The samples that were kept must admit the winner as well; otherwise the next in power is tried. They had been seen
   for the candidates of the first round, whose choice of settings and variance this round takes over.
5. If the winner has at least .9 of the power of the package's test, it replaces the package's interval. Otherwise the
   winner of the first round does, because that is the rule which was stated first.

The winner has an eighth of the squared effects and degrees of freedom of both classes. The package has its share, but
the degrees of freedom of the rarer class, which departs from the last point. docs/intervals.md says why.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from area_interval_candidates import DOWN, UNSEEN, UP, Facts, critical
from area_interval_tournament import (
    DRAWS,
    DRAWS_OF_PERFECT,
    DRAWS_OF_POWER,
    FEW,
    LARGEST,
    LARGEST_TYPE_1,
    METRICS,
    PLACES,
    POWER_SETTINGS,
    SEEDS,
    Setting,
    facts_of,
    is_any_value,
    settings,
)
from area_intervals_edges import DESIGNS, class_counts, truth
from origin import write_measured

LEAST_COVERAGE, LEAST_POWER = 0.93, 0.9  # the power relative to the package's
SHARES = ("0", "0.125", "0.25", "0.5", "1", "disagreement", "half the disagreement", "same end")
FREEDOMS = ("the rarer class", "both classes", "normal")
BOTTOM_POSITIVE, TOP_NEGATIVE, TOP_POSITIVE, BOTTOM_NEGATIVE = range(4)  # the moves in `Facts`


class Candidate(NamedTuple):
    """The choices that make an interval of a difference."""

    share: str
    weight: float
    combination: str
    freedom: str


TODAY = Candidate("0", 1.0, "sum", "the rarer class")
CANDIDATES = [
    *(TODAY._replace(freedom=freedom) for freedom in FREEDOMS),
    *(
        Candidate(share, weight, combination, freedom)
        for share in SHARES[1:]
        for weight in UNSEEN
        for combination in ("sum", "larger")
        for freedom in FREEDOMS
    ),
]


def limits_of_difference(candidate: Candidate, facts: Facts, first: int, second: int) -> np.ndarray:
    """Return the lower and the upper limits (2, d, k) of the first model's metric less the second's."""
    halves, estimate = facts.halves, facts.estimate[:, first] - facts.estimate[:, second]
    variance = _variance(halves, first, second)
    variance = np.where(variance > 1e-20, variance, 0.0)
    of_strata = _variance(facts.influences, first, second)
    reach = critical(candidate.freedom, facts.rarer, of_strata, facts.stratum_sizes)
    far_down, far_up = _squared_effects(facts, 1.0, first, second)
    combined = np.add if candidate.combination == "sum" else np.maximum
    near_down, near_up = (
        combined(variance, squares) for squares in _near_squares(candidate, facts, first, second)
    )
    down = np.where((estimate > 0) & (variance > 0), near_down, variance + far_down)
    up = np.where((estimate < 0) & (variance > 0), near_up, variance + far_up)
    widest = facts.ceiling - facts.floor
    limits = np.stack([estimate - reach * np.sqrt(down), estimate + reach * np.sqrt(up)])
    return limits.clip(-widest, widest)


def _variance(covariance: np.ndarray, first: int, second: int) -> np.ndarray:
    cross = covariance[..., first, second]
    return np.maximum(covariance[..., first, first] + covariance[..., second, second] - 2 * cross, 0.0)


def _squared_effects(facts: Facts, weight: float, first: int, second: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the squared effects (d, k) on the difference, downwards and upwards, of a row of each class and model."""
    effects = (facts.moved[UNSEEN.index(weight)] - facts.estimate) ** 2
    lowered, raised = effects[DOWN].sum(axis=0), effects[UP].sum(axis=0)
    return lowered[:, first] + raised[:, second], raised[:, first] + lowered[:, second]


def _near_squares(
    candidate: Candidate, facts: Facts, first: int, second: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the share of squared effects (d, k) that the near limit has, downwards and upwards."""
    if candidate.share == "same end":
        return _same_end(facts, candidate.weight, first, second)
    down, up = _squared_effects(facts, candidate.weight, first, second)
    if candidate.share.endswith("disagreement"):
        share = 1 - _correlation(facts, first, second)
        if candidate.share.startswith("half"):
            share = share / 2
    else:
        share = float(candidate.share)
    return share * down, share * up


def _correlation(facts: Facts, first: int, second: int) -> np.ndarray:
    """Return the correlation (d, k) of two models' metrics over halves, from 0 to 1; it is 0 without any variance."""
    halves = facts.halves
    product = halves[..., first, first] * halves[..., second, second]
    is_known = product > 1e-40
    correlation = halves[..., first, second] / np.sqrt(np.where(is_known, product, 1.0))
    return np.where(is_known, correlation, 0.0).clip(0, 1)


def _same_end(facts: Facts, weight: float, first: int, second: int) -> tuple[np.ndarray, np.ndarray]:
    effects = facts.moved[UNSEEN.index(weight)] - facts.estimate
    by_move = effects[:, :, first] - effects[:, :, second]
    down = up = 0.0
    for ends in ([BOTTOM_POSITIVE, TOP_POSITIVE], [TOP_NEGATIVE, BOTTOM_NEGATIVE]):
        down = down + np.minimum(by_move[ends].min(axis=0), 0.0) ** 2
        up = up + np.maximum(by_move[ends].max(axis=0), 0.0) ** 2
    return down, up


def cells(seed: str, draws: int, largest: int = LARGEST) -> pd.DataFrame:
    """Simulate every setting and return a row for each cell and candidate."""
    rows = []
    for setting in settings(largest):
        of_setting = min(draws, DRAWS_OF_PERFECT) if setting.design == "perfect" else draws
        rows += cells_of(setting, facts_of(setting, of_setting, seed))
    return pd.DataFrame(rows)


def cells_of(setting: Setting, facts: Facts) -> list[dict[str, object]]:
    """Return the coverage, the median width and the type I error of every candidate by each metric of a setting."""
    P, N = class_counts(setting.prevalence, setting.rarer)
    strengths, rows = DESIGNS[setting.design].strengths, []
    true = np.subtract(*(truth(setting.design, strength, P / (P + N))[PLACES] for strength in strengths))
    for candidate in CANDIDATES:
        low, high = limits_of_difference(candidate, facts, 0, 1)
        low_of_equals, high_of_equals = limits_of_difference(candidate, facts, 0, 2)
        measured = {
            "coverage": np.mean((low <= true + 1e-9) & (high >= true - 1e-9), axis=0),
            "width": np.median(high - low, axis=0),
            "type_1": _excludes_zero(low_of_equals, high_of_equals),
        }
        rows += _by_metric(setting, candidate, measured)
    return rows


def powers(draws: int = DRAWS_OF_POWER) -> pd.DataFrame:
    """Return how often intervals of a difference tell the two unequal models apart, in POWER_SETTINGS."""
    rows = []
    for setting in POWER_SETTINGS:
        facts = facts_of(setting, draws, "power")
        for candidate in CANDIDATES:
            power = _excludes_zero(*limits_of_difference(candidate, facts, 0, 1))
            rows += _by_metric(setting, candidate, {"power": power})
    return pd.DataFrame(rows)


def _excludes_zero(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return np.mean((low > 1e-9) | (high < -1e-9), axis=0)


def _by_metric(
    setting: Setting, candidate: Candidate, measured: dict[str, np.ndarray]
) -> list[dict[str, object]]:
    rows = []
    for k, metric in enumerate(METRICS):
        if not is_any_value(metric, setting):
            of_metric = {name: values[k] for name, values in measured.items()}
            rows.append(setting._asdict() | {"metric": metric} | candidate._asdict() | of_metric)
    return rows


def judged(cells: pd.DataFrame, powers: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each candidate: whether the rule admits it, its worst cells, its width and its power.

    `width` is the median over cells with at most FEW rows of the rarer class, relative to the package's.
    """
    choices, facts = list(Candidate._fields), [*Setting._fields, "metric"]
    today = cells[(cells[choices] == pd.Series(TODAY._asdict())).all(axis=1)]
    cells = cells.merge(today[[*facts, "width"]], on=facts, suffixes=("", "_today"))
    power_of = powers.groupby(choices)["power"].mean()
    rows = []
    for candidate, of_candidate in cells.groupby(choices, sort=False):
        is_stopped = (of_candidate["coverage"] < LEAST_COVERAGE) | (of_candidate["type_1"] > LARGEST_TYPE_1)
        few = of_candidate[of_candidate["rarer"] <= FEW]
        row = dict(zip(choices, candidate, strict=True))
        row |= {"cells": len(of_candidate), "admitted": not is_stopped.any(), "stops": is_stopped.sum()}
        row |= {"width": (few["width"] / few["width_today"]).median(), "power": power_of[candidate]}
        for fact, is_worst in (("coverage", "idxmin"), ("type_1", "idxmax")):
            worst = of_candidate.loc[getattr(of_candidate[fact], is_worst)()]
            row[f"worst_{fact}"] = worst[fact]
            row |= {f"{fact}_{name}": worst[name] for name in facts}
        rows.append(row)
    return pd.DataFrame(rows)


def ranked(tuning: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of `judged` that are admitted, the winner first."""
    order = {share: i for i, share in enumerate(SHARES)}
    admitted = tuning[tuning["admitted"]].assign(order=tuning["share"].map(order))
    admitted = admitted.sort_values(["power", "order"], ascending=[False, True], kind="stable")
    return admitted.drop(columns="order")


def run(out: Path, largest: int) -> None:
    """Write `area_interval_differences.csv`, with a row for each candidate and half of the samples."""
    of_power = powers()
    halves = [
        judged(cells(seed, DRAWS, min(largest, LARGEST)), of_power).assign(samples=seed) for seed in SEEDS
    ]
    write_measured(pd.concat(halves).round(4), out / "area_interval_differences.csv")
