"""What is correcting a mistake worth to each area, and whose mistakes are worth most? [McDermott et al. 2024]

A mistake is an adjacent wrong pair of a ranking, a negative at rank k and a positive at k + 1; correcting it exchanges
the two. The rules of the claims L-mistakes-here and L-subgroups stand in the ledger, and were written before.
"""

from aucstudy.experiments.experiment import Experiment

EXPERIMENT = Experiment(
    name="mistakes",
    category="Mistakes",
    tables=("mistakes", "mistakes_tasks", "mistakes_subgroups"),
    measures=(),
    reads=("tasks", "runs", "predictions"),
    passes=lambda settings: 0.1,
)
