"""Wrong input is refused with a message that names it; any usual input is accepted and left unchanged."""

import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from aucstudy.metrics import (
    areas,
    areas_many,
    aupr_conventions,
    auprg,
    auroc,
    average_precision,
    f_gain,
    fbeta_calibration,
    pr_curve,
    roc_curve,
    roc_hull,
)

Y, S = [1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1]
NAN = float("nan")


@pytest.mark.parametrize(
    ("y", "s", "options", "message"),
    [
        (Y, [0.9, NAN, 0.3, NAN], {}, r"y_score holds 2 NaN, the first at index 1"),
        ([1] + [0] * 999, [0.5] * 998 + [NAN, 0.1], {}, r"y_score holds 1 NaN, the first at index 998"),
        ([1] * 4, [0.9, 0.1, 0.3, NAN], {}, r"y_score holds 1 NaN, the first at index 3"),
        ([0, 1, 2, 0], S, {}, r"y_true must hold two values, not 0, 1, 2"),
        ([0.0, 1.0, NAN, 0.0], S, {}, r"y_true must hold two values, not 0.0, 1.0, nan"),
        ([1, 2, 1, 2], S, {}, r"y_true holds 1, 2: which is positive\? Give pos_label"),
        (["no", "yes", "no", "no"], S, {}, r"y_true holds 'no', 'yes': which is positive"),
        ([2, 2, 2, 2], S, {}, r"y_true holds 2: which is positive"),
        (["a", "b", "a", "b"], S, {"pos_label": "c"}, r"pos_label='c' is not among the labels .*'a', 'b'"),
        ([0, 1, 2, 0], S, {"pos_label": 2}, r"y_true must hold two values, not 0, 1, 2"),
        (Y, S[:3], {}, r"y_true has 4 rows and y_score has 3"),
        ([], [], {}, r"y_true is empty"),
        ([Y], S, {}, r"y_true must be one-dimensional, not of shape \(1, 4\)"),
        (Y, [S], {}, r"y_score must be one-dimensional, not of shape \(1, 4\)"),
        (Y, ["a", "b", "c", "d"], {}, r"y_score must hold real numbers, not 'a' \(the value at index 0\)"),
        (Y, [1j, 2, 3, 4], {}, r"y_score must hold real numbers, not 1j"),
        (Y, [3, None, 1, 2], {}, r"y_score must hold real numbers, not None \(the value at index 1\)"),
        (
            Y,
            pd.array([3, 1, pd.NA, 2], dtype=object),
            {},
            r"y_score must hold real numbers, not <NA> .*index 2",
        ),
        (Y, [10**400, 1, 2, 3], {}, r"y_score holds 10+, beyond float64; give ranks"),
        (
            Y,
            S,
            {"sample_weight": [1, -1, 1, 1]},
            r"sample_weight must be .* not negative, not -1.0 at index 1",
        ),
        (Y, S, {"sample_weight": [1, 1, NAN, 1]}, r"sample_weight must be finite .*, not nan at index 2"),
        (Y, S, {"sample_weight": [1, 1]}, r"y_true has 4 rows and sample_weight has 2"),
        (Y, S, {"sample_weight": [[1, 1, 1, 1]]}, r"sample_weight must be one-dimensional"),
        (Y, S, {"sample_weight": ["x"] * 4}, r"sample_weight must hold real numbers"),
        (Y, S, {"sample_weight": ["1", "2", "3", "4"]}, r"sample_weight must hold real numbers, not .*'1'"),
        (Y, S, {"sample_weight": [1j, 2, 3, 4]}, r"sample_weight must hold real numbers, not 1j"),
        (Y, S, {"sample_weight": [1e-200, 1e200, 1, 1]}, r"must lie within a factor of 2\^256 of each other"),
        (Y, S, {"sample_weight": np.ma.masked_equal([1, 2, 3, 4], 2)}, r"sample_weight holds 1 masked value"),
        (
            Y,
            np.array(["9", "8", "3", "1"], dtype=object),
            {},
            r"y_score must hold real numbers, not '9'",
        ),
        (Y, np.ma.masked_equal([9, 8, 3, 1], 3), {}, r"y_score holds 1 masked value"),
        (np.ma.masked_equal(Y, 1), S, {}, r"y_true holds 2 masked values"),
        ([1, None, 1, None], S, {"pos_label": 1}, r"y_true must hold two values, not 1, None"),
        (
            ["yes", None, "yes", "no"],
            S,
            {"pos_label": "yes"},
            r"y_true must hold two values, not 'yes', None",
        ),
        (np.array([1, pd.NA, 1, 0], dtype=object), S, {}, r"y_true must hold two values, not 1, <NA>, 0"),
        (Y, S, {"recall_range": (0.5, 0.5)}, r"recall_range must be \(a, b\) with 0 <= a < b <= 1"),
        (Y, S, {"recall_range": (-0.1, 0.5)}, r"recall_range must be"),
        (Y, S, {"recall_range": 0.5}, r"recall_range must be"),
        (Y, S, {"prevalence": 0}, r"prevalence must lie strictly between 0 and 1, not 0"),
        (Y, S, {"prevalence": 1e-310}, r"prevalence must be at least 1e-100, not 1e-310"),
        (Y, S, {"prevalence": "half"}, r"prevalence must lie strictly between 0 and 1, not 'half'"),
        (Y, S, {"negative_gains": "drop"}, r"negative_gains must be 'signed' or 'clip', not 'drop'"),
    ],
)
def test_wrong_input_is_a_one_line_value_error(y, s, options, message):
    with pytest.raises(ValueError, match=message) as caught:
        areas(y, s, **options)
    assert "\n" not in str(caught.value)


class OnlyFloat:
    """A value that can become a float and cannot be compared."""

    def __float__(self):
        return 0.5


NAN_LAST = [0.9, 0.8, 0.3, NAN]
MATRIX = np.array([[1, 0], [0, 1]]), np.array([[3.0, 2.0], [2.0, 1.0]])


def masked(matrix):
    return np.ma.array(matrix, mask=[[1, 0], [0, 0]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: areas_many([1, 0, 1], [[1, 2], [3, 4], [5, NAN]]),
            r"scores holds 1 NaN, the first at index \(2, 1\)",
        ),
        (
            lambda: areas_many(Y, S),
            r"scores must be of shape \(n_rows, n_models\), not of shape \(4,\)",
        ),
        (lambda: areas_many(Y, np.ones((4, 1)), groups=[1, 2, 3]), "groups has 3"),
        (lambda: auroc(Y, NAN_LAST), "1 NaN, the first at index 3"),
        (lambda: pr_curve(Y, NAN_LAST), "1 NaN, the first at index 3"),
        (lambda: roc_hull(Y, NAN_LAST), "1 NaN, the first at index 3"),
        (lambda: average_precision(Y, S, average="mean"), "average must be one of 'micro', .* not 'mean'"),
        (lambda: f_gain([0, 1, 1], [0, 1, 2]), "y_pred must hold two values, not 0, 1, 2"),
        (lambda: areas(Y, pa.array([0.9, 0.8, None, 0.1])), "y_score holds 1 NaN, the first at index 2"),
        (
            lambda: areas(pa.array([True, False, None, True]), S),
            "y_true must hold two values, not True, False, None",
        ),
        (
            lambda: areas(Y, pd.DataFrame({"a": S, "b": S})),
            r"y_score must be one-dimensional, not of shape \(4, 2\)",
        ),
        (lambda: auroc(masked(MATRIX[0]), MATRIX[1]), "holds 1 masked value"),
        (lambda: auroc(MATRIX[0], masked(MATRIX[1])), "holds 1 masked value"),
        (
            lambda: areas(Y, [OnlyFloat() for _ in Y]),
            "y_score must hold real numbers, not .*OnlyFloat",
        ),
    ],
)
def test_every_function_names_what_is_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_gives_nan_and_scikit_learns_warning(label):
    from sklearn.exceptions import UndefinedMetricWarning

    with pytest.warns(UndefinedMetricWarning, match="one class only"):
        got = areas([label] * 3, [1, 2, 3])
    assert np.isnan(got[:5]).all()
    assert (got.n, got.n_positive, got.prevalence) == (3, 3 * label, label)
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(areas([0, 1, 1], [1, 2, 3], sample_weight=[0, 1, 1]).aupr)


class HasArray:
    """An object with `__array__`, as polars and torch have."""

    def __init__(self, values):
        self.values = np.asarray(values)

    def __array__(self, dtype=None, copy=None):
        return self.values


class HasDlpack:
    """An array of the array API that has no `__array__`."""

    def __init__(self, values):
        self.values = np.asarray(values)

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


FROM_OTHER_LIBRARIES = {
    "pyarrow array": pa.array,
    "pyarrow chunks": lambda values: pa.chunked_array([values[:1], values[1:]]),
    "array": HasArray,
    "dlpack": HasDlpack,
    "column of numpy": lambda values: np.array(values)[:, None],
    "column of pandas": lambda values: pd.DataFrame({"one": values}),
    "column of pyarrow": lambda values: pa.table({"one": values}),
}


def _read_only(values):
    values = np.array(values)
    values.flags.writeable = False
    return values


@pytest.mark.parametrize(
    "y",
    [
        Y,
        tuple(Y),
        np.array(Y, dtype=bool),
        np.array(Y, dtype=np.int8),
        np.array(Y, dtype=np.uint64),
        np.array(Y, dtype=float),
        np.array([1, -1, 1, -1]),
        np.array([1, 9, 0, 9, 1, 9, 0, 9])[::2],
        _read_only(Y),
        pd.Series(Y, index=[3, 1, 0, 2]),
        pd.Series(Y, dtype="boolean"),
        pd.Series(Y).astype("category"),
        np.array(Y, dtype=object),
        HasArray(Y),
        np.ma.array(Y),
    ],
)
def test_labels_of_any_usual_kind_are_accepted(y):
    assert areas(y, S, sample_weight=np.ma.array(np.ones(4))) == areas(Y, S, sample_weight=np.ones(4))
    assert areas(y, S) == areas(Y, S)


@pytest.mark.parametrize(
    "s",
    [
        [9, 8, 3, 1],
        np.array([9, 8, 3, 1], dtype=np.uint8),
        np.array(S, dtype=np.float32),
        np.array(S, dtype=np.longdouble),
        np.array([0.9, 0, 0.8, 0, 0.3, 0, 0.1, 0])[::2],
        np.array(S[::-1])[::-1],
        _read_only(S),
        np.array(S, dtype=object),
        pd.Series(S, index=[3, 1, 0, 2]),
        pd.Series(S, dtype="Float64"),
        HasArray(S),
        np.ma.array(S),
    ],
)
def test_scores_of_any_usual_kind_are_accepted(s):
    assert areas(Y, s) == areas(Y, S)


@pytest.mark.parametrize("made", FROM_OTHER_LIBRARIES.values(), ids=FROM_OTHER_LIBRARIES)
def test_every_function_takes_arrays_and_columns_of_other_libraries(made):
    w = [1.0, 2.0, 0.5, 1.0]
    y, s, weights = made(Y), made(S), made(w)
    assert areas(y, s, sample_weight=weights) == areas(Y, S, sample_weight=w)
    assert auprg(y, S) == auprg(Y, s) == auprg(y, s) == auprg(Y, S)
    assert f_gain(y, made([1, 1, 1, 0])) == f_gain(Y, [1, 1, 1, 0])
    assert aupr_conventions(y, s) == aupr_conventions(Y, S)
    np.testing.assert_array_equal(pr_curve(y, s).precision, pr_curve(Y, S).precision)
    np.testing.assert_array_equal(fbeta_calibration(y, s).ravel(), fbeta_calibration(Y, S))


def test_boolean_scores_are_accepted():
    assert auroc(Y, [True, False, True, False]) == 1


@pytest.mark.parametrize(
    ("y", "pos_label"),
    [
        (["yes", "no", "yes", "no"], "yes"),
        (["yes", "no", "yes", "no"], np.str_("yes")),
        (pd.Series(["yes", "no", "yes", "no"], dtype="string"), "yes"),
        (pd.Series(["yes", "no", "yes", "no"], dtype="string"), np.str_("yes")),
        (1 - np.array(Y), 0),
    ],
)
def test_a_positive_label_may_be_text_or_the_smaller_number(y, pos_label):
    assert areas(y, S, pos_label=pos_label) == areas(Y, S)


def test_input_is_never_modified():
    y, s, w, many = np.array(Y), np.array(S), np.ones(4), np.array([S, S]).T
    copies = [x.copy() for x in (y, s, w, many)]
    (
        areas(y, s),
        areas(y, s, sample_weight=w),
        areas_many(y, many, groups=[0, 0, 1, 1]),
        pr_curve(y, s),
        roc_hull(y, s),
    )
    for array, copy in zip((y, s, w, many), copies, strict=True):
        assert array.tolist() == copy.tolist()


def test_importing_the_module_loads_no_heavy_library():
    heavy = "{'sklearn', 'pandas', 'matplotlib', 'scipy.special', 'narwhals'}"
    code = f"import sys, aucstudy.metrics; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


BEYOND = 2**53


@pytest.mark.parametrize(
    "scores",
    [
        np.array([BEYOND + 1, BEYOND, 3, 1]),
        np.array([2**63 + 1, 2**63, 3, 1], dtype=np.uint64),
        [BEYOND + 1, BEYOND, 3, 1],
    ],
    ids=["int64", "uint64", "list"],
)
def test_integers_that_float64_ties_rank_as_they_are(scores):
    y = [1, 0, 1, 0]
    assert areas(y, scores) == areas(y, [4, 3, 2, 1])
    assert roc_curve(y, scores).thresholds[1:].tolist() == list(scores)


TIED_BY_FLOAT64 = {
    "objects of int64": lambda: np.array([*map(np.int64, (BEYOND + 1, BEYOND, 3, 1))], dtype=object),
    "int64 beside floats": lambda: np.array([np.int64(BEYOND + 1), float(BEYOND), 3.0, 0.5], dtype=object),
    "objects of uint64": lambda: np.array([*map(np.uint64, (2**64 - 1, 2**64 - 2, 3, 1))], dtype=object),
    "decimals": lambda: [Decimal("0.3"), Decimal("0.29999999999999999999"), Decimal("0.2"), Decimal("0.1")],
    "fractions": lambda: [Fraction(1, 3), Fraction(10**20, 3 * 10**20 + 1), Fraction(1, 4), Fraction(1, 5)],
    "list of integers and floats": lambda: [BEYOND + 1, BEYOND, 3, 0.5],
    "column of pandas": lambda: pd.Series([BEYOND + 1, float(BEYOND), 3, 0.5], dtype=object),
}


@pytest.mark.parametrize("made", TIED_BY_FLOAT64.values(), ids=TIED_BY_FLOAT64)
def test_other_numbers_that_float64_ties_are_refused(made):
    with pytest.raises(
        ValueError, match=r"y_score holds .* and .*, which are one number in float64; give ranks"
    ):
        areas([1, 0, 1, 0], made())


def test_other_numbers_that_float64_tells_apart_are_accepted():
    for scores in ([Decimal("0.3"), Decimal("0.2"), 0, Fraction(-1, 3)], [2.0**70, 2.0**60, 3, 0.5]):
        assert areas([1, 0, 1, 0], scores) == areas([1, 0, 1, 0], [4, 3, 2, 1])


@pytest.mark.parametrize("made", [pd.DataFrame, pa.table])
def test_a_column_of_large_integers_beside_one_of_floats_ranks_as_it_is(made):
    frame = made({"large": [BEYOND + 1, BEYOND, 3, 1], "float": [0.1, 0.2, 0.3, 0.4]})
    large = areas_many([1, 0, 1, 0], frame).aupr[0]
    assert large == areas([1, 0, 1, 0], [4, 3, 2, 1]).aupr
