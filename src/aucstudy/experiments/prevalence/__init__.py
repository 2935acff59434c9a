"""Disagreement by prevalence: across tasks, and the same predictions moved to other prevalences."""

from aucstudy.experiments.experiment import Experiment, bootstrap, several

EXPERIMENT = Experiment(
    name="prevalence",
    category="By prevalence",
    tables=("prevalence",),
    figures=("prevalence_shares",),
    settings=(
        several(
            "prevalences",
            [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5],
            "that the same predictions are moved to",
            {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
            wanted="numbers between 0 and 1, in a list",
        ),
        bootstrap("resamples of source groups behind the test of many against few positives"),
    ),
    measures=("prevalences",),
    gathers=("bootstrap",),
    tables_of=("disagreement",),
    passes=lambda settings: len(settings["prevalences"]),
)
