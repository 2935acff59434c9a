"""Sentences, verdict and page rest on one analysis, and so on the same draw."""

import numpy as np
import pandas as pd
import pytest
from audit.made_page import made_table, random_table

from aucstudy.audit.analysis import MOST_MODELS, Question, analyse
from aucstudy.audit.output import console, show
from aucstudy.audit.page import page_of
from aucstudy.errors import InputError
from aucstudy.metrics import areas

VERDICTS = {
    "agree": "is first by every metric.",
    "tied": "The metrics put the same model first, except that some models are tied.",
    "noise": "The metrics put different models first, but the data are too few to show that this "
    "disagreement is more than noise.",
    "real": "It matters which metric you report: the metrics disagree on the best model by more than noise.",
}
OPPOSITE = " Ranges of recall in which the difference has the opposite sign add {}."


def changed(analysis, **results):
    vars(analysis).pop("findings", None)
    vars(analysis).update(results)
    return analysis


def sentences(analysis):
    return analysis.said().sections


def random_analysis(seed, n=90, *, models=3):
    """Analyse random models that hardly differ."""
    return analyse(random_table(seed, n, models=models, distance=0.5), Question(resamples=100, seed=seed))


def test_the_rows_are_resampled_once_with_the_seed_that_was_asked_for(monkeypatch):
    seeds = []
    monkeypatch.setattr(
        "aucstudy.audit.noise.generator",
        lambda seed, *names: (seeds.extend([seed] * ("halves" in names)), np.random.default_rng(seed))[1],
    )
    page_of(random_analysis(7), "mine.csv")
    assert seeds == [7]


def test_the_page_and_the_sentences_give_one_verdict():
    verdicts = set()
    for seed in range(8):
        analysis = random_analysis(seed)
        verdicts.add(analysis.verdict)
        verdict = " ".join(sentences(analysis)["Verdict"])
        assert VERDICTS[analysis.verdict] in verdict
        assert not any(line in verdict for word, line in VERDICTS.items() if word != analysis.verdict)
        assert VERDICTS[analysis.verdict] in page_of(analysis, "mine.csv")
    assert len(verdicts) > 1


def test_what_selected_best_is_referred_to_where_a_target_metric_is_named_and_there_are_models_to_choose_from():
    table = random_table()
    with_target = analyse(table, Question("f1", resamples=100))
    (line,) = sentences(with_target)["Which metric should select the model"]
    assert line.startswith("docs/choosing.md of the repository compares selection metrics on many data sets")
    assert line.endswith("Here the target metric is f1.")
    assert line in page_of(with_target, "mine.csv")
    alone = analyse(random_table(models=1), Question("f1", resamples=100))
    for analysis in (alone, analyse(table, Question(resamples=100))):
        assert "Which metric should select the model" not in sentences(analysis)


def test_each_two_winners_are_told_with_the_intervals_that_decide():
    """One model is far ahead among the first rows, and the other as good over all rows.

    Only one of the two preferences is more than noise.
    """
    told = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        y = rng.random(300) < 0.3
        early = np.where(y & (rng.random(300) < 0.45), 5, rng.normal(size=300))
        late, poor = rng.normal(size=300) + 0.95 * y, rng.normal(size=300)
        analysis = analyse(made_table(y, early, late, poor), Question(resamples=100, seed=seed))
        winners = sentences(analysis)["Winners"]
        lines = [line for line in winners if " over " in line]
        assert bool(lines) == bool(len(analysis.winner_differences))
        for row in analysis.winner_differences.itertuples():
            ends = sorted((abs(row.low), abs(row.high)))
            assert any(all(f"{end:.4f}" in line for end in ends) for line in winners)
        told += [line for line in lines if " is more than noise" in line and analysis.verdict == "noise"]
    assert told
    assert all(line.endswith(" A real disagreement is therefore not shown.") for line in told)


@pytest.mark.parametrize("n_models", [2, 3])
def test_each_interval_of_a_difference_is_said_once(n_models):
    verdicts = set()
    for seed in range(8):
        analysis = random_analysis(seed, models=n_models)
        verdicts.add(analysis.verdict)
        text = " ".join(line for lines in sentences(analysis).values() for line in lines)
        ranked = analysis.winners[analysis.winners["metric"].isin(analysis.best)]
        for row in (*analysis.winner_differences.itertuples(), *ranked.itertuples()):
            ways = {f"{row.low:.4f} to {row.high:.4f}", f"{-row.high:.4f} to {-row.low:.4f}"}
            assert sum(text.count(way) for way in ways) == 1
    assert {"agree", "noise"} <= verdicts


def difference_of(*by_band):
    """Return the sentence on AUPR for an analysis whose bands of recall add these differences."""
    analysis = random_analysis(0)
    edges = np.linspace(0, 1, len(by_band) + 1)
    bands = pd.DataFrame({"recall_from": edges[:-1], "recall_to": edges[1:], "difference": by_band})
    every = [bands.assign(model="a", other="b", metric=metric) for metric in ("aupr", "auprg", "auroc")]
    return sentences(changed(analysis, bands=pd.concat(every)))["Where it comes from"][1]


def test_the_band_that_is_named_adds_most_in_the_direction_of_the_difference():
    """The band with the largest number has the other sign, and is larger than the whole difference."""
    said_of_it = difference_of(0.03, -0.05, 0.02, 0.01)
    assert "of a minus that of b is +0.0100. The range of recall from 0.00 to 0.25 adds most" in said_of_it
    assert "to this difference (+0.0300)." in said_of_it
    assert said_of_it.endswith(OPPOSITE.format("-0.0500"))


def test_bands_of_the_other_sign_are_named_only_where_they_are_large():
    most = (
        "of a minus that of b is {}. The range of recall from 0.00 to {} adds most to this difference ({})."
    )
    assert difference_of(-0.03, 0.002, -0.02, 0.0).endswith(most.format("-0.0480", "0.25", "-0.0300"))
    assert difference_of(-0.011, 0.003).endswith(
        most.format("-0.0080", "0.50", "-0.0110") + OPPOSITE.format("+0.0030")
    )
    assert difference_of(0.02, -0.02).endswith(OPPOSITE.format("-0.0200"))


def test_at_the_edge_more_resamples_are_advised():
    analysis = random_analysis(1)

    def winner(support, resamples):
        winners = analysis.winners.assign(support=support, real=False)
        facts = {**analysis.facts, "resamples": resamples}
        return sentences(changed(analysis, facts=facts, winners=winners))["Winners"][0]

    edge = (
        " It is so close to the limit that other random halves may say otherwise. "
        "More halves decide: --resamples 10000."
    )
    assert winner(0.97, 1000).endswith(f"not shown to be more than noise.{edge}")
    for support, resamples in ((0.97, 10_000), (0.95, 1000), (0.975, 0)):
        assert winner(support, resamples).endswith("not shown to be more than noise.")


def test_where_only_ties_stand_between_the_winners_the_areas_are_not_said_to_disagree():
    y = np.array([1, 1, 0, 0, 0, 0], dtype=bool)
    first_and_fourth, second_and_third = np.array([6, 3, 5, 4, 2, 1.0]), np.array([5, 4, 6, 3, 2, 1.0])
    analysis = analyse(made_table(y, first_and_fourth, second_and_third), Question(resamples=100))
    assert analysis.best["auroc"] == ["a", "b"]
    assert analysis.best["aupr"] == ["a"]
    assert analysis.verdict == "tied"
    assert VERDICTS["tied"] in sentences(analysis)["Verdict"]


def test_a_bar_in_a_name_is_not_taken_for_a_tie():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3 == 0
    table = made_table(y, y + rng.random(60), rng.random(60), names=("a|b", "c"))
    winners = sentences(analyse(table, Question(resamples=100)))["Winners"]
    assert winners[0].startswith("AUROC puts a|b first with ")
    assert not any("tied" in line for line in winners)


@pytest.mark.parametrize("verdict", ["tied", "noise", "real"])
def test_every_verdict_has_the_same_words_in_the_text_and_on_the_page(verdict):
    analysis = changed(random_analysis(1), verdict=verdict)
    assert VERDICTS[verdict] in sentences(analysis)["Verdict"]
    assert VERDICTS[verdict] in page_of(analysis, "mine.csv")


@pytest.mark.parametrize(
    ("n", "method", "resamples", "sentence"),
    [
        (
            90, "halves", 100,
            "Intervals are from 100 random halves of the 90 rows. The halves are drawn within each class. In "
            "simulations of hard cases, such intervals contained the true value in 92 to 100 % of the samples.",
        ),
        (
            9000, "influence functions", 0,
            "Intervals are the limit of resampling the 9,000 rows within each class. They are computed from the "
            "influence of each row on each metric.",
        ),
    ],
)  # fmt: skip
def test_the_sentences_say_how_the_intervals_came_about(n, method, resamples, sentence):
    analysis = random_analysis(3, n)
    said = [line for line in sentences(analysis)["Winners"] if line.startswith("Intervals are ")]
    assert said == [sentence]
    assert (analysis.facts["intervals"], analysis.facts["resamples"]) == (method, resamples)
    assert said[0] in page_of(analysis, "mine.csv")


def test_more_models_than_are_compared_are_refused_at_once():
    n = MOST_MODELS + 1
    table = made_table(np.array([True, False] * 2), np.zeros((4, n)), names=tuple(map(str, range(n))))
    line = "1001 columns of scores; at most 1000 are compared, name some with --score"
    with pytest.raises(InputError, match=line):
        analyse(table)


def verdict_of(*columns, y, target_metric=None, resamples=200):
    analysis = analyse(made_table(y, *columns), Question(resamples=resamples, target_metric=target_metric))
    return analysis, sentences(analysis)["Verdict"]


def test_the_verdict_names_the_one_model_that_is_left_as_best():
    rng = np.random.default_rng(0)
    y = rng.random(400) < 0.3
    good = rng.normal(size=400) + 1.4 * y
    _, verdict = verdict_of(good, rng.normal(size=400), rng.normal(size=400), y=y)
    assert verdict == [
        "Take a: every other model is excluded as the best one by every metric.",
        "What to do: use a.",
    ]


def test_models_that_rank_alike_are_one_model_of_the_verdict():
    rng = np.random.default_rng(0)
    y = rng.random(400) < 0.3
    good = rng.normal(size=400) + 1.4 * y
    _, verdict = verdict_of(good, 2 * good, rng.normal(size=400), y=y)
    assert verdict == [
        "a and b rank the rows alike: they have the same value by every metric, so that it does not matter "
        "which of them you take.",
        "Take a or b: every other model is excluded as the best one by every metric.",
        "What to do: use a or b, whichever is easier to run.",
    ]


def test_where_every_model_is_excluded_by_some_area_the_verdict_asks_for_the_area():
    rng = np.random.default_rng(1)
    y = rng.random(3000) < 0.1
    early = np.where(y & (rng.random(3000) < 0.45), 5, rng.normal(size=3000))
    _, verdict = verdict_of(early, rng.normal(size=3000) + 1.1 * y, y=y)
    assert verdict[0] == "Every model is excluded as the best one by some metric."
    assert verdict[1] == VERDICTS["real"]
    assert verdict[-1].startswith("What to do: decide what you need the model for")


def test_four_times_the_positives_halve_what_stands_between_the_first_and_its_next():
    """With 1.4 times the stated positives the interval of the lead excludes 0, with .7 times it does not."""
    rng = np.random.default_rng(5)
    y = rng.random(300) < 0.3
    a, b = rng.normal(size=(2, 300)) + 1.1 * y
    analysis, _ = verdict_of(a, b, y=y, resamples=1000)
    row = analysis.contenders.query("metric == 'auroc' and lead > 0").iloc[0]
    assert row["positives"] > 1
    for share, real in ((0.7, False), (1.4, True)):
        copies = np.repeat(np.arange(300), round(share * row["positives"]))
        again, _ = verdict_of(a[copies], b[copies], y=y[copies])
        assert again.winners.set_index("metric").loc["auroc", "real"] == real


def test_a_target_metric_decides_the_verdict_and_its_value_is_that_of_the_metrics():
    rng = np.random.default_rng(1)
    y = rng.random(3000) < 0.3
    early = np.where(y & (rng.random(3000) < 0.45), 5, rng.normal(size=3000))
    late = rng.normal(size=3000) + 1.1 * y
    analysis, verdict = verdict_of(early, late, y=y, target_metric="precision@100")
    assert verdict[0] == "Take a: every other model is excluded as the best one for precision@100."
    of_target = analysis.contenders[analysis.contenders["metric"] == "precision@100"]
    at_100 = [y[np.argsort(-late, kind="stable")[:100]].mean(), 1.0]
    assert sorted(of_target["value"]) == pytest.approx(at_100)
    assert sentences(analysis)["Which models may be best (95 %)"][0].startswith(
        "By precision@100 a is first with 1.0000"
    )


def test_a_target_metric_on_a_single_positive_is_refused():
    y = np.arange(20) == 3
    with pytest.raises(InputError, match=r"1 row of a class: 'f1' has no interval"):
        verdict_of(*np.random.default_rng(0).random((2, 20)), y=y, target_metric="f1")


def test_twenty_positives_at_random_have_an_aupr_far_above_their_share():
    rng = np.random.default_rng(2)
    y = np.arange(1000) < 20
    of_random = np.array([areas(y, rng.random(1000)) for _ in range(1000)])
    analysis = analyse(made_table(y, *rng.random((2, 1000))), Question(resamples=100))
    chance = analysis.chance.set_index("metric")
    for metric in ("auroc", "aupr", "average_precision"):
        values = of_random[:, list(areas(y, y)._fields).index(metric)]
        assert chance.loc[metric, "mean"] == pytest.approx(values.mean(), rel=0.04)
        assert chance.loc[metric, "limit"] == pytest.approx(np.percentile(values, 95), rel=0.08)
    assert chance.loc["average_precision", "mean"] > 1.2 * 0.02


def test_the_details_come_when_they_are_asked_for(capsys):
    rng = np.random.default_rng(1)
    y = np.arange(3000) < 97
    columns = rng.normal(size=(4, 3000)) + np.linspace(0.9, 1.3, 4)[:, None] * y
    for decimals in (0, 9):
        names = ("forest", "net", "boosting", "tree")
        analysis = analyse(made_table(y, *columns.round(decimals), names=names))
        show(analysis, "mine.csv", console())
        at_first = capsys.readouterr().out
        assert "Verdict" in at_first
        assert "Winners" not in at_first
        show(analysis, "mine.csv", console(), details=True)
        assert "Winners" in capsys.readouterr().out


@pytest.mark.parametrize(("positives", "single"), [(1, "positive"), (39, "negative")])
def test_of_a_single_row_of_a_class_no_model_is_excluded(positives, single):
    y = np.arange(40) < positives
    analysis, verdict = verdict_of(np.random.default_rng(0).random(40), y.astype(float), y=y, resamples=100)
    assert verdict == [
        f"A single row is {single}: these data cannot say which model is best. At least two positives and two "
        "negatives are needed."
    ]
    assert analysis.contenders["may_be_best"].all()
    assert "Which models may be best (95 %)" not in sentences(analysis)
