"""The rules of docs/confirmation.md: what a new population says to the answers of the default study.

Every rule reads the table that it names, whatever the study. What its verdict counts for stands in the note: a data set
of the default study confirms nothing a second time, it only says whether the answer depends on the learners.
"""

from collections.abc import Callable
from decimal import Decimal
from typing import NamedTuple

import pandas as pd

from aucstudy.claims import flach_kull
from aucstudy.claims.estimates import item_of
from aucstudy.claims.verdicts import (
    Evidence,
    Finding,
    Item,
    Judge,
    Verdict,
    measured,
    not_available,
    shifted,
    within,
)
from aucstudy.experiments.fold_skew import MEAN, MEAN_MOVED, MEAN_NORMALISED, POOLED, recommended
from aucstudy.experiments.noise import RARE_TASKS
from aucstudy.learners.datasets import listed
from aucstudy.learners.flows import FLOWS

FEWEST_GROUPS = 8
SMALL, SMALL_AT_COMMON = 0.01, 0.013  # of F1 and E[FG1]
OF_CEILING, OTHER_WINNERS = 10, 25  # per cent
CLOSED = 90  # per cent of the gap
NEW_DATA, OTHER_LEARNERS, EXPLORATORY = "new data", "other learners", "exploratory"
OVER_FOLDS = {
    MEAN: "mean AUPR",
    MEAN_NORMALISED: "mean AUCNPR",
    MEAN_MOVED: "mean AUPR at one prevalence",
}
WORDS = {
    Verdict.SUPPORTS: (Verdict.CONFIRMED, Verdict.EXPLORATORY_CONFIRMED),
    Verdict.CONTRADICTS: (Verdict.CONTRADICTED, Verdict.EXPLORATORY_CONTRADICTED),
    Verdict.UNDECIDED: (Verdict.OPEN, Verdict.EXPLORATORY_OPEN),
}


class Population(NamedTuple):
    """What a study's verdicts count for."""

    what: str
    kind: str

    @property
    def exploratory(self) -> bool:
        """Whether the rules were read off these data."""
        return self.what == EXPLORATORY


class NoRow(Exception):
    """A row that a rule needs is not in its table, for want of tasks."""


class NoTable(Exception):
    """The table that a rule needs is not made in this study."""


def population_of(evidence: Evidence) -> Population:
    """Whether the rules were read off these data, with these learners, and how many source groups are new.

    Without new source groups or other learners than the packaged ones a study is exploratory. So is one that mixes
    them with those of the default study, for its tables do not tell them apart.
    """
    groups = set(evidence.table("tasks")["source_group"])
    known = groups & {row.source_group for row in listed().values() if row.default}
    new = len(groups - known)
    if not known:
        return Population(NEW_DATA, f"{NEW_DATA}: none of the {new} source groups is in the default study")
    others = f" and on {new} that are not in it" if new else ""
    if _other_learners(evidence):
        return Population(
            OTHER_LEARNERS, f"{OTHER_LEARNERS} on {len(known)} source groups of the default study{others}"
        )
    return Population(EXPLORATORY, f"the rules were read off {len(known)} of its {len(groups)} source groups")


def _other_learners(evidence: Evidence) -> bool:
    """Whether a best model of some task is of none of the packaged flows."""
    by_task = evidence.table("disagreement_tasks")
    if by_task is None:
        return False
    best = by_task[["task_id", "best_first"]].drop_duplicates().itertuples(index=False)
    runs = ((task, run) for task, tied in best for run in tied.split("|"))
    return any(run.removeprefix(f"{task}.") not in FLOWS for task, run in runs)


def _rule(judge: Callable[[Evidence], tuple[Finding, int]]) -> Judge:
    """A judge in the words of confirmation.

    Parameters
    ----------
    judge : the finding in the words of measured claims, and the least number of source groups behind one of its rows.
    """

    def judged(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
        population = population_of(evidence)
        try:
            finding, n_groups = judge(evidence)
        except NoTable as name:
            return not_available(f"{name}.csv is not made in this study")
        except NoRow as missing:
            return Finding(Verdict.TOO_FEW_DATA, note=f"{missing}; {population.kind}")
        note = "; ".join(filter(None, (finding.note, f"{n_groups} source groups", population.kind)))
        too_few = n_groups < FEWEST_GROUPS or finding.verdict is Verdict.TOO_FEW_DATA
        verdict = Verdict.TOO_FEW_DATA if too_few else WORDS[finding.verdict][population.exploratory]
        return Finding(verdict, finding.items, note)

    return judged


def _row(evidence: Evidence, name: str, **where: object) -> pd.Series:
    rows = evidence.table(name)
    if rows is None:
        raise NoTable(name)
    for column, value in where.items():
        rows = rows[rows[column] == value]
    if rows.empty:
        raise NoRow(f"{name}.csv has no row with {', '.join(map(str, where.values()))}")
    return rows.iloc[0]


def _judged(
    named: dict[str, pd.Series],
    margin: Callable[[Item], Item],
    estimate: str = "estimate",
    factor: float = 1.0,
):
    """The finding that the margin of every row is positive, and the least number of source groups behind one."""
    items = [item_of(name, row, estimate, factor) for name, row in named.items()]
    groups = min(int(row["n_groups"]) for row in named.values())
    return measured(items, [margin(item) for item in items], n_groups=groups), groups


def _below(bound: float) -> Callable[[Item], Item]:
    return lambda item: shifted(item, bound, -1)


def _above(bound: float) -> Callable[[Item], Item]:
    return lambda item: shifted(item, bound)


def _inside(bound: float) -> Callable[[Item], Item]:
    return lambda item: within(item, bound)


def _either_choice(evidence: Evidence) -> tuple[Finding, int]:
    names = {"AUPRG's choice minus AUPR's, F1": "f1", "AUPRG's choice minus AUPR's, E[FG1]": "expected_fg1"}
    contrast = {"design": "halves", "first": "auprg", "second": "aupr"}
    rows = {name: _row(evidence, "selection_primary", **contrast, utility=u) for name, u in names.items()}
    jointly = {"simultaneous_low": "low", "simultaneous_high": "high"}
    rows = {name: row.drop(["low", "high"]).rename(jointly) for name, row in rows.items()}
    return _judged(rows, _inside(SMALL), "difference")


def _many_positives(evidence: Evidence) -> tuple[Finding, int]:
    contrast = {"scope": "by positives", "positives": "many minus few", "top": 1}
    rows = {
        f"many minus few positives, {first.upper()}-AUROC": _row(
            evidence, "prevalence", **contrast, first=first, second="auroc"
        )
        for first in ("aupr", "auprg")
    }
    return _judged(rows, _below(0), factor=100)


def _more_alike(evidence: Evidence) -> tuple[Finding, int]:
    groups = evidence.table("disagreement_tasks")
    if groups is None:
        raise NoTable("disagreement_tasks")
    (item,) = flach_kull.JUDGES["FK-alike"](evidence, {}).items
    n_groups = groups["source_group"].nunique()
    return measured([item], [item], n_groups=n_groups), n_groups


def _noise(evidence: Evidence) -> tuple[Finding, int]:
    row = _row(evidence, "noise", first="aupr", second="auprg", top=1, quantity="of_ceiling")
    return _judged({"excess of halves, of its ceiling": row}, _below(OF_CEILING), factor=100)


def _over_folds(evidence: Evidence) -> tuple[str, dict[str, tuple[int, int]], int]:
    """The named aggregate of folds, by mean the cuts where it beats and loses to pooling, the source groups."""
    row = _row(evidence, "fold_skew_aggregates", area="aupr", standard="other half", aggregate=MEAN)
    used, counts = recommended(evidence.table("fold_skew_aggregates"))
    return used, counts, int(row["n_groups"])


def _cuts(counts: dict[str, tuple[int, int]]) -> list[Item]:
    return [
        Item(f"cuts where {OVER_FOLDS[mean]} is {word}", count)
        for mean, both in counts.items()
        for word, count in zip(("better", "worse"), both, strict=True)
    ]


def _pooling(evidence: Evidence) -> tuple[Finding, int]:
    used, counts, n_groups = _over_folds(evidence)
    verdict = Verdict.SUPPORTS if used == POOLED else Verdict.CONTRADICTS
    return Finding(verdict, _cuts(counts), f"named: {OVER_FOLDS.get(used, used)}"), n_groups


def _pooling_is_better(evidence: Evidence) -> tuple[Finding, int]:
    _, counts, n_groups = _over_folds(evidence)
    verdict = Verdict.UNDECIDED
    if all(worse and not better for better, worse in counts.values()):
        verdict = Verdict.SUPPORTS
    elif any(better and not worse for better, worse in counts.values()):
        verdict = Verdict.CONTRADICTS
    return Finding(verdict, _cuts(counts)), n_groups


def _corrected(evidence: Evidence) -> tuple[Finding, int]:
    rows = {
        name: _row(evidence, "prevalence_shift", ratio="1:1", area="aupr", estimator=name)
        for name in ("corrected", "moved")
    }
    items = [
        Item(f"gap closed, {name}", 100 * row["gap_closed"], n=int(row["n_tasks"]))
        for name, row in rows.items()
    ]
    corrected, moved = (item.here for item in items)
    verdict = Verdict.CONTRADICTS if moved > corrected else Verdict.UNDECIDED
    if corrected > max(CLOSED, moved):
        verdict = Verdict.SUPPORTS
    return Finding(verdict, items), int(rows["moved"]["n_groups"])


def _told_apart(evidence: Evidence) -> tuple[Finding, int]:
    row = _row(evidence, "noise_pairs", tasks=RARE_TASKS, quantity="aupr only minus auroc only")
    return _judged({"only AUPR minus only AUROC tells apart": row}, _below(0), factor=100)


def _tools(evidence: Evidence) -> tuple[Finding, int]:
    row = _row(evidence, "conventions", rival="any", top=1, split="all")
    return _judged({"another best model by some rule": row}, _above(OTHER_WINNERS), factor=100)


def _own_utility(evidence: Evidence) -> tuple[Finding, int]:
    place = {"design": "halves", "tasks": "all"}
    f2 = _row(evidence, "selection", **place, chooser="aupr", utility="f2")
    retrieved = _row(evidence, "selection", **place, chooser="average_precision", utility="recall_at_90")
    # the table has every chooser minus AUROC, and the rule wants AUROC minus AUPR
    turned = f2.copy()
    turned[["difference", "low", "high"]] = -f2[["difference", "high", "low"]].to_numpy()
    rows = {
        "AUROC's choice minus AUPR's, F2": turned,
        "AP's choice minus AUROC's, recall at precision .9": retrieved,
    }
    return _judged(rows, _above(0), "difference")


def _costs_little(evidence: Evidence) -> tuple[Finding, int]:
    place = {"stratification": "prevalence", "stratum": "0.1 or more", "utility": "f1"}
    rows = {
        f"{first.upper()}'s choice minus {second.upper()}'s, F1": _row(
            evidence, "selection_strata", **place, first=first, second=second
        )
        for first, second in (("auprg", "aupr"), ("aupr", "auroc"), ("auprg", "auroc"))
    }
    return _judged(rows, _inside(SMALL_AT_COMMON), "difference")


JUDGES: dict[str, Judge] = {
    "C1": _rule(_either_choice),
    "C2": _rule(_many_positives),
    "C3": _rule(_more_alike),
    "C4": _rule(_noise),
    "C5": _rule(_pooling),
    "C6": _rule(_corrected),
    "C7": _rule(_told_apart),
    "C8": _rule(_tools),
    "C9": _rule(_own_utility),
    "C10": _rule(_costs_little),
    "C11": _rule(_pooling_is_better),
}
