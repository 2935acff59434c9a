"""An analysis for machines: plain dictionaries for JSON, and one table."""

import math
from functools import singledispatch

import pandas as pd

from aucstudy.area_names import AREAS
from aucstudy.audit.analysis import Analysis
from aucstudy.audit.metric_tables import MetricAnalysis
from aucstudy.audit.sentences import sentences


@singledispatch
def as_json(analysis: Analysis) -> dict[str, object]:
    """Everything in an analysis, of predictions or of metric values; NaN becomes null."""
    frames = {
        "areas": analysis.areas.reset_index(),
        "fold_means": None if analysis.fold_means is None else analysis.fold_means.reset_index(),
        "winners": analysis.winners,
        "swaps": analysis.swaps,
        "excluded": analysis.excluded,
        "where": analysis.bands,
        "winners_by_prevalence": analysis.by_prevalence,
        "conventions": analysis.conventions.reset_index(),
    }
    tables = {name: None if frame is None else records(frame) for name, frame in frames.items()}
    statements = {
        "verdict": analysis.verdict,
        "decision": analysis.decision,
        "warnings": analysis.warnings,
        "sentences": sentences(analysis),
    }
    return {**analysis.facts, **tables, **statements}


@as_json.register
def _(analysis: MetricAnalysis) -> dict[str, object]:
    return {
        **analysis.facts,
        "disagreement": records(analysis.shares),
        "correlations": records(analysis.correlations),
        "tasks": records(analysis.by_task),
        "warnings": analysis.warnings,
    }


@singledispatch
def as_table(analysis: Analysis) -> pd.DataFrame:
    """One row a model: areas, ranks and the conventions of AUPR. Of metric values: one row a pair of metrics."""
    areas = analysis.areas[[*AREAS, *(f"rank_{metric}" for metric in AREAS)]]
    rivals = analysis.conventions.drop(columns=["exact", "average_precision"]).add_prefix("aupr_")
    return areas.join(rivals).reset_index()


@as_table.register
def _(analysis: MetricAnalysis) -> pd.DataFrame:
    return analysis.shares


def records(frame: pd.DataFrame) -> list[dict[str, object]]:
    """Rows as dictionaries of plain values; NaN becomes None."""
    return [{key: _plain(value) for key, value in row.items()} for row in frame.to_dict("records")]


def _plain(value: object) -> object:
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
