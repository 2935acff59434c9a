"""The findings of an audit behind its verdict: what `--details` prints, except the verdict and the warnings."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from aucstudy.audit.findings import Finding, Section
from aucstudy.audit.results import OTHER_RULES, Results
from aucstudy.metrics.registry import metrics
from aucstudy.metrics.uncertainty.sample import HALVED_SCORES
from aucstudy.statistics.best import SUPPORT

SWAPS_SHOWN = 4  # ranking changes with a sentence of their own
# Bands of recall with the opposite sign are mentioned if they cancel more than this share of a difference.
# They are also mentioned if a single band has a larger difference than all bands together.
LARGE = 0.5


def detail_findings(analysis: Results) -> Iterator[Finding]:
    yield from _not_ranked(analysis)
    several = len(analysis.models) > 1
    if several:
        yield from _winners(analysis)
        yield from _preferences(analysis)
    yield _intervals(analysis)
    if several:
        if analysis.fold_means is not None:
            yield _fold_means(analysis)
        if analysis.question.target_metric:
            target_metric = {"target_metric": analysis.question.target_metric}
            yield Finding("selection", Section.SELECTION, numbers=target_metric)
        yield from _swaps(analysis)
        yield from _differences(analysis)
        yield from _by_prevalence(analysis)
    yield from _other_tools(analysis)


def more_halves(support: float, resamples: int, n_scores: int) -> int | None:
    """Return how many random halves to advise where fewer may not decide, else None.

    The support is then within twice its Monte Carlo error of the limit, so that other random halves may lie on
    the other side of it. No more are advised than would be drawn.

    >>> more_halves(0.97, 1000, 300), more_halves(0.97, 10000, 300), more_halves(0.97, 100, 300_000)
    (10000, None, None)
    """
    error = (SUPPORT * (1 - SUPPORT) / max(resamples, 1)) ** 0.5
    more = max(10_000, 10 * resamples)
    can_decide = more * n_scores <= HALVED_SCORES
    return more if resamples and can_decide and abs(support - SUPPORT) < 2 * error else None


def _more_halves(analysis: Results, support: float) -> int | None:
    return more_halves(support, analysis.facts["resamples"], analysis.table.scores.size)


def _not_ranked(analysis: Results) -> Iterator[Finding]:
    """Yield the metrics by which the models are not ranked, each with its values and with why it does not rank."""
    for entry in metrics():
        if entry.key not in (*analysis.question.metrics, *analysis.not_estimable):
            values = [(model, analysis.areas.loc[model, entry.key]) for model in analysis.shown_models]
            numbers = {"ranks_like": entry.ranks_like, "values": values}
            yield Finding("not_ranked", Section.NOT_RANKED, metrics=(entry.key,), numbers=numbers)


def _winners(analysis: Results) -> Iterator[Finding]:
    for row in analysis.winners.itertuples():
        best = analysis.best[row.metric]
        numbers = {
            "are_tied": len(best) > 1,
            "value": row.value,
            "second": row.second,
            "lead": row.lead,
            "low": row.low,
            "high": row.high,
            "real": bool(row.real),
            "more_halves": _more_halves(analysis, row.support),
        }
        models = tuple(best) if len(best) > 1 else (row.best,)
        yield Finding("winner", Section.WINNERS, metrics=(row.metric,), models=models, numbers=numbers)


def _preferences(analysis: Results) -> Iterator[Finding]:
    next_best = analysis.winners.set_index("metric")["second"]
    by_pair = analysis.winner_differences.groupby(["first", "second"], sort=False)
    for (model, rival), pair_rows in by_pair:
        preferences = []
        for row in pair_rows.itertuples():
            ahead, behind, low, high = model, rival, row.low, row.high
            if model not in analysis.best[row.metric]:
                ahead, behind, low, high = rival, model, -row.high, -row.low
            preferences.append(
                {"metric": row.metric, "ahead": ahead, "behind": behind, "low": low, "high": high}
                | {"real": bool(row.support >= SUPPORT), "more_halves": _more_halves(analysis, row.support)}
                # The sentence about a winner already gives the interval of its lead.
                | {"is_lead": bool(next_best[row.metric] == behind)}
            )
        shows_nothing = analysis.verdict == "noise" and any(row["real"] for row in preferences)
        numbers = {"preferences": preferences, "shows_nothing": shows_nothing}
        yield Finding("preferences", Section.WINNERS, models=(model, rival), numbers=numbers)


def _intervals(analysis: Results) -> Finding:
    facts, question = analysis.facts, analysis.question
    numbers = {key: facts[key] for key in ("n", "n_cases", "n_groups", "resamples", "target_metric")}
    halves = analysis.noise.errors.halves
    halved = [entry.key for entry, n in zip(metrics(), halves, strict=True) if n]
    drawn = [n for n in halves if n]
    if analysis.target_values is not None:
        drawn.append(analysis.target_values.resamples)
    numbers |= {
        "within_folds": bool(facts["n_folds"] and not facts["n_cases"]),
        # The metrics whose intervals are from random halves while those of others are from influences.
        "halved": halved if not facts["resamples"] else [],
        "halves": max(halves),
        "target_halves": 0,
        "fewer_than": question.resamples if drawn and min(drawn) < question.resamples else None,
    }
    if analysis.target_values is not None and analysis.target_values.resamples != facts["resamples"]:
        numbers["target_halves"] = analysis.target_values.resamples
    section = Section.WINNERS if len(analysis.models) > 1 else Section.INTERVALS
    return Finding("intervals", section, numbers=numbers)


def _fold_means(analysis: Results) -> Finding:
    others = []
    for key in analysis.ranked:
        means, best = analysis.fold_means[key], analysis.best[key]
        if means.notna().any() and means.idxmax() not in best:
            others.append({"metric": key, "model": means.idxmax(), "best": best})
    return Finding("fold_means", Section.WINNERS, numbers={"others": others})


def _swaps(analysis: Results) -> Iterator[Finding]:
    n_models, swaps = len(analysis.models), analysis.swaps
    n_pairs = n_models * (n_models - 1) // 2
    for pair in combinations(analysis.ranked, 2):
        of_pair = swaps[(swaps["first"] == pair[0]) & (swaps["second"] == pair[1])]
        if len(of_pair):
            n_real = int(of_pair["real"].sum())
            counts = {"swaps": len(of_pair), "pairs": n_pairs, "real": n_real, "has_several_real": n_real > 1}
            yield Finding("differently_ordered", Section.SWAPS, metrics=pair, numbers=counts)
    if not len(swaps):
        yield Finding("ordered_alike", Section.SWAPS, numbers={"pairs": n_pairs})
    real = swaps[swaps["real"].astype(bool)]
    for row in real.head(SWAPS_SHOWN).to_dict("records"):
        models = row["preferred_first"], row["preferred_second"]
        names = ("difference_first", "difference_second", "support_first", "support_second")
        numbers = {name: row[name] for name in names}
        yield Finding(
            "swap", Section.SWAPS, metrics=(row["first"], row["second"]), models=models, numbers=numbers
        )
    if len(real) > SWAPS_SHOWN:
        yield Finding("more_swaps", Section.SWAPS, numbers={"more": len(real) - SWAPS_SHOWN})


def _differences(analysis: Results) -> Iterator[Finding]:
    prevalence = analysis.facts["prevalence"]
    for pair, pair_bands in analysis.bands.groupby(["model", "other"], sort=False):
        for key in ("aupr", "auprg", "auroc"):
            if key in analysis.not_estimable:
                continue
            bands = pair_bands[pair_bands["metric"] == key]
            difference, total = bands["difference"], bands["difference"].sum()
            # If the differences of the bands add up to 0, the largest of them gives the sign.
            direction = np.sign(total or difference[difference.abs().idxmax()])
            opposed = difference[difference * direction < 0].sum()
            below_prevalence = difference[bands["recall_to"] <= prevalence + 1e-12].sum()
            band = bands.loc[(difference * direction).idxmax()]
            is_large = abs(opposed) > LARGE * abs(total) or abs(band["difference"]) > abs(total)
            numbers = {
                "total": total,
                "recall_from": band["recall_from"],
                "recall_to": band["recall_to"],
                "most": band["difference"],
                "against": opposed if is_large else None,
                "below_prevalence": below_prevalence if key == "aupr" else None,
                "prevalence": prevalence,
            }
            yield Finding("difference", Section.WHERE, metrics=(key,), models=pair, numbers=numbers)


def _by_prevalence(analysis: Results) -> Iterator[Finding]:
    stretches = analysis.by_prevalence.groupby("metric")
    for key in ("aupr", "auprg"):
        if key in analysis.not_estimable:
            continue
        ranges = stretches.get_group(key)[["prevalence_from", "prevalence_to", "best"]].to_dict("records")
        numbers = {
            "same": ranges[0]["best"] if len(ranges) == 1 else None,
            "ranges": ranges,
            "prevalence": analysis.facts["prevalence"],
        }
        yield Finding("best_by_prevalence", Section.PREVALENCES, metrics=(key,), numbers=numbers)
    yield Finding("auroc_by_prevalence", Section.PREVALENCES, metrics=("auroc",))


def _other_tools(analysis: Results) -> Iterator[Finding]:
    """Yield the rules of other tools whose best models are not among the best by the exact AUPR, and the furthest."""
    conventions = analysis.conventions_in_sentences
    if conventions is None:
        yield Finding("no_conventions", Section.OTHER_TOOLS)
        return
    areas = conventions.round(12)
    is_best = areas == areas.max()
    for convention in OTHER_RULES:
        winning = areas.index[is_best[convention]]
        if not is_best.loc[winning, "exact"].any():
            model = min(winning)
            area, exact = areas.loc[model, [convention, "exact"]]
            numbers = {"convention": convention, "area": area, "exact": exact}
            yield Finding("other_winner", Section.OTHER_TOOLS, models=(model,), numbers=numbers)
    differences = conventions[list(OTHER_RULES)].sub(conventions["exact"], axis=0).stack()
    model, convention = differences.abs().idxmax()
    numbers = {"convention": convention, "difference": differences[(model, convention)]}
    yield Finding("furthest_convention", Section.OTHER_TOOLS, models=(model,), numbers=numbers)
