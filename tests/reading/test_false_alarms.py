"""What the audit asks about columns of real data sets, which docs/audit.md counts as false alarms."""

from pathlib import Path

import numpy as np
import pytest

from aucstudy.learners.datasets import default_names, load
from aucstudy.reading.prediction_tables import Columns, read_scored_table
from aucstudy.reading.questions import Kind
from aucstudy.reading.table_files import table_of
from aucstudy.reading.tables import is_numeric

PAGE = " ".join((Path(__file__).parents[2] / "docs" / "audit.md").read_text(encoding="utf-8").split())


@pytest.fixture(scope="module")
def tables():
    """Return the labels and features of each data set of the default study beside probabilities of two models."""
    rng, tables = np.random.default_rng(0), {}
    for name in default_names():
        data = load(name)
        logits = {f"model {i}": rng.normal(size=len(data.target)) + data.target for i in (1, 2)}
        scores = {model: 1 / (1 + np.exp(-values)) for model, values in logits.items()}
        features = {f"feature {column}": values for column, values in data.features.items()}
        whole = {column: as_whole(values) for column, values in features.items()}
        tables[name] = table_of(name, {"label": data.target.astype(int), **whole, **scores})
    return tables


def as_whole(values):
    """Return numbers without fractions as integers, which the readers of data sets give as floats."""
    if values.dtype.kind == "f" and values.notna().all() and (values == np.floor(values)).all():
        return values.astype(np.int64)
    return values


def asked(tables, scores):
    """Return the columns of each question by data set."""
    return {
        name: [(question.kind, *question.columns) for question in questions]
        for name, table in tables.items()
        if (questions := read_scored_table(table, Columns("label", scores)).questions)
    }


def test_features_beside_named_scores_are_asked_about_in_seven_of_sixty_data_sets(tables):
    n_features = sum(len(table.names) - 3 for table in tables.values())
    questions = asked(tables, ["model 1", "model 2"])
    assert questions == {
        "vowel": [(Kind.STACKED, "feature x2")],  # the speakers, each of whom spoke the same words
        # All combinations of the features were written in order.
        "car-good": [(Kind.REPEATED, "feature x1")],
        "car-vgood": [(Kind.REPEATED, "feature x1")],
        # Rows with the same value of these go together with the label.
        "crx": [(Kind.REPEATED, "feature x6"), (Kind.REPEATED, "feature x7")],  # text of 14 and 9 values
        "german": [(Kind.REPEATED, "feature x4")],  # the purpose of a loan
        "tae": [(Kind.REPEATED, "feature x5")],  # the size of a school class, which nearly names the class
        "kr-vs-k-zero_vs_eight": [(Kind.REPEATED, "feature x4")],  # a file of the chess board
    }
    assert (
        f"The {len(tables)} data sets of the default study have {n_features} features. Beside two named columns of "
        f"scores, they raise a question in {len(questions)} data sets" in PAGE
    )


def test_columns_that_mean_nothing_are_never_asked_about(tables):
    """Five columns of text at random beside the two models of each data set make 300 columns."""
    rng, n_columns = np.random.default_rng(8), 0
    for name, table in tables.items():
        columns = dict(zip(table.names, table.columns, strict=True))
        of_models = {key: columns[key] for key in ("label", "model 1", "model 2")}
        n_rows = len(table.columns[0])
        texts = {
            f"text {i}": np.char.add("w", rng.integers(0, rng.integers(8, 50), n_rows).astype(str))
            for i in range(5)
        }
        result = read_scored_table(table_of(name, of_models | texts), Columns("label"))
        n_columns += len(result.repeated)
        assert result.questions == ()
    assert n_columns == 300


def test_text_beside_a_single_score_may_be_taken_for_models_in_eight_of_sixty_data_sets(tables):
    questions = asked(tables, ["model 1"])
    stacked = [name for name, of_file in questions.items() if Kind.STACKED in {kind for kind, *_ in of_file}]
    assert f"Beside a single column of scores, {len(stacked)} data sets have" in PAGE
    assert sorted(stacked) == [
        "breast",
        "car-good",
        "car-vgood",
        "crx",
        "german",
        "housevotes",
        "tic-tac-toe",
        "vowel",
    ]


def test_features_beside_probabilities_are_asked_about_in_39_of_55_data_sets(tables):
    n_asked = n_numeric = 0
    for table in tables.values():
        numeric = [i for i, column in enumerate(table.columns) if is_numeric(column.type)]
        if len(numeric) > 3 and not any(table.columns[i].null_count for i in numeric):
            n_numeric += 1
            n_asked += Kind.UNLIKE in {q.kind for q in read_scored_table(table, Columns("label")).questions}
    words = f"the features of {n_asked} of the {n_numeric} data sets that have such features and no missing values"
    assert words in PAGE
