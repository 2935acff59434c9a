"""Which area picks the truly best model? Score models whose true areas are known, and simulated source groups.

The rules by which the tables are read, fixed before the first run:

* *The choice matters.* Choosing by an area costs by another's standard what its regret exceeds the regret of choosing
  by that standard itself, on the same samples (`excess_regret`). The choice among areas matters, for a truth model and
  a prevalence, from the fewest positives on at which some excess, there and at every larger number of the grid, is
  above .01 by more than two Monte Carlo standard errors; with fewer positives it does not, or is noise.
* *The test keeps its level* if no null (a tie in one area, or in both) is called a real swap in more than 5 % of the
  samples by more than two Monte Carlo standard errors.
* *The recommended interval* is the candidate whose coverage lies closest to 95 %, by the mean of |coverage - .95| over
  all quantities of a kind, both models and 38, 17 and 9 groups. Candidates within .005 of the smallest mean count as
  equally close; of these the one with the smallest mean width, relative to the percentile interval's, is taken.
"""

from aucstudy.experiments.experiment import Experiment, several, whole

EXPERIMENT = Experiment(
    name="simulated_truth",
    category="Known truth",
    tables=("simulated_choices", "simulated_swaps", "simulated_coverage", "interval_coverage"),
    figures=("simulated_choices", "interval_coverage"),
    settings=(
        several(
            "positives",
            [10, 30, 100, 300, 1000, 3000, 10000],
            "in a sample from which a model is chosen",
            {"type": "integer", "minimum": 2, "maximum": 1_000_000},
        ),
        several(
            "prevalences",
            [0.001, 0.01, 0.1, 0.5],
            "of the positives in these samples",
            {"type": "number", "minimum": 0.0001, "maximum": 0.9},
        ),
        whole("draws", 200, "samples for each truth model, number of positives and prevalence", minimum=2),
        whole("tests", 100, "samples in which a swap is tested, for each of its cells", minimum=2),
        whole("resamples", 100, "halves, and bootstrap resamples, behind each test", minimum=40),
        whole("tested_rows", 2000, "samples of more rows are not tested", minimum=20),
        whole("simulations", 500, "sets of source groups for each interval's coverage", minimum=2),
        whole("bootstrap", 400, "resamples of source groups behind each interval", minimum=100),
    ),
    gathers=(
        "positives", "prevalences", "draws", "tests", "resamples", "tested_rows", "simulations", "bootstrap",
    ),
    reads=(),
)  # fmt: skip
