"""The verdict of an audit: which model to take, how sure this is, and what to do."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import pandas as pd

from aucstudy.audit.against_chance import (
    BesideChance,
    alone_findings,
    beside_chance,
    shown_to_be_better,
    too_few_to_tell,
)
from aucstudy.audit.findings import Finding, Section, Severity
from aucstudy.audit.rankings import crossing
from aucstudy.audit.results import Results
from aucstudy.metrics.registry import index

# More positives than this many times those at hand, in addition to these, are called far more.
MOST_MORE = 10
# A model is far ahead if it ranks at most this share of the pairs wrongly that the next one ranks wrongly.
FAR_AHEAD = 1 / 4
FEW_OPTIONS = 3  # that are written out for a reader to copy

_verdict = partial(Finding, section=Section.VERDICT)
_warning = partial(Finding, section=Section.VERDICT, severity=Severity.WARNING)


@dataclass(frozen=True)
class Standing:
    """What the data say about the best model by a metric."""

    metric: str
    leaders: tuple[str, ...]  # the first model, or those that are tied for the first place
    value: float
    may_be_best: tuple[str, ...]
    short: dict[str, float]  # how far each model may be below the best one at most
    rival: pd.Series | None  # the row of the strongest rival of the first model, if it cannot be excluded

    @property
    def leader(self) -> str:
        return self.leaders[0]


def standings(analysis: Results) -> list[Standing]:
    """Return a standing for the target metric, if there is one, and for each metric that ranks."""
    of_metrics = []
    for metric, rows in analysis.judged.groupby("metric", sort=False):
        possible = rows[rows["may_be_best"]]
        of_metrics.append(
            Standing(
                metric,
                tuple(rows["model"][rows["lead"] == 0]),
                rows["value"].iloc[0],
                tuple(possible["model"]),
                dict(zip(rows["model"], rows["short"], strict=True)),
                possible.iloc[1] if len(possible) > 1 else None,
            )
        )
    return of_metrics


def verdict_findings(analysis: Results) -> Iterator[Finding]:
    yield from _leaks(analysis)
    yield from _suspects(analysis)
    if min(analysis.sample.class_counts()) < 2:
        yield _single_row(analysis)
        return
    if len(analysis.models) == 1:
        yield from _inverted(analysis)
        yield from alone_findings(analysis)
        yield from _not_estimable(analysis)
        return
    yield from _inverted(analysis)
    if not analysis.trusted or len(analysis.distrusted) > len(analysis.models) / 2:
        # So many models are rather good because the task is easy, or because all of them know the outcome.
        yield from _not_estimable(analysis)
        yield _verdict("find_out", numbers=_first_steps(analysis))
        return
    of_metrics = standings(analysis)
    judges = [standing for standing in of_metrics if standing.metric in analysis.judges]
    yield from _alike(analysis)
    of_chance = beside_chance(analysis)
    if of_chance is BesideChance.BETTER:
        yield from _answer(analysis, judges, of_metrics)
    else:
        yield from _no_answer(analysis, judges, of_chance)
    if len(judges[0].short) > 1 or analysis.alike:
        yield from (_may_be_best(analysis, standing) for standing in of_metrics)


def _answer(analysis: Results, judges: list[Standing], of_metrics: list[Standing]) -> Iterator[Finding]:
    """Yield which models may be taken, where some model is shown to be better than chance."""
    possible = [model for model in judges[0].may_be_best if all(model in of.may_be_best for of in judges)]
    leaders = {model for standing in judges for model in standing.leaders}
    unexcluded = sorted(possible, key=lambda model: model not in leaders)
    # A model that is not excluded only because the data are few is not recommended.
    better = shown_to_be_better(analysis)
    usable = [model for model in unexcluded if model in better] or unexcluded
    not_shown = [model for model in unexcluded if model not in usable]
    if len(judges[0].short) > 1 or analysis.set_aside:
        yield _take(analysis, judges, usable, not_shown)
    yield from _far_ahead(analysis)
    yield from _agreement(analysis, judges)
    if not unexcluded:
        yield from _crossing(analysis, judges)
    yield from _not_estimable(analysis)
    ranges = [_range(analysis, standing) for standing in judges if standing.rival is not None]
    yield from _separations(analysis, ranges)
    yield from _margins(analysis, of_metrics)
    yield _what_to_do(analysis, judges, usable, ranges if len(unexcluded) > 1 else [])


def _no_answer(analysis: Results, judges: list[Standing], of_chance: BesideChance) -> Iterator[Finding]:
    """Yield why no model is recommended. Where the data are too few to tell, nothing is said against the models."""
    steps = _first_steps(analysis)
    if of_chance is BesideChance.TOO_FEW:
        yield too_few_to_tell(analysis)
    else:
        yield _warning("chance", metrics=analysis.ranked)
    # If no model is shown to be better than chance, it means nothing that the metrics agree.
    yield from (each for each in _agreement(analysis, judges) if each.kind != "agree")
    yield from _not_estimable(analysis)
    if of_chance is BesideChance.NO_BETTER:
        yield _verdict("use_none", numbers=steps)
    elif analysis.table.questions or analysis.set_aside:
        yield _verdict("find_out", numbers=steps)


def _single_row(analysis: Results) -> Finding:
    facts = analysis.facts
    numbers = {
        "unit": "case" if facts["n_cases"] else "row",
        "side": "positive" if facts["n_positive"] <= max(1, facts["n_repeats"]) else "negative",
        "has_several_models": len(analysis.models) > 1,
    }
    return _warning("single_row", numbers=numbers)


def _leaks(analysis: Results) -> Iterator[Finding]:
    for copies_label in (True, False):
        models = [model for model, copies in analysis.leaks.items() if copies == copies_label]
        if models:
            numbers = {
                "copies_label": copies_label,
                "is_one": len(models) == 1,
                "auroc": analysis.areas.loc[models, "auroc"].min(),
                "positives": round(analysis.n_positive),
            }
            yield _warning("leak", metrics=("auroc",), models=tuple(models), numbers=numbers)


def _inverted(analysis: Results) -> Iterator[Finding]:
    models = analysis.inverted
    if not models:
        return
    rows = analysis.intervals[analysis.intervals["metric"] == "auroc"].set_index("model").loc[models]
    yield _warning(
        "inverted_scores",
        metrics=("auroc",),
        models=tuple(models),
        columns=analysis.table.columns_of(models),
        numbers=_way_round(analysis)
        | {
            "is_one": len(models) == 1,
            "auroc": rows["value"].max(),
            "low": rows["low"].min(),
            "high": rows["high"].max(),
            "is_alone": len(analysis.models) == 1,
        },
    )


def _way_round(analysis: Results) -> dict[str, Any]:
    """Return which option turns round the models that are inverted: to be given, to be left out, or none.

    None does if only some of the models in one column of scores are inverted.
    """
    table, models = analysis.table, analysis.inverted
    columns = table.columns_of(models)
    return {
        "columns": list(columns),
        "have_few_columns": len(columns) <= FEW_OPTIONS,
        "to_leave_out": [column for column in columns if column in table.lower_is_better],
        "to_give": [
            column
            for column in columns
            if column not in table.lower_is_better and table.models_of(column) <= {*models}
        ],
    }


def _suspects(analysis: Results) -> Iterator[Finding]:
    auroc = analysis.areas["auroc"]
    others = auroc.drop([*analysis.leaks, *analysis.suspects, *analysis.inverted])
    for stands_apart in (True, False):
        models = [model for model, is_apart in analysis.suspects.items() if is_apart == stands_apart]
        if models:
            numbers = {
                "stands_apart": stands_apart,
                "is_one": len(models) == 1,
                "auroc": auroc[models].min(),
                "positives": round(analysis.n_positive),
                # The shares of pairs of a positive and a negative that are ranked wrongly.
                "wrong": 1 - auroc[models].min(),
                "wrong_of_others": 1 - others.max() if len(others) else None,
                "others": others.sort_values(ascending=False).index.tolist() if analysis.leaks else [],
            }
            yield _warning("suspect", metrics=("auroc",), models=tuple(models), numbers=numbers)


def _first_steps(analysis: Results, models: Iterable[str] = ()) -> dict[str, Any]:
    """Return what to find out before one of the models is used.

    That is the answers about columns, how leaks were made, why models are inverted, and whether a suspect is a leak.
    """
    suspects = [model for model in models if model in analysis.suspects and model not in analysis.distrusted]
    return {
        "has_questions": bool(analysis.table.questions),
        "leaks": analysis.distrusted,
        "is_one_leak": len(analysis.distrusted) == 1,
        "inverted": analysis.inverted,
        "is_one_inverted": len(analysis.inverted) == 1,
        "set_aside": analysis.set_aside,
        "is_one_set_aside": len(analysis.set_aside) == 1,
        "are_all_inverted": len(analysis.inverted) == len(analysis.models) > 1,
        **_way_round(analysis),
        "suspects": suspects,
        "is_one_suspect": len(suspects) == 1,
    }


def _not_estimable(analysis: Results) -> Iterator[Finding]:
    for key, models in analysis.not_estimable.items():
        if key in analysis.question.metrics:
            numbers = {
                "rests_on_less_than_one": not models,
                "has_several_intervals": len(models) > 1,
                "lowest": analysis.noise.errors.floor[index(key)],
                "here": analysis.here,
            }
            yield _warning("not_estimable", metrics=(key,), models=tuple(models), numbers=numbers)


def _take(analysis: Results, judges: list[Standing], unexcluded: list[str], not_shown: list[str]) -> Finding:
    """Return which models may be taken, because no metric excludes them as the best one.

    Neither does any exclude the models in `not_shown`, but these are not shown to be better than chance.
    """
    numbers: dict[str, Any] = {
        "without": analysis.set_aside,
        "target_metric": analysis.question.target_metric,
        "judges": [standing.metric for standing in judges],
        "is_one_metric": len(judges) == 1,
        "first": _first(analysis, judges),
        "not_shown": list(_with_alike(analysis, not_shown)),
        "is_one_not_shown": len(_with_alike(analysis, not_shown)) == 1,
    }
    metrics = analysis.judges
    if not unexcluded:
        return _verdict("take_none", metrics=metrics, numbers=numbers)
    if len(unexcluded) > 1:
        return _verdict(
            "take_some", metrics=metrics, models=_with_alike(analysis, unexcluded), numbers=numbers
        )
    [model] = unexcluded
    models = _with_alike(analysis, unexcluded)
    numbers["is_one"] = len(models) == 1
    won = [standing.metric for standing in judges if standing.may_be_best == (model,)]
    numbers |= {
        "won": won,
        "open": [
            {
                "metric": standing.metric,
                "others": [
                    other for other in _with_alike(analysis, standing.may_be_best) if other not in models
                ],
                "short": standing.short[model],
            }
            for standing in judges
            if standing.metric not in won
        ],
    }
    if not_shown:
        kind = "take_shown"
    elif len(judges[0].short) == 1:
        kind = "take_only"
    elif not numbers["open"]:
        kind = "take_best"
    else:
        kind = "take_winner" if won else "take_unexcluded"
    return _verdict(kind, metrics=metrics, models=models, numbers=numbers)


def _first(analysis: Results, judges: list[Standing]) -> list[dict[str, Any]]:
    """Return the models that are first, each with the metrics by which they are. These are empty with one metric."""
    metrics_by_leaders: dict[tuple[str, ...], list[str]] = {}
    for standing in judges:
        metrics_by_leaders.setdefault(standing.leaders, []).append(standing.metric)
    return [
        {
            "models": list(_with_alike(analysis, leaders)),
            "are_tied": len(_with_alike(analysis, leaders)) > 1,
            "is_every": len(metrics_by_leaders) == 1 and len(judges) > 1,
            "metrics": metrics if len(judges) > 1 else [],
        }
        for leaders, metrics in metrics_by_leaders.items()
    ]


def _far_ahead(analysis: Results) -> Iterator[Finding]:
    """Yield that one model is so far ahead of all others by AUROC that it may have known the outcome.

    Where other models are called leaks, or suspected to be some, this would say little in addition.
    """
    rows = analysis.judged[analysis.judged["metric"] == "auroc"]
    if len(rows) < 2 or analysis.leaks or analysis.suspects:
        return
    best, second = rows.iloc[0], rows.iloc[1]
    if 1 - best["value"] <= FAR_AHEAD * (1 - second["value"]) and not second["may_be_best"]:
        models = _with_alike(analysis, [best["model"]])
        numbers = {
            "auroc": best["value"],
            "auroc_of_others": second["value"],
            "is_one": len(models) == 1,
            "is_one_other": len(rows) == 2,
        }
        yield _verdict("far_ahead", metrics=("auroc",), models=models, numbers=numbers)


def _agreement(analysis: Results, judges: list[Standing]) -> Iterator[Finding]:
    """Yield whether the metrics agree on the best model, unless it was said or there is a single metric."""
    was_said = analysis.verdict == "agree" and not analysis.question.target_metric
    was_said |= len(judges[0].short) == 1
    if analysis.verdict and len(analysis.ranked) > 1 and not was_said:
        yield _verdict(analysis.verdict, metrics=analysis.ranked)


def _crossing(analysis: Results, judges: list[Standing]) -> Iterator[Finding]:
    """Yield where the curves cross of two models that are first by different metrics and exclude each other there."""
    for one, other in combinations(judges, 2):
        models = one.leader, other.leader
        if models[1] in one.may_be_best or models[0] in other.may_be_best:
            continue
        where = crossing(analysis.rankings, *(analysis.models.get_loc(model) for model in models))
        if where is not None:
            numbers = {
                "recall": where.recall,
                "positives_there": round(where.recall * analysis.n_positive),
                "positives": round(analysis.n_positive),
            }
            ordered = models if where.first_is_better_below else models[::-1]
            yield _verdict("crossing", metrics=(one.metric, other.metric), models=ordered, numbers=numbers)
            return


def _alike(analysis: Results) -> Iterator[Finding]:
    for models in analysis.alike:
        if models[0] not in analysis.set_aside:
            yield _verdict("alike", models=tuple(models), numbers={"are_two": len(models) == 2})


def _range(analysis: Results, standing: Standing) -> dict[str, Any]:
    """Return how many more positives would exclude the strongest rival of the first model.

    The numbers are the ends of a 50 % range. `is_far` says that even the lower end is far more than the positives
    at hand, and `is_open` that only the upper end is.
    """
    n, limit = analysis.n_positive, MOST_MORE * analysis.n_positive
    ends = [standing.rival[column] for column in ("positives_low", "positives_high")]
    fewest, most = (n * (max(end, 1.0) - 1) for end in ends)
    is_unknown = math.isnan(fewest) or math.isnan(most)
    return {
        "models": (standing.leader, standing.rival["model"]),
        "metrics": [standing.metric],
        "fewest": None if is_unknown else max(fewest, 1.0),
        "most": most,
        "limit": limit,
        "is_unknown": is_unknown,
        "is_far": fewest > limit,
        "is_open": fewest <= limit < most,
        "has_fewest": fewest >= 1,
        "target_metric": analysis.question.target_metric,
    }


def _separations(analysis: Results, ranges: list[dict[str, Any]]) -> Iterator[Finding]:
    for models in dict.fromkeys(each["models"] for each in ranges):
        of_pair: list[dict[str, Any]] = []
        for each in ranges:
            if each["models"] != models:
                continue
            # Metrics for which even the lower end is far away are named together.
            alike = [other for other in of_pair if each["is_far"] and other["is_far"]]
            if alike:
                alike[0]["metrics"] += each["metrics"]
            else:
                of_pair.append({**each, "metrics": list(each["metrics"]), "is_first": not of_pair})
        facts = analysis.facts
        numbers = {
            "ranges": of_pair,
            "negatives_too": bool(facts["weighted"] or facts["prevalence_asked"]),
            "has_groups": bool(facts["n_groups"]),
        }
        metrics = tuple(metric for each in of_pair for metric in each["metrics"])
        yield _verdict("separate", metrics=metrics, models=models, numbers=numbers)


def _as_good(analysis: Results, standing: Standing) -> list[str]:
    """Return the models that are as good as the best one up to the user's margin, or without one may be the best."""
    margin = analysis.question.margins.get(standing.metric)
    if margin is None:
        return list(standing.may_be_best)
    return [model for model, short in standing.short.items() if short <= margin]


def _margins(analysis: Results, of_metrics: list[Standing]) -> Iterator[Finding]:
    for standing in of_metrics:
        if standing.metric in analysis.question.margins:
            models = _as_good(analysis, standing)
            # A model that excludes every other one is the best: it needs no margin.
            deficits = [(model, standing.short[model]) for model in models if standing.short[model] > 0]
            numbers = {
                "margin": analysis.question.margins[standing.metric],
                "deficits": deficits,
                "is_one": len(deficits) == 1,
                "is_best_known": len(deficits) < len(models),
            }
            yield _verdict("as_good", metrics=(standing.metric,), models=tuple(models), numbers=numbers)


def _what_to_do(
    analysis: Results,
    judges: list[Standing],
    unexcluded: list[str],
    ranges: list[dict[str, Any]],
) -> Finding:
    if any(standing.metric in analysis.question.margins for standing in judges):
        as_good = [
            model
            for model in judges[0].short
            if all(model in _as_good(analysis, standing) for standing in judges)
        ]
        if as_good:
            models = _with_alike(analysis, as_good)
            return _verdict("use", models=models, numbers=_use(analysis, judges, models))
    if not unexcluded:
        return _verdict("name_target", numbers=_first_steps(analysis, analysis.models))
    models = _with_alike(analysis, unexcluded)
    numbers = _use(analysis, judges, models) | {
        "may_separate": [each["metrics"][0] for each in ranges if not each["is_far"]],
        "hardly_separate": [each["metrics"][0] for each in ranges if each["is_far"]],
        "has_groups": bool(analysis.facts["n_groups"]),
    }
    if not ranges:
        kind = "use"
    elif not numbers["hardly_separate"]:
        kind = "use_or_label_more"
    else:
        kind = "use_or_perhaps_label_more" if numbers["may_separate"] else "use_without_more"
    return _verdict(kind, models=models, numbers=numbers)


def _use(analysis: Results, judges: list[Standing], models: tuple[str, ...]) -> dict[str, Any]:
    """Return what to find out before one of the models is used, and by which metrics others are first."""
    firsts = [first for first in _first(analysis, judges) if not {*models} & {*first["models"]}]
    metrics = {metric for first in firsts for metric in first["metrics"]}
    represented = {model for group in analysis.alike for model in group[1:]}
    may_take_several = len({*models} - represented) > 1 and not analysis.question.margins
    return _first_steps(analysis, models) | {
        "has_choice": len(models) > 1,
        "first_by": [each.metric for each in judges if each.metric not in metrics] if firsts else [],
        "others_first": firsts,
        "margin_of": judges[0].metric if may_take_several else "",
    }


def _with_alike(analysis: Results, models: Iterable[str]) -> tuple[str, ...]:
    """Return the models, each followed by those that rank the rows as it does."""
    represented = {group[0]: group for group in analysis.alike}
    return tuple(model for first in models for model in represented.get(first, [first]))


def _may_be_best(analysis: Results, standing: Standing) -> Finding:
    leaders = _with_alike(analysis, standing.leaders)
    others = [model for model in _with_alike(analysis, standing.may_be_best) if model not in leaders]
    numbers = {
        "are_tied": len(leaders) > 1,
        "excludes_others": not others and len(_with_alike(analysis, standing.short)) > len(leaders),
        "is_target": standing.metric == analysis.question.target_metric,
        "value": standing.value,
        "here": analysis.here,
        "without": analysis.set_aside,
        "others": others,
        "has_several_others": len(others) > 1,
        "short": standing.short[standing.leader],
    }
    return Finding("may_be_best", Section.BEST, metrics=(standing.metric,), models=leaders, numbers=numbers)
