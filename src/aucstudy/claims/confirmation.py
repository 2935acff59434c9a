"""The rules of docs/confirmation.md, which judge answers of the default study by a new study.

The note of a verdict says what the verdict counts for. A data set of the default study confirms nothing a
second time, but only shows whether the answer depends on the learners. If a study has such data and new data,
the new data are judged alone.
"""

import re
from dataclasses import replace
from functools import partial

from aucstudy.claims.flach_kull import more_alike
from aucstudy.claims.measured import measured_claims
from aucstudy.claims.verdicts import (
    Claim,
    Evidence,
    Finding,
    Item,
    Judge,
    Verdict,
    above,
    below,
    closed_gap,
    found,
    item_of,
    joined,
    measured,
    worded,
)
from aucstudy.estimates import NEW, known_groups
from aucstudy.experiments.fold_skew import CHOICES_OVER_POOLING, MEAN, POOLED, recommended
from aucstudy.learners.flows import FLOWS
from aucstudy.store.rejections import Reason

RULE = re.compile(r"C\d+")
FEWEST_GROUPS = 8
CLOSED = 90  # per cent of the gap
NEW_DATA, NEW_DATA_ALONE = "new data", "new data alone"
OTHER_LEARNERS, EXPLORATORY = "other learners", "exploratory"
WORDS = {
    Verdict.SUPPORTS: (Verdict.CONFIRMED, Verdict.EXPLORATORY_CONFIRMED),
    Verdict.CONTRADICTS: (Verdict.CONTRADICTED, Verdict.EXPLORATORY_CONTRADICTED),
    Verdict.UNDECIDED: (Verdict.OPEN, Verdict.EXPLORATORY_OPEN),
}


def _population(evidence: Evidence) -> tuple[str, str, dict[str, int]]:
    """Return what a study's verdicts on the rules count for.

    These are a kind of population, the part of the study that is judged, and the numbers of known and new sources.
    """
    groups = set(evidence.table("tasks")["source_group"])
    known = groups & known_groups()
    facts = {"known": len(known), "new": len(groups - known)}
    if not known:
        return NEW_DATA, "", facts
    if groups == known:
        return OTHER_LEARNERS if _other_learners(evidence) else EXPLORATORY, "", facts
    return NEW_DATA_ALONE, NEW, facts


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


def _judge(claim: Claim, rule: Judge) -> Finding | None:
    kind, part, facts = _population(claim.evidence)
    finding = found(rule, replace(claim, part=part))
    if finding is None or finding.verdict is Verdict.FAILED:
        return finding
    counts_for = worded("population", kind, **facts) + _simulated(claim.evidence)
    n_groups = finding.n_groups
    groups = "" if n_groups is None else f"{n_groups} source groups"
    note = joined(finding.note, groups, counts_for)
    too_few = n_groups is None or n_groups < FEWEST_GROUPS or finding.verdict is Verdict.TOO_FEW_DATA
    verdict = Verdict.TOO_FEW_DATA if too_few else WORDS[finding.verdict][kind == EXPLORATORY]
    return Finding(verdict, finding.items, note)


def _many_minus_few(claim: Claim) -> Finding:
    """Judge whether AUPR and AUPRG disagree with AUROC less often on tasks with many positives."""
    contrast = {"subset": "100 or more positives minus under 100", "quantity": "differs", "second": "auroc"}
    rows = [
        claim.estimate("disagreement", first=first, known=["estimate"], **contrast)
        for first in ("aupr", "auprg")
    ]
    items = [item_of(name, row, factor=100) for name, row in zip(claim.names, rows, strict=True)]
    return measured(items, [below(0)(item) for item in items])


def _over_folds(claim: Claim) -> tuple[str, dict[str, tuple[int, int]], list[Item]]:
    """Return the recommended aggregate, the counts for each mean over folds, and these counts as items.

    The counts say at how many ways to make folds the mean is better and worse than pooling.
    """
    table = claim.estimates("fold_skew", **CHOICES_OVER_POOLING)
    aggregate, counts = recommended(table)
    n_groups = int(table[table["first"] == MEAN].iloc[0]["n_sources"])
    items = claim.numbers(*(count for both in counts.values() for count in both), n_groups=n_groups)
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
    left = {"quantity": "part of the gap that is left", "subset": "negatives for every ratio"}
    rows = [
        claim.estimate("downsampling.prevalence_shift", first="aupr", setting="1:1", second=estimator, **left)
        for estimator in ("corrected", "moved")
    ]
    items = [closed_gap(name, row) for name, row in zip(claim.names, rows, strict=True)]
    closed_by_corrected, closed_by_moved = (item.here for item in items)
    verdict = Verdict.CONTRADICTS if closed_by_moved > closed_by_corrected else Verdict.UNDECIDED
    if closed_by_corrected > max(CLOSED, closed_by_moved):
        verdict = Verdict.SUPPORTS
    return Finding(verdict, items)


RULES: dict[str, Judge] = {
    **{name: rule for name, rule in measured_claims().items() if RULE.fullmatch(name)},
    "C2": _many_minus_few,
    "C3": partial(more_alike, margin=above(0)),
    "C5": _pooling,
    "C6": _corrected,
    "C11": _pooling_is_better,
}
JUDGES: dict[str, Judge] = {name: partial(_judge, rule=rule) for name, rule in RULES.items()}
