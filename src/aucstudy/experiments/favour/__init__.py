"""Does AUPR favour models with a lower expected F1? Do theorems hold, does averaging F1 mislead? [Flach & Kull 2015]"""

from aucstudy.experiments.experiment import Experiment

EXPERIMENT = Experiment(
    name="favour",
    category="Which choice is better?",
    tables=("favour", "favour_tasks", "fold_averages", "fold_averages_tasks", "theorems"),
    figures=("favoured_choices",),
    measures=(),
    frames_of=("thresholds",),
    passes=lambda settings: 14,
)
