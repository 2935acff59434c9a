"""On OpenML only: our area under the ROC curve against the one that the server recorded, run by run."""

from aucstudy.experiments.experiment import Experiment

EXPERIMENT = Experiment(
    name="server_check",
    category="Data",
    tables=("server_check", "server_check_exceptions"),
    block="",
    reads=("tasks", "runs", "scores"),
    sources=("openml",),
)
