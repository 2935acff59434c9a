"""What the tables say, in plain sentences whose numbers are taken from the tables."""

from collections.abc import Callable
from dataclasses import dataclass

from aucstudy.area_names import AREA_LABELS
from aucstudy.claims.verdicts import Evidence
from aucstudy.presentation.phrases import percent
from aucstudy.report import findings_disagreement
from aucstudy.report.findings_boyd import (
    downsampling,
    fold_skew,
    prevalence_shift,
    refitting,
    summary_curves,
    task_aggregation,
)
from aucstudy.report.findings_conventions import conventions


@dataclass(frozen=True)
class Section:
    """A section of the first page: `tell` gives its sentences, none where its experiment is switched off."""

    title: str
    tell: Callable[[Evidence], list[str]]
    figures: tuple[str, ...] = ()


def population(evidence: Evidence) -> list[str]:
    """How many tasks and source groups the study holds, and what was left out."""
    tasks, rejections = evidence.table("tasks"), evidence.table("rejections")
    low, high = tasks["prevalence"].min(), tasks["prevalence"].max()
    told = [
        f"{len(tasks)} tasks in {tasks['source_group'].nunique()} groups of data sets that share rows or origin; "
        f"{tasks['n_rows'].sum():,} rows, prevalence {low:.3f} to {high:.3f}."
    ]
    check = evidence.table("server_check")
    if check is not None and check["n_compared"].iloc[0]:
        row = check.iloc[0]
        agree, compared = int(row["n_agree"]), int(row["n_compared"])
        told.append(
            f"AUROC agrees with the one that the server recorded in {agree} of {compared} runs "
            f"({100 * row['share']:.1f} %, largest difference {row['largest_difference']:.1g})."
        )
    for reason, part in rejections.groupby("reason"):
        told.append(
            f"Left out: {len(part)} x {reason} ({', '.join(part['stage'].unique())}), see rejections.csv."
        )
    return told


def disagreement(evidence: Evidence) -> list[str]:
    """The headline shares: how often two areas pick another best model."""
    shares = evidence.table("disagreement")
    if shares is None:
        return []
    told = []
    expected = shares[shares["ties"] == "expected"]
    for (first, second), part in expected.groupby(["first", "second"], sort=False):
        best, three = (part[part["top"] == top].iloc[0] for top in (1, 3))
        if (first, second) == ("aupr", "aucnpr") and best["high"] == 0:
            told.append(
                "AUPR and AUCNPR rank alike in every task: within one, each is an increasing map of the other."
            )
        elif "aucnpr" not in (first, second):
            told.append(
                f"{AREA_LABELS[first]} and {AREA_LABELS[second]} pick another best model in {percent(best)} of "
                f"{best['n_tasks']} tasks, other first three in {percent(three)}."
            )
    return told


SECTIONS = (
    Section("The tasks", population),
    Section(
        "Do the areas pick the same models?",
        disagreement,
        ("rank_heat_map", "quartile_tasks", "flip_pair_curves"),
    ),
    Section("How sure are the shares?", findings_disagreement.multiverse, ("multiverse_shares",)),
    Section("What does cutting the negatives do?", downsampling, ("downsampling",)),
    Section("Can an area be moved between skews?", prevalence_shift, ("prevalence_shift",)),
    Section("And if training sets are cut too?", refitting, ("refitting",)),
    Section("What do folds of unequal skew do?", fold_skew, ("fold_skew",)),
    Section("Does it depend on prevalence?", findings_disagreement.prevalence, ("prevalence_shares",)),
    Section("Which summary curve over folds?", summary_curves, ("summary_curves",)),
    Section("Which flow is best over all tasks?", task_aggregation, ("task_aggregation",)),
    Section("Is the disagreement more than noise?", findings_disagreement.noise, ("noise_halves",)),
    Section("Why do AUPR and AUPRG disagree?", findings_disagreement.decomposition, ("decomposition_steps",)),
    Section("Do the conventions for AUPR pick the same models?", conventions, ("convention_choices",)),
    Section("Whose choice is better?", findings_disagreement.favour, ("favoured_choices",)),
    Section(
        "Does F-calibration spare the tuning?", findings_disagreement.thresholds, ("thresholds_reached",)
    ),
)
