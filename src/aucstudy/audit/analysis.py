"""The analysis behind an audit, from the scores of several models for the same rows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from aucstudy import __version__
from aucstudy.audit.cautions import cautions_of
from aucstudy.audit.details import detail_findings
from aucstudy.audit.findings import Finding
from aucstudy.audit.noise import accepted_shares, row_noise
from aucstudy.audit.rankings import THREADED_FROM, Rankings
from aucstudy.audit.results import Question, Results
from aucstudy.audit.text import Said, module_of, records, sentences
from aucstudy.audit.verdict import verdict_findings
from aucstudy.errors import InputError
from aucstudy.metrics.inputs import leveled_weights
from aucstudy.metrics.registry import labels
from aucstudy.metrics.uncertainty.sample import Sample
from aucstudy.reading.prediction_tables import ScoredTable
from aucstudy.statistics.best import target_values_of

MOST_MODELS = 1000  # Every pair is compared, which takes a minute or two for so many models.


@dataclass(frozen=True)
class Analysis(Results):
    """The results for a table of predictions, with what was found and how it is said."""

    notes: tuple[Finding, ...] = ()  # what was found about the columns

    @cached_property
    def cautions(self) -> list[Finding]:
        cautions = cautions_of(
            self.table, self.rankings, self.areas, cases=self.sample.cases, inverted=self.inverted
        )
        # With a requested prevalence, every fold is weighted to it, too.
        return [
            caution for caution in cautions if not (self.question.prevalence and caution.kind == "uneven")
        ]

    @cached_property
    def findings(self) -> list[Finding]:
        """Everything that the sentences say, and that the JSON lists."""
        return [*self.notes, *self.verdict_findings, *detail_findings(self), *self.cautions]

    @cached_property
    def verdict_findings(self) -> list[Finding]:
        return list(verdict_findings(self))

    def said(self, name: str = "", *, html: bool = False, details: bool = True) -> Said:
        """The sentences about the data called `name`. In HTML, long names are shortened.

        Without `details` they are those on the columns, the verdict and the warnings, and nothing else is computed.
        """
        words, facts = module_of("analysis.j2", html=html), self._facts_in_words
        findings = self.findings if details else [*self.notes, *self.verdict_findings, *self.cautions]
        return Said(
            words.headline(name, facts),
            words.lead(facts),
            sentences("analysis.j2", findings, html=html),
            verdict_heading=words.verdict_heading(facts),
            choice=self.table.choice(for_intervals=True),
        )

    @property
    def _facts_in_words(self) -> dict[str, Any]:
        facts = self.facts
        return facts | {
            "has_several_models": facts["n_models"] > 1,
            "has_questions": bool(self.notes),
            "has_uneven_repeats": facts["n"] != facts["n_cases"] * facts["n_repeats"],
        }

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
            "findings": [finding.as_json() for finding in self.findings],
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


def analyse(table: ScoredTable, question: Question | None = None, notes: Sequence[Finding] = ()) -> Analysis:
    """Analyse the models of a table. If several rows belong to one case, whole cases are halved.

    `notes` are findings about the columns, which are said before everything else.

    InputError is raised if there is only one class, if there are more than MOST_MODELS models, if a class
    lies in one group, if the largest weights of the classes are too far apart, or if a case has two labels.
    With a target metric it is also raised if a class has a single row, or if the target metric looks at more
    rows than there are, and if none of the metrics that rank can be estimated.
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
    analysis = Analysis(
        question, table, sample, rankings, noise, target_values, operating_points, tuple(notes)
    )
    if not analysis.ranked:
        names = " and ".join(labels()[key] for key in question.metrics)
        raise InputError(f"{names}: cannot be estimated from so few positives; another --metric is needed")
    return analysis


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
