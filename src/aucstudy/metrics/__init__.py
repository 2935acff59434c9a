"""Areas under ROC, precision-recall and precision-recall-gain curves: exact, many at once, with bounds.

`aucstudy.metrics.definition` defines every area on a page.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from aucstudy.metrics.areas import (
    Areas,
    AreasMany,
    areas,
    areas_many,
    aucnpr,
    aupr,
    auprg,
    auroc,
    average_precision,
)
from aucstudy.metrics.bounds import ap_min, aucpr_min, min_precision
from aucstudy.metrics.conventions import aupr_conventions
from aucstudy.metrics.counts import areas_of_counts
from aucstudy.metrics.curves import min_pr_curve, pr_curve, prg_curve, roc_curve
from aucstudy.metrics.gains import expected_f_gain, f_gain, precision_gain, recall_gain
from aucstudy.metrics.hulls import fbeta_calibration, prg_hull, roc_hull
from aucstudy.metrics.target_metrics import target_value
from aucstudy.metrics.uncertainty.intervals import (
    Comparison,
    Interval,
    ModelComparison,
    compare,
    compare_models,
    interval,
)

if TYPE_CHECKING:
    from aucstudy.metrics.displays import PrecisionRecallDisplay, PrecisionRecallGainDisplay, RocDisplay
    from aucstudy.metrics.inputs import UndefinedMetricWarning
    from aucstudy.metrics.scikit_learn_scorers import scorers

__all__ = [
    "Areas",
    "AreasMany",
    "Comparison",
    "Interval",
    "ModelComparison",
    "PrecisionRecallDisplay",
    "PrecisionRecallGainDisplay",
    "RocDisplay",
    "UndefinedMetricWarning",
    "ap_min",
    "areas",
    "areas_many",
    "areas_of_counts",
    "aucnpr",
    "aucpr_min",
    "aupr",
    "aupr_conventions",
    "auprg",
    "auroc",
    "average_precision",
    "compare",
    "compare_models",
    "expected_f_gain",
    "f_gain",
    "fbeta_calibration",
    "interval",
    "min_pr_curve",
    "min_precision",
    "pr_curve",
    "precision_gain",
    "prg_curve",
    "prg_hull",
    "recall_gain",
    "roc_curve",
    "roc_hull",
    "scorers",
    "target_value",
]


# These names need scikit-learn, which takes long to import, so that they are imported on first use.
_OF_SCIKIT_LEARN = {
    "PrecisionRecallDisplay": "displays",
    "PrecisionRecallGainDisplay": "displays",
    "RocDisplay": "displays",
    "UndefinedMetricWarning": "inputs",
    "scorers": "scikit_learn_scorers",
}


def __getattr__(name: str) -> Any:
    if name in _OF_SCIKIT_LEARN:
        return getattr(import_module(f"aucstudy.metrics.{_OF_SCIKIT_LEARN[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
