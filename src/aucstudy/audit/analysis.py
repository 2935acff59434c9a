"""The analysis behind an audit, from the scores of several models for the same rows."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from aucstudy import __version__
from aucstudy.audit.noise import (
    FEW_GROUPS,
    accepted_shares,
    best_models,
    chance_levels,
    pairs_to_explain,
    row_noise,
    swaps,
    verdict,
    winner_differences,
    winners,
)
from aucstudy.audit.rankings import THREADED_FROM, Rankings, difference_by_band, winners_by_prevalence
from aucstudy.audit.text import Said, records, rendered
from aucstudy.errors import InputError
from aucstudy.metrics.areas import fold_areas
from aucstudy.metrics.conventions import aupr_conventions
from aucstudy.metrics.inputs import checked_prevalence, leveled_weights
from aucstudy.metrics.registry import index, keys, labels, metrics, ranking_keys
from aucstudy.metrics.target_metrics import target_of
from aucstudy.metrics.uncertainty.sample import Sample, groups_with_each_class
from aucstudy.reading.prediction_tables import ScoredTable
from aucstudy.statistics.best import (
    SUPPORT,
    AreaNoise,
    TargetValues,
    area_intervals,
    compared_with_leader,
    target_values_of,
)
from aucstudy.statistics.ranks import rounded

# Two models are called as good as equal if it would take more than this many times the positives at hand, in
# addition to these, to exclude one of them.
MOST_MORE = 10
SWAPS_SHOWN = 4  # ranking changes with a sentence of their own
# Bands of recall with the opposite sign are mentioned if they cancel more than this share of a difference.
# They are also mentioned if a single band has a larger difference than all bands together.
LARGE = 0.5
OTHER_RULES = (
    "average_precision", "trapezoid", "davis_goadrich_unit", "grid_1000", "trapezoid_first_point", "left_dropped",
)  # fmt: skip
MOST_MODELS = 1000  # Every pair is compared, which takes a minute or two for so many models.
FEW_POSITIVES = 30
TIED = 0.05  # share of the pairs of a positive and a negative
UNEVEN = 2.0  # largest prevalence of a fold divided by the smallest


@dataclass(frozen=True)
class Question:
    """The options of an audit. Options that make no sense raise InputError."""

    target_metric: str | None = None  # the metric that matters on new data; None without one
    prevalence: float | None = None  # to which the negatives are weighted; None: that of the rows
    resamples: int = 1000
    seed: int = 1
    metrics: tuple[
        str, ...
    ] = ()  # the keys of the metrics that rank; without them, all that rank differently

    def __post_init__(self) -> None:
        try:
            if self.target_metric:
                target_of(self.target_metric)
            object.__setattr__(self, "prevalence", checked_prevalence(self.prevalence))
            object.__setattr__(self, "metrics", tuple(dict.fromkeys(self.metrics)) or ranking_keys())
        except ValueError as error:
            raise InputError(str(error)) from None


@dataclass(frozen=True)
class Analysis:
    """A table of predictions and the results computed from it, all with the same estimate of noise."""

    question: Question
    table: ScoredTable  # rows with a weight above 0; folds and groups are numbered from 0
    sample: Sample  # the same rows in the form from which halves are drawn; groups may be cases
    rankings: Rankings
    noise: AreaNoise
    target_values: TargetValues | None  # None without a target metric
    # The recall and the false positive rate at which each model has its value of the target metric.
    operating_points: pd.DataFrame | None

    @property
    def models(self) -> pd.Index:
        return pd.Index(self.table.names, name="model")

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of all metrics. The target metric comes first, if there is one."""
        target_metric = self.question.target_metric
        return (target_metric, *keys()) if target_metric else keys()

    @property
    def ranked(self) -> tuple[str, ...]:
        """The keys of the metrics by which the models are ranked."""
        return self.question.metrics

    @property
    def shown_models(self) -> list[str]:
        """The names of the models, with the best first by the target metric, or without one by AUPR if it ranks."""
        first_metric = "aupr" if "aupr" in self.ranked else self.ranked[0]
        first = self.intervals[self.intervals["metric"] == (self.question.target_metric or first_metric)]
        return first.sort_values("value", ascending=False, kind="stable")["model"].tolist()

    @cached_property
    def facts(self) -> dict[str, Any]:
        """The facts that the sentences and the JSON quote, by name.

        `n_groups` is 0 without groups, and `resamples` is 0 with influence functions.
        """
        table, sample, prevalence = self.table, self.sample, self.question.prevalence
        share, n_groups, n_cases, n_repeats = float(table.y_true.mean()), 0, 0, 0
        if sample.cases:
            n_cases, n_repeats = int(table.groups.max()) + 1, int(np.bincount(table.groups).max())
        elif table.groups is not None:
            n_groups = int(table.groups.max()) + 1
        return {
            "n": len(table.y_true),
            "n_positive": int(table.y_true.sum()),
            "prevalence": share if sample.weight is None else prevalence or sample.reference_prevalence(),
            "prevalence_of_rows": share,
            "prevalence_asked": prevalence,
            "weighted": table.weight is not None,
            "positive": table.positive,
            "negative": table.negative,
            "n_models": len(table.names),
            "target_metric": self.question.target_metric,
            "n_folds": 0 if table.folds is None else int(table.folds.max()) + 1,
            "n_groups": n_groups,
            "n_cases": n_cases,
            "n_repeats": n_repeats,
            "intervals": self.noise.method,
            "resamples": self.noise.resamples,
            "seed": self.question.seed,
        }

    @cached_property
    def areas(self) -> pd.DataFrame:
        """The values of all metrics, and the ranks by those that rank (`rank_<metric>`), with a row for each model."""
        areas = pd.DataFrame(self.rankings.values(), columns=list(keys()), index=self.models)
        ranked = areas[list(self.ranked)].transform(rounded)
        return areas.join(ranked.rank(ascending=False).add_prefix("rank_"))

    @cached_property
    def intervals(self) -> pd.DataFrame:
        """The 95 % intervals, in the columns of `area_intervals`. The target metric comes first."""
        frames = [area_intervals(self.models, self.noise.errors)]
        if self.target_values is not None:
            frames.insert(0, self.target_values.intervals(self.question.target_metric, self.models))
        return pd.concat(frames, ignore_index=True)

    def values(self) -> dict[tuple[str, str], dict[str, float]]:
        """Return the value, the ends of its interval and its rank for each pair of metric and model.

        The rank is NaN for a metric that does not rank.
        """
        rows = self.intervals.set_index(["metric", "model"])[["value", "low", "high"]]
        by_measure = pd.Series(rounded(rows["value"]), rows.index).groupby(level="metric")
        ranks = by_measure.rank(ascending=False)
        is_ranked = ranks.index.get_level_values("metric").isin((*self.ranked, self.question.target_metric))
        return rows.assign(rank=ranks.where(is_ranked)).to_dict("index")

    @cached_property
    def contenders(self) -> pd.DataFrame:
        """The table of `compared_with_leader`, in which the target metric comes first."""
        indices, errors = [index(key) for key in self.ranked], self.noise.errors
        widest = np.subtract(errors.ceiling, errors.floor)
        frames = [compared_with_leader(self.areas[list(self.ranked)], self.noise, indices, widest)]
        if self.target_values is not None:
            target_values = pd.DataFrame(
                {self.question.target_metric: self.target_values.values}, self.models
            )
            frames.insert(
                0, compared_with_leader(target_values, self.target_values, [0], self.target_values.widest)
            )
        contenders = pd.concat(frames, ignore_index=True)
        if min(self.sample.class_counts()) > 1:
            return contenders
        # The noise of a class with a single row is not known, so no model can be excluded.
        not_known = dict.fromkeys(("low", "positives", "positives_low", "positives_high"), np.nan)
        return contenders.assign(may_be_best=True, **not_known)

    @cached_property
    def fold_means(self) -> pd.DataFrame | None:
        y, scores, folds, weight = self.table.y_true, self.table.scores, self.table.folds, self.table.weight
        if folds is None:
            return None
        areas = fold_areas(y, scores, folds, sample_weight=weight, prevalence=self.question.prevalence)
        return pd.DataFrame(areas.mean, index=self.models)

    @cached_property
    def best(self) -> dict[str, list[str]]:
        return {key: best_models(self.areas, key) for key in self.ranked}

    @cached_property
    def winners(self) -> pd.DataFrame:
        return winners(self.areas, self.noise, self.ranked)

    @cached_property
    def swaps(self) -> pd.DataFrame:
        return swaps(self.areas, self.noise, self.ranked)

    @cached_property
    def verdict(self) -> str:
        return verdict(self.areas, self.noise, self.ranked) if len(self.models) > 1 else ""

    @cached_property
    def winner_differences(self) -> pd.DataFrame:
        return winner_differences(self.areas, self.noise, self.ranked)

    @cached_property
    def bands(self) -> pd.DataFrame:
        pairs = pairs_to_explain(self.areas, self.swaps, self.ranked)
        return difference_by_band(self.rankings, self.table.names, pairs)

    @cached_property
    def by_prevalence(self) -> pd.DataFrame:
        return winners_by_prevalence(self.rankings, self.table.names)

    @cached_property
    def conventions(self) -> pd.DataFrame | None:
        """AUPR by each rule that tools use, with one row for each model.

        It is None if the rows have weights.
        """
        if self.sample.weight is not None:
            return None
        y, columns = self.table.y_true, self.table.scores.T
        areas = self.rankings.of_each(lambda column: aupr_conventions(y, column), columns)
        return pd.DataFrame(list(areas), index=self.models)

    @cached_property
    def chance(self) -> pd.DataFrame:
        return chance_levels(self.sample, self.question.seed)

    @cached_property
    def cautions(self) -> dict[str, object]:
        cautions = cautions_of(self.table, self.rankings, self.areas, cases=self.sample.cases)
        if self.question.prevalence:
            cautions.pop("uneven", None)  # Every fold is weighted to the requested prevalence, too.
        return cautions

    def said(self, name: str = "", *, html: bool = False) -> Said:
        """The sentences about the data called `name`. In HTML, long names are shortened."""
        n_models = len(self.models)
        stretches = self.by_prevalence.groupby("metric")
        module, sections = rendered(
            "analysis.j2",
            html=html,
            a=self,
            name=name,
            winners=list(self.winners.itertuples()),
            measures=list(self._standings()),
            alone=list(self._against_chance()) if n_models == 1 else [],
            rivals=list(self._preferences()),
            by_folds=None if self.fold_means is None else list(self._fold_winners()),
            n_pairs=n_models * (n_models - 1) // 2,
            differing=list(self._disagreements()),
            real_swaps=list(self.swaps[self.swaps["real"].astype(bool)].itertuples()),
            SWAPS_SHOWN=SWAPS_SHOWN,
            differences=list(self._differences()),
            by_prevalence=[(key, list(stretches.get_group(key).itertuples())) for key in ("aupr", "auprg")],
            not_ranked=list(self._not_ranked()),
            without_influence=self._halved_alone(),
            other_winners=list(self._other_winners()),
            furthest=self._furthest_convention(),
        )
        choice = self.table.choice()
        return Said(module.headline, module.lead, sections, sections.get("Warnings", []), choice=choice)

    @property
    def _n_positive(self) -> float:
        return self.facts["n_positive"] / max(1, self.facts["n_repeats"])

    def as_json(self) -> dict[str, object]:
        """Return all results for JSON. NaN becomes None."""
        words = self.said()
        frames = {
            "areas": self.areas,
            "fold_means": self.fold_means,
            "area_intervals": self.intervals,
            "winners": self.winners,
            "swaps": self.swaps,
            "excluded": self.winner_differences.drop(columns="support"),
            "where": self.bands,
            "winners_by_prevalence": self.by_prevalence,
            "conventions": self.conventions,
            "contenders": self.contenders,
            "chance": self.chance,
            "operating_points": self.operating_points,
        }
        tables = {name: records(frame) for name, frame in frames.items()}
        statements = {
            "verdict": self.verdict or None,
            "warnings": words.warnings,
            "sentences": words.sections,
        }
        columns = {
            "models": list(self.table.names),
            "left_out": self.table.left_out,
            "columns": words.choice or None,
        }
        return {"version": __version__, **columns, **self.facts, **tables, **statements}

    def as_table(self) -> pd.DataFrame:
        """Return the metrics, and what other tools call AUPR, with one row for each model."""
        if self.conventions is None:
            return self.areas.reset_index()
        rivals = self.conventions.drop(columns=["exact", "average_precision"]).add_prefix("aupr_")
        return self.areas.join(rivals).reset_index()

    def _standings(self) -> Iterator[dict[str, Any]]:
        """Yield for each metric the first model, the models that may be best, and the first model's rival.

        The rival is the second of the models that may be best. It would be excluded with `fewest` to `most`
        additional positives, which is a 50 % range.
        """
        n_positive = self._n_positive
        for key, rows in self.contenders.groupby("metric", sort=False):
            possible = rows[rows["may_be_best"]]
            rival = possible.iloc[1] if len(possible) > 1 else None
            columns = ("positives_low", "positives", "positives_high")
            times = [1.0] * 3 if rival is None else [max(rival[column], 1.0) for column in columns]
            low, middle, high = (n_positive * (number - 1) for number in times)
            yield {
                "metric": key,
                "leader": rows["model"].iloc[0],
                "value": rows["value"].iloc[0],
                "may_be_best": possible["model"].tolist(),
                "short": max(0.0, -possible["low"].min()),
                "rival": None if rival is None else rival["model"],
                "equal": middle > MOST_MORE * n_positive,
                "fewest": low if low >= 1 else None,
                "most": high if high <= MOST_MORE * n_positive else None,
            }

    def _against_chance(self) -> Iterator[dict[str, Any]]:
        """Yield a single model's value by each metric that ranks, beside the values of random rankings."""
        chance = self.chance.set_index("metric")
        for row in self.intervals.itertuples():
            if row.metric in (*self.ranked, self.facts["target_metric"]):
                level = chance.loc[row.metric] if row.metric in chance.index else None
                better = level is not None and row.low > level["mean"] and row.value > level["limit"]
                below_chance = level is not None and row.high < level["mean"]
                yield {**row._asdict(), "chance": level, "better": better, "worse": below_chance}

    def _preferences(self) -> Iterator[list[dict[str, object]]]:
        next_best = self.winners.set_index("metric")["second"]
        for (model, rival), pair_rows in self.winner_differences.groupby(["first", "second"], sort=False):
            preferences = []
            for row in pair_rows.itertuples():
                ahead, behind, low, high = model, rival, row.low, row.high
                if model not in self.best[row.metric]:
                    ahead, behind, low, high = rival, model, -row.high, -row.low
                preferences.append(
                    {"metric": row.metric, "ahead": ahead, "behind": behind, "low": low, "high": high}
                    | {"support": row.support, "real": row.support >= SUPPORT}
                    # The sentence about a winner already gives the interval of its lead.
                    | {"is_lead": next_best[row.metric] == behind}
                )
            yield preferences

    def _fold_winners(self) -> Iterator[tuple[str, str]]:
        for key in self.ranked:
            means = self.fold_means[key]
            if means.notna().any() and means.idxmax() not in self.best[key]:
                yield key, means.idxmax()

    def _not_ranked(self) -> Iterator[dict[str, Any]]:
        """Yield the metrics by which the models are not ranked, each with its values and with why it does not rank."""
        for entry in metrics():
            if entry.key not in self.ranked:
                yield {
                    "label": entry.short_label,
                    "ranks_like": labels().get(entry.ranks_like),
                    "values": [(model, self.areas.loc[model, entry.key]) for model in self.shown_models],
                }

    def _halved_alone(self) -> dict[str, Any] | None:
        """Return the metrics whose intervals are from random halves while those of others are from influences."""
        halves = self.noise.errors.halves
        halved = [entry.short_label for entry, n in zip(metrics(), halves, strict=True) if n]
        return {"labels": halved, "halves": max(halves)} if halved and not self.noise.resamples else None

    def _disagreements(self) -> Iterator[dict[str, object]]:
        for first, second in combinations(self.ranked, 2):
            pair_swaps = self.swaps[(self.swaps["first"] == first) & (self.swaps["second"] == second)]
            if len(pair_swaps):
                n_real = int(pair_swaps["real"].sum())
                yield {"first": first, "second": second, "swaps": len(pair_swaps), "real": n_real}

    def _differences(self) -> Iterator[dict[str, object]]:
        for (model, rival), pair_bands in self.bands.groupby(["model", "other"], sort=False):
            for key in ("aupr", "auprg", "auroc"):
                bands = pair_bands[pair_bands["metric"] == key]
                difference, total = bands["difference"], bands["difference"].sum()
                # If the differences of the bands add up to 0, the largest of them gives the sign.
                direction = np.sign(total or difference[difference.abs().idxmax()])
                opposed = difference[difference * direction < 0].sum()
                below_prevalence = difference[bands["recall_to"] <= self.facts["prevalence"] + 1e-12].sum()
                band = bands.loc[(difference * direction).idxmax()]
                is_large = abs(opposed) > LARGE * abs(total) or abs(band["difference"]) > abs(total)
                yield {
                    "metric": key,
                    "model": model,
                    "other": rival,
                    "total": total,
                    "band": band,
                    "against": opposed if is_large else None,
                    "below_prevalence": below_prevalence if key == "aupr" else None,
                }

    def _other_winners(self) -> Iterator[dict[str, object]]:
        """Yield the rules of other tools whose best models are not among the best by the exact AUPR."""
        if self.conventions is None:
            return
        areas = self.conventions.round(12)
        is_best = areas == areas.max()
        for convention in OTHER_RULES:
            winning = areas.index[is_best[convention]]
            if not is_best.loc[winning, "exact"].any():
                model = min(winning)
                area, exact = areas.loc[model, [convention, "exact"]]
                yield {"convention": convention, "model": model, "area": area, "exact": exact}

    def _furthest_convention(self) -> dict[str, object] | None:
        if self.conventions is None:
            return None
        differences = self.conventions[list(OTHER_RULES)].sub(self.conventions["exact"], axis=0).stack()
        model, convention = differences.abs().idxmax()
        return {"model": model, "convention": convention, "difference": differences[(model, convention)]}


def analyse(table: ScoredTable, question: Question | None = None) -> Analysis:
    """Analyse the models of a table. If several rows belong to one case, whole cases are halved.

    InputError is raised if there is only one class, if there are more than MOST_MODELS models, if a class
    lies in one group, if the largest weights of the classes are too far apart, or if a case has two labels.
    With a target metric it is also raised if a class has a single row, or if the target metric looks at more
    rows than there are.
    """
    question = question or Question()
    table, sample, unit_weight = _weighted(table, question.prevalence)
    target_metric, seed, resamples = question.target_metric, question.seed, question.resamples
    if target_metric and min(sample.class_counts()) < 2:
        unit = "case" if sample.cases else "row"
        raise InputError(
            f"1 {unit} of a class: {target_metric!r} has no interval; 2 {unit}s of each are needed"
        )
    rankings = Rankings(sample.y_true, sample.scores, sample.weight)
    noise = row_noise(rankings, sample.folds, sample.groups, resamples=resamples, seed=seed)
    if target_metric or sample.weight is not None or sample.scores.size < THREADED_FROM:
        sample = rankings.arranged(sample)  # For larger tables nothing is drawn row by row.
    target_values = operating_points = None
    if target_metric:
        target_values = target_values_of(
            target_metric, sample, draws=resamples, seed=seed, unit_weight=unit_weight
        )
        shares = accepted_shares(target_metric, sample, unit_weight)
        models = pd.Index(table.names, name="model")
        operating_points = pd.DataFrame(shares, columns=["recall", "false_positive_rate"], index=models)
    return Analysis(question, table, sample, rankings, noise, target_values, operating_points)


def _weighted(table: ScoredTable, prevalence: float | None) -> tuple[ScoredTable, Sample, float]:
    """Return the rows with a weight above 0, their sample at the prevalence, and a unit of weight.

    The unit is what a row of weight 1 weighs in the sample.
    """
    try:
        cases = table.cases() if table.groups is None else None
        weight, [exponent] = leveled_weights(table.weight, table.y_true)
    except ValueError as error:
        raise InputError(str(error)) from None
    by_case = cases is not None
    groups = cases if by_case else table.groups
    table = replace(table, groups=groups, weight=weight).without_weightless()
    _check(table, by_case)
    groups = None if table.groups is None else pd.factorize(table.groups)[0]
    folds = None if table.folds is None else pd.factorize(table.folds, sort=True)[0]
    table = replace(table, groups=groups, folds=folds)
    halved_folds = folds if groups is None else None
    rows = table.y_true, table.scores, table.weight, prevalence
    sample = Sample(*rows, groups=groups, folds=halved_folds, cases=by_case)
    if prevalence:
        sample = sample._replace(weight=sample.weights_at_prevalence(), prevalence=None)
    return table, sample, float(np.ldexp(1.0, -exponent))


def _check(table: ScoredTable, cases: bool) -> None:
    if table.y_true.all() or not table.y_true.any():
        only_class = table.positive if table.y_true.all() else table.negative
        raise InputError(
            f"all {len(table.y_true)} rows are of class {only_class!r}: no area is defined; both classes are needed"
        )
    if len(table.names) > MOST_MODELS:
        raise InputError(
            f"{len(table.names)} columns of scores; at most {MOST_MODELS} are compared, name some with --score"
        )
    if table.groups is not None and not cases:
        for side, in_class in ((table.positive, table.y_true), (table.negative, ~table.y_true)):
            if len(np.unique(table.groups[in_class])) < 2:
                raise InputError(
                    f"all {in_class.sum()} rows of class {side!r} are in one group; two groups or more are needed"
                )


def cautions_of(
    table: ScoredTable, rankings: Rankings, areas: pd.DataFrame, *, cases: bool
) -> dict[str, object]:
    """Return the warnings by their names in the template.

    `cases` says whether the groups of the table are cases.
    """
    y, prevalence = table.y_true, rankings.P / (rankings.P + rankings.N)
    n_positive = groups_with_each_class(y, table.groups)[0] if cases else int(y.sum())
    cautions: dict[str, object] = {}
    if n_positive < FEW_POSITIVES:
        cautions["few_positives"] = n_positive
    if n_positive * prevalence < 1:
        cautions["below_gain_zero"] = True
    if prevalence > 0.5:
        cautions["large_class"] = prevalence
    cautions |= _of_models(rankings, table.scores, areas)
    if table.folds is not None:
        cautions |= _of_folds(y, table.folds, areas)
    if table.groups is not None and not cases:
        fewest_groups, side = min(
            zip(groups_with_each_class(y, table.groups), ("positive", "negative"), strict=True)
        )
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
            _, _, d, e = rankings.groups[i]
            share = float(d @ e) / (rankings.P * rankings.N)
            if share > TIED:
                cautioned["tied"].append((name, share))
        if auroc < 0.5 and different > 1:
            cautioned["inverted"].append((name, auroc))
    return {caution: models for caution, models in cautioned.items() if models}


def _of_folds(y_true: np.ndarray, folds: np.ndarray, areas: pd.DataFrame) -> dict[str, object]:
    # Imported here: scipy.stats takes a second, and tables without folds do not need it.
    from scipy.stats import chi2_contingency

    cautions: dict[str, object] = {}
    n, positives = np.bincount(folds), np.bincount(folds, weights=y_true)
    has_both_classes = (positives > 0) & (positives < n)
    if not has_both_classes.all():
        cautions["one_class"] = (~has_both_classes).sum(), len(n)
    share = positives[has_both_classes] / n[has_both_classes]
    if len(share) > 1 and share.max() / share.min() > UNEVEN:
        p = chi2_contingency(np.stack([positives[has_both_classes], (n - positives)[has_both_classes]]))[1]
        if p < 0.01:
            cautions["uneven"] = share.min(), share.max()
    if (areas["auprg"] < 0).any():
        cautions["negative_auprg"] = True
    return cautions
