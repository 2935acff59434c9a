"""Can an area be moved between skews? [first open question of Boyd et al. 2012]"""

from aucstudy.experiments.experiment import Experiment

EXPERIMENT = Experiment(
    name="prevalence_shift",
    category="Downsampling",
    tables=("prevalence_shift", "prevalence_shift_tasks"),
    figures=("prevalence_shift",),
    block="downsampling",
    measures=("ratios", "moved_draws"),
    passes=lambda settings: 0.1 * settings["moved_draws"] * len(settings["ratios"]),
)
