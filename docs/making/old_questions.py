"""The questions of the report's sections: which experiments answer each, and where to read on."""

from collections.abc import Iterable
from typing import NamedTuple


class Question(NamedTuple):
    """A section: its question as `answer` has it, the experiments that answer it, the page to read on."""

    question: str
    experiments: tuple[str, ...]
    page: str = ""


QUESTIONS = (
    Question(
        "Do the areas disagree on the best model?",
        ("disagreement", "multiverse", "prevalence", "conventions", "task_aggregation"),
        "docs/claims.md",
    ),
    Question(
        "Is the disagreement more than noise?", ("noise", "variance", "simulated_truth"), "docs/limits.md"
    ),
    Question("Why do AUPR and AUPRG disagree?", ("decomposition",), "docs/claims.md"),
    Question(
        "Whose choice is better?", ("selection", "decision", "favour", "thresholds"), "docs/choosing.md"
    ),
    Question(
        "Skew: what moves, what corrects?",
        ("downsampling", "prevalence_shift", "refitting", "fold_skew", "summary_curves"),
        "docs/choosing.md",
    ),
)
REST = Question("The papers' own figures, and what else was measured", ())


def sections(experiments: Iterable[str]) -> list[tuple[Question, list[str]]]:
    """The questions with the experiments of this study, in the order of each question; the rest comes last."""
    left = list(experiments)
    made = []
    for question in QUESTIONS:
        own = [name for name in question.experiments if name in left]
        left = [name for name in left if name not in own]
        made.append((question, own))
    return [(question, own) for question, own in (*made, (REST, left)) if own]
