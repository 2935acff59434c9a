"""The analysis of several models' scores for the same rows: an audit says, prints and draws what stands in it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from aucstudy import __version__
from aucstudy.area_names import AREAS
from aucstudy.audit.noise import (
    FEW_GROUPS,
    RANKED,
    accepted_shares,
    best_models,
    chance_levels,
    differences_of_winners,
    pairs_to_explain,
    row_noise,
    swaps,
    verdict,
    winners,
)
from aucstudy.audit.rankings import THREADED_FROM, Rankings, difference_by_band, winners_by_prevalence
from aucstudy.audit.text import Said, records, said_of_predictions
from aucstudy.errors import InputError
from aucstudy.metrics.areas import fold_areas
from aucstudy.metrics.conventions import aupr_conventions
from aucstudy.metrics.corrected_aupr import at_lower_prevalence
from aucstudy.metrics.inputs import checked_prevalence, leveled_weights
from aucstudy.metrics.uncertainty.sample import Sample, groups_with_either
from aucstudy.metrics.uncertainty.spread import least_areas
from aucstudy.metrics.wants import want_of
from aucstudy.reading.prediction_tables import ScoredTable
from aucstudy.statistics.best import area_intervals, compared_with_leader, worth_of
from aucstudy.statistics.ranks import rounded

if TYPE_CHECKING:
    from rich.table import Table

MOST_MODELS = 1000  # each pair is compared: so many take a minute or two
FEW_POSITIVES = 30
TIED = 0.05  # of the pairs of a positive and a negative
UNEVEN = 2.0  # largest prevalence of a fold over the smallest


@dataclass(frozen=True)
class Question:
    """What is asked of a table of predictions. InputError where it cannot be asked."""

    want: str | None = None  # of a model; None for all that the study judged
    prevalence: float | None = None  # at which the negatives weigh more or less
    trained_positives: int | None = None  # that the models learned from: changes what is quoted, no number
    resamples: int = 1000
    seed: int = 1

    def __post_init__(self) -> None:
        try:
            _ = self.want and want_of(self.want)
            object.__setattr__(self, "prevalence", checked_prevalence(self.prevalence))
        except ValueError as error:
            raise InputError(str(error)) from None
        if self.trained_positives is not None and self.trained_positives < 1:
            raise InputError(f"trained_positives: is {self.trained_positives}; wanted: 1 or more")


@dataclass(frozen=True)
class Analysis:
    """A table of predictions and what follows from it. One estimate of noise is behind every statement on it."""

    table: ScoredTable  # its rows with a weight above 0
    sample: Sample  # these rows, as halves of them are drawn
    facts: dict[str, object]  # n_groups 0 without, resamples 0 for influence functions
    areas: pd.DataFrame  # a row a model, `rank_<metric>` too
    intervals: pd.DataFrame  # as `area_intervals` gives them, of what is wanted first where something is
    fold_means: pd.DataFrame | None
    best: dict[str, list[str]]  # by metric of RANKED, several where tied
    winners: pd.DataFrame  # this and what follows to `bands`: of a single model empty
    swaps: pd.DataFrame
    verdict: str
    excluded: pd.DataFrame
    bands: pd.DataFrame  # as `difference_by_band` gives it
    by_prevalence: pd.DataFrame
    conventions: pd.DataFrame | None  # a row a model, a column a convention of the area under the PR curve
    few_negatives: pd.DataFrame | None  # a row a model, as `aupr_from_few_negatives` gives them
    contenders: pd.DataFrame  # as `compared_with_leader` gives it, by what is wanted first where something is
    chance: pd.DataFrame  # as `chance_levels` gives it
    cautions: dict[str, object]  # numbers by what a reader must be warned of
    operating_points: pd.DataFrame | None  # a row a model: recall and false positive rate behind its worth

    @property
    def measures(self) -> tuple[str, ...]:
        """What is wanted, if anything, and the areas, in the order of tables."""
        want = self.facts["want"]
        return (want, *AREAS) if want else AREAS

    @property
    def shown_models(self) -> list[str]:
        """The models in the order of tables: by what is wanted, else by AUPR."""
        first = self.intervals[self.intervals["metric"] == (self.facts["want"] or "aupr")]
        return first.sort_values("value", ascending=False, kind="stable")["model"].tolist()

    def said(self, name: str = "", *, html: bool = False) -> Said:
        """What is said of it; `name` says of what. In HTML long names are cut."""
        return said_of_predictions(self, name, html=html)

    def as_json(self) -> dict[str, object]:
        """Everything; NaN becomes null."""
        words = self.said()
        frames = {
            "areas": self.areas,
            "fold_means": self.fold_means,
            "area_intervals": self.intervals,
            "winners": self.winners,
            "swaps": self.swaps,
            "excluded": self.excluded.drop(columns="support"),
            "where": self.bands,
            "winners_by_prevalence": self.by_prevalence,
            "conventions": self.conventions,
            "aupr_from_few_negatives": self.few_negatives,
            "contenders": self.contenders,
            "chance": self.chance,
            "operating_points": self.operating_points,
        }
        tables = {name: records(frame) for name, frame in frames.items()}
        statements = {
            "verdict": self.verdict or None,
            "decision": words.decision,
            "warnings": words.warnings,
            "sentences": words.sections,
        }
        return {"version": __version__, **self.facts, **tables, **statements}

    def as_table(self) -> pd.DataFrame:
        """A row a model: areas, ranks and what other tools call AUPR."""
        areas = self.areas[[*AREAS, *(f"rank_{metric}" for metric in AREAS)]]
        if self.conventions is None:
            return areas.reset_index()
        rivals = self.conventions.drop(columns=["exact", "average_precision"]).add_prefix("aupr_")
        return areas.join(rivals).reset_index()

    def tables(self, width: int, *, details: bool) -> "Iterator[Table]":
        """The tables of a terminal of so many columns."""
        from aucstudy.audit.output import area_tables, interval_tables

        yield from area_tables(self, width)
        if details or len(self.areas) == 1:
            yield from interval_tables(self, width)

    def page(self, name: str, *, thresholds: bool = True) -> str:
        """The page, titled `name`; without `thresholds` it holds no scores."""
        from aucstudy.audit.page import page_of_predictions

        return page_of_predictions(self, name, thresholds=thresholds)


def analyse(table: ScoredTable, question: Question | None = None) -> Analysis:
    """Analyse the models of a table. Where rows repeat cases, whole cases are halved.

    Raises
    ------
    InputError
        One class only, more than MOST_MODELS, all rows of a class in one group, weights of which no area can be had,
        cases of two labels, or a want with a single row of a class or of more rows than there are.
    """
    question = question or Question()
    want, prevalence = question.want, question.prevalence
    table, sample, folds, unit_weight = _weighted(table, prevalence)
    y, scores, weight, groups = sample.y_true, sample.scores, sample.weight, sample.groups
    models = pd.Index(table.names, name="model")
    one_of_class, equal_rows = min(sample.class_counts()) < 2, table.weight is None and not sample.cases
    if want and one_of_class:
        unit = "case" if sample.cases else "row"
        raise InputError(
            f"1 {unit} of a class: the worth of {want!r} has no interval; 2 {unit}s of each are wanted"
        )
    rankings = Rankings(y, scores, weight)
    if want or weight is not None or scores.size < THREADED_FROM:
        sample = rankings.arranged(sample)  # of larger tables nothing is drawn row by row
    areas = pd.DataFrame(rankings.values(), columns=list(AREAS), index=models)
    by_prevalence = winners_by_prevalence(rankings, table.names)
    conventions = rankings.of_each(lambda column: aupr_conventions(y, column), scores.T)
    noise = row_noise(rankings, folds, groups, resamples=question.resamples, seed=question.seed)
    swapped = swaps(areas, noise)
    intervals = [area_intervals(models, noise, sample)]
    lowest_areas, ranked_indices = (
        least_areas(sample.reference_prevalence()),
        [AREAS.index(metric) for metric in RANKED],
    )
    may_be_best = [compared_with_leader(areas[list(RANKED)], noise, ranked_indices, lowest_areas)]
    operating_points = None
    if want:
        worth = worth_of(want, sample, draws=question.resamples, seed=question.seed, unit_weight=unit_weight)
        may_be_best.insert(
            0, compared_with_leader(pd.DataFrame({want: worth.values}, models), worth, [0], worth.least)
        )
        intervals.insert(0, worth.intervals(want, models))
        shares = accepted_shares(want, sample, unit_weight)
        operating_points = pd.DataFrame(shares, columns=["recall", "false_positive_rate"], index=models)
    if one_of_class:
        # a class of one row has no noise of its own: nothing excludes a model
        not_known = dict.fromkeys(("low", "positives", "positives_low", "positives_high"), np.nan)
        may_be_best = [frame.assign(may_be_best=True, **not_known) for frame in may_be_best]
    options = {"sample_weight": table.weight, "prevalence": prevalence}
    corrected = at_lower_prevalence(y, scores, prevalence) if equal_rows else None
    cautions = cautions_of(rankings, scores, areas, folds, groups, cases=sample.cases)
    if prevalence:
        cautions.pop("uneven", None)  # that of each fold is as asked, too
    return Analysis(
        table=table,
        sample=sample,
        facts={
            "n": len(y),
            "n_positive": int(y.sum()),
            "prevalence": float(y.mean()) if weight is None else prevalence or sample.reference_prevalence(),
            "prevalence_of_rows": float(y.mean()),
            "prevalence_asked": prevalence,
            "weighted": table.weight is not None,
            "positive": table.positive,
            "negative": table.negative,
            "n_models": len(models),
            "want": want,
            "trained_positives": question.trained_positives,
            "n_folds": 0 if folds is None else int(folds.max()) + 1,
            "n_groups": 0 if groups is None or sample.cases else int(groups.max()) + 1,
            "n_cases": int(groups.max()) + 1 if sample.cases else 0,
            "n_repeats": int(np.bincount(groups).max()) if sample.cases else 0,
            "intervals": noise.method,
            "resamples": noise.resamples,
            "seed": question.seed,
        },
        areas=areas.join(areas.transform(rounded).rank(ascending=False).add_prefix("rank_")),
        intervals=pd.concat(intervals, ignore_index=True),
        fold_means=None
        if folds is None
        else pd.DataFrame(fold_areas(y, scores, folds, **options).mean, index=models),
        best={metric: best_models(areas, metric) for metric in RANKED},
        winners=winners(areas, noise),
        swaps=swapped,
        verdict=verdict(areas, noise) if len(models) > 1 else "",
        excluded=differences_of_winners(areas, noise),
        bands=difference_by_band(rankings, table.names, pairs_to_explain(areas, swapped)),
        by_prevalence=by_prevalence,
        conventions=pd.DataFrame(list(conventions), index=models) if weight is None else None,
        few_negatives=None if corrected is None else pd.DataFrame(corrected, index=models),
        contenders=pd.concat(may_be_best, ignore_index=True),
        chance=chance_levels(sample, question.seed),
        cautions=cautions,
        operating_points=operating_points,
    )


def _weighted(
    table: ScoredTable, prevalence: float | None
) -> tuple[ScoredTable, Sample, np.ndarray | None, float]:
    """The rows with a weight above 0, the sample that they are, in which positives have the share asked for, and folds.

    The sample has folds only where no groups are halved instead. Last comes what a row of weight 1 weighs in it.
    """
    try:
        case_of_row = table.cases() if table.groups is None else None
        weight, [exponent] = leveled_weights(table.weight, table.y_true)
    except ValueError as error:
        raise InputError(str(error)) from None
    by_case = case_of_row is not None
    table = replace(
        table, groups=case_of_row if by_case else table.groups, weight=weight
    ).without_weightless()
    _check(table, by_case)
    groups = None if table.groups is None else pd.factorize(table.groups)[0]
    folds = None if table.folds is None else pd.factorize(table.folds, sort=True)[0]
    own_folds = folds if groups is None else None
    of_rows = table.y_true, table.scores, table.weight, prevalence
    sample = Sample(*of_rows, groups=groups, folds=own_folds, cases=by_case)
    if prevalence:
        sample = sample._replace(weight=sample.weights_at_prevalence(), prevalence=None)
    return table, sample, folds, float(np.ldexp(1.0, -exponent))


def _check(table: ScoredTable, cases: bool) -> None:
    if table.y_true.all() or not table.y_true.any():
        only_class = table.positive if table.y_true.all() else table.negative
        raise InputError(
            f"all {len(table.y_true)} rows are of class {only_class!r}: no area is defined; both classes are wanted"
        )
    if len(table.names) > MOST_MODELS:
        raise InputError(
            f"{len(table.names)} columns of scores; at most {MOST_MODELS} are compared, name some with --score"
        )
    if table.groups is not None and not cases:
        for side, in_class in ((table.positive, table.y_true), (table.negative, ~table.y_true)):
            if len(np.unique(table.groups[in_class])) < 2:
                raise InputError(
                    f"all {in_class.sum()} rows of class {side!r} are in one group; two groups or more are wanted"
                )


def cautions_of(
    rankings: Rankings,
    scores: np.ndarray,
    areas: pd.DataFrame,
    folds: np.ndarray | None = None,
    groups: np.ndarray | None = None,
    *,
    cases: bool = False,
) -> dict[str, object]:
    y, prevalence = rankings.y_true, rankings.groups.P / (rankings.groups.P + rankings.groups.N)
    cautions: dict[str, object] = {}
    positives = groups_with_either(y, groups)[0] if cases else int(y.sum())
    if positives < FEW_POSITIVES:
        cautions["few_positives"] = positives
    if positives * prevalence < 1:
        cautions["below_gain_zero"] = True
    if prevalence > 0.5:
        cautions["large_class"] = prevalence
    cautions |= _of_models(rankings, scores, areas)
    if folds is not None:
        cautions |= _of_folds(y, folds, areas)
    if groups is not None and not cases:
        fewest_groups, side = min(zip(groups_with_either(y, groups), ("positive", "negative"), strict=True))
        if fewest_groups < FEW_GROUPS:
            cautions["few_groups"] = (fewest_groups, side)
    return cautions


def _of_models(
    rankings: Rankings, scores: np.ndarray, areas: pd.DataFrame
) -> dict[str, list[tuple[str, float]]]:
    cautioned: dict[str, list[tuple[str, float]]] = {"hard": [], "constant": [], "tied": [], "inverted": []}
    for i, (name, auroc) in enumerate(areas["auroc"].items()):
        different = len(np.unique(scores[:1000, i]))
        if different <= 2:
            different = len(np.unique(scores[:, i]))
        if different <= 2:
            cautioned["constant" if different == 1 else "hard"].append((name, different))
        else:
            _, _, d, e, _ = rankings.groups.of_model(i)
            share = float(d @ e) / (rankings.groups.P * rankings.groups.N)
            if share > TIED:
                cautioned["tied"].append((name, share))
        if auroc < 0.5 and different > 1:
            cautioned["inverted"].append((name, auroc))
    return {caution: models for caution, models in cautioned.items() if models}


def _of_folds(y_true: np.ndarray, folds: np.ndarray, areas: pd.DataFrame) -> dict[str, object]:
    # imported here: scipy.stats takes a second, and tables without folds need none of it
    from scipy.stats import chi2_contingency

    cautions: dict[str, object] = {}
    n, positives = np.bincount(folds), np.bincount(folds, weights=y_true)
    usable = (positives > 0) & (positives < n)
    if not usable.all():
        cautions["one_class"] = (~usable).sum(), len(n)
    share = positives[usable] / n[usable]
    if len(share) > 1 and share.max() / share.min() > UNEVEN:
        p = chi2_contingency(np.stack([positives[usable], (n - positives)[usable]]))[1]
        if p < 0.01:
            cautions["uneven"] = share.min(), share.max()
    if (areas["auprg"] < 0).any():
        cautions["negative_auprg"] = True
    return cautions
