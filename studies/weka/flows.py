"""The flows of WEKA, with its default options and seeds, and what each of them costs.

A flow has OpenML's name, such as `weka.AdaBoostM1_J48`. Options that differ from the default are appended, as
in `weka.J48-U`.

`costs.csv` is made by `benchmarks/weka_costs.py`. It has the `seconds` of one fold of 1,000 rows of width 10,
and the powers of rows and width with which they grow. The seconds include Java's compiler, which all folds
share, so ten folds take about half of what is predicted. With another table, other flows would be drawn.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

import pandas as pd

from aucstudy.learners.cross_validation import drawing_order
from aucstudy.learners.datasets import DataSet

VERSION = "3.9.7"
COSTS = Path(__file__).with_name("costs.csv")
ROWS, WIDTH = 1000, 10  # of the data set that `seconds` is for


@dataclass(frozen=True)
class WekaFlow:
    """A learner of WEKA: its Java class and options.

    Its score is the probability of the positive class.
    """

    name: str
    scheme: str
    options: tuple[str, ...] = ()

    @property
    def setup_id(self) -> str:
        description = " ".join(("weka", VERSION, self.scheme, *self.options))
        return hashlib.sha256(description.encode()).hexdigest()[:12]


def _flow(name: str, scheme: str, *options: str) -> WekaFlow:
    return WekaFlow(f"weka.{name}", f"weka.classifiers.{scheme}", options)


_RBF = ("-K", "weka.classifiers.functions.supportVector.RBFKernel")
_TAN = ("-Q", "weka.classifiers.bayes.net.search.local.TAN")
_J48 = ("-W", "weka.classifiers.trees.J48")

WEKA_FLOWS = MappingProxyType({
    flow.name: flow
    for flow in (
        # Baselines and rules
        _flow("ZeroR", "rules.ZeroR"),
        _flow("OneR", "rules.OneR"),
        _flow("JRip", "rules.JRip"),
        _flow("PART", "rules.PART"),
        _flow("DecisionTable", "rules.DecisionTable"),
        # Trees: -U unpruned, -A Laplace's correction, -I the number of trees
        _flow("DecisionStump", "trees.DecisionStump"),
        _flow("J48", "trees.J48"),
        _flow("J48-U", "trees.J48", "-U"),
        _flow("J48-A", "trees.J48", "-A"),
        _flow("REPTree", "trees.REPTree"),
        _flow("RandomTree", "trees.RandomTree"),
        _flow("RandomForest", "trees.RandomForest"),
        _flow("RandomForest-I10", "trees.RandomForest", "-I", "10"),
        _flow("LMT", "trees.LMT"),
        _flow("HoeffdingTree", "trees.HoeffdingTree"),
        # Bayes: -K kernel densities, -D supervised discretisation
        _flow("NaiveBayes", "bayes.NaiveBayes"),
        _flow("NaiveBayes-K", "bayes.NaiveBayes", "-K"),
        _flow("NaiveBayes-D", "bayes.NaiveBayes", "-D"),
        _flow("BayesNet_K2", "bayes.BayesNet"),
        _flow("BayesNet_TAN", "bayes.BayesNet", *_TAN),
        # Neighbours: -K how many, -I weighted by the inverse of the distance
        _flow("IBk", "lazy.IBk"),
        _flow("IBk-K3", "lazy.IBk", "-K", "3"),
        _flow("IBk-K10-I", "lazy.IBk", "-K", "10", "-I"),
        _flow("KStar", "lazy.KStar"),
        _flow("LWL_DecisionStump", "lazy.LWL"),
        # Functions: -M logistic models of the outputs
        _flow("Logistic", "functions.Logistic"),
        _flow("SimpleLogistic", "functions.SimpleLogistic"),
        _flow("SMO_PolyKernel", "functions.SMO"),
        _flow("SMO_PolyKernel-M", "functions.SMO", "-M"),
        _flow("SMO_RBFKernel", "functions.SMO", *_RBF),
        _flow("SMO_RBFKernel-M", "functions.SMO", "-M", *_RBF),
        _flow("MultilayerPerceptron", "functions.MultilayerPerceptron"),
        _flow("VotedPerceptron", "functions.VotedPerceptron"),
        _flow("SGD", "functions.SGD"),
        # Committees and learners behind a filter
        _flow("AdaBoostM1_DecisionStump", "meta.AdaBoostM1"),
        _flow("AdaBoostM1_J48", "meta.AdaBoostM1", *_J48),
        _flow("LogitBoost_DecisionStump", "meta.LogitBoost"),
        _flow("Bagging_REPTree", "meta.Bagging"),
        _flow("RandomSubSpace_REPTree", "meta.RandomSubSpace"),
        _flow("RandomCommittee_RandomTree", "meta.RandomCommittee"),
        _flow("AttributeSelectedClassifier_CfsSubsetEval_BestFirst_J48", "meta.AttributeSelectedClassifier"),
        _flow("FilteredClassifier_Discretize_J48", "meta.FilteredClassifier"),
    )
})  # fmt: skip


@cache
def _costs() -> dict[str, tuple[float, float, float]]:
    table = pd.read_csv(COSTS)
    return {row.flow: (row.seconds, row.rows_power, row.width_power) for row in table.itertuples()}


def width(data: DataSet) -> int:
    """Return the number of numeric columns plus the number of values of all categorical columns."""
    return len(data.numeric) + sum(data.features[name].nunique() for name in data.categorical)


def predicted_seconds(flow: WekaFlow, n_rows: int, width: int, folds: int) -> float:
    """Return the predicted seconds of a flow on all folds of a data set.

    The prediction is for the machine on which the costs were measured.

    >>> network = WEKA_FLOWS["weka.MultilayerPerceptron"]
    >>> predicted_seconds(network, 1000, 60, 10) > 3 * predicted_seconds(network, 1000, 20, 10)
    True
    """
    seconds, rows_power, width_power = _costs()[flow.name]
    return folds * seconds * (n_rows / ROWS) ** rows_power * (width / WIDTH) ** width_power


def costs_on(data: DataSet, flows: Sequence[WekaFlow], folds: int) -> dict[str, float]:
    n_rows, columns = len(data.target), width(data)
    return {flow.name: predicted_seconds(flow, n_rows, columns, folds) for flow in flows}


def task_seconds(
    data: DataSet,
    flows: Sequence[WekaFlow],
    *,
    folds: int,
    models: int,
    flow_seconds: float | None,
    seed: int,
) -> float:
    """Return the predicted seconds of the flows that are drawn for a task."""
    costs = costs_on(data, flows, folds)
    affordable = [flow for flow in flows if flow.name not in too_costly(costs, flow_seconds)]
    return sum(costs[flow.name] for flow in drawing_order(affordable, data.name, seed)[:models])


def too_costly(costs: Mapping[str, float], flow_seconds: float | None) -> list[str]:
    return [name for name, seconds in costs.items() if flow_seconds is not None and seconds > flow_seconds]
