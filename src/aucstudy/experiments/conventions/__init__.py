"""One name, several numbers: the conventions in use for "area under the PR curve" as rivals."""

from aucstudy.experiments.experiment import Experiment, bootstrap

EXPERIMENT = Experiment(
    name="conventions",
    category="Conventions",
    tables=("conventions", "conventions_excess", "conventions_tasks"),
    figures=("convention_choices",),
    settings=(bootstrap(),),
    measures=(),
    gathers=("bootstrap",),
    passes=lambda settings: 260,
)
