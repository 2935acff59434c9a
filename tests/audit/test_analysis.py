"""One analysis is carried from the table to the page: sentences, verdict and page rest on the same draw."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from aucstudy.audit.analysis import MOST_MODELS, analyse
from aucstudy.audit.page import page_of
from aucstudy.audit.text import rendered, said
from aucstudy.errors import InputError
from aucstudy.reading.prediction_tables import ScoredTable

VERDICTS = {
    "agree": "All areas agree on the best model.",
    "tied": "The areas agree on the best model but for ties.",
    "noise": "The areas disagree on the best model, but a real disagreement is not shown: these data cannot tell.",
    "real": "It matters which area you report: they disagree on the best model, by more than noise.",
}
WORDS = {"noise": "cannot tell", "real": "more than noise"}


def sentences(analysis):
    return said(analysis).sections


def table(*columns, names="abc", y=None):
    y = np.arange(len(columns[0])) % 3 == 0 if y is None else y
    return ScoredTable(y, np.asfortranarray(np.column_stack(columns)), tuple(names), None, "yes", "no")


def random_table(seed, n=90):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    return table(*(rng.normal(size=(3, n)) + 0.5 * y), y=y)


def on_page(page):
    return json.loads(page.split('application/json">')[1].split("</script>")[0])["tasks"][0]["verdict"]


def test_the_rows_are_resampled_once_with_the_seed_that_was_asked_for(monkeypatch):
    seeds = []
    monkeypatch.setattr(
        "aucstudy.audit.noise.generator",
        lambda seed, *_: seeds.append(seed) or np.random.default_rng(seed),
    )
    page_of(analyse(random_table(1), resamples=100, seed=7), "mine.csv")
    assert seeds == [7]


def test_the_page_and_the_sentences_give_one_verdict():
    verdicts = set()
    for seed in range(8):
        analysis = analyse(random_table(seed), resamples=100, seed=seed)
        verdicts.add(analysis.verdict)
        assert VERDICTS[analysis.verdict] in sentences(analysis)["Winners"]
        assert on_page(page_of(analysis, "mine.csv")) == analysis.verdict
    assert len(verdicts) > 1


def test_after_a_verdict_of_noise_stands_what_the_data_exclude_and_the_rule_for_such_data():
    told = {}
    for seed in range(8):
        analysis = analyse(random_table(seed), resamples=100, seed=seed)
        told[analysis.verdict] = sentences(analysis).get("Which area should choose", [])
        if analysis.verdict == "noise":
            assert told["noise"][0].startswith("What these data exclude (95 %): differences outside of the ")
            assert told["noise"][-len(said(analysis).decision) :] == said(analysis).decision
    assert told["noise"]
    assert told["agree"][0].startswith("Here all agree; ")
    assert told["agree"][1].startswith("What these data exclude (95 %): differences outside of the ")
    assert told["agree"][-len(said(analysis).decision) :] == said(analysis).decision


def test_each_two_winners_are_told_with_the_intervals_that_decide():
    """One model is far ahead among the first rows, the other as good over all: only one preference is shown."""
    told = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        y = rng.random(300) < 0.3
        early = np.where(y & (rng.random(300) < 0.45), 5, rng.normal(size=300))
        late, poor = rng.normal(size=300) + 0.95 * y, rng.normal(size=300)
        analysis = analyse(table(early, late, poor, y=y), resamples=100, seed=seed)
        winners = sentences(analysis)["Winners"]
        lines = [line for line in winners if " over " in line]
        assert bool(lines) == bool(len(analysis.excluded))
        for row in analysis.excluded.itertuples():
            ends = sorted((abs(row.low), abs(row.high)))
            assert any(all(f"{end:.4f}" in line for end in ends) for line in winners)
        told += [line for line in lines if "more than noise" in line and analysis.verdict == "noise"]
    assert told
    assert all(line.endswith(": so a real disagreement is not shown.") for line in told)


@pytest.mark.parametrize("n_models", [2, 3])
def test_each_interval_of_a_difference_is_said_once(n_models):
    verdicts = set()
    for seed in range(8):
        rng = np.random.default_rng(seed)
        y = rng.random(90) < 0.3
        columns = rng.normal(size=(n_models, 90)) + 0.5 * y
        analysis = analyse(table(*columns, names="abc"[:n_models], y=y), resamples=100, seed=seed)
        verdicts.add(analysis.verdict)
        text = " ".join(line for lines in sentences(analysis).values() for line in lines)
        ranked = analysis.winners[analysis.winners["metric"].isin(analysis.best)]
        for row in (*analysis.excluded.itertuples(), *ranked.itertuples()):
            ways = {f"{row.low:.4f} to {row.high:.4f}", f"{-row.high:.4f} to {-row.low:.4f}"}
            assert sum(text.count(way) for way in ways) == 1
    assert {"agree", "noise"} <= verdicts


def difference_of(*by_band):
    """The sentence on the AUPR of an analysis whose bands of recall add these differences."""
    analysis = analyse(random_table(0), resamples=100, seed=0)
    edges = np.linspace(0, 1, len(by_band) + 1)
    bands = pd.DataFrame({"recall_from": edges[:-1], "recall_to": edges[1:], "difference": by_band})
    every = [bands.assign(model="a", other="b", metric=metric) for metric in ("aupr", "auprg", "auroc")]
    return sentences(replace(analysis, bands=pd.concat(every)))["Where it comes from"][1]


def test_the_band_that_is_named_adds_most_in_the_direction_of_the_difference():
    """The largest band of all has the other sign, and is larger than the whole."""
    said_of_it = difference_of(0.03, -0.05, 0.02, 0.01)
    assert "a minus b: +0.0100, the most (+0.0300) from recall 0.00 to 0.25" in said_of_it
    assert said_of_it.endswith(", against -0.0500 from bands of the other sign.")


def test_bands_of_the_other_sign_are_named_only_where_they_are_large():
    assert difference_of(-0.03, 0.002, -0.02, 0.0).endswith(
        "a minus b: -0.0480, the most (-0.0300) from recall 0.00 to 0.25."
    )
    assert difference_of(0.02, -0.02).endswith(", against -0.0200 from bands of the other sign.")


def test_at_the_edge_more_resamples_are_advised():
    analysis = analyse(random_table(1), resamples=100)

    def winner(support, resamples):
        changed = {"winners": analysis.winners.assign(support=support, real=False)}
        facts = {**analysis.facts, "resamples": resamples}
        return sentences(replace(analysis, facts=facts, **changed))["Winners"][0]

    edge = ", but at the edge: another draw of resamples may say otherwise; --resamples 10000)."
    assert winner(0.97, 1000).endswith(f"not told apart from noise{edge}")
    for support, resamples in ((0.97, 10_000), (0.95, 1000), (0.975, 0)):
        assert winner(support, resamples).endswith("not told apart from noise).")


def test_of_data_outside_of_the_evidence_the_audit_says_so():
    rng = np.random.default_rng(1)
    analysis = analyse(table(*rng.random((2, 12)), names="ab", y=np.arange(12) < 8), resamples=100)
    assert said(analysis).decision[0].startswith("Not judged: prevalence 0.667; judged are 0.00")


def test_where_only_ties_stand_between_the_winners_the_areas_are_not_said_to_disagree():
    y = np.array([1, 1, 0, 0, 0, 0], dtype=bool)
    first_and_fourth, second_and_third = np.array([6, 3, 5, 4, 2, 1.0]), np.array([5, 4, 6, 3, 2, 1.0])
    analysis = analyse(table(first_and_fourth, second_and_third, y=y, names="ab"), resamples=100)
    assert analysis.best["auroc"] == ["a", "b"]
    assert analysis.best["aupr"] == ["a"]
    assert analysis.verdict == "tied"
    assert "The areas agree on the best model but for ties." in sentences(analysis)["Winners"]


def test_a_bar_in_a_name_is_not_taken_for_a_tie():
    rng = np.random.default_rng(0)
    good = np.where(np.arange(60) % 3 == 0, 1.0, 0.0) + rng.random(60)
    winners = sentences(analyse(table(good, rng.random(60), names=("a|b", "c")), resamples=100))["Winners"]
    assert winners[0].startswith("AUROC puts a|b first: ")
    assert not any("tied" in line for line in winners)


@pytest.mark.parametrize("verdict", VERDICTS)
def test_every_verdict_has_words_for_a_table_and_for_a_study(verdict):
    analysis = replace(analyse(random_table(1), resamples=100), verdict=verdict)
    assert VERDICTS[verdict] in sentences(analysis)["Winners"]
    _, of_study = rendered("study.j2", counts={verdict: 2}, n_tasks=3, n_models=2, n_drawn=1)
    assert of_study["Winners"][0].startswith("In 2 of 3 tasks ")


@pytest.mark.parametrize("verdict", ["noise", "real"])
def test_a_verdict_has_one_word_in_the_text_on_the_page_and_in_the_study(verdict):
    analysis = replace(analyse(random_table(1), resamples=100), verdict=verdict)
    page, (_, of_study) = (
        page_of(analysis, "mine.csv"),
        rendered("study.j2", counts={verdict: 2}, n_tasks=3, n_models=2, n_drawn=1),
    )
    words = WORDS[verdict]
    assert any(words in line for line in sentences(analysis)["Winners"])
    assert words in of_study["Winners"][0]
    data = json.loads(page.split('application/json">')[1].split("</script>")[0])
    assert data["verdicts"][verdict] == words
    assert f'"{words}" where' in page


@pytest.mark.parametrize("n", [90, 9000])
def test_the_sentences_say_how_the_intervals_came_about(n):
    analysis = analyse(random_table(3, n), resamples=100)
    said = [line for line in sentences(analysis)["Winners"] if line.startswith("Intervals: ")]
    resampled = f"Intervals: 100 resamples of all {n:,} rows, within each class."
    limit = (
        f"Intervals: the normal limit of resampling all {n:,} rows within each class, from the influence of each row "
        "on each area."
    )
    assert said == [resampled if n == 90 else limit]
    assert (analysis.facts["intervals"], analysis.facts["resamples"]) == (
        ("resampling", 100) if n == 90 else ("influence functions", 0)
    )
    assert said[0] in page_of(analysis, "mine.csv")


def test_more_models_than_are_compared_are_refused_at_once():
    scores = np.zeros((4, MOST_MODELS + 1), order="F")
    names = tuple(map(str, range(MOST_MODELS + 1)))
    table = ScoredTable(np.array([True, False] * 2), scores, names, None, "1", "0")
    with pytest.raises(
        InputError, match="1001 columns of scores; at most 1000 are compared, name some with --score"
    ):
        analyse(table)
