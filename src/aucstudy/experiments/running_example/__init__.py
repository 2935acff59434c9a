"""The running example of Flach & Kull 2015, figures 1 to 3."""

from aucstudy.experiments.experiment import Experiment

EXPERIMENT = Experiment(
    name="running_example",
    category="Running example",
    tables=(),
    figures=("running_example_curves", "running_example_contours", "running_example_hulls"),
    block="disagreement",
)
