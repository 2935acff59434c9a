"""A summary PR curve over folds [second open question of Boyd et al. 2012]."""

from aucstudy.experiments.experiment import Experiment, several, whole

EXPERIMENT = Experiment(
    name="summary_curves",
    category="Fold skew",
    tables=("summary_curves", "summary_curves_tasks"),
    figures=("summary_curves",),
    settings=(
        several(
            "folds",
            [2, 5, 10],
            "numbers of folds that the rows of a task are cut into",
            {"type": "integer", "minimum": 2, "maximum": 100},
        ),
        several(
            "spreads",
            [0, 0.1, 0.4],
            "variance of the folds' prevalence, in shares of its largest value",
            {"type": "number", "minimum": 0, "exclusiveMaximum": 1},
        ),
        whole("draws", 2, "random cuts for each number and spread", minimum=1),
        whole("points", 200, "recalls at which curves are averaged", minimum=20, maximum=10_000),
    ),
    measures=("folds", "spreads", "draws", "points"),
    passes=lambda settings: settings["draws"] * len(settings["spreads"]) * sum(settings["folds"]) / 4,
)
