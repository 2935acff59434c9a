"""An analysis in plain sentences with numbers."""

from functools import singledispatch

import pandas as pd

from aucstudy.area_names import AREA_LABELS as LABELS
from aucstudy.audit.analysis import Analysis
from aucstudy.audit.metric_tables import MetricAnalysis
from aucstudy.audit.noise import SUPPORT, at_the_edge
from aucstudy.audit.verdicts import OF_TABLE, RANKED
from aucstudy.presentation.wording import listed

CONVENTION_WORDS = {
    "average_precision": "average precision (scikit-learn, torchmetrics)",
    "trapezoid": "the trapezoid rule (sklearn.metrics.auc)",
    "davis_goadrich_unit": "PRROC's Davis-Goadrich area",
    "grid_1000": "precrec's grid",
    "trapezoid_first_point": "the trapezoid rule from the first point",
    "left_dropped": "MLmetrics' PRAUC",
}
SHOWN = 4  # swaps with a sentence of their own


@singledispatch
def sentences(analysis: Analysis) -> dict[str, list[str]]:
    """An analysis, of predictions or of metric values, in sentences by heading."""
    by_heading = {
        "Winners": _winners(analysis),
        "Which area should choose": _decision(analysis),
        "Swaps": _swaps(analysis),
        "Where it comes from": _where(analysis),
        "At other prevalences": _prevalence(analysis),
        'Other tools\' "AUPR"': _conventions(analysis),
        "Warnings": analysis.warnings,
    }
    return {heading: lines for heading, lines in by_heading.items() if lines}


@sentences.register
def _(analysis: MetricAnalysis) -> dict[str, list[str]]:
    lines = []
    for (first, second), of_pair in analysis.shares.groupby(["first", "second"], sort=False):
        best, three = (of_pair[of_pair["top"] == top].iloc[0] for top in (1, 3))
        lines.append(
            f"{first} and {second} put another model first in {_share(best)} of {best['n_tasks']} tasks, another "
            f"three in order in {_share(three)}."
        )
    return {"Disagreement": [*lines, *analysis.warnings]}


def _share(row: pd.Series) -> str:
    return f"{100 * row['estimate']:.0f} % (95 % interval {100 * row['low']:.0f} to {100 * row['high']:.0f})"


def _winners(analysis: Analysis) -> list[str]:
    lines = []
    for row in analysis.winners[analysis.winners["metric"].isin(RANKED)].itertuples():
        label, best = LABELS[row.metric], analysis.best(row.metric)
        if len(best) > 1:
            lines.append(f"{label}: {' and '.join(best)} are tied for the first place at {row.value:.4f}.")
            continue
        noise = "more than noise" if row.real else "not told apart from noise"
        noise += _edge(row.support, analysis.facts["resamples"])
        lines.append(
            f"{label} puts {row.best} first: {row.value:.4f}, {row.lead:.4f} ahead of {row.second} (95 % "
            f"interval {row.low:.4f} to {row.high:.4f}: {noise})."
        )
    lines += [OF_TABLE[analysis.verdict], *_deciding(analysis), _method(analysis.facts)]
    if analysis.fold_means is not None:
        lines.append(_fold_winners(analysis))
    return lines


def _edge(held: float, resamples: int) -> str:
    if not at_the_edge(held, resamples):
        return ""
    more = max(10_000, 10 * resamples)
    return f", but at the edge: another draw of resamples may say otherwise; --resamples {more}"


def _deciding(analysis: Analysis) -> list[str]:
    """Of each two winners, the intervals of their difference by the areas that put them first: which are over 0."""
    lines, resamples = [], analysis.facts["resamples"]
    for _, of_pair in analysis.excluded.groupby(["first", "second"], sort=False):
        parts, over = [], []
        for row in of_pair.itertuples():
            ahead, behind, low, high = row.first, row.second, row.low, row.high
            areas = analysis.areas[row.metric]
            if areas[ahead] < areas[behind]:
                ahead, behind, low, high = behind, ahead, -high, -low
            held = _support(analysis.swaps, row.metric, ahead, behind)
            judged = "is more than noise" if held >= SUPPORT else "is not told apart from noise"
            over.append(held >= SUPPORT)
            parts.append(
                f"{ahead} over {behind} by {LABELS[row.metric]} {judged} (95 % interval {low:.4f} to {high:.4f}"
                f"{_edge(held, resamples)})"
            )
        shown = ": so a real disagreement is not shown" if any(over) and analysis.verdict == "noise" else ""
        lines.append(f"{'; '.join(parts)}{shown}.")
    return lines


def _support(swaps: pd.DataFrame, metric: str, ahead: str, behind: str) -> float:
    """The support of a metric's preference for one of two models that some other metric orders the other way."""
    for side, other in (("first", "second"), ("second", "first")):
        rows = swaps[
            (swaps[side] == metric)
            & (swaps[f"preferred_{side}"] == ahead)
            & (swaps[f"preferred_{other}"] == behind)
        ]
        if len(rows):
            return rows[f"support_{side}"].iloc[0]
    raise KeyError((metric, ahead, behind))


def _decision(analysis: Analysis) -> list[str]:
    """What differences these data exclude, of two winners or of the one and the next; what is known of such data."""
    lines = []
    for (first, second), of_pair in analysis.excluded.groupby(["first", "second"], sort=False):
        lines.append(_outside(first, second, of_pair))
    if analysis.verdict in ("agree", "tied") and not lines:
        ranked = analysis.winners[analysis.winners["metric"].isin(RANKED)]
        alone = ranked[[len(analysis.best(metric)) == 1 for metric in ranked["metric"]]]
        leads = [
            _outside(best, second, rows)
            for (best, second), rows in alone.groupby(["best", "second"], sort=False)
        ]
        same = "Here all agree" if analysis.verdict == "agree" else "Here only ties stand between the areas"
        lines = [f"{same}; which area chooses matters on other data like these.", *leads]
    return [*lines, *analysis.decision]


def _outside(first: str, second: str, rows: pd.DataFrame) -> str:
    intervals = listed(f"{row.low:.4f} to {row.high:.4f} {LABELS[row.metric]}" for row in rows.itertuples())
    return f"What these data exclude (95 %): a difference, {first} minus {second}, outside of {intervals}."


def _method(facts: dict[str, object]) -> str:
    """How the intervals came about."""
    how, influence = f"Intervals: {facts['resamples']:,} resamples", ""
    if not facts["resamples"]:
        how = "Intervals: the normal limit of resampling"
        influence = ", from the influence of each row on each area"
    drawn, within = (
        f"all {facts['n']:,} rows",
        "each class of each fold" if facts["n_folds"] else "each class",
    )
    if facts["n_groups"]:
        return (
            f"{how}: all {facts['n_groups']:,} whole groups (patients, users, documents) are redrawn, those with and "
            f"those without a positive apart{influence}."
        )
    if facts["resamples"]:
        return f"{how} of {drawn}, within {within}."
    return f"{how} {drawn} within {within}{influence}."


def _fold_winners(analysis: Analysis) -> str:
    changed = []
    for metric in RANKED:
        means, pooled = analysis.fold_means[metric], analysis.best(metric)
        if means.notna().any() and means.idxmax() not in pooled:
            changed.append(f"{LABELS[metric]} ({means.idxmax()} instead of {' and '.join(pooled)})")
    if not changed:
        return "The means over the folds put the same models first as the pooled areas."
    return f"The means over the folds put another model first by {', '.join(changed)}."


def _swaps(analysis: Analysis) -> list[str]:
    swaps, n_models = analysis.swaps, analysis.facts["n_models"]
    n_pairs = n_models * (n_models - 1) // 2
    lines = []
    for i, first in enumerate(RANKED):
        for second in RANKED[i + 1 :]:
            between = swaps[(swaps["first"] == first) & (swaps["second"] == second)]
            if len(between):
                real = int(between["real"].sum())
                lines.append(
                    f"{LABELS[first]} and {LABELS[second]} order {len(between)} of {n_pairs} pairs of models "
                    f"differently; {real or 'none'} of these swaps {'is' if real < 2 else 'are'} more than noise."
                )
    if not lines:
        return [f"No two areas order any of the {n_pairs} pairs of models differently."]
    of_what = "of the resamples" if analysis.facts["resamples"] else "support"
    lines += [_swap(row, of_what) for row in swaps[swaps["real"]].head(SHOWN).itertuples()]
    left = int(swaps["real"].sum()) - SHOWN
    if left > 0:
        lines.append(f"{left} more swaps are more than noise; --format json lists them all.")
    return lines


def _swap(row, of_what: str) -> str:
    return (
        f"{LABELS[row.first]} prefers {row.preferred_first} to {row.preferred_second} by {row.difference_first:.4f} "
        f"({100 * row.support_first:.1f} % {of_what}), {LABELS[row.second]} the other way by "
        f"{row.difference_second:.4f} ({100 * row.support_second:.1f} %)."
    )


def _where(analysis: Analysis) -> list[str]:
    lines = []
    for (model, other), of_pair in analysis.bands.groupby(["model", "other"], sort=False):
        for metric in ("aupr", "auprg", "auroc"):
            bands = of_pair[of_pair["metric"] == metric]
            total = bands["difference"].sum()
            largest = bands.loc[bands["difference"].abs().idxmax()]
            unseen = _unseen(bands, analysis.facts["prevalence"]) if metric == "aupr" else ""
            lines.append(
                f"{LABELS[metric]}, {model} minus {other}: {total:+.4f}, most of it ({largest['difference']:+.4f}) "
                f"from recall {largest['recall_from']:.2f} to {largest['recall_to']:.2f}{unseen}."
            )
    return lines


def _unseen(bands: pd.DataFrame, pi: float) -> str:
    below = bands[bands["recall_to"] <= pi + 1e-12]["difference"].sum()
    return f"; recall below the prevalence ({pi:.3f}), which AUPRG does not see, adds {below:+.4f}"


def _prevalence(analysis: Analysis) -> list[str]:
    lines = []
    for metric in ("aupr", "auprg"):
        stretches = analysis.by_prevalence[analysis.by_prevalence["metric"] == metric]
        if len(stretches) == 1:
            lines.append(
                f"{LABELS[metric]} keeps {stretches['best'].iloc[0]} first from prevalence .001 to .5."
            )
            continue
        listed = [
            f"{row.best} from {row.prevalence_from:.3g} to {row.prevalence_to:.3g}"
            for row in stretches.itertuples()
        ]
        lines.append(
            f"By {LABELS[metric]} the best model changes with the prevalence (here "
            f"{analysis.facts['prevalence']:.3g}): {', '.join(listed)}."
        )
    lines.append("AUROC does not depend on the prevalence.")
    return lines


def _conventions(analysis: Analysis) -> list[str]:
    areas = analysis.conventions.round(12)
    exact = areas["exact"]
    best = set(exact.index[exact == exact.max()])
    lines = []
    for convention, words in CONVENTION_WORDS.items():
        area = areas[convention]
        winning = set(area.index[area == area.max()])
        if not winning & best:
            name = sorted(winning)[0]
            lines.append(f"{words} would put {name} first: {area[name]:.4f} (exact area {exact[name]:.4f}).")
    rivals = analysis.conventions[list(CONVENTION_WORDS)]
    off = rivals.sub(analysis.conventions["exact"], axis=0).stack()
    model, convention = off.abs().idxmax()
    lines.append(
        f"The largest difference from the exact area is {off[(model, convention)]:+.4f}: {model} by "
        f"{CONVENTION_WORDS[convention]}."
    )
    return [line[0].upper() + line[1:] for line in lines]
