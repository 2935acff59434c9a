"""The warning of an undefined metric is a kind of scikit-learn's, or of UserWarning without scikit-learn."""

import pickle
import subprocess
import sys
import warnings

from sklearn import exceptions

from aucstudy import metrics
from aucstudy.metrics import inputs

WITHOUT = """
import sys, warnings
sys.modules["sklearn"] = None
from aucstudy.metrics import UndefinedMetricWarning, auroc
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(auroc([1, 1], [0.1, 0.2]), caught[0].category is UndefinedMetricWarning, UndefinedMetricWarning.__bases__)
"""


def test_the_warning_is_a_kind_of_scikit_learns():
    assert issubclass(metrics.UndefinedMetricWarning, exceptions.UndefinedMetricWarning)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        metrics.areas([1, 1], [0.1, 0.2])
    assert [warning.category for warning in caught] == [metrics.UndefinedMetricWarning]
    assert caught[0].filename == __file__


def test_the_warning_can_be_sent_to_another_process():
    warning = metrics.UndefinedMetricWarning("areas are not defined")
    assert type(pickle.loads(pickle.dumps(warning))) is inputs.UndefinedMetricWarning


def test_without_scikit_learn_it_is_a_user_warning():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True)
    assert done.stdout == "nan True (<class 'UserWarning'>,)\n"
