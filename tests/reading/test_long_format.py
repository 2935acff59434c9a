"""A table with a row for each case and model is read as one with a column for each model, or refused."""

import numpy as np
import pandas as pd
import pytest

from aucstudy.errors import InputError
from aucstudy.reading.prediction_tables import Columns, read_scored_table
from aucstudy.reading.table_files import table_of

COLUMNS = {"label": "y", "model": "m", "row": "case"}
LONG = pd.DataFrame(
    {
        "case": ["c2", "c1", "c2", "c1", "c3", "c3"],
        "m": ["b", "b", "a", "a", "a", "b"],
        "y": ["u", "v", "u", "v", "u", "u"],
        "s": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
        "site": ["x", "y", "x", "y", "z", "z"],
        "w": [1, 2, 1, 2, 3, 3],
    }
)


def read(frame, **options):
    return read_scored_table(
        table_of("frame", frame), Columns(**{**COLUMNS, "positive": "v", "scores": ["s"], **options})
    )


def test_cases_and_models_come_in_the_order_of_their_first_rows():
    table = read(LONG, group="site", weight="w")
    assert table.names == ("b", "a")
    assert table.scores.tolist() == [[0.1, 0.3], [0.2, 0.4], [0.6, 0.5]]
    assert table.y_true.tolist() == [False, True, False]
    assert (table.groups.tolist(), table.weight.tolist()) == ([0, 1, 2], [1, 2, 3])
    assert read(LONG, scores=(), weight="w").names == ("b", "a")


def test_scores_for_which_lower_is_better_change_their_sign_in_every_model():
    assert read(LONG, lower_is_better=["s"]).scores.tolist() == [[-0.1, -0.3], [-0.2, -0.4], [-0.6, -0.5]]


def test_a_case_may_have_a_row_in_each_fold_and_repeat():
    twice = pd.concat([LONG.assign(k=1), LONG.assign(k=2, s=LONG["s"] + 1)])
    for option in ("fold", "repeat"):
        table = read(twice, **{option: "k"})
        assert table.scores.tolist() == [
            [0.1, 0.3],
            [0.2, 0.4],
            [0.6, 0.5],
            [1.1, 1.3],
            [1.2, 1.4],
            [1.6, 1.5],
        ]
        assert table.cases().tolist() == [1, 0, 2] * 2


@pytest.mark.parametrize(
    ("change", "options", "told"),
    [
        (lambda f: f[:-1], {}, r"case 'c3', which is in row 5 of the data, has no row of m 'b'"),
        (lambda f: f.assign(case="c1"), {}, r"the rows 1 and 2 of the data are of one case \(case 'c1'\) and hold 'u'"),
        (lambda f: pd.concat([f, f[2:3]]), {}, r"the rows 3 and 7 of the data are both of m 'a' and case 'c2'"),
        (lambda f: f.assign(y=["u", "v", "z", "v", "u", "u"]), {}, r"rows 1 and 3 .* hold 'u' and 'z'"),
        (lambda f: f.assign(w=range(6)), {"weight": "w"}, r"column 'w': the rows 1 and 3 of the data"),
        (lambda f: f.assign(site=list("abcdef")), {"group": "site"}, r"column 'site': the rows 1 and 3 of the data"),
        (lambda f: f.assign(s=[0.1, None, 0.3, 0.4, 0.5, 0.6]), {}, "column 's': 1 values .* missing in row 2"),
        (lambda f: f, {"row": None}, "--model 'm' needs --row too"),
        (lambda f: f.assign(t=f["s"]), {"scores": ()}, "--model 'm' needs one column of scores, not s, w, t"),
        (lambda f: f, {"lower_is_better": ["w"]}, "--lower-is-better 'w' is none of the columns of scores s"),
    ],
)  # fmt: skip
def test_what_is_not_one_score_for_each_case_and_model_is_refused(change, options, told):
    with pytest.raises(InputError, match=told):
        read(change(LONG), **options)


def test_rows_are_counted_as_in_the_file_where_rows_without_a_score_are_left_out():
    frame = pd.concat([LONG[:1].assign(s=np.nan, case="c9"), LONG, LONG[2:3]])
    with pytest.raises(InputError, match="the rows 4 and 8 of the data are both of m 'a' and case 'c2'"):
        read(frame, drop_missing=True)
    with pytest.raises(InputError, match="case 'c2', which is in row 3 of the data, has no row of m 'b'"):
        read(LONG.assign(s=[np.nan, *LONG["s"][1:]]), drop_missing=True)
