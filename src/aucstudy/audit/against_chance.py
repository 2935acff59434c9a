"""What the data say about the models beside random rankings: better, too few data to tell, or no better."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Any

import numpy as np

from aucstudy.audit.findings import Finding, Section, Severity
from aucstudy.audit.results import Results
from aucstudy.metrics.registry import index
from aucstudy.metrics.uncertainty.standard_errors import SamplingErrors, freedom_of_one_model, t_quantile
from aucstudy.statistics.chance import corrected_level, fewest_units, perfect_is_shown

MOST_TIMES = 10  # as many units as there are: a larger number is not estimated


class BesideChance(StrEnum):
    BETTER = "better"  # Some model is shown to be better than chance.
    TOO_FEW = "too_few"  # No model is shown to be, but the rows or groups are too few to say that none is.
    NO_BETTER = "no_better"  # No model even looks better than random rankings do.


def beside_chance(analysis: Results) -> BesideChance:
    """Return what the data say about the models that are compared.

    The errors are measured in `aucstudy.statistics.chance`.
    """
    looks_better, is_shown = _better(analysis)
    if is_shown.any():
        return BesideChance.BETTER
    return BesideChance.TOO_FEW if looks_better.any() or _has_too_few(analysis) else BesideChance.NO_BETTER


def shown_to_be_better(analysis: Results) -> set[str]:
    """Return the models that are shown to be better than chance by some metric, corrected for the number of models."""
    _, is_shown = _better(analysis)
    return {
        analysis.models[row]
        for row, shown in zip(analysis.trusted, is_shown.any(axis=0), strict=True)
        if shown
    }


def too_few_to_tell(analysis: Results) -> Finding:
    """Return how many groups or rows there are, and how many would be needed to show that a model is no chance."""
    counts, facts = analysis.sample.class_counts(), analysis.facts
    n_rarer, n_commoner, n_models = min(counts), max(counts), _n_models(analysis)
    numbers: dict[str, Any] = {
        "unit": "group" if facts["n_groups"] else "case" if facts["n_cases"] else "",
        "side": "positive" if counts[0] == n_rarer else "negative",
        "n_units": n_rarer,
        "is_one_model": len(analysis.models) == 1,
        "has_too_few": _has_too_few(analysis),
        "fewest": fewest_units(n_models, n_commoner),
    }
    if numbers["has_too_few"]:
        return _too_few(numbers)
    looks_better, _ = _better(analysis)
    lead, errors = np.where(looks_better, _leads(analysis), -np.inf), analysis.noise.errors
    column, row = np.unravel_index(np.argmax(lead), lead.shape)
    metric, model = analysis.ranked[column], analysis.trusted[row]
    mean = analysis.chance.set_index("metric").loc[metric, "mean"]
    numbers["value"] = errors.areas[model, index(metric)]
    numbers["fewest"] = units_that_show(errors, index(metric), model, mean, n_rarer, n_models)
    return _too_few(numbers, metrics=(metric,), models=(analysis.models[model],))


def units_that_show(
    errors: SamplingErrors, k: int, model: int, mean: float, n_units: int, n_models: int
) -> int | None:
    """Return how many units would show that a model is better than chance, if its metric k stays as it is.

    `mean` is the metric of random rankings, and `n_units` counts the units of the rarer class. It is None if more than
    `MOST_TIMES` as many would be needed.
    """
    lead = errors.areas[model, k] - mean
    for more in range(n_units + 1, MOST_TIMES * n_units + 1):
        variance = errors.covariance[k, model, model] * n_units / more
        unseen = errors.unseen[0, k, model] * ((n_units + 1) / (more + 1)) ** 2
        reach = t_quantile(corrected_level(n_models), freedom_of_one_model(more))
        if lead > reach * float(np.sqrt(variance + unseen)):
            return more
    return None


def _too_few(numbers: dict[str, Any], **names: tuple[str, ...]) -> Finding:
    return Finding("too_few", Section.VERDICT, Severity.WARNING, numbers=numbers, **names)


def _n_models(analysis: Results) -> int:
    return max(1, len(analysis.trusted))


def _has_too_few(analysis: Results) -> bool:
    n_rarer, n_commoner = sorted(analysis.sample.class_counts())
    return not perfect_is_shown(n_rarer, n_commoner, _n_models(analysis))


def _better(analysis: Results) -> tuple[np.ndarray, np.ndarray]:
    """Return whether each model that is compared looks better than random rankings, and whether this is shown.

    Both are of shape (metrics that rank, models).
    """
    errors, chance = analysis.noise.errors, analysis.chance.set_index("metric").loc[list(analysis.ranked)]
    values = errors.areas[:, [index(key) for key in analysis.ranked]].T[:, analysis.trusted]
    level = corrected_level(_n_models(analysis))
    low = np.stack([errors.limits(index(key), level)[0] for key in analysis.ranked])[:, analysis.trusted]
    looks_better = values > chance[["limit_of_best"]].to_numpy()
    return looks_better, looks_better & (low > chance[["mean"]].to_numpy())


def _leads(analysis: Results) -> np.ndarray:
    """Return the lead of each model over the mean of random rankings, in standard errors."""
    errors, means = analysis.noise.errors, analysis.chance.set_index("metric")["mean"]
    leads = []
    for key in analysis.ranked:
        k = index(key)
        error = np.sqrt(errors.covariance[k].diagonal() + errors.unseen[0, k])
        leads.append(((errors.areas[:, k] - means[key]) / error)[analysis.trusted])
    return np.stack(leads)


def alone_findings(analysis: Results) -> Iterator[Finding]:
    """Yield a single model's value by each metric that ranks, beside the values of random rankings."""
    chance, here = analysis.chance.set_index("metric"), analysis.here
    for row in analysis.intervals.itertuples():
        numbers = {"value": row.value, "low": row.low, "high": row.high, "here": here}
        names = {"metrics": (row.metric,), "models": (row.model,)}
        if row.metric == analysis.question.target_metric:
            yield Finding("alone_for_target", Section.VERDICT, numbers=numbers, **names)
        elif row.metric in analysis.ranked:
            level = chance.loc[row.metric]
            numbers |= {
                "is_better": bool(row.low > level["mean"] and row.value > level["limit"]),
                "is_worse": bool(row.high < level["mean"]),
                "limit": level["limit"],
            }
            yield Finding("alone_by_metric", Section.VERDICT, numbers=numbers, **names)
    # A model that is worse than chance is not one of the models that are compared.
    if analysis.trusted and beside_chance(analysis) is BesideChance.TOO_FEW:
        yield too_few_to_tell(analysis)
