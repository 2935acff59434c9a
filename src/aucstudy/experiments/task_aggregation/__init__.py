"""Which flow is best over many tasks? [Boyd et al. 2012, section 4.2]"""

from aucstudy.experiments.experiment import Experiment, bootstrap

EXPERIMENT = Experiment(
    name="task_aggregation",
    category="Task aggregation",
    tables=("task_aggregation", "task_aggregation_tasks"),
    figures=("task_aggregation",),
    settings=(bootstrap("resamples of source groups behind each choice"),),
    measures=(),
    gathers=("bootstrap",),
    reads=("tasks", "runs"),
)
