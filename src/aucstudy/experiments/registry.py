"""The experiments of a study: a line each, in the order of the report."""

from importlib import import_module

from aucstudy.experiments.experiment import ROOMS, Experiment

NAMES = (
    "disagreement",
    "multiverse",
    "variance",
    "downsampling",
    "prevalence_shift",
    "refitting",
    "fold_skew",
    "prevalence",
    "summary_curves",
    "task_aggregation",
    "noise",
    "simulated_truth",
    "decomposition",
    "conventions",
    "mistakes",
    "favour",
    "thresholds",
    "selection",
    "decision",
    "running_example",
    "unachievable",
    "server_check",
)
EXPERIMENTS: dict[str, Experiment] = {name: import_module(f"{ROOMS}.{name}").EXPERIMENT for name in NAMES}
