"""The results of an audit, computed from the scores of several models for the same rows."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from aucstudy.audit.noise import (
    best_models,
    chance_levels,
    pairs_to_explain,
    swaps,
    verdict,
    winner_differences,
    winners,
)
from aucstudy.audit.rankings import Rankings, difference_by_band, winners_by_prevalence
from aucstudy.errors import InputError
from aucstudy.metrics.areas import fold_areas
from aucstudy.metrics.conventions import CONVENTIONS, conventions_of_order
from aucstudy.metrics.inputs import checked_prevalence
from aucstudy.metrics.registry import index, keys, metric, metrics, ranking_keys
from aucstudy.metrics.target_metrics import target_of
from aucstudy.metrics.uncertainty.sample import Sample
from aucstudy.reading.prediction_tables import ScoredTable
from aucstudy.statistics.best import AreaNoise, TargetValues, area_intervals, compared_with_leader
from aucstudy.statistics.chance import CHANCE, corrected_level
from aucstudy.statistics.ranks import rounded

# From this AUROC on, with so many positives, a model is called a leak.
LEAK_FROM, LEAK_POSITIVES = 0.9995, 50
# From this AUROC on a model is suspect if all others rank so many times as many pairs of the two classes wrongly.
SUSPECT_FROM, TIMES_WORSE = 0.99, 10
MOST_APART = 2 / 3  # the share of the models that may be so good; if more are, the task is easy
# Sentences compare these rules of tools with the exact one.
OTHER_RULES = (
    "average_precision", "trapezoid", "davis_goadrich_unit", "grid_1000", "trapezoid_first_point", "left_dropped",
)  # fmt: skip
FLOOR = 1e-9  # An interval ends at the lowest value of a metric if it ends so close to it.


@dataclass(frozen=True)
class Question:
    """The options of an audit. Options that make no sense raise InputError."""

    target_metric: str | None = None  # the metric that matters on new data; None without one
    prevalence: float | None = None  # to which the negatives are weighted; None: that of the rows
    resamples: int = 1000
    seed: int = 1
    # The keys of the metrics that rank the models. Without them, these are all metrics that rank differently.
    metrics: tuple[str, ...] = ()
    # By metric, how far below the best a model is still as good for the user.
    margins: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        try:
            if self.target_metric:
                target_of(self.target_metric)
            object.__setattr__(self, "prevalence", checked_prevalence(self.prevalence))
            object.__setattr__(self, "metrics", tuple(dict.fromkeys(self.metrics)) or ranking_keys())
            object.__setattr__(self, "margins", dict(self._checked_margins()))
        except ValueError as error:
            raise InputError(str(error)) from None

    def _checked_margins(self) -> Iterator[tuple[str, float]]:
        for name, margin in self.margins.items():
            key = name if name == self.target_metric else metric(name).key
            if key not in (*self.metrics, self.target_metric):
                raise ValueError(f"margin {name}: is of no metric that ranks the models")
            if isinstance(margin, bool) or not isinstance(margin, int | float) or not 0 < margin < math.inf:
                raise ValueError(f"margin {name}: is {margin!r}; a number above 0 is needed")
            yield key, float(margin)


@dataclass(frozen=True)
class Results:
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
    def here(self) -> str:
        """Where the values of the metrics hold."""
        return "at this prevalence" if self.question.prevalence else "on these rows"

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of all metrics. The target metric comes first, if there is one."""
        target_metric = self.question.target_metric
        return (target_metric, *keys()) if target_metric else keys()

    @property
    def ranked(self) -> tuple[str, ...]:
        """The keys of the metrics by which the models are ranked."""
        return tuple(key for key in self.question.metrics if key not in self.not_estimable)

    @cached_property
    def not_estimable(self) -> dict[str, list[str]]:
        """The metrics that the data cannot estimate. Each has the models whose intervals end at its lowest value.

        The list is empty if less than one positive lies below the recall at which the recall gain is 0.
        """
        reasons: dict[str, list[str]] = {}
        prevalence = self.rankings.P / (self.rankings.P + self.rankings.N)
        for k, entry in enumerate(metrics()):
            if not entry.starts_at_zero_gain:
                continue
            rows = self.intervals[self.intervals["metric"] == entry.key]
            at_the_floor = rows["low"] <= self.noise.errors.floor[k] + FLOOR
            if self.n_positive * prevalence < 1:
                reasons[entry.key] = []
            elif at_the_floor.any():
                reasons[entry.key] = rows["model"][at_the_floor].tolist()
        return reasons

    @cached_property
    def leaks(self) -> dict[str, bool]:
        """The models whose scores look as if the label were known, and whether a score is a function of the label."""
        y, leaks = self.table.y_true, {}
        if min(self.sample.class_counts()) < 2:
            return leaks
        for model, scores, auroc in zip(self.models, self.table.scores.T, self.areas["auroc"], strict=True):
            copies_label = auroc in (0, 1) and np.ptp(scores[y]) == np.ptp(scores[~y]) == 0
            if copies_label or (auroc >= LEAK_FROM and self.n_positive >= LEAK_POSITIVES):
                leaks[model] = bool(copies_label)
        return leaks

    @cached_property
    def suspects(self) -> dict[str, bool]:
        """The models that are no leaks but may be some, and whether they stand apart from all others.

        A model stands apart if its AUROC is at least SUSPECT_FROM and every model below that ranks TIMES_WORSE times as
        many pairs wrongly, unless more than MOST_APART of the models are so good. The others would be leaks if there
        were more positives.
        """
        if min(self.sample.class_counts()) < 2:
            return {}
        auroc = self.areas["auroc"].drop([*self.leaks, *self.inverted])
        is_perfect, is_good = auroc >= LEAK_FROM, (auroc >= SUSPECT_FROM) & (auroc < LEAK_FROM)
        suspects = dict.fromkeys(auroc.index[is_perfect], False)
        others = auroc[~is_perfect & ~is_good]
        n_good = len(self.leaks) + len(auroc) - len(others)
        if is_good.any() and len(others) and n_good <= MOST_APART * len(self.models):
            wrong, wrong_of_others = 1 - auroc[is_good].min(), 1 - others.max()
            suspects |= (
                dict.fromkeys(auroc.index[is_good], True) if wrong_of_others >= TIMES_WORSE * wrong else {}
            )
        return suspects

    @cached_property
    def inverted(self) -> list[str]:
        """The models that are no leaks, and whose AUROC is below .5 by an interval that is corrected for their number.

        They tell the classes apart, but rank them the wrong way round.
        """
        if min(self.sample.class_counts()) < 2:
            return []
        high = self.noise.errors.limits(index("auroc"), corrected_level(len(self.models)))[1]
        return [model for model in self.models[high < CHANCE] if model not in self.leaks]

    @property
    def distrusted(self) -> list[str]:
        """The leaks, and beside a leak the models that stand apart, which may have been made from the same column."""
        return [*self.leaks, *(model for model, is_apart in self.suspects.items() if is_apart and self.leaks)]

    @property
    def set_aside(self) -> list[str]:
        """The models that the verdict names but does not compare: distrusted ones, and models that are inverted."""
        return [*self.distrusted, *self.inverted]

    @cached_property
    def alike(self) -> list[list[str]]:
        """The groups of models that rank the rows alike, so that every metric gives them the same value."""
        groups = []
        equal_values = (
            self.areas[list(keys())].transform(rounded).groupby(list(keys()), sort=False, dropna=False)
        )
        for rows in equal_values.indices.values():
            by_ranks: dict[bytes, list[str]] = {}
            for row in sorted(rows) if len(rows) > 1 else ():
                by_ranks.setdefault(self.rankings.ranks_of(row).tobytes(), []).append(self.models[row])
            groups += [models for models in by_ranks.values() if len(models) > 1]
        return sorted(groups, key=lambda models: self.table.names.index(models[0]))

    @property
    def judges(self) -> tuple[str, ...]:
        """The metrics that decide the verdict: the target metric, or without one all that rank."""
        return (self.question.target_metric,) if self.question.target_metric else self.ranked

    @cached_property
    def judged(self) -> pd.DataFrame:
        """The table of contenders without models set aside, and with one model for those that rank the rows alike."""
        contenders = self.contenders
        if self.set_aside:
            trusted = self.trusted
            contenders = self._contenders_among(trusted) if trusted else contenders.head(0)
        represented = [model for models in self.alike for model in models[1:]]
        return contenders[~contenders["model"].isin(represented)].reset_index(drop=True)

    @property
    def trusted(self) -> list[int]:
        """The numbers of the models that are compared."""
        return [row for row, model in enumerate(self.models) if model not in self.set_aside]

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
        """The values of all metrics, and the ranks by those that rank (`rank_<metric>`), with a row for each model.

        The ranks by a metric that is not estimable are NaN.
        """
        areas = pd.DataFrame(self.rankings.values(), columns=list(keys()), index=self.models)
        ranks = areas[list(self.question.metrics)].transform(rounded).rank(ascending=False)
        ranks[[key for key in ranks if key in self.not_estimable]] = np.nan
        return areas.join(ranks.add_prefix("rank_"))

    @cached_property
    def intervals(self) -> pd.DataFrame:
        """The 95 % intervals, in the columns of `area_intervals`. The target metric comes first."""
        frames = [area_intervals(self.models, self.noise.errors)]
        if self.target_values is not None:
            frames.insert(0, self.target_values.intervals(self.question.target_metric, self.models))
        return pd.concat(frames, ignore_index=True)

    def values(self) -> dict[tuple[str, str], dict[str, float]]:
        """Return the value, the ends of its interval and its rank for each pair of metric and model.

        The rank is NaN for a metric that does not rank, and everything is NaN for one that is not estimable.
        """
        rows = self.intervals.set_index(["metric", "model"])[["value", "low", "high"]]
        by_measure = pd.Series(rounded(rows["value"]), rows.index).groupby(level="metric")
        ranks = by_measure.rank(ascending=False)
        is_ranked = ranks.index.get_level_values("metric").isin((*self.ranked, self.question.target_metric))
        rows = rows.assign(rank=ranks.where(is_ranked))
        rows.loc[rows.index.get_level_values("metric").isin(list(self.not_estimable))] = np.nan
        return rows.to_dict("index")

    def chance_values(self) -> dict[str, dict[str, float]]:
        """Return the mean and the 95 % limit of random rankings by metric, NaN as in `values`."""
        chance = self.chance[~self.chance["metric"].isin(self.not_estimable)]
        return chance.set_index("metric").reindex(self.measures).to_dict("index")

    @cached_property
    def contenders(self) -> pd.DataFrame:
        """The table of `compared_with_leader`, in which the target metric comes first."""
        return self._contenders_among(range(len(self.models)))

    def _contenders_among(self, rows: Sequence[int]) -> pd.DataFrame:
        rows, indices, errors = list(rows), [index(key) for key in self.ranked], self.noise.errors
        widest = np.subtract(errors.ceiling, errors.floor)
        noise, areas = self.noise.of(rows), self.areas.iloc[rows]
        frames = [compared_with_leader(areas[list(self.ranked)], noise, indices, widest)]
        if self.target_values is not None:
            target_values = self.target_values.of(rows)
            values = pd.DataFrame({self.question.target_metric: target_values.values}, areas.index)
            frames.insert(0, compared_with_leader(values, target_values, [0], target_values.widest))
        contenders = pd.concat(frames, ignore_index=True)
        if min(self.sample.class_counts()) > 1:
            return contenders
        # The noise of a class with a single row is not known, so no model can be excluded.
        not_known = dict.fromkeys(("low", "short", "positives", "positives_low", "positives_high"), np.nan)
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
        """The verdict of `noise.verdict` on the models that are compared, "" on fewer than two."""
        rows = self.trusted
        return verdict(self.areas.iloc[rows], self.noise.of(rows), self.ranked) if len(rows) > 1 else ""

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
        in_sentences = self.conventions_in_sentences
        if in_sentences is None:
            return None
        others = self._by_convention([rule for rule in CONVENTIONS if rule not in in_sentences])
        return pd.concat([in_sentences, others], axis=1)[list(CONVENTIONS)]

    @cached_property
    def conventions_in_sentences(self) -> pd.DataFrame | None:
        """The columns of `conventions` that sentences need."""
        return None if self.sample.weight is not None else self._by_convention(("exact", *OTHER_RULES))

    def _by_convention(self, rules: Sequence[str]) -> pd.DataFrame:
        order, scores = self.rankings.order, self.rankings.scores
        areas = self.rankings.of_each(
            lambda model: conventions_of_order(order, model, scores[:, model], rules), range(len(self.models))
        )
        return pd.DataFrame(list(areas), index=self.models)

    @cached_property
    def chance(self) -> pd.DataFrame:
        return chance_levels(self.sample, self.question.seed, max(1, len(self.trusted)))

    @property
    def n_positive(self) -> float:
        """The number of positives, in which a case in several repeats counts once."""
        return self.facts["n_positive"] / max(1, self.facts["n_repeats"])
