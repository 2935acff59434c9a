"""The unachievable region: figures 1 to 4 and tables 1 to 3 of Boyd et al. 2012, which need no data."""

from aucstudy.experiments.experiment import Experiment

EXPERIMENT = Experiment(
    name="unachievable",
    category="Unachievable region",
    tables=("boyd_table_1", "boyd_table_2", "boyd_table_3"),
    figures=("minimum_curve", "minimum_curves", "minimum_area", "f1_contours"),
    block="",
    reads=(),
)
