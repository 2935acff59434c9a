"""With weights, a prevalence, or cases in several repeats, all results are of the same weighted rows."""

import numpy as np
import pandas as pd
import pytest

from aucstudy.audit import audit
from aucstudy.audit.drawings import curve_figures
from aucstudy.errors import InputError
from aucstudy.metrics import areas, interval
from aucstudy.metrics.areas import fold_areas
from aucstudy.metrics.registry import keys, ranking_keys

AREAS = keys()

OPTIONS = {"label": "y", "resamples": 200}
MODELS = ("a", "b", "c")


def rows(n=300, seed=3, share=0.2):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    scores = {name: (rng.normal(size=n) + y).round(1) for name in MODELS}
    facts = {"y": y.astype(int), "case": [f"c{i}" for i in range(n)], "site": rng.integers(3, size=n)}
    return pd.DataFrame({**facts, **scores, "w": rng.integers(4, size=n)})


def repeated(frame, times, seed=5, noise=0.0):
    rng = np.random.default_rng(seed)
    copies = [
        frame.assign(rep=r, **{name: frame[name] + noise * rng.normal(size=len(frame)) for name in MODELS})
        for r in range(times)
    ]
    return pd.concat(copies, ignore_index=True)


def close(result, other):
    for name in ("areas", "intervals", "contenders"):
        one, two = getattr(result, name), getattr(other, name)
        assert one.select_dtypes("object").equals(two.select_dtypes("object"))
        numbers = (frame.select_dtypes("number") for frame in (one, two))
        np.testing.assert_allclose(*numbers, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("n", [300, 12_000], ids=["halves", "influence functions"])
def test_a_weight_of_a_whole_number_is_so_many_rows_of_a_case(n):
    frame = rows(n)
    times = frame["w"].to_numpy()
    copies = frame.loc[frame.index.repeat(times)].assign(rep=np.concatenate([np.arange(t) for t in times]))
    weighted = audit(frame, MODELS, weight="w", **OPTIONS)
    as_rows = audit(copies, MODELS, row="case", repeat="rep", **OPTIONS)
    assert weighted.analysis.facts["intervals"] == ("halves" if n == 300 else "influence functions")
    close(weighted, as_rows)
    assert weighted.analysis.facts["n"] == np.count_nonzero(times) == as_rows.analysis.facts["n_cases"]
    np.testing.assert_allclose(weighted.analysis.chance["mean"], as_rows.analysis.chance["mean"], rtol=0.05)
    bands = [result.analysis.bands["difference"].to_numpy(float) for result in (weighted, as_rows)]
    np.testing.assert_allclose(*bands, atol=1e-12)
    kept = frame[times > 0]
    of_folds = audit(frame, MODELS, weight="w", folds="site", **OPTIONS).analysis.fold_means
    columns, weights = kept[list(MODELS)].to_numpy(), kept["w"].to_numpy(float)
    of_each = fold_areas(kept["y"] == 1, columns, kept["site"].to_numpy(), sample_weight=weights)
    np.testing.assert_allclose(of_folds["aupr"], of_each.mean["aupr"])


def test_the_scale_of_weights_says_nothing():
    frame = rows()
    weighted = audit(frame, MODELS, weight="w", **OPTIONS)
    for scale in (1e-3, 1e200, 1e-200):
        close(audit(frame.assign(w=frame["w"] * scale), MODELS, weight="w", **OPTIONS), weighted)
    close(audit(frame.assign(w=2.5), MODELS, weight="w", **OPTIONS), audit(frame, MODELS, **OPTIONS))


@pytest.mark.parametrize("prevalence", [0.02, 0.6])
def test_a_prevalence_is_that_of_areas_intervals_and_folds(prevalence):
    frame = rows(9000)
    result = audit(frame, MODELS, prevalence=prevalence, folds="site", **OPTIONS)
    for name in MODELS:
        of = areas(frame["y"], frame[name], prevalence=prevalence)
        assert result.areas.loc[name, list(AREAS)].to_list() == pytest.approx([getattr(of, a) for a in AREAS])
    ends = result.intervals.set_index(["metric", "model"]).loc[("auroc", "b"), ["low", "high"]]
    if result.analysis.facts["resamples"] == 0:
        asked = {"prevalence": prevalence, "folds": frame["site"]}
        limits = interval(frame["y"], frame["b"], metric="auroc", **asked)[1:]
        assert ends.to_list() == pytest.approx(limits, rel=1e-4)
    columns = frame[list(MODELS)].to_numpy()
    of_folds = fold_areas(frame["y"] == 1, columns, frame["site"].to_numpy(), prevalence=prevalence)
    np.testing.assert_allclose(result.analysis.fold_means["auprg"], of_folds.mean["auprg"])
    assert result.analysis.facts["prevalence"] == prevalence
    assert f"(prevalence {prevalence:g}, of the rows 0.2" in str(result)
    assert (
        'Other tools\' "AUPR"\n- The rules of other tools are not applied, because they count'
        in result.text()
    )


def test_a_target_metric_at_a_prevalence_counts_each_negative_as_several():
    frame = rows()
    one_in = 4.0
    prevalence = frame["y"].sum() / (frame["y"].sum() + one_in * (1 - frame["y"]).sum())
    of_target = audit(frame, MODELS, prevalence=prevalence, target_metric="net:1", **OPTIONS).contenders
    cuts = frame["a"].to_numpy() >= np.unique(frame["a"])[:, None]
    y = frame["y"].to_numpy() == 1
    net = max(0.0, ((cuts & y).sum(axis=1) - one_in * (cuts & ~y).sum(axis=1)).max() / y.sum())
    assert of_target.query("metric == 'net:1' and model == 'a'")["value"].item() == pytest.approx(net)


@pytest.mark.parametrize(
    "target_metric", ["f1", "recall@.5", "precision@40", "precision@.05", "net:1", "auroc@.1"]
)
def test_a_row_of_weight_3_counts_as_three_rows(target_metric):
    frame = rows().assign(w=lambda of: 1 + np.arange(len(of)) % 3)
    frame["a"] = frame["a"].round(1)
    copies = frame.loc[frame.index.repeat(frame["w"])]
    lone, of_copies = (
        audit(of, MODELS, target_metric=target_metric, **options, **OPTIONS)
        .contenders.query("metric == @target_metric")
        .set_index("model")["value"]
        for of, options in ((frame, {"weight": "w"}), (copies, {}))
    )
    np.testing.assert_allclose(lone[list(MODELS)], of_copies[list(MODELS)], rtol=1e-9)


@pytest.mark.parametrize("exponent", [0, -250, 250])
def test_what_a_weight_of_1_is_does_not_depend_on_the_size_of_the_weights(exponent):
    frame = rows().assign(w=2.0**exponent)
    most = len(frame) * 2.0**exponent
    for count, fits in ((3, most >= 3), (".05", True)):
        if fits:
            audit(frame, MODELS, target_metric=f"precision@{count}", weight="w", **OPTIONS)
        else:
            with pytest.raises(InputError, match="rows count as"):
                audit(frame, MODELS, target_metric=f"precision@{count}", weight="w", **OPTIONS)


@pytest.mark.parametrize("target_metric", ["precision@1", "precision@.05", "recall@.9", "auroc@.1"])
def test_no_value_and_no_lead_is_beyond_what_the_target_metric_can_be(target_metric):
    result = audit(rows(60), MODELS, target_metric=target_metric, **OPTIONS)
    least = 0.9 / 1.9 if target_metric == "auroc@.1" else 0.0
    of_target = result.intervals.query("metric == @target_metric")
    assert of_target["low"].min() >= least
    assert of_target["high"].max() <= 1
    assert result.contenders.query("metric == @target_metric")["low"].min() >= least - 1


def test_ten_repeats_with_little_noise_tell_what_one_does_and_as_rows_too_much():
    """In simulations, intervals from ten repeats of each case are as wide as those from one repeat.

    If the repeats count as rows, the intervals of a metric and of a lead are too narrow by the root of ten.
    """
    widths = {"one": [], "cases": [], "rows": []}
    for seed in range(5):
        frame = rows(seed=seed)
        ten = repeated(frame, 10, seed, noise=0.02)
        asked = {
            "one": audit(frame, MODELS, **OPTIONS),
            "cases": audit(ten, MODELS, row="case", repeat="rep", **OPTIONS),
            "rows": audit(ten, MODELS, folds="rep", **OPTIONS),
        }
        for kind, result in asked.items():
            of_areas = result.intervals.set_index("metric").loc[list(ranking_keys())]
            of_leads = result.analysis.winners.set_index("metric").loc[list(ranking_keys())]
            widths[kind].append([(of["high"] - of["low"]).mean() for of in (of_areas, of_leads)])
    one, cases, as_rows = (np.mean(widths[kind], axis=0) for kind in widths)
    np.testing.assert_allclose(cases / one, 1, atol=0.1)
    np.testing.assert_allclose(as_rows / one, 10**-0.5, atol=0.1)


def test_repeats_are_told_and_a_case_counts_once():
    frame = repeated(rows(60, share=0.3), 3)
    result = audit(frame, MODELS, row="case", repeat="rep", folds="site", **OPTIONS)
    facts = result.analysis.facts
    assert (facts["n"], facts["n_cases"], facts["n_repeats"], facts["n_folds"]) == (180, 60, 3, 9)
    assert str(result).startswith("data: 180 rows of 60 cases in 3 repeats, ")
    said = " ".join(result.text().split())
    assert (
        "200 random halves of the 60 cases. The halves are drawn within each class, and all rows of a case"
        in said
    )
    assert f"Only {frame['y'].sum() // 3} positives" in said
    assert "groups hold" not in said
    without = audit(frame.iloc[1:], MODELS, row="case", repeat="rep", **OPTIONS)
    assert "179 rows of 60 cases in up to 3 repeats" in str(without)
    by_site = audit(frame, MODELS, row="case", repeat="rep", groups="site", **OPTIONS)
    assert (by_site.analysis.facts["n_groups"], by_site.analysis.facts["n_cases"]) == (3, 0)


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({}, {"repeat": "rep"}, "data: --repeat 'rep' needs --row too: a column that says which rows are of one"),
        ({}, {"row": "case"}, "data: 60 rows are duplicates of another"),
        ({}, {"row": "case", "repeat": "reps"}, "data: no column 'reps'; did you mean 'rep'?"),
        (
            {"y": np.arange(120) % 2, "case": (np.arange(120) + np.arange(120) // 60) % 60},
            {"row": "case", "repeat": "rep"},
            "data: row 1 of the data is of a case that is positive in one row and negative in another",
        ),
        ({}, {"weight": "v"}, "data: no column 'v'"),
        ({"w": -1.0}, {"weight": "w"}, "data: column 'w': -1 in row 1 of the data is no weight; at least 0"),
        ({"w": np.inf}, {"weight": "w"}, "data: column 'w': 120 values are no finite numbers, the first is inf"),
        ({"w": np.where(np.arange(120) == 7, np.nan, 1)}, {"weight": "w"}, "data: column 'w': 1 values are"),
        ({"w": "x"}, {"weight": "w"}, "data: column 'w': 120 values are no finite numbers"),
        ({"w": 0}, {"weight": "w"}, "data: column 'w': all weights are 0"),
        (
            {"w": 0.5},
            {"weight": "w", "target_metric": "precision@61"},
            "data: target metric 'precision@61': the 120 rows count as 60; at most so many, or a share below 1, is",
        ),
        ({}, {"target_metric": "precision@121"}, "data: target metric 'precision@121': the 120 rows are fewer;"),
        ({}, {"target_metric": "precision@2.5"}, "target metric 'precision@2.5' is of 2.5 rows; a whole number,"),
        ({}, {"prevalence": 0}, "prevalence must lie strictly between 0 and 1, not 0"),
        ({}, {"prevalence": float("nan")}, "prevalence must lie strictly between 0 and 1, not nan"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_line(change, options, message):
    with pytest.raises(InputError) as raised:
        audit(repeated(rows(60), 2).assign(**change), MODELS, **options, **OPTIONS)
    assert str(raised.value).startswith(message)
    assert "\n" not in str(raised.value)


def test_a_page_of_weighted_rows_draws_these(tmp_path):
    result = audit(rows(), MODELS, prevalence=0.1, **OPTIONS)
    result.to_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size > 1000
    for trace in curve_figures(result.analysis, thresholds=False)["roc"].data:
        if trace.customdata is not None:
            auroc = result.areas.loc[trace.name, "auroc"]
            assert np.trapezoid(trace.y, trace.x) == pytest.approx(auroc, abs=3e-3)
            assert trace.customdata[-1, 0] == pytest.approx(0.1)  # This is the precision of all rows.
