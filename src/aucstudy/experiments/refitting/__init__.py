"""Training sets cut to a ratio and the flows fitted again [Boyd et al. 2012, table 3, on many tasks]."""

from aucstudy.experiments.experiment import Experiment, several, whole

EXPERIMENT = Experiment(
    name="refitting",
    category="Downsampling",
    tables=("refitting", "refitting_table_3", "refitting_tasks"),
    figures=("refitting",),
    settings=(
        several(
            "flows",
            ["naive_bayes", "logistic", "j48_pruned", "knn_10_weighted", "random_forest_10"],
            "names of the packaged flows",
            {"type": "string"},
        ),
        whole("tasks", 25, "at most so many of the tasks that admit every ratio, drawn by seed", minimum=1),
        whole("folds", 5, "of the cross-validation, where the source fixes none", minimum=2, maximum=100),
        whole("training_draws", 2, "random draws of the training negatives", minimum=1),
        whole("draws", 50, "random draws of the test negatives", minimum=2),
    ),
    measures=("flows", "tasks", "folds", "training_draws", "draws", "downsampling.ratios"),
    rows="needed",
    chooses=True,
    passes=lambda settings: 15 * settings["training_draws"] * len(settings["ratios"]) * settings["folds"],
)
