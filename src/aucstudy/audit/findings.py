"""What an audit found, as data. Python decides here and in the modules that use this one; templates only say it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from aucstudy.printable import plain
from aucstudy.reading.questions import ColumnQuestion


class Section(StrEnum):
    """The sections of an audit, in the order in which they are printed. The values are their headings."""

    COLUMNS = "Questions about the columns"
    VERDICT = "Verdict"
    BEST = "Which models may be best (95 %)"
    NOT_RANKED = "Metrics that do not rank"
    DISAGREEMENT = "Disagreement"
    WINNERS = "Winners"
    INTERVALS = "Intervals"
    SELECTION = "Which metric should select the model"
    SWAPS = "Ranking changes"
    WHERE = "Where it comes from"
    PREVALENCES = "At other prevalences"
    OTHER_TOOLS = 'Other tools\' "AUPR"'
    WARNINGS = "Warnings"


class Severity(StrEnum):
    QUESTION = "question"  # The answer may change every number; only the reader knows it.
    WARNING = "warning"  # The numbers may mislead.
    RESULT = "result"


@dataclass(frozen=True)
class Finding:
    """One thing that an audit found.

    Attributes
    ----------
    kind : the name of the macro that says it, in `analysis.j2`, `metric_tables.j2` or, for the section COLUMNS, in
        `column_findings.j2`.
    section : where it is said.
    metrics, models : the metrics, by their keys, and the models that it is about.
    columns : the columns of the file that it is about.
    numbers : everything else that the sentence needs, by name: numbers, texts, and what was decided from numbers.
    """

    kind: str
    section: Section
    severity: Severity = Severity.RESULT
    metrics: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    numbers: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "numbers", MappingProxyType(dict(self.numbers)))

    def as_json(self) -> dict[str, object]:
        """Return the finding for JSON, in which NaN is None."""
        return {
            "kind": self.kind,
            "section": self.section.value,
            "severity": self.severity.value,
            "metrics": list(self.metrics),
            "models": [plain(model) for model in self.models],
            "columns": list(self.columns),
            "numbers": _plain(self.numbers),
        }


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return plain(value)


def column_finding(question: ColumnQuestion) -> Finding:
    return Finding(
        question.kind.value,
        Section.COLUMNS,
        Severity.QUESTION,
        columns=question.columns,
        numbers={
            "n_values": question.n_values,
            "n_rows": question.n_rows,
            "options": question.options,
            "sentence": question.sentence,
        },
    )


def in_section(findings: Iterable[Finding], section: Section) -> list[Finding]:
    return [finding for finding in findings if finding.section is section]
