"""The flows of today give repeatable probabilities, and weights and calibration do what their names say."""

from functools import cache

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.metrics import roc_auc_score

from studies.few_positives.today import (
    FLOWS_TODAY,
    LIBRARIES,
    ROUNDS,
    STEP,
    BoostingFlow,
    staged_scores,
    stops_of,
)
from studies.few_positives.today_estimators import ChosenPenalty


@pytest.fixture(scope="module")
def rows():
    X, y = make_classification(1600, 6, n_informative=4, n_redundant=0, weights=[0.95], random_state=3)
    return X[:900], y[:900] == 1, X[900:], y[900:] == 1


@pytest.fixture(scope="module")
def scored(rows):
    """Return a function that gives the scores of a flow, which is fitted once for all tests."""
    return cache(lambda name: scores_of(name, rows))


def with_extras(names):
    """Return the names of flows as parameters of a test, marked with the extra that a flow needs."""
    needs = pytest.mark.needs("boosting")
    boosts = [isinstance(FLOWS_TODAY[name], BoostingFlow) for name in names]
    return [pytest.param(name, marks=[needs] * needed) for name, needed in zip(names, boosts, strict=True)]


def scores_of(name, rows):
    X, y, X_test, _ = rows
    return FLOWS_TODAY[name].fit_score(X, y, X_test, seed=5)


def test_flows_have_names_and_setups_of_their_own():
    assert 24 <= len(FLOWS_TODAY) <= 40
    assert all(name == flow.name for name, flow in FLOWS_TODAY.items())
    assert len({flow.setup_id for flow in FLOWS_TODAY.values()}) == len(FLOWS_TODAY)


@pytest.mark.parametrize("library", with_extras(LIBRARIES))
def test_stages_of_one_fit_are_the_models_of_as_many_rounds(library, rows):
    X, y, X_test, _ = rows
    staged = staged_scores(library, X, y, X_test, seed=5)
    assert staged.shape == (len(X_test), ROUNDS // STEP)
    # Noise in CatBoost's choice of splits depends on the number of rounds, so only its last stage can agree.
    for rounds in (100, 240)[library == "catboost" :]:
        model = LIBRARIES[library](5).set_params(rounds=rounds).fit(X, y.astype(int))
        assert staged[:, rounds // 10 - 1] == pytest.approx(model.predict_proba(X_test)[:, 1], abs=1e-5)
    assert len({stop.setup_id for stop in stops_of(library)}) == ROUNDS // STEP


def test_boosting_can_go_on_for_more_rounds(rows):
    X, y, X_test, _ = rows
    staged = staged_scores("hist_boosting", X, y, X_test, seed=5, last=40)
    assert staged.shape == (len(X_test), 4)
    assert [stop.name for stop in stops_of("hist_boosting", 40)][-1] == "hist_boosting_40_rounds"
    assert stops_of("hist_boosting", 40)[0].setup_id != stops_of("hist_boosting")[0].setup_id


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", with_extras(FLOWS_TODAY))
def test_a_flow_gives_probabilities_that_repeat(name, rows, scored):
    scores = scored(name)
    assert scores.min() >= 0
    assert scores.max() <= 1
    assert scores.tolist() == scores_of(name, rows).tolist()
    assert roc_auc_score(rows[3], scores) > 0.65


@pytest.mark.parametrize(
    "plain", with_extras(["logistic_chosen", "hist_boosting", "lightgbm", "xgboost", "catboost"])
)
def test_weights_of_the_classes_raise_the_probabilities(plain, scored):
    assert scored(f"{plain}_balanced").mean() > 1.2 * scored(plain).mean()


@pytest.mark.parametrize(
    "name", ["logistic_balanced_sigmoid", "hist_boosting_sigmoid", "random_forest_isotonic"]
)
def test_calibrated_probabilities_have_the_mean_of_the_class(name, rows, scored):
    assert scored(name).mean() == pytest.approx(rows[3].mean(), abs=0.015)


def test_the_penalty_is_the_one_of_least_loss_and_noise_gets_the_strongest():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(300, 30)), random.random(300) < 0.3
    model = ChosenPenalty(random_state=1).fit(X, y.astype(int))
    assert min(ChosenPenalty.STRENGTHS) == model.model_.C
