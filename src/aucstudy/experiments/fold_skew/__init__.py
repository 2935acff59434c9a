"""Folds of unequal skew [Boyd et al. 2012, section 4.1]."""

from aucstudy.experiments.experiment import Experiment, several, whole

EXPERIMENT = Experiment(
    name="fold_skew",
    category="Fold skew",
    tables=("fold_skew", "fold_skew_averaging", "fold_skew_aggregates", "fold_skew_tasks"),
    figures=("fold_skew", "fold_skew_aggregates"),
    settings=(
        whole("folds", 5, "that the rows of a task are cut into anew", minimum=2, maximum=100),
        several(
            "spreads",
            [0, 0.02, 0.05, 0.1, 0.2, 0.4],
            "variance of the folds' prevalence, in shares of its largest value",
            {"type": "number", "minimum": 0, "exclusiveMaximum": 1},
        ),
        whole(
            "draws",
            40,
            "random cuts for each spread, each with its control; fewer for large tasks",
            minimum=2,
        ),
        whole("clusterings", 5, "cuts by clusters of similar rows, where the source has the rows", minimum=1),
    ),
    measures=("folds", "spreads", "draws", "clusterings"),
    rows="used",
    passes=lambda settings: 0.2 * settings["draws"] * (2 + len(settings["spreads"])),
)
