"""The areas stop each boosting library, at the round where the area on the validation rows is highest."""

import numpy as np
import pytest

from aucstudy.metrics.areas import aupr, auprg, average_precision
from aucstudy.metrics.boosting import catboost_metric, lightgbm_metric, xgboost_metric

AREAS = {"auprg": auprg, "aupr": aupr, "average_precision": average_precision}
ROUNDS = 40


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(0)
    X = random.normal(size=(1500, 5))
    y = (X[:, 0] + random.normal(size=1500) > 2.2).astype(int)
    return X[:900], y[:900], X[900:], y[900:]


@pytest.mark.parametrize("area", AREAS)
def test_lightgbm_stops_at_the_best_round(area, rows):
    lightgbm = pytest.importorskip("lightgbm")
    X, y, X_test, y_test = rows
    model = lightgbm.LGBMClassifier(n_estimators=ROUNDS, n_jobs=1, verbosity=-1, metric="None")
    stop = lightgbm.early_stopping(ROUNDS, verbose=False)
    model.fit(X, y, eval_X=X_test, eval_y=y_test, eval_metric=lightgbm_metric(area), callbacks=[stop])
    by_round = [
        AREAS[area](y_test, model.predict_proba(X_test, num_iteration=k)[:, 1]) for k in range(1, ROUNDS + 1)
    ]
    assert model.best_iteration_ == 1 + int(np.argmax(by_round))
    assert model.best_score_["valid_0"][area] == pytest.approx(max(by_round))


@pytest.mark.parametrize("area", AREAS)
def test_xgboost_stops_at_the_best_round(area, rows):
    xgboost = pytest.importorskip("xgboost")
    X, y, X_test, y_test = rows
    stop = xgboost.callback.EarlyStopping(rounds=ROUNDS, metric_name=area, maximize=True)
    model = xgboost.XGBClassifier(
        n_estimators=ROUNDS, n_jobs=1, eval_metric=xgboost_metric(area), callbacks=[stop]
    )
    model.fit(X, y, eval_set=[(X_test, y_test)], verbose=False)
    by_round = [
        AREAS[area](y_test, model.predict_proba(X_test, iteration_range=(0, k))[:, 1])
        for k in range(1, ROUNDS + 1)
    ]
    assert model.best_iteration == int(np.argmax(by_round))


@pytest.mark.filterwarnings("ignore")  # that numba does not compile the metric
@pytest.mark.parametrize("area", AREAS)
def test_catboost_stops_at_the_best_round(area, rows):
    catboost = pytest.importorskip("catboost")
    X, y, X_test, y_test = rows
    settings = {
        "iterations": ROUNDS,
        "learning_rate": 0.1,
        "thread_count": 1,
        "verbose": False,
        "allow_writing_files": False,
    }
    model = catboost.CatBoostClassifier(eval_metric=catboost_metric(area), use_best_model=True, **settings)
    model.fit(X, y, eval_set=(X_test, y_test))
    whole = catboost.CatBoostClassifier(**settings).fit(X, y, eval_set=(X_test, y_test), use_best_model=False)
    by_round = [AREAS[area](y_test, scores[:, 1]) for scores in whole.staged_predict_proba(X_test)]
    assert by_round[model.best_iteration_] == pytest.approx(max(by_round))


@pytest.mark.parametrize("metric", [lightgbm_metric, xgboost_metric, catboost_metric])
def test_an_unknown_area_is_refused_with_those_that_there_are(metric):
    with pytest.raises(
        ValueError, match="area 'auc' is not known; wanted: auroc, aupr, auprg, aucnpr, average_precision"
    ):
        metric("auc")


def test_weights_of_the_rows_count_in_each():
    y, scores, weights = np.array([0, 1, 0, 1]), np.array([0.4, 0.3, 0.2, 0.9]), np.array([1.0, 3, 2, 1])
    area = auprg(y, scores, sample_weight=weights)
    assert area != auprg(y, scores)
    assert lightgbm_metric("auprg")(y, scores, weights)[1] == area
    assert xgboost_metric("auprg")(y, scores, sample_weight=weights) == area
    assert catboost_metric("auprg").evaluate([scores], y, weights)[0] == area
