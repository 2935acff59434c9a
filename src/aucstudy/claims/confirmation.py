"""The rules of docs/confirmation.md: what a new population says to the answers of the default study.

What a verdict counts for stands in its note: a data set of the default study confirms nothing a second time, it only
says whether the answer depends on the learners. Of a study that has such data and others, the others are judged alone.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import pandas as pd

from aucstudy.claims.flach_kull import more_alike
from aucstudy.claims.verdicts import (
    RESAMPLES,
    SEED,
    Claim,
    Evidence,
    Finding,
    Item,
    Judge,
    Measured,
    Shown,
    Verdict,
    above,
    below,
    every_row,
    found,
    inside,
    joined,
    worded,
)
from aucstudy.experiments import selection
from aucstudy.experiments.conventions import convention_shares
from aucstudy.experiments.downsampling_prevalence_shift import prevalence_shift_table
from aucstudy.experiments.fold_skew import MEAN, POOLED, recommended
from aucstudy.experiments.inputs import RARE_TASKS
from aucstudy.experiments.multiverse_prevalence import by_positives_table
from aucstudy.experiments.noise import noise_table
from aucstudy.learners.datasets import listed
from aucstudy.learners.flows import FLOWS
from aucstudy.store.rejections import Reason
from aucstudy.store.tables import rows_with

FEWEST_GROUPS = 8
SMALL, SMALL_AT_COMMON = 0.01, 0.013  # of F1 and E[FG1]
OF_CEILING, OTHER_WINNERS = 10, 25  # per cent
CLOSED = 90  # per cent of the gap
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
    """selection_tasks.csv with the columns that are measured and not kept, which no rule reads."""
    return by_task.reindex(columns=[*by_task, *selection.RANKS, *selection.SPREADS], fill_value=0.0)


NO_SWAPS = pd.DataFrame(columns=["task_id", "first", "second", "real"])
# by table of a rule: the table by task that it is made of, and how
MADE_OF: dict[str, tuple[str, Callable[[pd.DataFrame], pd.DataFrame]]] = {
    "selection": ("selection_tasks", lambda rows: selection.matrix_table(_with_ranks(rows), RESAMPLES, SEED)),
    "selection_primary": (
        "selection_tasks",
        lambda rows: selection.primary_table(_with_ranks(rows), RESAMPLES, SEED),
    ),
    "selection_strata": ("selection_tasks", lambda rows: selection.strata_table(_with_ranks(rows))),
    "prevalence": ("disagreement_tasks", partial(by_positives_table, resamples=RESAMPLES, seed=SEED)),
    "disagreement_tasks": ("disagreement_tasks", lambda by_task: by_task),
    "noise": ("noise_tasks", partial(noise_table, swaps=NO_SWAPS)),
    "prevalence_shift": ("prevalence_shift_tasks", prevalence_shift_table),
    "conventions": ("conventions_tasks", convention_shares),
}


@dataclass(frozen=True)
class SomeTasks(Evidence):
    task_ids: frozenset[str] = frozenset()

    def table(self, name: str) -> pd.DataFrame | None:
        by_task, remake = MADE_OF[name]
        rows, tasks, committed = map(super().table, (by_task, "tasks", name))
        if rows is None or committed is None:
            return None
        facts = tasks[["task_id", *(name for name in TASK_FACTS if name not in rows)]]
        remaining = rows[rows["task_id"].isin(self.task_ids)].merge(facts, on="task_id")
        table = remake(remaining) if len(remaining) else remaining
        return table if len(table) else committed.head(0)  # which has the columns


def _population(evidence: Evidence, table: str) -> tuple[str, Evidence, dict[str, int]]:
    """What a study's verdict on a table counts for: a kind, the evidence of that kind, the source groups in it."""
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
    """What a note says where simulated tasks were left out, which was decided after the rules."""
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


def _judge(claim: Claim, rule: Judge, table: str) -> Finding:
    kind, evidence, facts = _population(claim.evidence, table)
    finding = found(rule, replace(claim, evidence=evidence, absence="table"))
    if finding.verdict is Verdict.NOT_AVAILABLE:
        return finding
    counts_for = worded("population", kind, table=table, **facts) + _simulated(claim.evidence)
    n_groups = finding.n_groups
    groups = "" if n_groups is None else f"{n_groups} source groups"
    note = joined(finding.note, groups, counts_for)
    too_few = n_groups is None or n_groups < FEWEST_GROUPS or finding.verdict is Verdict.TOO_FEW_DATA
    verdict = Verdict.TOO_FEW_DATA if too_few else WORDS[finding.verdict][kind in EXPLORATORY_KINDS]
    return Finding(verdict, finding.items, note)


def _over_folds(claim: Claim) -> tuple[str, dict[str, tuple[int, int]], list[Item]]:
    """The aggregate to use, at how many cuts each mean is better and worse than pooling, and these counts as items."""
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


HALVES = {"design": "halves"}
COMMON_TASKS = {"stratification": "prevalence", "stratum": "0.1 or more", "utility": "f1"}
CHOICES = {**HALVES, "tasks": "all"}
BY_POSITIVES = {"scope": "by positives", "positives": "many minus few", "top": 1}
JOINT = ("simultaneous_low", "simultaneous_high")

MEASURED = {
    "C1": every_row(
        "selection_primary",
        inside(SMALL),
        *(
            {**HALVES, "first": "auprg", "second": "aupr", "utility": utility}
            for utility in ("f1", "expected_fg1")
        ),
        column="difference",
        interval=JOINT,
    ),
    "C2": every_row(
        "prevalence",
        below(0),
        *({**BY_POSITIVES, "first": area, "second": "auroc"} for area in ("aupr", "auprg")),
        factor=100,
    ),
    "C4": every_row(
        "noise",
        below(OF_CEILING),
        {"first": "aupr", "second": "auprg", "top": 1, "quantity": "of_ceiling"},
        factor=100,
    ),
    "C7": every_row(
        "noise_pairs", below(0), {"tasks": RARE_TASKS, "quantity": "aupr only minus auroc only"}, factor=100
    ),
    "C8": every_row(
        "conventions", above(OTHER_WINNERS), {"rival": "any", "top": 1, "split": "all"}, factor=100
    ),
    # the table has every chooser minus AUROC, and the rule is about AUROC minus AUPR
    "C9": Measured(
        "selection",
        [
            Shown({**CHOICES, "chooser": "aupr", "utility": "f2"}, above(0), "difference", factor=-1),
            Shown(
                {**CHOICES, "chooser": "average_precision", "utility": "recall_at_90"}, above(0), "difference"
            ),
        ],
    ),
    "C10": every_row(
        "selection_strata",
        inside(SMALL_AT_COMMON),
        *(
            {**COMMON_TASKS, "first": first, "second": second}
            for first, second in (("auprg", "aupr"), ("aupr", "auroc"), ("auprg", "auroc"))
        ),
        column="difference",
    ),
}
# each with the table that it reads
RULES: dict[str, tuple[str, Judge]] = {
    **{name: (rule.table, rule) for name, rule in MEASURED.items()},
    "C3": ("disagreement_tasks", partial(more_alike, margin=above(0))),
    "C5": ("fold_skew_aggregates", _pooling),
    "C6": ("prevalence_shift", _corrected),
    "C11": ("fold_skew_aggregates", _pooling_is_better),
}
JUDGES: dict[str, Judge] = {
    name: partial(_judge, table=table, rule=rule) for name, (table, rule) in RULES.items()
}
