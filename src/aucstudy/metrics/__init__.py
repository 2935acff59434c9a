"""Areas under ROC, precision-recall and precision-recall-gain curves: exact, many at once, with bounds."""

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

__all__ = [
    "Areas",
    "AreasMany",
    "ap_min",
    "areas",
    "areas_many",
    "aucnpr",
    "aucpr_min",
    "aupr",
    "auprg",
    "auroc",
    "average_precision",
    "min_precision",
]
