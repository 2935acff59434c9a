"""What is said of an analysis: sentences are in the templates beside this module, their numbers are made here.

And the analysis as JSON.
"""

import json
import math
from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from jinja2 import PackageLoader
from jinja2.filters import do_mark_safe

from aucstudy.area_names import AREA_LABELS
from aucstudy.audit.noise import RANKED
from aucstudy.choosing.words import decision_sentences
from aucstudy.printable import plain, shortened
from aucstudy.statistics.best import SUPPORT
from aucstudy.wording import text_templates

if TYPE_CHECKING:
    from aucstudy.audit.analysis import Analysis
    from aucstudy.audit.metric_tables import MetricAnalysis

SENTENCES = PackageLoader("aucstudy.audit", ".")
VERDICTS = {"agree": "agree", "tied": "tied", "noise": "cannot tell", "real": "more than noise"}
LONGEST_NAME = 100  # characters on a page and in a table
TITLED = '<span title="{{ whole }}">{{ short }}</span>'
MOST_MORE = 10  # times the positives at hand: two models that more would tell apart are as good as equal
SWAPS_SHOWN = 4  # with a sentence of their own
LARGE = 0.5  # of a difference: what bands of the other sign take from it; said too of a band larger than the whole
OTHER_RULES = (
    "average_precision", "trapezoid", "davis_goadrich_unit", "grid_1000", "trapezoid_first_point", "left_dropped",
)  # fmt: skip


class Said(NamedTuple):
    """What is said; `decision` and `warnings` are among the sentences by heading."""

    headline: str
    lead: str
    sections: dict[str, list[str]]
    decision: list[str]
    warnings: list[str]
    note: str = ""


def said_of_predictions(analysis: "Analysis", name: str, *, html: bool) -> Said:
    facts, winners = analysis.facts, analysis.winners[analysis.winners["metric"].isin(RANKED)]
    sized = [facts[name] for name in ("prevalence", "n_models", "want")]
    decision = []
    if facts["n_models"] > 1:  # a single one leaves nothing to choose
        learned = facts["trained_positives"]
        decision = decision_sentences(_n_positive(facts), *sized, trained_positives=learned)
    module, sections = rendered(
        "analysis.j2",
        html=html,
        a=analysis,
        name=name,
        winners=list(winners.itertuples()),
        measures=list(_measures(analysis)),
        alone=list(_alone(analysis)) if facts["n_models"] == 1 else [],
        at_the_edge=at_the_edge,
        rivals=list(_rivals(analysis)),
        decision=decision,
        by_folds=None if analysis.fold_means is None else list(_by_folds(analysis)),
        n_pairs=facts["n_models"] * (facts["n_models"] - 1) // 2,
        differing=list(_differing(analysis.swaps)),
        real_swaps=list(analysis.swaps[analysis.swaps["real"].astype(bool)].itertuples()),
        SWAPS_SHOWN=SWAPS_SHOWN,
        differences=list(_differences(analysis)),
        by_prevalence=[
            (metric, list(analysis.by_prevalence[analysis.by_prevalence["metric"] == metric].itertuples()))
            for metric in ("aupr", "auprg")
        ],
        **_other_rules(analysis.conventions),
    )
    return Said(module.headline, module.lead, sections, decision, sections.get("Warnings", []))


def rendered(template: str, *, html: bool = False, **states: object) -> tuple[Any, dict[str, list[str]]]:
    """A template's own blocks of text, and the sentences that it says, by heading."""
    sections: dict[str, list[str]] = {}

    def say(heading: str, caller) -> str:
        if line := caller().strip():
            sections.setdefault(heading, []).append(line)
        return ""

    def cut(name: object) -> str:
        full, short = str(name), shortened(str(name), LONGEST_NAME)
        names = {"whole": full, "short": short}
        return full if short == full else do_mark_safe(templates.from_string(TITLED).render(names))

    templates = text_templates(SENTENCES)
    if html:
        templates = templates.overlay(autoescape=True)
    names = {
        "say": say,
        "shown": cut if html else str,
        "LABELS": AREA_LABELS,
        "VERDICTS": VERDICTS,
        "about": about,
    }
    return templates.get_template(template).make_module({**names, **states}), sections


def _measures(analysis: "Analysis") -> Iterator[dict[str, Any]]:
    """What each measure lets be said: the one in front, who else may be best, and how many more positives tell."""
    n_positive = _n_positive(analysis.facts)
    for metric, rows in analysis.contenders.groupby("metric", sort=False):
        possible = rows[rows["may_be_best"]]
        rival = possible.iloc[1] if len(possible) > 1 else None
        columns = ("positives_low", "positives", "positives_high")
        times = [1.0] * 3 if rival is None else [max(rival[column], 1.0) for column in columns]
        low, middle, high = (n_positive * (number - 1) for number in times)
        yield {
            "metric": metric,
            "leader": rows["model"].iloc[0],
            "value": rows["value"].iloc[0],
            "may_be_best": possible["model"].tolist(),
            "short": max(0.0, -possible["low"].min()),
            "rival": None if rival is None else rival["model"],
            "equal": middle > MOST_MORE * n_positive,
            "fewest": low if low >= 1 else None,
            "most": high if high <= MOST_MORE * n_positive else None,
        }


def _n_positive(facts: dict[str, Any]) -> float:
    return facts["n_positive"] / max(1, facts["n_repeats"])


def _alone(analysis: "Analysis") -> Iterator[dict[str, Any]]:
    """A single model's value by each measure, its interval and what random rankings reach."""
    chance = analysis.chance.set_index("metric")
    for row in analysis.intervals.itertuples():
        if row.metric in (*RANKED, analysis.facts["want"]):
            level = chance.loc[row.metric] if row.metric in chance.index else None
            better = level is not None and row.low > level["mean"] and row.value > level["limit"]
            below_chance = level is not None and row.high < level["mean"]
            yield {**row._asdict(), "chance": level, "better": better, "worse": below_chance}


def about(number: float) -> str:
    """To two digits.

    >>> about(3.2), about(1387.0)
    ('4', '1,400')
    """
    digits = len(str(math.ceil(number))) - 2
    return f"{math.ceil(number) if digits <= 0 else round(number, -digits):,.0f}"


def at_the_edge(support: float, resamples: int) -> bool:
    """Whether other resamples may say otherwise: within twice the Monte Carlo error of what is asked for.

    >>> at_the_edge(0.97, 1000), at_the_edge(0.97, 10000)
    (True, False)
    """
    return resamples > 0 and abs(support - SUPPORT) < 2 * (SUPPORT * (1 - SUPPORT) / resamples) ** 0.5


def _rivals(analysis: "Analysis") -> Iterator[list[dict[str, object]]]:
    next_best = analysis.winners.set_index("metric")["second"]
    for (first, second), pair_rows in analysis.excluded.groupby(["first", "second"], sort=False):
        preferences = []
        for row in pair_rows.itertuples():
            ahead, behind, low, high = first, second, row.low, row.high
            if first not in analysis.best[row.metric]:
                ahead, behind, low, high = second, first, -row.high, -row.low
            preferences.append(
                {"metric": row.metric, "ahead": ahead, "behind": behind, "low": low, "high": high}
                | {"support": row.support, "real": row.support >= SUPPORT}
                # the lead of a winner is said with its interval
                | {"is_lead": next_best[row.metric] == behind}
            )
        yield preferences


def _by_folds(analysis: "Analysis") -> Iterator[tuple[str, str]]:
    for metric in RANKED:
        means = analysis.fold_means[metric]
        if means.notna().any() and means.idxmax() not in analysis.best[metric]:
            yield metric, means.idxmax()


def _differing(swaps: pd.DataFrame) -> Iterator[dict[str, object]]:
    for first, second in combinations(RANKED, 2):
        pair_swaps = swaps[(swaps["first"] == first) & (swaps["second"] == second)]
        if len(pair_swaps):
            yield {
                "first": first,
                "second": second,
                "swaps": len(pair_swaps),
                "real": int(pair_swaps["real"].sum()),
            }


def _differences(analysis: "Analysis") -> Iterator[dict[str, object]]:
    for (model, rival), pair_bands in analysis.bands.groupby(["model", "other"], sort=False):
        for metric in ("aupr", "auprg", "auroc"):
            bands = pair_bands[pair_bands["metric"] == metric]
            difference, total = bands["difference"], bands["difference"].sum()
            # where the bands cancel, the largest has the direction
            direction = np.sign(total or difference[difference.abs().idxmax()])
            opposed = difference[difference * direction < 0].sum()
            to_prevalence = bands[bands["recall_to"] <= analysis.facts["prevalence"] + 1e-12][
                "difference"
            ].sum()
            band = bands.loc[(difference * direction).idxmax()]
            is_large = abs(opposed) > LARGE * abs(total) or abs(band["difference"]) > abs(total)
            yield {
                "metric": metric,
                "model": model,
                "other": rival,
                "total": total,
                "band": band,
                "against": opposed if is_large else None,
                "unseen": to_prevalence if metric == "aupr" else None,
            }


def _other_rules(conventions: pd.DataFrame | None) -> dict[str, object]:
    if conventions is None:
        return {"other_winners": [], "furthest": None}
    areas = conventions.round(12)
    exact_areas = areas["exact"]
    best = set(exact_areas.index[exact_areas == exact_areas.max()])
    rivals = []
    for convention in OTHER_RULES:
        area = areas[convention]
        winning = set(area.index[area == area.max()])
        if not winning & best:
            model = min(winning)
            rivals.append(
                {"convention": convention, "model": model, "area": area[model], "exact": exact_areas[model]}
            )
    differences = conventions[list(OTHER_RULES)].sub(conventions["exact"], axis=0).stack()
    model, convention = differences.abs().idxmax()
    furthest = {"model": model, "convention": convention, "difference": differences[(model, convention)]}
    return {"other_winners": rivals, "furthest": furthest}


def json_text(analysis: "Analysis | MetricAnalysis") -> str:
    return json.dumps(analysis.as_json(), indent=1, allow_nan=False) + "\n"


def records(frame: pd.DataFrame | None) -> list[dict[str, object]] | None:
    """The rows of a table, with the index where it has a name."""
    if frame is None:
        return None
    frame = frame.reset_index() if frame.index.name else frame
    return [{key: plain(value) for key, value in row.items()} for row in frame.to_dict("records")]
