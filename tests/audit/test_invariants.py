"""Properties that hold for an audit of any scores."""

import json
from functools import cache

import numpy as np
import pandas as pd
import pytest
from audit.made_page import rows_of

from aucstudy.audit import audit
from aucstudy.audit.page import page_of
from aucstudy.metrics import compare_models
from aucstudy.metrics.registry import keys, labels
from aucstudy.statistics.best import EXCLUDED

AREAS = keys()

MONTE_CARLO = 0.4  # relative error of a p-value, between two sets of random halves


def table_of(seed, n_models):
    """Return labels, and scores of models that are alike, nearly perfect or useless; some have few values."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(rng.integers(30, 151)) < rng.integers(4, 15))
    shared, scores = rng.normal(size=len(y)), {}
    for name in "abcde"[:n_models]:
        shift, decimals = rng.choice([0.0, 1.0, 1.2, 4.0]), int(rng.choice([0, 1, 9]))
        scores[name] = (0.7 * shared + 0.7 * rng.normal(size=len(y)) + shift * y).round(decimals)
    return y, scores


TABLES = [table_of(seed, 2 + seed % 4) for seed in range(8)]
any_table = pytest.mark.parametrize("number", range(len(TABLES)))


def audited(y, scores, **options):
    return audit(y, scores, target_metric="f1", **{"resamples": 100} | options)


@cache
def audit_of_table(number):
    return audited(*TABLES[number])


def kept(result):
    contenders = result.contenders
    return contenders[contenders["may_be_best"]].groupby("metric")["model"].agg(set).to_dict()


@any_table
def test_the_best_of_a_measure_may_be_the_best(number):
    result = audit_of_table(number)
    for _, rows in result.contenders.groupby("metric"):
        assert rows["may_be_best"][rows["value"] == rows["value"].max()].all()


@any_table
def test_twins_are_never_told_apart(number):
    y, scores = TABLES[number]
    result = audited(y, {**scores, "twin": 2 * scores["a"] - 1})
    for models in kept(result).values():
        assert ("a" in models) == ("twin" in models)
    pairs = result.contenders.pivot(index="metric", columns="model", values="lead")
    assert (pairs["a"] == pairs["twin"]).all()
    swaps = result.analysis.swaps[["preferred_first", "preferred_second"]]
    assert not swaps.isin(["a", "twin"]).all(axis=1).any()


@any_table
def test_no_model_is_kept_that_its_own_corrected_comparison_excludes(number):
    y, scores = TABLES[number]
    result = audit_of_table(number)
    for metric, models in kept(result).items():
        leader = result.contenders.query("metric == @metric")["model"].iloc[0]
        pairs = compare_models(y, scores, metric=metric, against=leader) if metric in AREAS else ()
        assert all(pair.p_adjusted > EXCLUDED * (1 - MONTE_CARLO) for pair in pairs if pair.second in models)


@any_table
def test_moved_rows_and_columns_monotone_scores_and_renamed_labels_get_the_same_answer(number):
    y, scores = TABLES[number]
    rng = np.random.default_rng(0)
    rows = rng.permutation(len(y))
    result = audit_of_table(number)
    assert audited(y[rows], {name: s[rows] for name, s in scores.items()}).text() == result.text()
    assert audited(y, {name: 3 * s - 7 for name, s in scores.items()}).text() == result.text()
    named = audited(np.where(y, "churn", "stay"), scores, positive="churn")
    assert named.verdict == result.verdict
    assert named.contenders.equals(result.contenders)
    moved = audited(y, {name: scores[name] for name in rng.permutation(list(scores))})
    assert kept(moved) == kept(result)
    columns = ["metric", "model", "lead", "low", "positives"]
    one, two = (of.contenders[columns].set_index(["metric", "model"]).sort_index() for of in (moved, result))
    # Of two models that tie, the one in the first column leads.
    if not result.contenders.duplicated(["metric", "value"]).any():
        pd.testing.assert_frame_equal(one, two)


@pytest.mark.parametrize("table", [table_of(seed, 1 + seed % 5) for seed in range(8)])
def test_text_json_csv_python_and_page_say_the_same_numbers(table):
    result = audited(*table)
    everything = json.loads(result.to_json())
    intervals = pd.DataFrame(everything["area_intervals"]).set_index(["metric", "model"])
    csv, text = result.analysis.as_table().set_index("model"), result.text()
    head, *page = rows_of(page_of(result.analysis, "x"), "areas")
    page = {model: dict(zip(head[1:], cells, strict=True)) for model, *cells in page[:-2]}
    for (metric, model), seen in result.intervals.set_index(["metric", "model"]).iterrows():
        assert intervals.loc[(metric, model)].tolist() == seen.tolist()
        cell = page[model][labels().get(metric, metric)]
        if metric in result.analysis.not_estimable:
            assert cell == "–"
            continue
        limits = f"{seen['low']:.3f} to {seen['high']:.3f}"
        assert cell == f"{seen['value']:.4f} {limits}"
        assert limits in text
        if metric in AREAS:
            others = csv.loc[model, metric], result.areas.loc[model, metric]
            assert others == pytest.approx((seen["value"], seen["value"]), rel=1e-12)
    terminal = [words[0] for line in text.splitlines() if (words := line.split()) and words[0] in page]
    assert terminal[: len(page)] == list(page)
    assert everything["sentences"]["Verdict"] == result.verdict
    assert all(line.split(" ")[0] in text for line in result.verdict)
