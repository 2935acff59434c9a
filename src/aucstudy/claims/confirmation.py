"""The rules of docs/confirmation.md, which judge answers of the default study by a new study.

The note of a verdict says what the verdict counts for. A data set of the default study confirms nothing a
second time, but only shows whether the answer depends on the learners. If a study has such data and new data,
the new data are judged alone.
"""

from dataclasses import replace

import pandas as pd

from aucstudy.claims.verdicts import (
    Claim,
    Evidence,
    Finding,
    Item,
    Judge,
    Verdict,
    closed_gap,
    found,
    joined,
)
from aucstudy.learners.default_study import known_groups
from aucstudy.store.estimates import NEW
from aucstudy.store.tables import rows_with

FEWEST_GROUPS = 8
CLOSED = 90  # per cent of the gap
NEW_DATA, NEW_DATA_ALONE = "new data", "new data alone"
OTHER_LEARNERS, EXPLORATORY = "other learners", "exploratory"
# What the note of a verdict says that it counts for.
COUNTS_FOR = {
    NEW_DATA: "The data are new: none of the {new} source groups is in the default study",
    NEW_DATA_ALONE: (
        "The data are its {new} source groups that are not in the default study, without the {known} that are"
    ),
    OTHER_LEARNERS: "There are other learners on {known} source groups of the default study",
    EXPLORATORY: "The rules were read off its {known} source groups",
}
# Aggregates of folds, as fold_skew.py calls them.
POOLED, MEANS = "pooled", ("mean", "mean AUCNPR", "mean at one prevalence")
# How much better the model is that a mean over folds chooses than the one that pooling chooses.
CHOICES_OVER_POOLING = {"quantity": "aupr: area of the winner", "target": "other half", "second": POOLED}
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
    left_out = 0 if rejections is None else int((rejections["reason"] == "simulated").sum())
    if not left_out:
        return ""
    # The rules were first judged on all 340 tasks of the wide table, in 247 groups.
    return f"; {left_out} simulated tasks were left out and source groups joined after the rule was written"


def _other_learners(evidence: Evidence) -> bool:
    from aucstudy.learners.flows import FLOWS  # Only a study on the data of the default study needs it.

    by_task = evidence.table("disagreement_tasks")
    if by_task is None:
        return False
    best = by_task[["task_id", "best_first"]].drop_duplicates().itertuples(index=False)
    runs = ((task, run) for task, tied in best for run in tied.split("|"))
    return any(run.removeprefix(f"{task}.") not in FLOWS for task, run in runs)


def judged_as_written(claim: Claim, rule: Judge) -> Finding | None:
    """Return what a study finds on a rule, with a note that says what the verdict counts for."""
    kind, part, facts = _population(claim.evidence)
    finding = found(rule, replace(claim, part=part))
    if finding is None or finding.verdict is Verdict.FAILED:
        return finding
    counts_for = f"{COUNTS_FOR[kind].format(**facts)}{_simulated(claim.evidence)}."
    n_groups = finding.n_groups
    groups = "" if n_groups is None else f"The numbers rest on {n_groups} source groups."
    note = joined(finding.note, groups, counts_for)
    too_few = n_groups is None or n_groups < FEWEST_GROUPS or finding.verdict is Verdict.TOO_FEW_DATA
    verdict = Verdict.TOO_FEW_DATA if too_few else WORDS[finding.verdict][kind == EXPLORATORY]
    return replace(finding, verdict=verdict, note=note)


def _over_folds(claim: Claim) -> tuple[str, dict[str, tuple[int, int]], list[Item]]:
    """Return the recommended aggregate, the counts for each mean over folds, and these counts as items.

    The counts say at how many ways to make folds the mean is better and worse than pooling.
    """
    table = claim.estimates("fold_skew", **CHOICES_OVER_POOLING)
    aggregate, counts = recommended(table)
    n_groups = int(table[table["first"] == MEANS[0]].iloc[0]["n_sources"])
    items = claim.numbers(*(count for both in counts.values() for count in both), n_groups=n_groups)
    return aggregate, counts, items


def recommended(table: pd.DataFrame) -> tuple[str, dict[str, tuple[int, int]]]:
    """Return the recommended aggregate and at how many cuts each mean is better and worse than pooling.

    `table` are the estimates of `CHOICES_OVER_POOLING`. A mean is better (worse) at a cut if the AUPR of its best
    model on the other half is higher (lower) than that of pooling's best model, by the 95 % interval. Only cuts with
    unequal class ratios count. Of the means that are better at some cut and worse at none, the one with the
    largest mean difference is recommended. If there is no such mean, pooling is recommended. TooFewRows is
    raised if no such cut was judged.
    """
    uneven = table[table["at"] != 0]
    choice = {mean: rows_with(uneven, "estimates", first=mean) for mean in MEANS}
    counts = {mean: (int(sum(rows["low"] > 0)), int(sum(rows["high"] < 0))) for mean, rows in choice.items()}
    winning = [mean for mean, (better, worse) in counts.items() if better and not worse]
    return max(winning, key=lambda mean: choice[mean]["estimate"].mean(), default=POOLED), counts


def pooling(claim: Claim) -> Finding:
    aggregate, _, items = _over_folds(claim)
    verdict = Verdict.SUPPORTS if aggregate == POOLED else Verdict.CONTRADICTS
    return Finding(verdict, items, claim.note(aggregate))


def pooling_is_better(claim: Claim) -> Finding:
    _, counts, items = _over_folds(claim)
    verdict = Verdict.UNDECIDED
    if all(worse and not better for better, worse in counts.values()):
        verdict = Verdict.SUPPORTS
    elif any(better and not worse for better, worse in counts.values()):
        verdict = Verdict.CONTRADICTS
    return Finding(verdict, items)


def corrected(claim: Claim) -> Finding:
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
