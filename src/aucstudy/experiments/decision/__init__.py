"""Which area should choose your model? What the study knows, in one small table, and the rule that reads it.

Stated before the table was made; the tables that it condenses (of `disagreement`, `noise`, `selection` and
`simulated_truth`) were known.

* Bands. A band is closed; a value on the boundary of two belongs to the upper one. Tasks are counted by number of
  positives, prevalence and, in bands of their own, margin (AUPR of the best model less that of the next). A share or
  mean over tasks of fewer than 5 source groups is not given. Nothing is said outside of the bands.
* `p_swap`: share of tasks in which two areas put another model first. `p_real`: share of those swaps that the test by
  halves calls real. `power`: the largest share of true swaps that this test calls real, in any simulated cell of the
  band: where it is small, no real swap is no evidence against one. `level` (added with the table in sight): the
  largest share of false ones, in any cell.
* `cost`: excess regret (see `simulated_truth`) on curves that were fitted to real tasks: what choosing by the first
  area loses of the true value of the second, over choosing by the second. Of the simulated cells of a band, its corners
  included, the largest counts. It *matters* where it is above .01 by more than two Monte Carlo standard errors in one
  of them, else it is *noise*, or small; `high` (the largest estimate plus two errors) is the number that the rule
  quotes as an upper bound. Curves that were made to cross (`cost_crossing`) are a worst case, not in the rule.
* The rule. Where no cost of a band matters, the choice among AUPR, AUPRG and AUROC is noise there, and costs less than
  the largest `high`. Else the costs that matter are named, and the area whose own largest cost is smallest is the one
  to use where nothing else is known.
* `worth` and `use`: differences between choosers on the other half of a task's rows, in a utility, for those who know
  theirs. An area is recommended for a utility over AUROC, or AUROC over it, as *sure* where the interval for all cells
  of the matrix excludes 0, as a *hint* where only the cell's own does; else *nothing* is said. (Added with the table in
  sight: no such advice where tasks of that size put the difference inside one point either way.)
"""

from aucstudy.experiments.experiment import Experiment

EXPERIMENT = Experiment(
    name="decision",
    category="Which area should choose?",
    tables=("decision",),
    figures=("decision",),
    tables_if_enabled=("disagreement", "noise", "selection", "simulated_truth"),
)
