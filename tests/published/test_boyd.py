"""The arithmetic of Boyd et al. 2012."""

import numpy as np
import pandas as pd
import pytest

from aucstudy.claims.boyd import worst_ranking
from aucstudy.claims.claims import judge_claims
from aucstudy.claims.verdicts import Evidence
from aucstudy.experiments.unachievable.figure_4 import (
    f1_contour,
    f1_score,
    figure_4_points,
    largest_recall_of_f1,
    modified_f1,
)
from aucstudy.metrics import areas, aucpr_min, min_precision
from aucstudy.published.boyd_tables import table_1, table_2, table_3


@pytest.fixture(scope="module")
def claims(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    tasks = {"task_id": ["t"], "dataset_id": ["t"], "source_group": ["t"], "n_rows": [9], "prevalence": [0.3]}
    pd.DataFrame(tasks).to_csv(folder / "tasks.csv", index=False)
    return judge_claims(Evidence(folder, "packaged"))[0].set_index("id")


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("B-tab1", "exact"), ("B-T1", "exact"), ("B-T2", "exact"), ("B-T3", "exact"), ("B-C4", "exact"),
        ("B-skew", "exact"), ("B-range-gender", "exact"), ("B-range-genre", "does not come out"),
        ("B-imdb-pi", "not available"), ("B-04", "exact"), ("B-tab2", "exact"), ("B-tab3", "exact within rounding"),
        ("B-tab3-data", "not available"), ("B-tab3-var", "holds"), ("B-tab3-twice", "holds"),
        ("B-tab3-trend", "does not come out"), ("B-ri", "does not come out"), ("B-fig4", "exact"), ("B-f1", "exact"),
    ],
)  # fmt: skip
def test_each_claim_has_the_verdict_of_its_own_numbers(claims, name, verdict):
    assert claims["verdict"][name] == verdict


def test_table_1_says_which_matrix_cannot_be():
    assert table_1()["valid"].tolist() == [True, False]
    assert table_1()["TN"].tolist() == [120, -40]


def test_table_2_implies_other_minima_than_the_text():
    rows = table_2().set_index("predicate")
    assert rows["implied_minimum"]["gender"] == pytest.approx(0.273, abs=5e-4)
    assert rows["implied_high"]["gender"] < 0.31
    assert rows["implied_low"]["genre"] > 0.03


def test_table_3_comes_out_within_rounding_but_not_at_the_digit():
    assert table_3()["at_printed_digit"].sum() == 8
    assert table_3()["within_rounding"].all()


def test_the_worst_ranking_has_the_minimum_area():
    assert areas(*worst_ranking(5, 5)).aupr == pytest.approx(aucpr_min(0.5), abs=1e-15)


def test_a_contour_meets_the_minimum_curve_at_its_largest_recall():
    recall = largest_recall_of_f1(0.45, 0.33)
    assert float(f1_contour(0.45, recall)) == pytest.approx(min_precision(recall, 0.33), abs=1e-12)


def test_the_points_of_figure_4_share_their_f1_and_only_a_is_unachievable():
    points = figure_4_points()
    assert [f1_score(*point) for point in points.values()] == pytest.approx([0.45] * 3, abs=1e-12)
    slack = {name: p - min_precision(r, 0.33) for name, (r, p) in points.items()}
    assert slack["A"] < 0 < slack["B"] <= 0.0101
    assert slack["C"] > 0.3


def test_the_modified_f1_is_0_at_chance_and_below():
    assert modified_f1(np.array([0.0, 0.5, 1.0]), np.array([0.1, 0.33, 0.33]), 0.33).tolist() == [0, 0, 0]
