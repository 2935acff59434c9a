"""A metric of one's own is one entry in a file, and everything that depends on metrics follows.

The section "Add a metric" of CONTRIBUTING.md is this module in words. The two metrics lie in the folder `own`.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import auc, precision_recall_curve, roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_validate

from aucstudy.audit import audit
from aucstudy.commands.main import main
from aucstudy.errors import InputError
from aucstudy.experiments.disagreement import disagreement_by_task, task_values
from aucstudy.jobs.scoring import score_task
from aucstudy.metrics import areas, areas_many, areas_of_counts, compare, interval, scikit_learn_scorers
from aucstudy.metrics.boosting import lightgbm_metric
from aucstudy.metrics.counts import RunningAreas
from aucstudy.metrics.kernel import order_of
from aucstudy.metrics.registry import Metric, forget, keys, metric, metric_named, register
from aucstudy.metrics.resamples import areas_of_order
from aucstudy.metrics.uncertainty.sample import Sample
from aucstudy.metrics.uncertainty.standard_errors import influences, sampling_errors
from aucstudy.store.task_store import Predictions

OWN = Path(__file__).parent / "own"


def forget_own(key):
    """Forget a metric, and have `scorers` filled anew for the tests that imported it before."""
    forget(key)
    assert key not in scikit_learn_scorers.scorers


FILES = {name: OWN / f"{name}.py" for name in ("straight_line_aupr", "partial_auroc")}


@pytest.fixture(params=FILES)
def key(request):
    entry = metric_named(str(FILES[request.param]))
    yield entry.key
    forget_own(entry.key)


@pytest.fixture
def partial_auroc():
    metric_named(str(FILES["partial_auroc"]))
    yield "partial_auroc"
    forget_own("partial_auroc")


def independent(key, y, score, weight=None):
    if key == "partial_auroc":
        return roc_auc_score(y, score, max_fpr=0.2, sample_weight=weight)
    precision, recall, _ = precision_recall_curve(y, score, sample_weight=weight)
    return auc(recall, precision)


def drawn(seed, n=300, share=0.3, decimals=1):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    return y, (rng.normal(size=(n, 3)) + y[:, None] * (1.0, 0.7, 0.2)).round(decimals), rng.gamma(1.0, size=n)


@pytest.mark.parametrize("decimals", [0, 1, 9])
@pytest.mark.parametrize("weighted", [False, True])
def test_its_value_is_that_of_scikit_learn_in_every_way_to_compute_it(key, weighted, decimals):
    y, scores, weight = drawn(1, decimals=decimals)
    weight = weight if weighted else None
    expected = [independent(key, y, score, weight) for score in scores.T]
    own = {"rtol": 1e-12, "atol": 1e-12}
    np.testing.assert_allclose(
        [getattr(areas(y, score, sample_weight=weight), key) for score in scores.T], expected, **own
    )
    np.testing.assert_allclose(getattr(areas_many(y, scores, sample_weight=weight), key), expected, **own)
    by_order = areas_of_order(order_of(y, scores), weight)[:, keys().index(key)]
    np.testing.assert_allclose(by_order, expected, **own)
    group = np.unique(-scores[:, 0], return_inverse=True)[1]
    w = np.ones(len(y)) if weight is None else weight
    positives, negatives = np.bincount(group, w * y), np.bincount(group, w * ~y)
    np.testing.assert_allclose(areas_of_counts(positives, positives + negatives)[key], expected[0], **own)
    running = RunningAreas(positives.sum(), negatives.sum())
    for start in range(0, len(positives), 7):
        running.add(positives[start : start + 7], negatives[start : start + 7])
    np.testing.assert_allclose(running.areas()[key], expected[0], **own)
    folds = np.arange(len(y)) % 3
    by_fold = getattr(areas_many(y, scores, groups=folds, sample_weight=weight), key)
    rows = folds == 1
    some = None if weight is None else weight[rows]
    np.testing.assert_allclose(by_fold[1, 2], independent(key, y[rows], scores[rows, 2], some), **own)


@pytest.mark.parametrize(("n", "share"), [(600, 0.5), (1500, 0.15), (4000, 0.3)])
def test_its_interval_is_that_of_a_bootstrap_to_a_tenth_of_its_width(key, n, share):
    """The last design has more than 100 positives times the prevalence, so that other metrics use influences."""
    y, scores, _ = drawn(2, n, share, decimals=2)
    score = scores[:, 0]
    estimate, low, high = interval(y, score, metric=key)
    assert estimate == pytest.approx(independent(key, y, score), abs=1e-12)
    rng = np.random.default_rng(3)
    positives, negatives = np.flatnonzero(y), np.flatnonzero(~y)
    values = []
    for _ in range(600):  # the ends of so many values have a standard error of 3 % of the width
        rows = np.concatenate([rng.choice(of_class, len(of_class)) for of_class in (positives, negatives)])
        values.append(independent(key, y[rows], score[rows]))
    # Rows that are drawn twice, and tie with themselves, move all values of the bootstrap to one side.
    expected = estimate + np.quantile(values - np.mean(values), [0.025, 0.975])
    assert [low, high] == pytest.approx(expected, abs=0.1 * np.diff(expected)[0])
    difference = compare(y, score, scores[:, 2], metric=key)
    assert difference.low < difference.estimate < difference.high


def test_it_has_no_influence_function_and_borrows_none(partial_auroc):
    y, scores, _ = drawn(2, 4000)
    errors = sampling_errors(Sample(y, scores))
    assert errors.halves[:-1] == (0,) * (len(keys()) - 1)
    assert errors.halves[-1] > 0
    with pytest.raises(ValueError, match="metric 'partial_auroc' has no influence function"):
        influences(keys().index(partial_auroc), np.array([1, 0]), np.array([0, 1]))


@pytest.fixture
def table(tmp_path):
    y, scores, _ = drawn(4, 400)
    frame = pd.DataFrame(scores, columns=["a", "b", "c"]).assign(y=y.astype(int))
    frame.to_csv(tmp_path / "mine.csv", index=False)
    return tmp_path / "mine.csv", y, scores


def test_the_command_score_has_a_column_of_it(capsys, table):
    path, y, scores = table
    try:
        assert main(["score", str(path), "--label", "y", "--format", "json", "--interval",
                     "--metric", str(FILES["partial_auroc"])]) == 0  # fmt: skip
        for row, score in zip(json.loads(capsys.readouterr().out), scores.T, strict=True):
            assert row["partial_auroc"] == pytest.approx(independent("partial_auroc", y, score), abs=1e-12)
            assert row["partial_auroc_low"] < row["partial_auroc"] < row["partial_auroc_high"]
    finally:
        forget_own("partial_auroc")


def test_an_audit_has_its_column_its_rank_and_its_sentences(partial_auroc, table):
    _, y, scores = table
    result = audit(y, pd.DataFrame(scores, columns=["a", "b", "c"]), resamples=200)
    assert result.areas["rank_partial_auroc"].tolist() == [1, 2, 3]
    text = result.text()
    assert "pAUROC  rank" in text
    assert "pAUROC puts a first with" in text
    assert "By pAUROC a is first." in text
    assert partial_auroc in set(result.contenders["metric"]) & set(result.intervals["metric"])
    alone = audit(y, {"a": scores[:, 0]}, resamples=200)
    assert any(line.startswith("pAUROC is ") for line in alone.verdict)


def test_an_audit_ranks_by_the_metrics_that_it_is_given_and_uses_no_other_for_the_verdict(table):
    _, y, scores = table
    try:
        result = audit(y, scores, metrics=["aupr", str(FILES["straight_line_aupr"])], resamples=200)
        ranks = [name for name in result.areas if name.startswith("rank_")]
        assert ranks == ["rank_aupr", "rank_straight_line_aupr"]
        assert set(result.contenders["metric"]) == {"aupr", "straight_line_aupr"}
        assert "AUROC is not among the metrics by which the models are ranked." in " ".join(
            result.text().split()
        )
    finally:
        forget_own("straight_line_aupr")


def test_it_is_a_scorer_and_a_function_for_boosting(partial_auroc):
    from aucstudy.metrics import scorers

    y, scores, _ = drawn(5)
    scored = cross_validate(LogisticRegression(), scores, y, scoring={"own": scorers[partial_auroc]})
    assert scored["test_own"].mean() > 0.5
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1]}, scoring=scorers, refit=partial_auroc)
    assert f"mean_test_{partial_auroc}" in search.fit(scores, y).cv_results_
    assert lightgbm_metric(partial_auroc)(y, scores[:, 0])[1] == pytest.approx(
        independent(partial_auroc, y, scores[:, 0])
    )


def test_it_has_its_rows_in_the_table_of_disagreement(partial_auroc):
    y, scores, _ = drawn(6)
    rows = np.arange(len(y))
    predictions = Predictions("7", rows, np.zeros(len(y), int), rows % 5, y, scores, ("1", "2", "3"))
    frame, rejections = score_task(predictions)
    assert not rejections
    pooled = frame[frame["aggregation"] == "pooled"]
    np.testing.assert_allclose(
        pooled[partial_auroc], [independent(partial_auroc, y, score) for score in scores.T], atol=1e-12
    )
    values = task_values(pooled, ["aupr", partial_auroc])
    [row] = disagreement_by_task(values, pd.Series({"7": "g"})).to_dict("records")
    assert (row["first"], row["second"], row["best_second"]) == ("aupr", partial_auroc, "1")


def test_what_is_no_metric_is_refused(tmp_path, partial_auroc):
    (tmp_path / "empty.py").write_text("x = 1\n")
    (tmp_path / "broken.py").write_text("x = 1 / 0\n")
    for name, message in (
        ("./nowhere.py", "no such file; a Python file with a METRIC is needed"),
        (str(tmp_path / "empty.py"), "holds no METRIC; METRIC = Metric"),
        (str(tmp_path / "broken.py"), "cannot be imported .*division by zero, line 1"),
        ("aurpg", "metric 'aurpg' is not known; did you mean 'auprg'"),
    ):
        with pytest.raises(InputError, match=message):
            metric_named(name)
    entry = metric(partial_auroc)
    facts = {name: getattr(entry, name) for name in entry.__dataclass_fields__}
    with pytest.raises(ValueError, match=r"metric 'other': the name '.*' is taken by metric 'partial_auroc'"):
        register(Metric(**facts | {"key": "other"}))
    for changed, message in (
        ({"key": "No Key"}, "a key of lower-case letters"),
        ({"key": "other", "compiled": True}, "the compiled kernel does not compute it"),
        ({"key": "x", "label": "x", "short_label": "x", "ranks_like": "y"}, "ranks like 'y', which is not"),
    ):
        with pytest.raises(ValueError, match=message):
            register(Metric(**facts | changed))
    assert metric_named(str(FILES["partial_auroc"])) is entry
