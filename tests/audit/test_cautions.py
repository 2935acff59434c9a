"""Each warning appears exactly from its limit on."""

import numpy as np
import pandas as pd
import pytest
from audit.made_page import made_table

from aucstudy.audit.analysis import Question, analyse, cautions_of


def warned(n_positive, n=100, auroc=0.6):
    y, scores = np.arange(n) < n_positive, np.random.default_rng(1).random((n, 1))
    table = made_table(y, scores, names=("model",))
    analysis = analyse(table, Question(resamples=2))
    areas = pd.DataFrame({"auroc": [auroc], "auprg": [0.1]}, index=["model"])
    vars(analysis)["cautions"] = cautions_of(table, analysis.rankings, areas, cases=False)
    return " ".join(analysis.said().warnings)


@pytest.mark.parametrize(("n_positive", "few"), [(29, True), (30, False)])
def test_fewer_than_30_positives_are_few(n_positive, few):
    assert (f"Only {n_positive} positives" in warned(n_positive)) == few


@pytest.mark.parametrize(("n_positive", "larger"), [(50, False), (51, True)])
def test_more_than_half_of_the_rows_are_the_larger_class(n_positive, larger):
    assert ("The positive class is the larger one" in warned(n_positive)) == larger


@pytest.mark.parametrize(("auroc", "below"), [(0.5, False), (0.499, True)])
def test_an_auroc_of_a_half_is_not_below_a_half(auroc, below):
    assert ("AUROC is below .5: model (0.499)" in warned(40, auroc=auroc)) == below
