"""What an audit found, in plain sentences with numbers."""

import pandas as pd

from aucstudy.area_names import AREA_LABELS as LABELS
from aucstudy.audit.analysis import RANKED, Audit
from aucstudy.audit.metric_tables import FinishedAudit

CONVENTION_WORDS = {
    "average_precision": "average precision (scikit-learn, torchmetrics)",
    "trapezoid": "the trapezoid rule (sklearn.metrics.auc)",
    "davis_goadrich_unit": "PRROC's Davis-Goadrich area",
    "grid_1000": "precrec's grid",
    "trapezoid_first_point": "the trapezoid rule from the first point",
    "left_dropped": "MLmetrics' PRAUC",
}
SHOWN = 4  # swaps told one by one


def sentences(found: Audit) -> dict[str, list[str]]:
    """The audit in sentences, by heading."""
    told = {
        "Winners": _winners(found),
        "Swaps": _swaps(found),
        "Where it comes from": _where(found),
        "At other prevalences": _prevalence(found),
        'Other tools\' "AUPR"': _conventions(found),
        "Warnings": found.warnings,
    }
    return {heading: lines for heading, lines in told.items() if lines}


def _winners(found: Audit) -> list[str]:
    told = []
    for row in found.winners.itertuples():
        if row.metric not in RANKED:
            continue
        label = LABELS[row.metric]
        if "|" in row.best:
            told.append(
                f"{label}: {row.best.replace('|', ' and ')} are tied for the first place at {row.value:.4f}."
            )
            continue
        verdict = "more than noise" if row.real else "not more than noise"
        told.append(
            f"{label} puts {row.best} first: {row.value:.4f}, {row.lead:.4f} ahead of {row.second} (95 % interval "
            f"{row.low:.4f} to {row.high:.4f}: {verdict})."
        )
    told.append(_agreement(found))
    if found.fold_means is not None:
        told += _fold_winners(found)
    return told


def _agreement(found: Audit) -> str:
    best = set(found.winners.set_index("metric")["best"][list(RANKED)])
    if len(best) == 1:
        return "All areas agree on the best model."
    names = {name for tied in best for name in tied.split("|")}
    preferred = found.swaps[["preferred_first", "preferred_second"]].isin(names).all(axis=1)
    if found.swaps.loc[preferred, "real"].any():
        return "It matters which area you report: they disagree on the best model, by more than noise."
    return "The areas disagree on the best model, but not by more than noise: these data cannot tell."


def _fold_winners(found: Audit) -> list[str]:
    pooled = found.winners.set_index("metric")["best"]
    changed = [
        f"{LABELS[metric]} ({found.fold_means[metric].idxmax()} instead of {pooled[metric].replace('|', ' and ')})"
        for metric in RANKED
        if found.fold_means[metric].notna().any()
        and found.fold_means[metric].idxmax() not in pooled[metric].split("|")
    ]
    if not changed:
        return ["The means over the folds put the same models first as the pooled areas."]
    return [f"The means over the folds put another model first by {', '.join(changed)}."]


def _swaps(found: Audit) -> list[str]:
    n_pairs = found.facts["n_models"] * (found.facts["n_models"] - 1) // 2
    told = []
    for i, first in enumerate(RANKED):
        for second in RANKED[i + 1 :]:
            part = found.swaps[(found.swaps["first"] == first) & (found.swaps["second"] == second)]
            if len(part):
                real = int(part["real"].sum())
                told.append(
                    f"{LABELS[first]} and {LABELS[second]} order {len(part)} of {n_pairs} pairs of models "
                    f"differently; {real or 'none'} of these swaps {'is' if real < 2 else 'are'} more than noise."
                )
    if not told:
        return [f"No two areas order any of the {n_pairs} pairs of models differently."]
    told += [_swap(row) for row in found.swaps[found.swaps["real"]].head(SHOWN).itertuples()]
    left = int(found.swaps["real"].sum()) - SHOWN
    if left > 0:
        told.append(f"{left} more swaps are more than noise; --format json lists them all.")
    return told


def _swap(row) -> str:
    return (
        f"{LABELS[row.first]} prefers {row.preferred_first} to {row.preferred_second} by {row.difference_first:.4f} "
        f"(in {100 * row.support_first:.1f} % of the resamples), {LABELS[row.second]} the other way by "
        f"{row.difference_second:.4f} ({100 * row.support_second:.1f} %)."
    )


def _where(found: Audit) -> list[str]:
    told = []
    pi = found.facts["prevalence"]
    for (model, other), part in found.bands.groupby(["model", "other"], sort=False):
        for metric in ("aupr", "auprg", "auroc"):
            bands = part[part["metric"] == metric]
            total = bands["difference"].sum()
            largest = bands.loc[bands["difference"].abs().idxmax()]
            told.append(
                f"{LABELS[metric]}, {model} minus {other}: {total:+.4f}, most of it ({largest['difference']:+.4f}) "
                f"from recall {largest['recall_from']:.2f} to {largest['recall_to']:.2f}{_unseen(bands, metric, pi)}."
            )
    return told


def _unseen(bands: pd.DataFrame, metric: str, pi: float) -> str:
    below = bands[bands["recall_to"] <= pi + 1e-12]["difference"].sum()
    if metric == "aupr":
        return f"; recall below the prevalence ({pi:.3f}), which AUPRG does not see, adds {below:+.4f}"
    return ""


def _prevalence(found: Audit) -> list[str]:
    told = []
    for metric in ("aupr", "auprg"):
        part = found.by_prevalence[found.by_prevalence["metric"] == metric]
        if len(part) == 1:
            told.append(f"{LABELS[metric]} keeps {part['best'].iloc[0]} first from prevalence .001 to .5.")
            continue
        stretches = [
            f"{row.best} from {row.prevalence_from:.3g} to {row.prevalence_to:.3g}"
            for row in part.itertuples()
        ]
        told.append(
            f"By {LABELS[metric]} the best model changes with the prevalence (here {found.facts['prevalence']:.3g}): "
            f"{', '.join(stretches)}."
        )
    told.append("AUROC does not depend on the prevalence.")
    return told


def _conventions(found: Audit) -> list[str]:
    exact = found.conventions["exact"].round(12)
    best = set(exact.index[exact == exact.max()])
    told = []
    for convention, words in CONVENTION_WORDS.items():
        area = found.conventions[convention].round(12)
        theirs = set(area.index[area == area.max()])
        if not theirs & best:
            name = sorted(theirs)[0]
            told.append(f"{words} would put {name} first: {area[name]:.4f} (exact area {exact[name]:.4f}).")
    rivals = found.conventions[list(CONVENTION_WORDS)]
    off = rivals.sub(found.conventions["exact"], axis=0).stack()
    model, convention = off.abs().idxmax()
    told.append(
        f"The largest difference from the exact area is {off[(model, convention)]:+.4f}: {model} by "
        f"{CONVENTION_WORDS[convention]}."
    )
    return [line[0].upper() + line[1:] for line in told]


def finished_sentences(found: FinishedAudit) -> list[str]:
    """An audit of finished scores in sentences."""
    told = []
    for (first, second), part in found.shares.groupby(["first", "second"], sort=False):
        best, three = (part[part["top"] == top].iloc[0] for top in (1, 3))
        told.append(
            f"{first} and {second} put another model first in {_share(best)} of {best['n_tasks']} tasks, another "
            f"three in order in {_share(three)}."
        )
    return [*told, *found.warnings]


def _share(row: pd.Series) -> str:
    return f"{100 * row['estimate']:.0f} % (95 % interval {100 * row['low']:.0f} to {100 * row['high']:.0f})"
