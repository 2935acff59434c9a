"""The claims of Boyd et al. 2012, recalculated."""

import numpy as np
import pytest

from aucstudy.claims.boyd import relaxed_f1, worst_ranking
from aucstudy.claims.judge import exact_claims
from aucstudy.claims.later_papers import COUNTEREXAMPLE, rises
from aucstudy.experiments.papers import f1_contour, f1_score, figure_4_points, largest_recall_of_f1
from aucstudy.metrics import areas, aucpr_min, min_precision
from aucstudy.published.implied import table_1, table_2, table_3


@pytest.fixture(scope="module")
def judged():
    return exact_claims()


@pytest.fixture
def claims(judged):
    return judged[0].set_index("id")


@pytest.fixture
def numbers(judged):
    """Return a function that gives our numbers of a claim by item."""
    return lambda claim: judged[1].query("id == @claim").set_index("item")["here"]


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        *((name, "theorem: proved") for name in (
            "B-T1", "B-T2", "B-T3", "B-C4", "B-f1", "B-f1-relaxed", "B-order", "B-divide", "B-outweigh",
            "B-degenerate", "B-F1-bound",
        )),
        *((name, "theorem: checked") for name in ("B-recall",)),
        ("L-mistakes", "theorem: does not hold"),
        *((name, "arithmetic: comes out") for name in (
            "B-tab1", "B-skew", "B-range-gender", "B-04", "B-tab2", "B-tab3-var", "B-tab3-twice",
        )),
        *((name, "erratum") for name in ("B-tab2-gender", "B-tab2-genre", "B-ri", "B-fig4-B")),
        *((name, "remark") for name in ("B-range-genre", "B-tab3-trend")),
        ("B-fig4", "consistent by construction"),
        ("B-tab3", "arithmetic: within rounding"),
    ],
)  # fmt: skip
def test_each_claim_has_the_verdict_of_its_own_numbers(claims, name, verdict):
    assert claims["verdict"][name] == verdict


def test_the_prevalences_whose_minimum_prints_as_02_do_not_hold_05(numbers):
    here = numbers("B-range-genre")
    assert here["smallest prevalence whose minimum prints as .02"] == pytest.approx(0.030, abs=5e-4)
    assert here["largest prevalence whose minimum prints as .02"] == pytest.approx(0.049, abs=5e-4)


def test_no_point_of_figure_4_is_both_near_the_minimum_and_above_chance(numbers):
    here = numbers("B-fig4-B")
    assert here["largest recall with precision above pi"] == pytest.approx(0.7071, abs=1e-4)
    assert here["minimum precision at that recall"] == pytest.approx(0.258, abs=5e-4)
    assert here["precision of the point .01 above the minimum curve"] < 0.33


def test_the_equations_that_contradict_one_another_are_named_as_the_paper_numbers_them(claims):
    words = ("with precision", "eq. 5", "with recall", "eq. 4")
    positions = [claims["note"]["B-f1"].index(word) for word in words]
    assert positions == sorted(positions)


def test_table_1_has_a_matrix_that_cannot_be_table_2_implies_other_minima_and_table_3_is_within_rounding():
    assert table_1()["valid"].tolist() == [True, False]
    assert table_1()["TN"].tolist() == [120, -40]
    rows = table_2().set_index("predicate")
    assert rows["implied_minimum"]["gender"] == pytest.approx(0.273, abs=5e-4)
    assert rows["implied_high"]["gender"] < 0.31
    assert rows["implied_low"]["genre"] > 0.03
    assert table_3()["at_printed_digit"].sum() == 8
    assert table_3()["within_rounding"].all()


def test_the_worst_ranking_has_the_minimum_area():
    assert areas(*worst_ranking(5, 5)).aupr == pytest.approx(aucpr_min(0.5), abs=1e-15)


def test_a_contour_meets_the_minimum_curve_at_its_largest_recall_and_only_point_a_of_three_is_unachievable():
    recall = largest_recall_of_f1(0.45, 0.33)
    assert float(f1_contour(0.45, recall)) == pytest.approx(min_precision(recall, 0.33), abs=1e-12)
    points = figure_4_points()
    assert [f1_score(*point) for point in points.values()] == pytest.approx([0.45] * 3, abs=1e-12)
    slack = {name: p - min_precision(r, 0.33) for name, (r, p) in points.items()}
    assert slack["A"] < 0 < slack["B"] <= 0.0101
    assert slack["C"] > 0.3


def test_the_least_area_above_guessing_depends_on_the_prevalence_and_is_negative(numbers):
    least = [(aucpr_min(pi) - pi) / (1 - pi) for pi in (0.5, 0.01)]
    assert numbers("B-divide").tolist() == pytest.approx(least)
    assert max(least) < 0


def test_six_random_models_have_less_area_together_than_the_minimum_of_a_balanced_task(numbers):
    assert numbers("B-outweigh").tolist() == pytest.approx([1 - np.log(2), 0.3, 0.35])


def test_a_relaxed_f1_forgets_what_lies_below_the_prevalence(numbers):
    assert numbers("B-f1-relaxed").tolist() == pytest.approx([0, 0.575], abs=5e-4)
    recall, precision = np.array([0.4, 0.8, 0.8]), np.array([0.5, 0.5, 0.6])
    assert (np.diff(relaxed_f1(recall, precision, 0.33)) > 0).all()


def test_correcting_a_pair_can_raise_average_precision_more_further_down_the_ranking(numbers):
    # By hand: t / (P k (k + 1)) with 12 positives, of which t = 1 stands up to rank 11 and t = 12 up to rank 23.
    at_the_top, further_down = rises(COUNTEREXAMPLE, 10), rises(COUNTEREXAMPLE, 22)
    assert at_the_top == pytest.approx((1 / (12 * 11), 1 / (12 * 10 * 11)))
    assert further_down == pytest.approx((1 / (12 * 11), 12 / (12 * 22 * 23)))
    here = numbers("L-mistakes")
    assert here["rise of AP at rank 22"] > here["rise of AP at rank 10"]
