"""What the pages say of estimates over tasks, and of verdicts on claims, as two tables.

TO BE REPLACED: `estimates` by results/<study>/tables/estimates.csv, and `verdicts` by the verdicts of claims.csv
with both weights. Blocks and statements read estimates only here. With this module by_source.py goes, and so do
the averages of committed.py and `Ledger.by_source`.
"""

from functools import cache
from itertools import chain

import pandas as pd
from claims import Ledger, described
from populations import populations

from aucstudy.experiments.compared import DISTINCT_PAIRS

NOT_RARE = "wide, prevalence of .1 and more"
# The choices that pages compare: the model of one metric, the model of another, and the target metric.
CHOICES = (
    ("auroc", "aupr", "f1"), ("auroc", "auprg", "f1"), ("auroc", "random", "f1"), ("auprg", "aupr", "f1"),
    ("auprg", "aupr", "expected_fg1"), ("average_precision", "auroc", "recall_at_90"),
)  # fmt: skip
STEPS = ("recall_above_prevalence", "auprg")
RULES = ("average_precision", "trapezoid")


@cache
def estimates() -> pd.DataFrame:
    """Return a row for each estimate, with `estimate`, `low`, `high`, `n_tasks` and `n_groups`.

    A row is named by `population`, `experiment`, `quantity`, `first`, `second`, `target` and `weight`, which
    says whether each "source" or each "task" counts once.
    """
    of = populations()
    of_not_rare = {NOT_RARE: of["wide"].of_prevalence(0.1, 1)}
    rows = chain.from_iterable(_of_population(*entry) for entry in (of | of_not_rare).items())
    apart = (("weka, data of wide", "wide"), ("weka, data of default", "default"))
    learners = (
        _row(of[weka].learners_apart(of[other], *pair), weka, "populations", "learners apart", *pair)
        for weka, other in apart
        for pair in DISTINCT_PAIRS
    )
    return pd.DataFrame([*rows, *learners])


def _of_population(name, study):
    for pair in DISTINCT_PAIRS:
        yield _row(study.differs(*pair), name, "disagreement", "best model differs", *pair)
        by_task = study.differs_by_task(*pair)
        yield _row(by_task, name, "disagreement", "best model differs", *pair, weight="task")
        for quantity in ("across", "self_first", "itself", "excess"):
            yield _row(study.halves(*pair, quantity), name, "noise", quantity, *pair)
    yield _row(study.more_alike(), name, "disagreement", "aupr and auroc minus aupr and auprg", "", "")
    for first, second, target in CHOICES:
        gain = study.gain(first, second, target)
        yield _row(gain, name, "selection", "gain", first, second, target=target)
    for step in STEPS:
        yield _row(study.turned_at(step), name, "decomposition", "turned at", step, "")
    for rule in RULES:
        yield _row(study.other_rule(rule), name, "conventions", "best model differs", rule, "aupr")


def _row(estimate, population, experiment, quantity, first, second, target="", weight="source"):
    names = {"population": population, "experiment": experiment, "quantity": quantity, "first": first}
    return {**names, "second": second, "target": target, "weight": weight, **estimate}


@cache
def verdicts() -> pd.DataFrame:
    """Return a row for each claim that a committed study decides.

    `verdict` counts each source once where that can be computed, and `by_task` never does. `kind` is the
    title under which the claim is listed, `tested` says whether the verdict rests on measurements, and
    `amended` whether its rule was amended.
    """
    ledger = Ledger()
    return pd.DataFrame(
        {
            "id": name,
            "kind": kind,
            "study": ledger.study(name),
            "verdict": ledger.verdict(name),
            "by_task": ledger.verdict(name, weighted="task"),
            "both_ways": name in ledger.both_ways,
            "tested": name in ledger.rest_on_data,
            "amended": bool(ledger.amended(name)),
            "main": bool(described()[name].get("main")),
        }
        for kind, names in ledger.papers.items()
        for name in names
    )
