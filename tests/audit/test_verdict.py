"""The verdict says what the numbers say, as a colleague would."""

import json

import numpy as np
import pandas as pd
import pytest
from audit.made_page import close_models, normal_models

from aucstudy.audit import audit
from aucstudy.audit.findings import Section, in_section
from aucstudy.audit.page import page_of
from aucstudy.errors import InputError
from aucstudy.metrics.uncertainty import standard_errors
from aucstudy.metrics.uncertainty.sample import FEWEST_HALVES, Sample
from aucstudy.metrics.uncertainty.standard_errors import sampling_errors
from aucstudy.statistics import chance
from aucstudy.statistics.chance import corrected_level, fewest_units, perfect_is_shown


def audited(y, scores, **options):
    return audit(np.asarray(y, dtype=bool), scores, **{"resamples": 200} | options)


def of_kind(result, kind):
    return [finding for finding in result.findings if finding.kind == kind]


def kinds(result):
    return [finding.kind for finding in in_section(result.findings, Section.VERDICT)]


# ------------------------------------------------------------------------------------------------ leaks


def test_a_model_that_separates_fifty_positives_is_a_leak_and_is_never_recommended():
    y, scores = normal_models(400, 50, 1.5, 0.5)
    scores["leak"] = y + 0.01 * scores["a"]
    result = audited(y, scores)
    assert kinds(result)[0] == "leak"
    assert result.verdict[0].startswith(
        "leak separates the classes almost perfectly: the AUROC is 1.0000 with 50 positives."
    )
    assert result.verdict[1].startswith("Without leak, take a:")
    assert result.verdict[-1] == "What to do: find out first how leak was made. Without it, use a."
    assert all(
        "leak" not in finding.models for kind in ("use", "take_best") for finding in of_kind(result, kind)
    )


@pytest.mark.parametrize(("positives", "wrong_pairs", "is_leak"), [
    (49, 0, False), (50, 0, True), (50, 9, True), (50, 10, False),
])  # fmt: skip
def test_a_leak_has_an_auroc_of_9995_from_50_positives_on(positives, wrong_pairs, is_leak):
    """With 50 positives and 380 negatives there are 19,000 pairs, of which 9.5 are a share of .0005."""
    y, score = ranked(positives, 380, wrong_pairs)
    result = audited(y, {"a": score, "b": np.random.default_rng(0).normal(size=len(y))})
    assert result.areas["auroc"]["a"] == pytest.approx(1 - wrong_pairs / (positives * 380))
    assert (result.analysis.leaks == {"a": False}) == is_leak


@pytest.mark.parametrize("copy", [lambda y: y * 1.0, lambda y: 1.0 - y, lambda y: np.where(y, 0.7, 0.2)])
def test_a_score_that_is_a_function_of_the_label_is_a_leak_with_any_number_of_positives(copy):
    y, scores = normal_models(60, 20, 1.5)
    result = audited(y, {**scores, "copy": copy(y)})
    assert result.analysis.leaks == {"copy": True}
    assert "as if it were the label itself" in result.verdict[0]
    one_row_differs = copy(y)
    one_row_differs[5] += 0.01
    assert audited(y, {**scores, "copy": one_row_differs}).analysis.leaks == {}


def test_where_most_models_are_leaks_none_is_recommended():
    y, _ = normal_models(400, 60, 0.0)
    result = audited(y, {"a": y * 1.0, "b": y + 0.1 * np.random.default_rng(0).random(400)})
    assert kinds(result) == ["leak", "leak", "find_out"]
    way_out = "What to do: find out first whether the task is that easy, or how else a and b were made."
    assert result.verdict[-1] == way_out
    of_three = audited(y, {"a": y + 1.0, "b": y * 1.0, "c": np.random.default_rng(0).normal(size=400)})
    assert kinds(of_three) == ["leak", "find_out"]
    assert of_three.verdict[0].startswith("a and b have one score for all positives")
    assert of_three.verdict[-1] == way_out
    alone = audited(y, {"a": y * 1.0})
    assert kinds(alone)[0] == "leak"


def ranked(positives, negatives, wrong_pairs):
    """Return the labels and scores of a model, one of whose negatives is above so many positives."""
    n = positives + negatives
    score = -np.arange(n, dtype=float)
    score[-1] = 0.5 - (positives - wrong_pairs)
    return np.arange(n) < positives, score


def with_auroc(y, share_wrong):
    """Return scores of which exactly so large a share of the pairs of a positive and a negative is ranked wrongly."""
    n_negative = int((~y).sum())
    above = round(share_wrong * n_negative)  # The positives are between these negatives and all others.
    return np.where(
        y, 0.5 + np.arange(len(y)) / 1e6, np.where(np.cumsum(~y) <= above, 1.0, 0.0) - np.arange(len(y)) / 1e6
    )


@pytest.mark.parametrize(("best", "second", "is_suspect"), [
    (0.01, 0.11, True), (0.01, 0.09, False), (0.015, 0.3, False), (0.005, 0.055, True), (0.005, 0.045, False),
])  # fmt: skip
def test_a_model_with_an_auroc_of_99_and_a_tenth_of_the_wrong_pairs_of_others_stands_apart(
    best, second, is_suspect
):
    y = np.arange(1100) < 100
    result = audited(y, {"a": with_auroc(y, best), "b": with_auroc(y, second), "c": with_auroc(y, 0.4)})
    assert result.areas["auroc"].tolist() == pytest.approx([1 - best, 1 - second, 0.6])
    assert result.analysis.suspects == ({"a": True} if is_suspect else {})
    assert ("suspect" in kinds(result)) == is_suspect
    if is_suspect:
        assert result.verdict[0].startswith(
            f"a stands apart: it ranks {100 * best:.1f} % of the pairs of a positive and a negative wrongly, and every "
            f"other model at least {100 * second:.1f} %. Check whether it was made from the label"
        )
        assert result.verdict[-1] == (
            "What to do: make sure that a was not made from the label. If it was not, use a."
        )


@pytest.mark.parametrize(("best", "second", "is_far"), [
    (0.02, 0.09, True), (0.02, 0.081, True), (0.02, 0.079, False), (0.005, 0.1, False),  # the last one stands apart
])  # fmt: skip
def test_a_model_with_a_quarter_of_the_wrong_pairs_of_the_second_one_is_far_ahead(best, second, is_far):
    y = np.arange(2200) < 200
    scores = {"b": with_auroc(y, second), "after": with_auroc(y, best), "c": with_auroc(y, 0.4)}
    result = audited(y, scores)
    [*said] = of_kind(result, "far_ahead")
    assert len(said) == is_far
    if is_far:
        assert (said[0].severity, said[0].models) == ("result", ("after",))
        sentence = (
            f"after is far ahead of all others by AUROC ({1 - best:.3f}, and {1 - second:.3f} at most): make sure that "
            "it knew nothing that is known only afterwards."
        )
        assert sentence in result.verdict
        assert result.verdict[-1] == "What to do: use after."
    beside_leak = audited(y, {**scores, "leak": y * 1.0})
    assert of_kind(beside_leak, "far_ahead") == []


def test_two_models_that_rank_alike_may_be_far_ahead_of_the_other_model_but_not_by_chance():
    y = np.arange(2200) < 200
    good = with_auroc(y, 0.03)
    result = audited(y, {"a": good, "b": 2 * good, "c": with_auroc(y, 0.3)})
    assert (
        "a and b are far ahead of the other model by AUROC (0.970, and 0.700): make sure that they knew nothing that "
        "is known only afterwards."
    ) in result.verdict
    few = np.arange(44) < 4
    assert of_kind(audited(few, {"a": with_auroc(few, 0.025), "b": with_auroc(few, 0.3)}), "far_ahead") == []


def test_where_most_models_are_very_good_none_stands_apart():
    y = np.arange(1100) < 100
    good, bad = with_auroc(y, 0.01), with_auroc(y, 0.2)
    assert audited(y, {"a": good, "b": bad}).analysis.suspects == {"a": True}
    assert audited(y, {"a": good, "b": good - 1, "c": bad}).analysis.suspects == {"a": True, "b": True}
    others = {"b": with_auroc(y, 0.009), "c": with_auroc(y, 0.008)}
    assert audited(y, {"a": good, "b": others["b"], "d": bad}).analysis.suspects == {"a": True, "b": True}
    assert audited(y, {"a": good, **others, "d": bad}).analysis.suspects == {}
    assert audited(y, {"a": good}).analysis.suspects == {}


def test_beside_a_leak_a_model_that_stands_apart_is_distrusted_too():
    y = np.arange(1100) < 100
    scores = {"a": with_auroc(y, 0.0002), "b": with_auroc(y, 0.003), "c": with_auroc(y, 0.3)}
    result = audited(y, scores)
    assert (result.analysis.leaks, result.analysis.suspects) == ({"a": False}, {"b": True})
    assert kinds(result) == ["leak", "suspect", "find_out"]
    assert (
        "0.3 % of the pairs of a positive and a negative wrongly, and c at least 30.0 %" in result.verdict[1]
    )
    assert result.verdict[-1].endswith("or how else a and b were made.")
    of_four = audited(y, scores | {"d": with_auroc(y, 0.2)})
    assert of_four.verdict[-1] == "What to do: find out first how a and b were made. Without them, use d."


@pytest.mark.parametrize(("positives", "wrong_pairs", "suspects"), [
    (49, 0, {"a": False}), (49, 9, {"a": False}), (49, 10, {"a": True}), (50, 0, {}), (20, 0, {"a": False}), (1, 0, {}),
])  # fmt: skip
def test_a_perfect_ranking_of_fewer_than_fifty_positives_is_warned_of_but_may_be_used(
    positives, wrong_pairs, suspects
):
    y, score = ranked(positives, 380, wrong_pairs)
    result = audited(y, {"a": score, "b": np.random.default_rng(0).normal(size=len(y)) + y})
    assert result.analysis.suspects == suspects
    assert (kinds(result)[0] == "suspect") == bool(suspects)
    if suspects:
        assert result.verdict[-1] == (
            "What to do: make sure that a was not made from the label. If it was not, use a."
        )
    if suspects == {"a": False}:
        auroc = 1 - wrong_pairs / (380 * positives)
        assert result.verdict[0] == (
            f"a ranks almost every positive above every negative (AUROC {auroc:.4f}), but there are only {positives} "
            "positives, so that this says little. Check whether it was made from the label, or from something that is "
            "known only after the outcome."
        )


def test_only_suspects_that_may_be_taken_are_in_what_to_do():
    y, score = ranked(49, 380, 0)
    second = np.where(np.arange(len(y)) == 300, 1e9, score)  # One negative is above all positives: .9974.
    scores = {"a": score, "b": score - 1, "c": second, "d": np.random.default_rng(0).normal(size=len(y))}
    result = audited(y, scores, target_metric="precision@10")
    assert result.analysis.suspects == {"a": False, "b": False}
    to_do = "make sure that a and b were not made from the label. If they were not, use a, b or c"
    assert to_do in result.verdict[-1]


# ------------------------------------------------------------------------------------------------ AUPRG


def test_auprg_of_one_in_two_hundred_has_no_say():
    y, scores = normal_models(2000, 10, 2.0, 1.5)
    result = audited(y, scores)
    [finding] = of_kind(result, "not_estimable")
    assert finding.numbers["rests_on_less_than_one"]
    assert "auprg" not in result.analysis.ranked
    assert "auprg" not in set(result.contenders["metric"])
    assert result.areas["rank_auprg"].isna().all()
    assert any(
        line.startswith("AUPRG is not estimable on these rows and has no say") for line in result.verdict
    )
    row = next(line for line in result.text().splitlines() if line.startswith("a "))
    assert row.split()[5:7] == ["-", "-"]


@pytest.mark.parametrize(("n", "is_estimable"), [(3599, True), (3600, True), (3601, False)])
def test_one_positive_below_recall_gain_zero_is_enough(n, is_estimable):
    """With 60 positives, positives x prevalence is 3600 / n."""
    y, scores = normal_models(n, 60, 4.0, 3.5)
    finding = of_kind(audited(y, scores), "not_estimable")
    assert any(each.numbers["rests_on_less_than_one"] for each in finding) != is_estimable


def test_an_interval_down_to_the_lowest_value_makes_auprg_not_estimable():
    y, scores = normal_models(40, 8, 1.0, -2.0)
    result = audited(y, scores)
    floor = (1 - 40 / 8) / 2
    ends = result.intervals.query("metric == 'auprg'").set_index("model")["low"]
    [finding] = of_kind(result, "not_estimable")
    assert set(finding.models) == set(ends.index[ends == floor])
    assert finding.models == ("b",)
    assert finding.numbers["lowest"] == floor == -2.0


def test_an_audit_by_auprg_alone_is_refused_where_it_cannot_be_estimated():
    y, scores = normal_models(2000, 10, 2.0, 1.5)
    with pytest.raises(InputError, match="AUPRG: cannot be estimated from so few positives"):
        audited(y, scores, metrics=["auprg"])


# ------------------------------------------------------------------------------------------------ the answer


def crossing_models(n=3000, seed=1):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.1
    early = np.where(y & (rng.random(n) < 0.45), 5, rng.normal(size=n))
    return y, {"early": early, "late": rng.normal(size=n) + 1.1 * y}


def test_curves_that_cross_are_told_with_the_recall_and_the_way_out():
    y, scores = crossing_models()
    result = audited(y, scores)
    [finding] = of_kind(result, "crossing")
    assert finding.models == ("early", "late")
    assert 0.45 < finding.numbers["recall"] < 0.85
    assert finding.numbers["positives"] == y.sum()
    # Just there the curves have the same false positive rate, up to noise.
    rates = {}
    for name, score in scores.items():
        threshold = np.quantile(score[y], 1 - finding.numbers["recall"])
        rates[name] = (score[~y] >= threshold).mean()
    assert rates["early"] == pytest.approx(rates["late"], abs=0.03)
    assert "--target-metric" in result.verdict[-1]


def test_the_best_by_some_metrics_is_named_with_what_others_may_have_by_the_rest():
    """The curves cross as above, but the first model is better by AUROC too, so that only AUROC is open."""
    rng = np.random.default_rng(3)
    y = rng.random(3000) < 0.1
    early = np.where(y & (rng.random(3000) < 0.45), 5, rng.normal(size=3000))
    result = audited(y, {"early": early, "late": rng.normal(size=3000) + 0.9 * y})
    [finding] = of_kind(result, "take_winner")
    assert "aupr" in finding.numbers["won"]
    [auroc] = [row for row in finding.numbers["open"] if row["metric"] == "auroc"]
    low = result.contenders.query("metric == 'auroc' and model == 'late'")["low"].item()
    assert auroc == {"metric": "auroc", "others": ["late"], "short": pytest.approx(-low)}
    assert "By AUROC, late may be better by up to" in result.verdict[0]
    assert result.verdict[-1] == "What to do: use early."


def test_positives_that_are_needed_are_a_range_and_no_advice_contradicts_it():
    seen = set()
    for seed in range(12):
        n_models = 2 + 6 * (seed % 2)
        y, scores = normal_models(400, 80, *[1.0] * (n_models - 1), 1.1, seed=seed, shared=0.6)
        result = audited(y, scores)
        verdict = " ".join(result.verdict)
        for finding in of_kind(result, "separate"):
            for each in finding.numbers["ranges"]:
                assert each["is_far"] + each["is_open"] <= 1
                if each["is_far"]:
                    assert each["fewest"] > 10 * 80
                elif each["is_open"]:
                    assert each["fewest"] <= 10 * 80 < each["most"]
                    assert "and more than 800 more" in verdict
                seen.add("far" if each["is_far"] else "open" if each["is_open"] else "closed")
        if of_kind(result, "use_or_label_more"):
            assert "far more" not in verdict
        if "far more" in verdict:
            assert "or label more rows" not in verdict
    assert seen == {"far", "open", "closed"}


def test_of_many_models_that_are_tied_five_are_named():
    y, scores = normal_models(300, 60, 1.5)
    result = audited(y, {f"m{i}": (i + 1) * scores["a"] for i in range(10)} | {"poor": np.arange(300) % 7})
    [alike] = of_kind(result, "alike")
    assert len(alike.models) == 10
    assert result.verdict[0].startswith("m0, m1, m2, m3, m4 and 5 more rank the rows alike")
    assert result.analysis.said().sections[Section.BEST][0] == (
        "By AUROC m0, m1, m2, m3, m4 and 5 more are tied for the first place. Every other model is excluded."
    )


def test_models_of_random_scores_are_not_recommended():
    rng = np.random.default_rng(4)
    result = audited(np.arange(150) < 30, {name: rng.normal(size=150) for name in "abc"})
    assert kinds(result)[0] == "chance"
    assert "use none of the models" in result.verdict[-1]
    assert not of_kind(result, "separate")


# ------------------------------------------------------------------------------------------------ margins


def test_a_model_within_the_margin_is_as_good_excluded_or_not():
    y, scores = close_models()
    without = audited(y, scores)
    assert without.contenders.query("metric == 'auroc' and may_be_best")["model"].tolist() == ["a"]
    short = without.contenders.query("metric == 'auroc'").set_index("model")["short"]
    assert 0 == short["a"] < short["b"] < 0.02 < short["c"]
    assert without.verdict[-1] == "What to do: use a."
    assert not of_kind(without, "as_good")
    result = audited(y, scores, margin={"AUROC": short["b"] + 1e-9, "aupr": 0.1, "auprg": 0.1, "ap": 0.1})
    [finding] = [each for each in of_kind(result, "as_good") if each.metrics == ("auroc",)]
    assert finding.models == ("a", "b")
    assert result.verdict[-1] == "What to do: use a or b, whichever is easier to run."
    narrower = audited(y, scores, margin={"auroc": short["b"] - 1e-9})
    assert narrower.verdict[-2].startswith("By AUROC, no other model is shown to lie within your margin")


def test_the_upper_limit_of_a_deficit_holds_the_difference_of_two_models():
    """With two models it is the upper end of the 95 % interval of their difference."""
    y, scores = close_models(600)
    result = audited(y, {name: scores[name] for name in "ac"})
    rows = result.contenders.query("metric == 'auroc'").set_index("model")
    winner = result.analysis.winners.set_index("metric").loc["auroc"]
    assert rows.loc["c", "short"] == pytest.approx(winner["high"])
    assert rows.loc["a", "short"] == pytest.approx(max(0.0, -winner["low"]))


@pytest.mark.parametrize(
    ("margin", "message"),
    [
        ({"auroc": 0}, "margin auroc: is 0; a number above 0 is needed"),
        ({"auroc": float("nan")}, "margin auroc: is nan"),
        ({"aucnpr": 0.1}, "margin aucnpr: is of no metric that ranks the models"),
        ({"f1": 0.1}, "metric 'f1' is not known"),
    ],
)
def test_a_margin_that_makes_no_sense_is_refused(margin, message):
    with pytest.raises(InputError) as raised:
        audited(*close_models(200), margin=margin)
    assert str(raised.value).startswith(message)


# ------------------------------------------------------------------------------------------------ words around it


@pytest.mark.parametrize(
    ("columns", "options", "units"),
    [
        ({}, {}, "rows"),
        ({"patient": np.arange(200) // 2}, {"groups": "patient"}, "groups"),
        (
            {"case": np.arange(200) % 100, "rep": np.arange(200) // 100},
            {"row": "case", "repeat": "rep"},
            "cases",
        ),
    ],
)
def test_the_heading_says_what_is_taken_as_independent(columns, options, units):
    rng = np.random.default_rng(0)
    y = np.arange(200) % 100 < 30
    frame = pd.DataFrame({"y": y, "a": rng.normal(size=200) + y, "b": rng.normal(size=200), **columns})
    result = audit(frame, ["a", "b"], label="y", resamples=100, **options)
    heading = f"Verdict ({units} are taken as independent)"
    assert heading in result.text()
    assert f"<h2>{heading}</h2>" in page_of(result.analysis, "x")
    assert heading in result._repr_html_()


def test_fewer_halves_than_asked_for_are_said(monkeypatch):
    y, scores = normal_models(400, 80, 1.0, 1.2)
    assert "These are fewer" not in audited(y, scores).text()
    monkeypatch.setattr("aucstudy.metrics.uncertainty.sample.HALVED_SCORES", 0)
    said = " ".join(audited(y, scores).text().split())
    assert f"Intervals are from {FEWEST_HALVES} random halves of the 400 rows." in said
    assert "These are fewer halves than the 200 of --resamples, because there are so many scores." in said


def test_the_page_defines_each_metric_and_chance():
    text = page_of(audited(*normal_models(200, 60, 1.0, 1.2), target_metric="f1").analysis, "x")
    definitions = text.split('id="definitions"')[1].split("</div>")[0]
    starts = ("f1 is the target metric", "AUROC, the area", "AUPR, the area", "AUPRG, the area", "AUCNPR is",
              "AP, average", "The row (chance) has the mean")  # fmt: skip
    assert [definitions.count(f"<li>{start}") for start in starts] == [1] * 7
    assert (
        "the row (chance, 95 %) has the value that 95 % of these random rankings do not exceed" in definitions
    )


def test_the_json_has_every_sentence_as_a_finding():
    result = audited(*normal_models(200, 60, 1.0, 1.2))
    told = json.loads(result.to_json())
    assert len(told["findings"]) == sum(map(len, told["sentences"].values()))
    assert {finding["section"] for finding in told["findings"]} == set(told["sentences"])
    assert told["sentences"]["Verdict"] == result.verdict


# ------------------------------------------------------------------------------------------------ beside chance


def of_groups(n_groups, *shifts, n=400, positives=80, seed=3):
    """Return a frame of models whose rows are of so many groups of both classes."""
    y, scores = normal_models(n, positives, *shifts, seed=seed)
    return pd.DataFrame({"y": y, "site": np.arange(n) % n_groups, **scores})


@pytest.mark.parametrize("n_groups", [4, 5, 7])
def test_few_groups_of_good_models_are_too_few_to_tell_and_no_act_follows(n_groups):
    result = audit(of_groups(n_groups, 1.2, 1.0, 0.8), ["a", "b", "c"], label="y", groups="site")
    [finding] = of_kind(result, "too_few")
    assert (finding.numbers["n_units"], finding.numbers["fewest"]) == (n_groups, 8)
    assert result.verdict[0] == (
        f"Too few groups to tell whether any model is better than chance: there are {n_groups} groups that hold a "
        "positive, and with fewer than 8 not even a perfect ranking would be shown to be better."
    )
    assert not any("What to do" in line or "use none" in line for line in result.verdict)


def test_with_a_few_more_groups_the_number_is_estimated_from_the_model_that_looks_best():
    frame = of_groups(9, 0.8, 0.7, seed=1)
    result = audit(frame, ["a", "b"], label="y", groups="site")
    [finding] = of_kind(result, "too_few")
    assert not finding.numbers["has_too_few"]
    needed = finding.numbers["fewest"]
    assert 9 < needed < 30
    assert f"If it stays as good, about {needed} would show it." in result.verdict[0]
    assert kinds(audit(of_groups(40, 0.8, 0.7, seed=1), ["a", "b"], label="y", groups="site"))[0] != "too_few"


def test_three_positives_are_too_few_to_tell_with_one_model_and_with_several():
    y, scores = normal_models(400, 3, 2.0, 2.0)
    several, alone = audited(y, scores), audited(y, {"a": scores["a"]})
    assert kinds(several)[0] == kinds(alone)[-2] == "too_few"
    assert "there are 3 positives, and with fewer than 6 not even" in several.verdict[0]
    assert (
        "whether the model is better than chance: there are 3 positives, and with fewer than 5 not"
        in " ".join(alone.verdict)
    )
    assert not of_kind(several, "use_none")


def test_limits_are_normal_from_as_many_units_on_as_the_fewest_units_assume():
    assert chance.FEW_UNITS == standard_errors.FEW_UNITS


def test_a_perfect_ranking_of_the_fewest_units_is_just_shown_to_be_better_than_chance():
    """The rule is that of the intervals: a perfect ranking of groups of one positive and one negative."""
    # For one model and for three, limits of so few units are Student's; for twenty they are normal.
    for n_models in (1, 3, 20):
        fewest = fewest_units(n_models)
        for n_groups in (fewest - 1, fewest):
            y = np.arange(2 * n_groups) % 2 == 1
            sample = Sample(y, y[:, None] * 1.0, groups=np.arange(2 * n_groups) // 2)
            low = sampling_errors(sample).limits(0, corrected_level(n_models))[0, 0]
            assert (low > 0.5) == perfect_is_shown(n_groups, n_groups, n_models) == (n_groups == fewest)


def test_among_many_models_at_chance_the_best_one_must_be_better_by_more():
    """Of 25 samples of ten models at chance, a test of each model alone finds a better one in several."""
    n_shown = n_alone = 0
    for seed in range(25):
        y, scores = normal_models(200, 40, *[0.0] * 10, seed=seed)
        result = audited(y, scores, resamples=60)
        n_shown += not {"chance", "too_few"} & {*kinds(result)}
        rows = result.intervals.merge(result.analysis.chance, on="metric")
        assert (rows["limit_of_best"] > rows["limit"]).all()
        n_alone += ((rows["low"] > rows["mean"]) & (rows["value"] > rows["limit"])).any()
    assert n_shown <= 3 < n_alone


def test_a_leak_does_not_show_that_the_other_models_are_better_than_chance():
    y, scores = normal_models(400, 80, 0.0, 0.0)
    result = audited(y, {**scores, "leak": y + 0.0})
    assert kinds(result)[:2] == ["leak", "chance"]


# ------------------------------------------------------------------------------------------------ the wrong way round


def test_a_model_whose_interval_lies_below_a_half_is_named_with_the_option_and_never_used():
    y, scores = normal_models(400, 80, 1.0, 1.3)
    scores["loss"] = -2 * normal_models(400, 80, 2.0, seed=9)[1]["a"]
    result = audited(y, scores)
    [finding] = of_kind(result, "inverted_scores")
    assert (finding.models, finding.columns) == (("loss",), ("loss",))
    assert "If lower means a likelier positive, give --lower-is-better loss." in result.verdict[0]
    assert "Until then, this verdict leaves it out." in result.verdict[0]
    assert result.verdict[1].startswith("Without loss, take ")
    assert result.verdict[-1].startswith("What to do: give --lower-is-better loss if lower means a likelier")
    assert "loss" not in " ".join(model for each in of_kind(result, "use") for model in each.models)
    assert not of_kind(result, "inverted")  # It is no warning as well.
    turned = audited(y, scores, lower_is_better=["loss"])
    assert of_kind(turned, "inverted_scores") == []
    back = audited(y, scores, lower_is_better=["a", "loss"])
    assert "Leave out --lower-is-better a, if higher means a likelier positive." in back.verdict[0]


def test_where_all_models_are_inverted_nothing_is_used():
    y, scores = normal_models(400, 80, -1.0, -1.3)
    result = audited(y, scores)
    assert kinds(result) == ["inverted_scores", "find_out"]
    assert "--lower-is-better a --lower-is-better b if lower means a likelier positive" in result.verdict[-1]
    alone = audited(y, {"a": scores["a"]})
    assert kinds(alone)[0] == "inverted_scores"
    assert "leaves it out" not in alone.verdict[0]


def test_an_auroc_a_little_below_a_half_is_a_warning_only():
    y, scores = normal_models(400, 80, 1.0, -0.1)
    result = audited(y, scores)
    assert result.areas["auroc"]["b"] < 0.5
    assert not of_kind(result, "inverted_scores")
    assert len(of_kind(result, "inverted")) == 1


def test_in_a_table_in_long_format_the_option_names_the_column_of_scores():
    y, scores = normal_models(200, 60, 1.5, -1.5)
    rows = [
        pd.DataFrame({"y": y, "case": range(200), "model": name, "p": column})
        for name, column in scores.items()
    ]
    options = {"label": "y", "model": "model", "row": "case"}
    one = audit(pd.concat(rows), ["p"], **options)
    assert (
        "If lower means a likelier positive in its rows of column p, change the sign there." in one.verdict[0]
    )
    assert "--lower-is-better" not in " ".join(one.verdict)
    both = audit(pd.concat([rows[1], rows[1].assign(model="c")]), ["p"], **options)
    assert "give --lower-is-better p." in both.verdict[0]


# ------------------------------------------------------------------------------------------------ the act


def test_the_act_says_by_which_metrics_another_model_is_first():
    """Every positive is in the upper half of the rows of `levels`, which says nothing about the order there."""
    rng = np.random.default_rng(5)
    y = rng.random(3000) < 0.1
    early = np.where(y & (rng.random(3000) < 0.45), 5, rng.normal(size=3000))
    result = audited(y, {"early": early, "late": rng.normal(size=3000) + 1.0 * y})
    to_do, numbers = result.verdict[-1], in_section(result.findings, Section.VERDICT)[-1].numbers
    firsts = {
        metric: models
        for first in numbers["others_first"]
        for metric in first["metrics"]
        for models in first["models"]
    }
    for metric, model in firsts.items():
        assert result.areas[metric].idxmax() == model
    assert bool(firsts) == ("others are first elsewhere" in to_do)


def test_a_margin_is_advised_where_several_models_may_be_taken_and_none_was_given():
    y, scores = normal_models(400, 80, 1.0, 1.05, shared=0.6)
    assert "--margin auroc=.01 says which models lie within .01" in audited(y, scores).verdict[-1]
    assert "--margin" not in audited(y, scores, margin={"auroc": 0.001}).verdict[-1]
    assert "--margin precision@50=.01" in audited(y, scores, target_metric="precision@50").verdict[-1]
    better, others = normal_models(400, 80, 3.0, 0.5)
    assert "--margin" not in audited(better, others).verdict[-1]


def test_of_many_models_that_may_be_taken_one_is_to_be_chosen():
    y, scores = normal_models(200, 60, *[1.0] * 10, shared=0.9)
    result = audited(y, scores)
    leaders = {model for standing in result.analysis.judges for model in [result.areas[standing].idxmax()]}
    [finding] = of_kind(result, "take_some")
    assert len(finding.models) > 6
    assert {*finding.models[: len(leaders)]} == leaders
    assert result.verdict[0].startswith("Take one of ")
    assert " or " not in result.verdict[0].split(":")[0]


def test_a_model_that_is_not_shown_to_be_better_than_chance_is_not_to_be_used():
    y, scores = normal_models(60, 15, 1.2, 0.4, seed=2)
    result = audited(y, scores)
    assert result.contenders["may_be_best"].all()
    [finding] = of_kind(result, "take_shown")
    assert (finding.models, finding.numbers["not_shown"]) == (("a",), ["b"])
    assert result.verdict[0] == (
        "Take a: of the models that may be the best by every metric, only this one is shown to be better than chance, "
        "and b is not. a is first by every metric."
    )
    assert "use a, or label more rows" in result.verdict[-1]


def test_where_all_models_are_inverted_the_positive_class_is_doubted_first_and_many_options_are_not_written_out():
    y, scores = normal_models(400, 80, *[-1.0] * 5)
    result = audited(y, scores)
    assert result.verdict[-1].startswith("What to do: check first which class is positive (--positive).")
    assert "give --lower-is-better with each of a, b, c, d and e if lower" in result.verdict[-1]


def test_where_most_models_are_leaks_no_other_one_stands_apart():
    y = np.arange(1100) < 100
    leaks = {f"leak {i}": np.where(y, 2.0 + i, 1.0) for i in range(4)}
    scores = leaks | {"b": with_auroc(y, 0.009), "c": with_auroc(y, 0.3)}
    assert audited(y, scores).analysis.suspects == {}
