"""The flows of WEKA: its learners under OpenML's names, with WEKA's default options and its default seeds.

A name says the class and what it is built on, as OpenML names WEKA's flows (`weka.AdaBoostM1_J48`). OpenML keeps
options that differ from the default apart from the name; here they stand behind it (`weka.J48-U`).
"""

import hashlib
from dataclasses import dataclass
from types import MappingProxyType

VERSION = "3.9.7"


@dataclass(frozen=True)
class WekaFlow:
    """A learner of WEKA: its Java class and the options that it is given on top of WEKA's defaults.

    Its score is the probability that WEKA gives the positive class. SMO without calibration and the like answer 0 or
    1. The seed is the learner's default in every fold, as in the runs of OpenML.
    """

    name: str
    scheme: str
    options: tuple[str, ...] = ()

    @property
    def setup_id(self) -> str:
        """12 hexadecimal digits that change with WEKA's version, the class and the options."""
        described = " ".join(("weka", VERSION, self.scheme, *self.options))
        return hashlib.sha256(described.encode()).hexdigest()[:12]


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
