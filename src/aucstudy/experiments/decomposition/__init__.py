"""Why do AUPR and AUPRG disagree? The way from one to the other in steps."""

from aucstudy.experiments.experiment import Experiment

EXPERIMENT = Experiment(
    name="decomposition",
    category="Why they disagree",
    tables=("decomposition", "decomposition_swaps", "decomposition_tasks"),
    figures=("decomposition_steps",),
    measures=(),
)
