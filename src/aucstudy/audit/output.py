"""An audit for machines: plain dictionaries for JSON, and one table."""

import math

import pandas as pd

from aucstudy.area_names import AREAS
from aucstudy.audit.analysis import Audit
from aucstudy.audit.metric_tables import FinishedAudit
from aucstudy.audit.sentences import sentences


def as_json(found: Audit) -> dict[str, object]:
    """Everything an audit found; NaN becomes null."""
    frames = {
        "areas": found.areas.reset_index(),
        "fold_means": None if found.fold_means is None else found.fold_means.reset_index(),
        "winners": found.winners,
        "swaps": found.swaps,
        "where": found.bands,
        "winners_by_prevalence": found.by_prevalence,
        "conventions": found.conventions.reset_index(),
    }
    tables = {name: None if frame is None else records(frame) for name, frame in frames.items()}
    return {**found.facts, **tables, "warnings": found.warnings, "sentences": sentences(found)}


def finished_as_json(found: FinishedAudit) -> dict[str, object]:
    """Everything the audit of finished scores found."""
    return {
        **found.facts,
        "disagreement": records(found.shares),
        "correlations": records(found.correlations),
        "tasks": records(found.by_task),
        "warnings": found.warnings,
    }


def records(frame: pd.DataFrame) -> list[dict[str, object]]:
    """Rows as dictionaries of plain values; NaN becomes None."""
    return [{key: _plain(value) for key, value in row.items()} for row in frame.to_dict("records")]


def _plain(value: object) -> object:
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def as_table(found: Audit) -> pd.DataFrame:
    """One row a model: areas, ranks and the conventions of AUPR."""
    table = found.areas[[*AREAS, *(f"rank_{metric}" for metric in AREAS)]]
    rivals = found.conventions.drop(columns=["exact", "average_precision"]).add_prefix("aupr_")
    return table.join(rivals).reset_index()
