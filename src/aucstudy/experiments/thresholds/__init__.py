"""F-calibration at work: thresholds set on the other folds, judged on the held-out fold."""

from aucstudy.experiments.experiment import Experiment

EXPERIMENT = Experiment(
    name="thresholds",
    category="F-calibration at work",
    tables=("thresholds", "thresholds_calibration", "thresholds_intervals", "thresholds_tasks"),
    figures=("thresholds_reached",),
    measures=(),
    passes=lambda settings: 25,
)
