"""Is the disagreement more than noise? Halves of the test rows compared with halves."""

from aucstudy.experiments.experiment import Experiment, whole

EXPERIMENT = Experiment(
    name="noise",
    category="More than noise?",
    tables=("noise", "noise_pairs", "noise_tasks", "noise_swaps"),
    figures=("noise_halves",),
    settings=(whole("splits", 400, "of the test rows into halves", minimum=20),),
    measures=("splits",),
    passes=lambda settings: 0.09 * settings["splits"],
)
