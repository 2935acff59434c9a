"""The rules of docs/confirmation.md, which judge answers of the default study by a new study.

The note of a verdict says what the verdict counts for. A data set of the default study confirms nothing a
second time, but only shows whether the answer depends on the learners. If a study has such data and new data,
the new data are judged alone where their tables can be made again.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

from aucstudy.claims.flach_kull import more_alike
from aucstudy.claims.measured import measured_claims
from aucstudy.claims.verdicts import (
    RESAMPLES,
    SEED,
    Claim,
    Evidence,
    Finding,
    Item,
    Judge,
    Verdict,
    above,
    below,
    bootstrapped,
    found,
    joined,
    measured,
    worded,
)
from aucstudy.experiments import selection
from aucstudy.experiments.conventions import convention_shares
from aucstudy.experiments.downsampling_prevalence_shift import prevalence_shift_table
from aucstudy.experiments.fold_skew import MEAN, POOLED, recommended
from aucstudy.experiments.noise import noise_table
from aucstudy.learners.datasets import listed
from aucstudy.learners.flows import FLOWS
from aucstudy.store.rejections import Reason
from aucstudy.store.tables import TooFewRows, rows_with

RULE = re.compile(r"C\d+")
FEWEST_GROUPS = 8
CLOSED = 90  # per cent of the gap
MANY_POSITIVES = 100
NEW_DATA, NEW_DATA_ALONE, NOT_TOLD_APART = "new data", "new data alone", "not told apart"
OTHER_LEARNERS, EXPLORATORY = "other learners", "exploratory"
EXPLORATORY_KINDS = (EXPLORATORY, NOT_TOLD_APART)
TASK_FACTS = ("source_group", "n_positive", "prevalence")
WORDS = {
    Verdict.SUPPORTS: (Verdict.CONFIRMED, Verdict.EXPLORATORY_CONFIRMED),
    Verdict.CONTRADICTS: (Verdict.CONTRADICTED, Verdict.EXPLORATORY_CONTRADICTED),
    Verdict.UNDECIDED: (Verdict.OPEN, Verdict.EXPLORATORY_OPEN),
}


def _with_ranks(by_task: pd.DataFrame) -> pd.DataFrame:
    """Return selection_tasks.csv with columns of 0 in place of those that are measured but not kept.

    The functions that make the tables expect these columns, but no rule reads them.
    """
    return by_task.reindex(columns=[*by_task, *selection.RANKS, *selection.SPREADS], fill_value=0.0)


NO_SWAPS = pd.DataFrame(columns=["task_id", "first", "second", "real"])
# For each table of a rule: the table with rows for each task of which it is made, and the function that makes
# it.
MADE_OF: dict[str, tuple[str, Callable[[pd.DataFrame], pd.DataFrame]]] = {
    "selection": ("selection_tasks", lambda rows: selection.matrix_table(_with_ranks(rows), RESAMPLES, SEED)),
    "selection_primary": (
        "selection_tasks",
        lambda rows: selection.primary_table(_with_ranks(rows), RESAMPLES, SEED),
    ),
    "selection_strata": ("selection_tasks", lambda rows: selection.strata_table(_with_ranks(rows))),
    "disagreement_tasks": ("disagreement_tasks", lambda by_task: by_task),
    "noise": ("noise_tasks", partial(noise_table, swaps=NO_SWAPS)),
    "prevalence_shift": ("prevalence_shift_tasks", prevalence_shift_table),
    "conventions": ("conventions_tasks", convention_shares),
}


@dataclass(frozen=True)
class SomeTasks(Evidence):
    task_ids: frozenset[str] = frozenset()

    def table(self, name: str) -> pd.DataFrame | None:
        tasks = super().table("tasks")
        if name == "tasks":
            return tasks[tasks["task_id"].isin(self.task_ids)]
        by_task, remake = MADE_OF[name]
        rows, committed = map(super().table, (by_task, name))
        if rows is None or committed is None:
            return None
        remaining = with_facts(rows[rows["task_id"].isin(self.task_ids)], tasks)
        table = remake(remaining) if len(remaining) else remaining
        return table if len(table) else committed.head(0)  # This empty table has the columns.


def with_facts(by_task: pd.DataFrame, tasks: pd.DataFrame) -> pd.DataFrame:
    """Return a table by task with those facts of `TASK_FACTS` that it lacks, from tasks.csv."""
    facts = [name for name in TASK_FACTS if name not in by_task]
    return by_task.merge(tasks[["task_id", *facts]], on="task_id")


def _population(evidence: Evidence, table: str) -> tuple[str, Evidence, dict[str, int]]:
    """Return what a study's verdict on a table counts for.

    These are a kind of population, the evidence to be judged, and the numbers of known and new source groups.
    """
    tasks = evidence.table("tasks")
    groups = set(tasks["source_group"])
    known_groups = groups & {row.source_group for row in listed().values() if row.default}
    facts = {"known": len(known_groups), "new": len(groups - known_groups)}
    if not known_groups:
        return NEW_DATA, evidence, facts
    if groups == known_groups:
        return OTHER_LEARNERS if _other_learners(evidence) else EXPLORATORY, evidence, facts
    if table not in MADE_OF:
        return NOT_TOLD_APART, evidence, facts
    new_tasks = tasks.loc[~tasks["source_group"].isin(known_groups), "task_id"]
    return NEW_DATA_ALONE, SomeTasks(**vars(evidence), task_ids=frozenset(new_tasks)), facts


def _simulated(evidence: Evidence) -> str:
    """Return what a note says if simulated tasks were left out, or an empty text.

    It was decided after the rules were written that they are left out.
    """
    rejections = evidence.table("rejections")
    left_out = 0 if rejections is None else int((rejections["reason"] == Reason.SIMULATED).sum())
    return worded("population", "simulated", n=left_out) if left_out else ""


def _other_learners(evidence: Evidence) -> bool:
    by_task = evidence.table("disagreement_tasks")
    if by_task is None:
        return False
    best = by_task[["task_id", "best_first"]].drop_duplicates().itertuples(index=False)
    runs = ((task, run) for task, tied in best for run in tied.split("|"))
    return any(run.removeprefix(f"{task}.") not in FLOWS for task, run in runs)


def _judge(claim: Claim, rule: Judge, table: str) -> Finding | None:
    kind, evidence, facts = _population(claim.evidence, table)
    finding = found(rule, replace(claim, evidence=evidence))
    if finding is None or finding.verdict is Verdict.FAILED:
        return finding
    counts_for = worded("population", kind, table=table, **facts) + _simulated(claim.evidence)
    n_groups = finding.n_groups
    groups = "" if n_groups is None else f"{n_groups} source groups"
    note = joined(finding.note, groups, counts_for)
    too_few = n_groups is None or n_groups < FEWEST_GROUPS or finding.verdict is Verdict.TOO_FEW_DATA
    verdict = Verdict.TOO_FEW_DATA if too_few else WORDS[finding.verdict][kind in EXPLORATORY_KINDS]
    return Finding(verdict, finding.items, note)


def _many_minus_few(claim: Claim) -> Finding:
    """Judge whether AUPR and AUPRG disagree with AUROC less often on tasks with many positives.

    The rule calls the table of this comparison `prevalence`. Raises TooFewRows if all tasks have many
    positives or none has.
    """
    items = []
    for name, first in zip(claim.names, ("aupr", "auprg"), strict=True):
        pair = claim.rows("disagreement_tasks", first=first, second="auroc")
        pair = with_facts(pair, claim.table("tasks"))
        has_many = (pair["n_positive"] >= MANY_POSITIVES).to_numpy()
        if has_many.all() or not has_many.any():
            raise TooFewRows("prevalence", "by positives", "many minus few", 1, first, "auroc")
        differs = pair["p_best_differs"].to_numpy(dtype=float)

        def share(weights: np.ndarray, kind: np.ndarray, differs: np.ndarray = differs) -> np.ndarray:
            with np.errstate(invalid="ignore", divide="ignore"):  # A resample may hold no task of the kind.
                return weights[:, kind] @ differs[kind] / weights[:, kind].sum(axis=1)

        def difference(weights: np.ndarray, has_many: np.ndarray = has_many) -> np.ndarray:
            return 100 * (share(weights, has_many) - share(weights, ~has_many))

        items.append(bootstrapped(name, difference, pair["source_group"]))
    return measured(items, [below(0)(item) for item in items])


def _over_folds(claim: Claim) -> tuple[str, dict[str, tuple[int, int]], list[Item]]:
    """Return the recommended aggregate, the counts for each mean over folds, and these counts as items.

    The counts say at how many ways to make folds the mean is better and worse than pooling.
    """
    table = claim.rows("fold_skew_aggregates")
    row = rows_with(table, "fold_skew_aggregates", area="aupr", standard="other half", aggregate=MEAN).iloc[0]
    aggregate, counts = recommended(table)
    items = claim.numbers(
        *(count for both in counts.values() for count in both), n_groups=int(row["n_groups"])
    )
    return aggregate, counts, items


def _pooling(claim: Claim) -> Finding:
    aggregate, _, items = _over_folds(claim)
    verdict = Verdict.SUPPORTS if aggregate == POOLED else Verdict.CONTRADICTS
    return Finding(verdict, items, claim.note(aggregate))


def _pooling_is_better(claim: Claim) -> Finding:
    _, counts, items = _over_folds(claim)
    verdict = Verdict.UNDECIDED
    if all(worse and not better for better, worse in counts.values()):
        verdict = Verdict.SUPPORTS
    elif any(better and not worse for better, worse in counts.values()):
        verdict = Verdict.CONTRADICTS
    return Finding(verdict, items)


def _corrected(claim: Claim) -> Finding:
    shift = partial(claim.row, "prevalence_shift", known=["gap_closed"])
    rows = [shift(ratio="1:1", area="aupr", estimator=estimator) for estimator in ("corrected", "moved")]
    items = [
        Item(name, 100 * row["gap_closed"], n=int(row["n_tasks"]), n_groups=int(row["n_groups"]))
        for name, row in zip(claim.names, rows, strict=True)
    ]
    closed_by_corrected, closed_by_moved = (item.here for item in items)
    verdict = Verdict.CONTRADICTS if closed_by_moved > closed_by_corrected else Verdict.UNDECIDED
    if closed_by_corrected > max(CLOSED, closed_by_moved):
        verdict = Verdict.SUPPORTS
    return Finding(verdict, items)


# Each rule has the table that it reads and its judge.
RULES: dict[str, tuple[str, Judge]] = {
    **{name: (rule.table, rule) for name, rule in measured_claims().items() if RULE.fullmatch(name)},
    "C2": ("disagreement_tasks", _many_minus_few),
    "C3": ("disagreement_tasks", partial(more_alike, margin=above(0))),
    "C5": ("fold_skew_aggregates", _pooling),
    "C6": ("prevalence_shift", _corrected),
    "C11": ("fold_skew_aggregates", _pooling_is_better),
}
JUDGES: dict[str, Judge] = {
    name: partial(_judge, table=table, rule=rule) for name, (table, rule) in RULES.items()
}
