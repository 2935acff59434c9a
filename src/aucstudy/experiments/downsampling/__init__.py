"""Test sets cut to a ratio of negatives to positives [Boyd et al. 2012, section 4.3, table 3]."""

from aucstudy.experiments.experiment import Experiment, bootstrap, several, whole

EXPERIMENT = Experiment(
    name="downsampling",
    category="Downsampling",
    tables=("downsampling", "downsampling_claims"),
    figures=("downsampling",),
    settings=(
        several(
            "ratios",
            [1, 2, 3, 4, 5, 10],
            "negatives per positive; a task counts at the ratios that it has the negatives for",
            {"type": "integer", "minimum": 1},
            at_least=2,
        ),
        whole(
            "draws",
            200,
            "random draws of the negatives, shared by all models; fewer for large tasks",
            minimum=2,
        ),
        whole(
            "moved_draws",
            60,
            "of those that are moved back to the original prevalence, and plain subsamples beside them",
            minimum=2,
        ),
        bootstrap(),
    ),
    measures=("ratios", "draws"),
    gathers=("bootstrap",),
    passes=lambda settings: 0.1 * settings["draws"],
)
