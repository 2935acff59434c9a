"""Coverage of intervals over source groups, drawn from models that are fitted to the study's quantities by task.

Two models. *Hierarchical*: the study's group sizes, and independent groups. A share has a probability for each group,
Beta distributed, by which its tasks are drawn; a difference or correlation has an effect of its group and a residual
of its task, both resampled from the study's and scaled to the variance components. *Whole groups*: groups drawn with
all their tasks from the study's 38, so that sizes vary and may go with values.
"""

from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd

from aucstudy.statistics.cluster_intervals import (
    Bounds,
    bootstrap_t,
    effective_exact,
    exact_where_unanimous,
    group_sums,
    jackknife_t,
    linearised_t,
    percentile,
    satterthwaite_t,
)
from aucstudy.statistics.seeds import generator

# the kinds of quantities that each candidate is for
CANDIDATES = {
    "percentile": ("share", "difference", "correlation"),
    "bootstrap_t": ("share", "difference", "correlation"),
    "linearised_t": ("share", "difference", "correlation"),
    "satterthwaite_t": ("share", "difference", "correlation"),
    "jackknife_t": ("share", "difference", "correlation"),
    "fisher_z_jackknife": ("correlation",),
    "effective_exact": ("share",),
}
COLUMNS = (
    "model", "quantity", "kind", "n_groups", "candidate", "truth", "coverage", "mc_se", "below", "above", "width",
    "relative_width", "simulations",
)  # fmt: skip


@cache
def task_quantities() -> pd.DataFrame:
    """What the default study estimates over tasks, as `fitting.task_quantities` makes it."""
    return pd.read_csv(Path(__file__).with_name("task_quantities.csv"))


def group_sets() -> dict[int, np.ndarray]:
    """The real sizes of the source groups behind the study's estimates, by the number of groups.

    All tasks (38 groups), those with at least 100 positives (17), and those in which AUPR and AUPRG certainly prefer
    different models (9).
    """
    tasks = task_quantities()
    tasks = tasks[tasks["quantity"] == "best differs: aupr, auprg"]
    subsets = (tasks, tasks[tasks["n_positive"] >= 100], tasks[tasks["value"] == 1])
    sizes = [subset.groupby("source_group").size().to_numpy() for subset in subsets]
    return {len(of_groups): of_groups for of_groups in sizes}


def intraclass_correlation(sums: np.ndarray, sizes: np.ndarray, squares: float) -> float:
    """The share of a value's variance that lies between groups, by the analysis of variance, in [0, .95].

    Parameters
    ----------
    squares : the sum of all squared values.
    """
    n, g = sizes.sum(), len(sizes)
    within = max(squares - float(np.sum(sums**2 / sizes)), 0.0) / (n - g)
    between = float(np.sum(sizes * (sums / sizes - sums.sum() / n) ** 2)) / (g - 1)
    typical = (n - np.sum(sizes**2) / n) / (g - 1)
    of_groups = max(0.0, (between - within) / typical)
    return float(min(0.95, of_groups / (of_groups + within))) if of_groups + within > 0 else 0.0


def hierarchical(
    values: np.ndarray, groups: np.ndarray, kind: str, sizes: np.ndarray, simulations: int, rng
) -> tuple[np.ndarray, np.ndarray, float]:
    """Sums (simulations, g) of groups of the given sizes, these sizes, and the true mean."""
    own_sums, own_sizes = group_sums(values, groups)
    mean = values.mean()
    correlation = intraclass_correlation(own_sums, own_sizes, float(np.sum(values**2)))
    index = np.repeat(np.arange(len(sizes)), sizes)
    if kind == "share":
        spread = 1 / max(correlation, 1e-6) - 1
        of_group = rng.beta(mean * spread, (1 - mean) * spread, (simulations, len(sizes)))
        drawn = (rng.random((simulations, len(index))) < of_group[:, index]).astype(float)
    else:
        _, of_task = np.unique(groups, return_inverse=True)
        effects, residuals = _components(own_sums / own_sizes, values, of_task, correlation)
        drawn = mean + rng.choice(effects, (simulations, len(sizes)))[:, index]
        drawn = drawn + rng.choice(residuals, (simulations, len(index)))
    return drawn @ np.eye(len(sizes))[index], sizes.astype(float), float(mean)


def _components(
    means: np.ndarray, values: np.ndarray, of_task: np.ndarray, correlation: float
) -> tuple[np.ndarray, np.ndarray]:
    """Effects of groups and residuals of tasks, centred and scaled to their shares of the values' variance.

    Residuals are those of groups with several tasks; without any the deviations from the mean serve.
    """
    total, several = values.var(ddof=1), np.bincount(of_task)[of_task] > 1
    residuals = (values - means[of_task])[several]
    parts = [means - means.mean(), residuals if np.ptp(residuals) > 0 else values - values.mean()]
    shares = (correlation, 1 - correlation)
    return tuple(
        part * np.sqrt(share * total / max(part.var(), 1e-300))
        for part, share in zip(parts, shares, strict=True)
    )


def whole_groups(
    values: np.ndarray, groups: np.ndarray, n_groups: int, simulations: int, rng
) -> tuple[np.ndarray, np.ndarray, float]:
    """Sums and sizes (simulations, g) of groups drawn whole, and the true mean."""
    sums, sizes = group_sums(values, groups)
    drawn = rng.integers(len(sums), size=(simulations, n_groups))
    return sums[drawn], sizes[drawn], float(sums.sum() / sizes.sum())


def intervals_of(kind: str, sums: np.ndarray, sizes: np.ndarray, weights: np.ndarray) -> dict[str, Bounds]:
    """The interval of every candidate that is for this kind of quantity."""
    ways = {
        "percentile": partial(percentile, weights=weights),
        "bootstrap_t": partial(bootstrap_t, weights=weights),
        "linearised_t": linearised_t,
        "satterthwaite_t": satterthwaite_t,
        "jackknife_t": jackknife_t,
        "fisher_z_jackknife": partial(jackknife_t, fisher=True),
        "effective_exact": effective_exact,
    }
    made = {name: ways[name](sums, sizes) for name, kinds in CANDIDATES.items() if kind in kinds}
    if kind == "share":
        made = {name: exact_where_unanimous(bounds, sums, sizes) for name, bounds in made.items()}
    return made


def interval_coverage(simulations: int, resamples: int, seed: int) -> pd.DataFrame:
    """Coverage and width of every candidate: a row a model, quantity, number of groups and candidate.

    Returns
    -------
    The columns of COLUMNS: `below` and `above` are the shares of intervals that lie below and above the truth,
    `width` the mean width, `relative_width` that over the percentile interval's, `mc_se` the Monte Carlo error of
    `coverage`. An interval that is not defined misses.
    """
    rows = []
    for (quantity, kind), tasks in task_quantities().groupby(["quantity", "kind"], sort=False):
        values, groups = tasks["value"].to_numpy(), tasks["source_group"].to_numpy(dtype=str)
        for model, (sums, sizes, truth) in _drawn(values, groups, quantity, kind, simulations, seed):
            g = sums.shape[-1]
            rng = generator(seed, "simulated_truth", "resampled groups", g)
            weights = rng.multinomial(g, np.full(g, 1 / g), size=resamples).astype(float)
            made = intervals_of(kind, sums, np.broadcast_to(sizes, sums.shape), weights)
            usual = np.nanmean(made["percentile"].high - made["percentile"].low)
            for candidate, (low, high) in made.items():
                # sums of groups carry rounding, and a bound may equal the truth
                covered = (low <= truth + 1e-12) & (high >= truth - 1e-12)
                share, width = covered.mean(), np.nanmean(high - low)
                rows.append((model, quantity, kind, g, candidate, truth, share,
                             np.sqrt(share * (1 - share) / simulations), np.mean(high < truth - 1e-12),
                             np.mean(low > truth + 1e-12), width, width / usual, simulations))  # fmt: skip
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _drawn(
    values: np.ndarray, groups: np.ndarray, quantity: str, kind: str, simulations: int, seed: int
) -> Iterator[tuple[str, tuple[np.ndarray, np.ndarray, float]]]:
    for n_groups, sizes in group_sets().items():
        rng = generator(seed, "simulated_truth", "groups", quantity, n_groups)
        yield "hierarchical", hierarchical(values, groups, kind, sizes, simulations, rng)
        yield "whole groups", whole_groups(values, groups, n_groups, simulations, rng)
