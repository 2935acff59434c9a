"""An analysis as JSON."""

import json
import math
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from aucstudy.audit.analysis import Analysis
    from aucstudy.audit.metric_tables import MetricAnalysis


def json_text(analysis: "Analysis | MetricAnalysis") -> str:
    return json.dumps(analysis.as_json(), indent=1, allow_nan=False) + "\n"


def by_model(frame: pd.DataFrame | None) -> pd.DataFrame | None:
    return None if frame is None else frame.reset_index()


def records(frame: pd.DataFrame) -> list[dict[str, object]]:
    return [{key: _plain(value) for key, value in row.items()} for row in frame.to_dict("records")]


def _plain(value: object) -> object:
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
