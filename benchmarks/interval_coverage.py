"""How often 95 % intervals over source groups cover the truth, where the truth is known.

The intervals are those of simulated studies that resemble the default study. Two models simulate its
quantities by task, which come from results/default/tables:

* *hierarchical*: Groups have the study's sizes and are independent. For a share, each group has a probability
  from a Beta distribution, by which the values of its tasks are drawn. For a difference or a correlation, the
  mean gets an effect of the group and a residual of the task. Both are resampled from the study's and scaled
  to the variance components.
* *whole groups*: Groups are drawn from the study's with all their tasks, so that sizes vary and may go with
  values.

The rule by which one interval is recommended for each kind of quantity was fixed before the first run. It
takes the candidate whose coverage lies closest to 95 %, by the mean of |coverage - .95| over all quantities
of the kind, both models and 38, 17 and 9 groups. Candidates within .005 of the smallest mean count as equally
close. Of these, the rule takes the one with the smallest mean width, relative to the percentile interval's.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from interval_candidates import (
    bootstrap_t,
    effective_exact,
    exact_where_unanimous,
    jackknife_t,
    linearised_t,
    percentile,
)
from origin import write_measured

from aucstudy.config import REPOSITORY, load_config
from aucstudy.experiments.compared import DISTINCT_PAIRS
from aucstudy.jobs.environment import arithmetic_of_avx2
from aucstudy.statistics.intervals import LEVEL, Bounds, group_sums, satterthwaite_t
from aucstudy.statistics.seeds import generator
from aucstudy.store.tables import read_table

TABLES = REPOSITORY / "results" / "default" / "tables"
SIMULATIONS, RESAMPLES = 500, 400
# Candidates whose mean distance from 95 % lies so close to the smallest are compared by their width.
AS_CLOSE = 0.005
KINDS = ("share", "difference", "correlation")
# For each candidate: its function of sums, sizes and resampled weights, and the kinds of its quantities.
CANDIDATES = {
    "percentile": (percentile, KINDS),
    "bootstrap_t": (bootstrap_t, KINDS),
    "linearised_t": (lambda sums, sizes, _: linearised_t(sums, sizes), KINDS),
    "satterthwaite_t": (lambda sums, sizes, _: satterthwaite_t(sums, sizes), KINDS),
    "jackknife_t": (lambda sums, sizes, _: jackknife_t(sums, sizes), KINDS),
    "fisher_z_jackknife": (lambda sums, sizes, _: jackknife_t(sums, sizes, fisher=True), ("correlation",)),
    "effective_exact": (lambda sums, sizes, _: effective_exact(sums, sizes), ("share",)),
}
# A table and a column of the default study, with the name and the kind of the quantity.
QUANTITIES = {
    ("disagreement_tasks", "p_best_differs"): ("best differs", "share"),
    ("disagreement_tasks", "p_top3_differs"): ("first three differ", "share"),
    ("disagreement_tasks", "rank_correlation"): ("rank correlation", "correlation"),
    ("noise_tasks", "excess"): ("excess of halves", "difference"),
}


def run(out: Path, largest: int) -> None:
    """Write `interval_coverage.csv` into `out`.

    A process of its own computes it, with the arithmetic of a study's jobs. Otherwise the last digits would
    depend on the processor, and with them whether an interval just covers the truth.
    """
    environment = {**os.environ, **arithmetic_of_avx2(os.environ)}
    subprocess.run([sys.executable, __file__, str(out)], env=environment, check=True)


def write(out: Path) -> None:
    """Simulate the coverage in this process and write it into `out`."""
    config = load_config()
    coverage = interval_coverage(SIMULATIONS, RESAMPLES, config["seed"])
    write_measured(coverage, out / "interval_coverage.csv")
    print(candidates_over_quantities(coverage).to_string(index=False), flush=True)


@cache
def task_quantities() -> pd.DataFrame:
    """Return what the default study averages over its tasks: a row for each quantity and task.

    The columns are quantity, kind, task_id, source_group, n_positive and value.
    """
    frames = []
    for (table, column), (quantity, kind) in QUANTITIES.items():
        rows = read_table(TABLES / f"{table}.csv")
        if "top" in rows:
            rows = rows[rows["top"] == 1]
        for first, second in DISTINCT_PAIRS:
            of_pair = rows[(rows["first"] == first) & (rows["second"] == second)]
            named = {"quantity": f"{quantity}: {first}, {second}", "kind": kind, "value": of_pair[column]}
            frames.append(of_pair[["task_id", "source_group"]].assign(**named))
    swaps = read_table(TABLES / "noise_swaps.csv")
    real = swaps[(swaps["first"] == "aupr") & (swaps["second"] == "auroc") & swaps["real"]]["task_id"]
    is_real = frames[0]["task_id"].isin(real).astype(float)
    frames.append(frames[0].assign(quantity="real swap: aupr, auroc", kind="share", value=is_real))
    positives = read_table(TABLES / "tasks.csv").set_index("task_id")["n_positive"]
    joined = pd.concat(frames, ignore_index=True)
    return joined.assign(n_positive=joined["task_id"].map(positives)).dropna()


def group_sets() -> dict[int, np.ndarray]:
    """Return the sizes of the source groups behind the study's estimates, by the number of groups.

    The sizes are those of all tasks (38 groups), of the tasks with at least 100 positives (17), and of the
    tasks in which AUPR and AUPRG certainly prefer different models (9).
    """
    tasks = task_quantities()
    tasks = tasks[tasks["quantity"] == "best differs: aupr, auprg"]
    subsets = (tasks, tasks[tasks["n_positive"] >= 100], tasks[tasks["value"] == 1])
    sizes = [subset.groupby("source_group").size().to_numpy() for subset in subsets]
    return {len(of_groups): of_groups for of_groups in sizes}


def intraclass_correlation(sums: np.ndarray, sizes: np.ndarray, squares: float) -> float:
    """Estimate the share of the values' variance that lies between groups, by the analysis of variance.

    The estimate is cut to [0, .95].

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
    """Simulate groups of the given sizes.

    Return their sums (simulations, g), these sizes, and the true mean.
    """
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
    """Return effects of groups and residuals of tasks, centred and scaled to their shares of the variance.

    The residuals are those of groups with several tasks. If these are all equal, the deviations of all values
    from their mean take their place.
    """
    total, several = values.var(ddof=1), np.bincount(of_task)[of_task] > 1
    residuals = (values - means[of_task])[several]
    components = [means - means.mean(), residuals if np.ptp(residuals) > 0 else values - values.mean()]
    shares = (correlation, 1 - correlation)
    return tuple(
        component * np.sqrt(share * total / max(component.var(), 1e-300))
        for component, share in zip(components, shares, strict=True)
    )


def whole_groups(
    values: np.ndarray, groups: np.ndarray, n_groups: int, simulations: int, rng
) -> tuple[np.ndarray, np.ndarray, float]:
    """Draw whole groups; return their sums and sizes, both (simulations, g), and the true mean."""
    sums, sizes = group_sums(values, groups)
    drawn = rng.integers(len(sums), size=(simulations, n_groups))
    return sums[drawn], sizes[drawn], float(sums.sum() / sizes.sum())


def intervals_of(kind: str, sums: np.ndarray, sizes: np.ndarray, weights: np.ndarray) -> dict[str, Bounds]:
    """Return the interval of every candidate for this kind of quantity."""
    made = {
        name: interval(sums, sizes, weights)
        for name, (interval, kinds) in CANDIDATES.items()
        if kind in kinds
    }
    if kind == "share":
        made = {name: exact_where_unanimous(bounds, sums, sizes) for name, bounds in made.items()}
    return made


def interval_coverage(simulations: int, resamples: int, seed: int) -> pd.DataFrame:
    """Simulate studies and return the coverage and the width of every candidate.

    Returns
    -------
    A row for each model, quantity, number of groups and candidate. `below` and `above` are the shares of
    intervals that lie below and above the truth, `width` is the mean width, `relative_width` its ratio to
    that of the percentile interval, and `mc_se` the Monte Carlo error of `coverage`. An undefined interval
    counts as one that does not cover the truth.
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
            facts = {"model": model, "quantity": quantity, "kind": kind, "n_groups": g}
            for candidate, (low, high) in made.items():
                # Sums of groups carry rounding errors, and a bound may equal the truth.
                covered = (low <= truth + 1e-12) & (high >= truth - 1e-12)
                share, width = covered.mean(), np.nanmean(high - low)
                rows.append(
                    {
                        **facts, "candidate": candidate, "truth": truth, "coverage": share,
                        "mc_se": np.sqrt(share * (1 - share) / simulations), "below": np.mean(high < truth - 1e-12),
                        "above": np.mean(low > truth + 1e-12), "width": width, "relative_width": width / usual,
                        "simulations": simulations,
                    }
                )  # fmt: skip
    return pd.DataFrame(rows)


def _drawn(
    values: np.ndarray, groups: np.ndarray, quantity: str, kind: str, simulations: int, seed: int
) -> Iterator[tuple[str, tuple[np.ndarray, np.ndarray, float]]]:
    for n_groups, sizes in group_sets().items():
        rng = generator(seed, "simulated_truth", "groups", quantity, n_groups)
        yield "hierarchical", hierarchical(values, groups, kind, sizes, simulations, rng)
        yield "whole groups", whole_groups(values, groups, n_groups, simulations, rng)


def candidates_over_quantities(coverage: pd.DataFrame) -> pd.DataFrame:
    """Summarise each candidate over all quantities of a kind, which the recommendation rests on.

    Returns
    -------
    A row for each kind and candidate: `miss` (mean of |coverage - .95| over quantities, models and numbers of
    groups), `coverage` (its mean), `lowest` coverage, `relative_width` (its mean), `recommended`.
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


if __name__ == "__main__":
    write(Path(sys.argv[1]))
