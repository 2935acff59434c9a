"""Do the areas pick the same models? [Flach & Kull 2015, section 4, figures 4 and 5]"""

from aucstudy.experiments.experiment import Experiment, Setting, texts_or_null, whole

EXPERIMENT = Experiment(
    name="disagreement",
    category="Disagreement",
    tables=(
        "disagreement",
        "disagreement_correlation",
        "disagreement_tasks",
        "disagreement_ranks",
        "flip_pair",
    ),
    figures=("rank_heat_map", "quartile_tasks", "flip_pair_curves"),
    settings=(
        whole("permutations", 200, "random orders of tied models behind the rank heat map", minimum=1),
        Setting(
            "quartile_tasks",
            None,
            "two task_ids for figure 4 (right); null, or not in the study: the quartiles",
            {"description": "null, or two task_ids in quotes", **texts_or_null(2)},
        ),
        Setting(
            "flip_pair",
            None,
            "a task_id and two run_ids for figure 5; null, or not in the study: the clearest flip",
            {"description": "null, or a task_id and two run_ids in quotes", **texts_or_null(3)},
        ),
    ),
    gathers=("permutations", "flip_pair", "ranking.aggregation"),
    tells=("quartile_tasks", "ranking.aggregation"),
    reads=("tasks", "scores", "predictions"),
    tells_from=("scores", "predictions"),
)
