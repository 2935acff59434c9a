"""The metrics stop each boosting library at the round in which they are highest on the validation rows."""

import copy
import io
import pickle

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_validate

from aucstudy.metrics import scorers
from aucstudy.metrics.areas import aupr, auprg, average_precision
from aucstudy.metrics.boosting import catboost_metric, lightgbm_metric, xgboost_metric

AREAS = {"auprg": auprg, "aupr": aupr, "average_precision": average_precision}
ROUNDS = 40
needs_boosting = pytest.mark.needs("boosting")
METRICS = [lightgbm_metric, xgboost_metric, catboost_metric]


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(0)
    X = random.normal(size=(1500, 5))
    y = (X[:, 0] + random.normal(size=1500) > 2.2).astype(int)
    return X[:900], y[:900], X[900:], y[900:]


@needs_boosting
@pytest.mark.parametrize("area", AREAS)
def test_lightgbm_stops_at_the_best_round(area, rows):
    import lightgbm

    X, y, X_test, y_test = rows
    model = lightgbm.LGBMClassifier(n_estimators=ROUNDS, n_jobs=1, verbosity=-1, metric="None")
    stop = lightgbm.early_stopping(ROUNDS, verbose=False)
    model.fit(X, y, eval_X=X_test, eval_y=y_test, eval_metric=lightgbm_metric(area), callbacks=[stop])
    by_round = [
        AREAS[area](y_test, model.predict_proba(X_test, num_iteration=k)[:, 1]) for k in range(1, ROUNDS + 1)
    ]
    assert model.best_iteration_ == 1 + int(np.argmax(by_round))
    assert model.best_score_["valid_0"][area] == pytest.approx(max(by_round))


@needs_boosting
@pytest.mark.parametrize("area", AREAS)
def test_xgboost_stops_at_the_best_round(area, rows):
    import xgboost

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


@needs_boosting
@pytest.mark.filterwarnings("ignore")  # CatBoost warns that numba cannot compile it.
@pytest.mark.parametrize("area", AREAS)
def test_catboost_stops_at_the_best_round(area, rows):
    import catboost

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


def lightgbm_model():
    import lightgbm

    return lightgbm.LGBMClassifier(n_estimators=5, n_jobs=1, verbosity=-1, metric="None")


def xgboost_model():
    import xgboost

    return xgboost.XGBClassifier(n_estimators=5, n_jobs=1, eval_metric=xgboost_metric("aupr"))


def catboost_model():
    import catboost

    settings = {"iterations": 5, "thread_count": 1, "verbose": False, "allow_writing_files": False}
    return catboost.CatBoostClassifier(eval_metric=catboost_metric("aupr"), **settings)


FITS = {
    "lightgbm": (
        lightgbm_model,
        lambda X, y: {"eval_X": X, "eval_y": y, "eval_metric": lightgbm_metric("aupr")},
        lambda model: model.evals_result_["valid_0"],
    ),
    "xgboost": (
        xgboost_model,
        lambda X, y: {"eval_set": [(X, y)], "verbose": False},
        lambda model: model.evals_result()["validation_0"],
    ),
    "catboost": (
        catboost_model,
        lambda X, y: {"eval_set": (X, y)},
        lambda model: model.evals_result_["validation"],
    ),
}


@pytest.mark.filterwarnings("ignore")  # CatBoost warns that numba cannot compile it.
@needs_boosting
@pytest.mark.parametrize("library", FITS)
def test_models_and_searches_with_a_metric_are_cloned_and_stored(library, rows):
    X, y, X_test, y_test = rows
    made, watched, history = FITS[library]
    model = clone(made()).fit(X, y, **watched(X_test, y_test))
    expected = aupr(y_test, model.predict_proba(X_test)[:, 1])
    assert history(model)["aupr"][-1] == pytest.approx(expected, abs=1e-6)
    assert history(pickle.loads(pickle.dumps(model)))["aupr"] == pytest.approx(history(model)["aupr"])
    watched_fit = {"params": watched(X_test, y_test)}
    assert np.isfinite(
        cross_validate(made(), X, y, scoring=scorers["aupr"], cv=2, **watched_fit)["test_score"]
    ).all()
    search = GridSearchCV(made(), {"max_depth": [1, 2]}, scoring=scorers["aupr"], cv=2)
    search.fit(X, y, **watched(X_test, y_test))
    stored = io.BytesIO()
    joblib.dump(search, stored)
    stored.seek(0)
    assert joblib.load(stored).best_score_ == search.best_score_


@pytest.mark.parametrize("metric", METRICS)
def test_a_metric_itself_is_pickled_and_copied(metric):
    for copied in (pickle.loads(pickle.dumps(metric("auprg"))), copy.deepcopy(metric("auprg"))):
        assert isinstance(copied, metric)
        assert vars(copied) == vars(metric("auprg"))


@needs_boosting
def test_lightgbm_keeps_several_areas_by_their_names(rows):
    X, y, X_test, y_test = rows
    metrics = [lightgbm_metric(area) for area in AREAS]
    model = lightgbm_model().fit(X, y, eval_X=X_test, eval_y=y_test, eval_metric=metrics)
    for area, function in AREAS.items():
        last = model.evals_result_["valid_0"][area][-1]
        assert last == pytest.approx(function(y_test, model.predict_proba(X_test)[:, 1]))


@needs_boosting
def test_lightgbms_own_train_and_cv_take_the_areas(rows):
    import lightgbm

    X, y, X_test, y_test = rows
    weights, history = np.random.default_rng(1).random(len(y_test)), {}
    settings = {"objective": "binary", "metric": "None", "verbose": -1, "num_threads": 1}
    metrics = [lightgbm_metric(area) for area in AREAS]
    model = lightgbm.train(
        settings, lightgbm.Dataset(X, y), 5, valid_sets=[lightgbm.Dataset(X_test, y_test, weight=weights)],
        feval=metrics, callbacks=[lightgbm.record_evaluation(history)],
    )  # fmt: skip
    for area, function in AREAS.items():
        expected = function(y_test, model.predict(X_test), sample_weight=weights)
        assert history["valid_0"][area][-1] == pytest.approx(expected, abs=1e-6)
    folds = lightgbm.cv(settings, lightgbm.Dataset(X, y), 5, nfold=3, feval=metrics)
    assert {f"valid {area}-mean" for area in AREAS} <= folds.keys()


@needs_boosting
def test_xgboosts_own_train_and_cv_take_the_areas(rows):
    import xgboost

    X, y, X_test, y_test = rows
    weights, history = np.random.default_rng(1).random(len(y_test)), {}
    settings = {"objective": "binary:logistic", "nthread": 1}
    test = xgboost.DMatrix(X_test, y_test, weight=weights)
    model = xgboost.train(
        settings, xgboost.DMatrix(X, y), 5, evals=[(test, "new")], custom_metric=xgboost_metric(*AREAS),
        evals_result=history, verbose_eval=False,
    )  # fmt: skip
    for area, function in AREAS.items():
        expected = function(y_test, model.predict(test), sample_weight=weights)
        assert history["new"][area][-1] == pytest.approx(expected, abs=1e-6)
    folds = xgboost.cv(settings, xgboost.DMatrix(X, y), 5, nfold=3, custom_metric=xgboost_metric(*AREAS))
    assert {f"test-{area}-mean" for area in AREAS} <= set(folds)


@needs_boosting
def test_xgboosts_classifier_takes_one_area():
    with pytest.raises(ValueError, match=r"XGBClassifier takes one function of one area, not aupr, auprg"):
        xgboost_metric("aupr", "auprg")([0, 1], [0.1, 0.2])


@pytest.mark.parametrize("metric", METRICS)
def test_an_unknown_area_is_refused_with_those_that_there_are(metric):
    with pytest.raises(
        ValueError, match="area 'auc' is not known; expected: auroc, aupr, auprg, aucnpr, average_precision"
    ):
        metric("auc")


def test_weights_of_the_rows_count_in_each():
    y, scores, weights = np.array([0, 1, 0, 1]), np.array([0.4, 0.3, 0.2, 0.9]), np.array([1.0, 3, 2, 1])
    area = auprg(y, scores, sample_weight=weights)
    assert area != auprg(y, scores)
    assert lightgbm_metric("auprg")(y, scores, weights)[1] == area
    assert xgboost_metric("auprg")(y, scores, sample_weight=weights) == area
    assert catboost_metric("auprg").evaluate([scores], y, weights)[0] == area
