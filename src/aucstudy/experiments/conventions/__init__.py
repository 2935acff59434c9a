"""One name, several numbers: the conventions in use for "area under the PR curve" as rivals."""

from aucstudy.experiments.experiment import Experiment

EXPERIMENT = Experiment(
    name="conventions",
    category="Conventions",
    tables=("conventions", "conventions_excess", "conventions_tasks"),
    figures=("convention_choices",),
    measures=(),
    passes=lambda settings: 12,
)
