"""Displays of ROC, precision-recall and precision-recall-gain curves; drawing loads matplotlib."""

from aucstudy.metrics.displays.precision_recall import PrecisionRecallDisplay
from aucstudy.metrics.displays.precision_recall_gain import PrecisionRecallGainDisplay
from aucstudy.metrics.displays.roc import RocDisplay

__all__ = ["PrecisionRecallDisplay", "PrecisionRecallGainDisplay", "RocDisplay"]
