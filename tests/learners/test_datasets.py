"""The table of data sets agrees with the data, and several classes become two as OpenML does it."""

import numpy as np
import pandas as pd
import pytest
from table_checks import row_texts, shared_rows, shared_share

from aucstudy.errors import InputError
from aucstudy.learners.datasets import (
    KINDS,
    default_names,
    listed,
    load,
    source_file,
    tidy_column,
    two_classes,
)


@pytest.fixture(scope="module")
def default_sets():
    return {name: load(name) for name in default_names()}


def test_the_default_is_60_sets_of_43224_rows_in_38_groups():
    rows = [listed()[name] for name in default_names()]
    n_rows, groups = sum(row.n_rows for row in rows), {row.source_group for row in rows}
    assert (len(rows), n_rows, len(groups)) == (60, 43224, 38)


def test_every_row_of_the_table_is_complete_and_its_file_is_there():
    for row in listed().values():
        assert row.kind in KINDS
        assert row.default in (True, False)
        assert row.reason
        assert source_file(row.name).is_file()


def test_sets_have_the_rows_that_the_table_says_and_a_prevalence_from_014_to_486(default_sets):
    for name, data in default_sets.items():
        assert len(data.target) == listed()[name].n_rows
    prevalence = [data.target.mean() for data in default_sets.values()]
    assert (round(min(prevalence), 3), round(max(prevalence), 3)) == (0.014, 0.486)


def test_features_are_float_or_text_without_white_space_or_marks_of_missing_values(default_sets):
    for data in default_sets.values():
        assert {kind.name for kind in data.features[data.numeric].dtypes} <= {"float64"}
        for name in data.categorical:
            text = data.features[name].dropna()
            assert (text == text.str.strip()).all()
            assert not text.isin(["?", "<null>", ""]).any()
    assert default_sets["cleveland-0_vs_4"].features.isna().sum().sum() == 4


def test_sets_that_share_rows_are_in_one_group():
    pairs = shared_rows(default_names())
    # Coarse features coincide by chance: hayes-roth and mammographic have 5 % of their few distinct rows in common.
    together = pairs[pairs["share"] >= 0.1]
    assert together["same_group"].all()
    named = {frozenset(pair) for pair in together[["first", "second"]].itertuples(index=False)}
    assert named > {frozenset({"heart", "cleveland-0_vs_4"}), frozenset({"car-good", "car-vgood"})}


def test_crx_and_australian_hold_the_same_applicants_though_no_row_is_written_alike(default_sets):
    crx, australian = default_sets["crx"], default_sets["australian"]
    assert shared_share(row_texts(crx.features), row_texts(australian.features.assign(more=0.0))) == 0
    # The columns are years at work, postal code and income. In australian, income counts from 1.
    in_crx = set(zip(*(crx.features[["x11", "x14", "x15"]] + [0, 0, 1]).to_numpy().T, strict=True))
    in_australian = set(zip(*australian.features[["x10", "x13", "x14"]].to_numpy().T, strict=True))
    assert len(in_crx) == 501
    assert in_crx <= in_australian


def test_a_constant_feature_that_an_excerpt_lacks_does_not_hide_shared_rows():
    whole = np.array([["1", "0", "5"], ["2", "0", "6"]], dtype=object)
    assert shared_share(whole, whole[:, [0, 2]]) == 1
    assert shared_share(whole, whole[:, [0]]) == 0


@pytest.mark.parametrize(
    ("labels", "kind", "positive", "negative"),
    [
        (["a", "a", "b"], "binary", "b", "a"),
        (["a", "b", "b"], "imbalanced", "a", "b"),
        (["a", "b"], "binary", "b", "a"),
        (["c", "b", "b", "a", "c"], "majority_vs_rest", "b", "rest"),
        (["10", "9", "10", "9", "1"], "majority_vs_rest", "9", "rest"),
        (["b", "b", "b", "a", "c"], "majority_vs_rest", "rest", "b"),
        (["a", "a"], "binary", "", "a"),
    ],
)
def test_the_smaller_class_is_positive_and_the_first_of_the_largest_stands_against_the_rest(
    labels, kind, positive, negative
):
    target, *names = two_classes(labels, kind, "some")
    assert names == [positive, negative]
    assert target.sum() <= len(labels) / 2


def test_an_unknown_set_and_more_than_two_classes_of_a_binary_one_are_refused():
    with pytest.raises(InputError, match="'irsi' is not in the table"):
        load("irsi")
    with pytest.raises(InputError, match=r"'some' has 3 classes, kind 'binary' needs two: a, b, c"):
        two_classes(["a", "b", "c"], "binary", "some")


def test_a_column_is_numbers_only_where_all_of_it_is():
    numbers = tidy_column(pd.Series([" 1", "? ", "2.5", "<null>"]))
    np.testing.assert_array_equal(numbers, [1, np.nan, 2.5, np.nan])
    text = tidy_column(pd.Series([" a ", "?", "1"]))
    assert text.tolist()[0::2] == ["a", "1"]
    assert text.isna().tolist() == [False, True, False]


def test_scikit_learns_own_sets_are_read_too():
    data = load("breast_cancer")
    assert (data.positive_class, int(data.target.sum())) == ("malignant", 212)
