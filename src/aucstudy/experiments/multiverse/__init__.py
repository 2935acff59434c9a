"""How sure are the shares? The same shares under every choice that the paper leaves open or the study made."""

from aucstudy.experiments.experiment import Experiment, whole

EXPERIMENT = Experiment(
    name="multiverse",
    category="How sure",
    tables=("multiverse",),
    figures=("multiverse_shares",),
    settings=(whole("redraws", 200, "of fewer models than the study's, for each task", minimum=10),),
    measures=(),
    gathers=("redraws", "ranking.aggregation"),
    reads=("tasks", "scores"),
    frames_of=("conventions",),
    passes=lambda settings: 8,
)
