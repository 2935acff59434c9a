"""Columns that are not used and may matter are asked about, and no others are."""

from datetime import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from aucstudy.errors import InputError
from aucstudy.reading.prediction_tables import Columns, read_scored_table
from aucstudy.reading.questions import Kind, may_be_asked_about
from aucstudy.reading.table_files import read_table, table_of

N = 120


def frame(**columns):
    rng = np.random.default_rng(4)
    return pd.DataFrame({"y": np.arange(N) % 2, "a": rng.random(N), "b": rng.random(N)} | columns)


def asked(source, **options):
    """Return the kind and the column of each question."""
    table = read_scored_table(source, Columns(**{"label": "y", **options}))
    return [(question.kind, *question.columns) for question in table.questions]


@pytest.fixture(params=["csv", "parquet", None])
def source(request, saved):
    """Return a function that gives a frame as a file or as a table in memory."""
    return lambda data: saved(data, request.param) if request.param else table_of("frame", data)


UNITS = (
    "patient_id",
    "subject",
    "UserId",
    "customer no",
    "case",
    "CASE_NUMBER",
    "group",
    "id",
    "patient group",
)


@pytest.mark.parametrize("name", UNITS)
@pytest.mark.parametrize("scores", [(), ("a",), ("a", "b")])
def test_a_unit_whose_values_repeat_is_asked_about(source, name, scores):
    table = frame(**{name: np.arange(N) // 3})
    assert asked(source(table.assign(**{name: [f"u{i}" for i in table[name]]})), scores=scores) == [
        (Kind.REPEATED, name)
    ]
    if name != "patient group":  # Only a column with such a name is no model.
        assert asked(source(table), scores=scores) == [(Kind.REPEATED, name)]


@pytest.mark.parametrize("values", [np.zeros(N, int), np.arange(N), np.r_[np.arange(61), np.zeros(59, int)]])
def test_a_unit_with_one_value_or_with_one_for_most_rows_is_not_asked_about(source, values):
    assert asked(source(frame(patient_id=values))) == []


def test_a_column_that_an_option_names_is_not_asked_about(source):
    table = source(frame(patient_id=np.arange(N) // 3, case=np.arange(N)))
    assert asked(table, group="patient_id") == []
    result = read_scored_table(table, Columns("y", row="case"))
    [question] = result.questions
    assert question.options == ("--group",)
    assert (question.n_values, question.n_rows) == (40, N)


@pytest.mark.parametrize(
    ("name", "option", "key"),
    [
        ("fold", "--fold", "fold"),
        ("Split", "--fold", "fold"),
        ("repeat", "--repeat", ""),
        ("weight", "--weight", "weight"),
    ],
)
def test_a_column_named_like_an_option_is_asked_about_by_that_option(source, name, option, key):
    table = source(frame(**{name: np.arange(N) % 5 + 1}))
    [question] = read_scored_table(table, Columns("y")).questions
    assert (question.kind, *question.columns, question.options) == (Kind.OPTION, name, (option,))
    assert question.sentence.startswith(f"Column {name!r} is not used. Give {option} {name} ")
    if key:
        assert asked(table, **{key: name}) == []


def stack(n_values, name="tool"):
    """Return 20 rows, 8 of them positive, for each value of a column of text beside two scores."""
    rng, n = np.random.default_rng(3), 20 * n_values
    tools = np.repeat([f"m{i}" for i in range(n_values)], 20)
    table = pd.DataFrame({name: tools, "y": np.arange(n) % 20 < 8, "a": rng.random(n), "b": rng.random(n)})
    return table.astype({"y": int}).sample(frac=1, random_state=3).reset_index(drop=True)


@pytest.mark.parametrize(
    ("n_values", "kind"), [(1, None), (2, Kind.STACKED), (50, Kind.STACKED), (51, Kind.REPEATED)]
)
def test_text_beside_one_score_may_name_stacked_models(source, n_values, kind):
    table = stack(n_values)
    expected = [(kind, "tool")] if kind else []
    assert asked(source(table.drop(columns="b"))) == expected
    assert asked(source(table), scores=["a"]) == expected
    assert asked(source(table)) == (expected if kind is Kind.REPEATED else [])


def test_hard_predictions_are_no_second_score_beside_stacked_models(source):
    table = stack(3).assign(b=lambda rows: (rows["a"] > 0.4).astype(int))
    assert asked(source(table)) == [(Kind.STACKED, "tool")]


def test_several_columns_of_text_beside_one_score_are_one_question(source):
    table = stack(4).drop(columns="b").assign(sex=np.array(["f", "m"])[np.arange(80) % 2])
    [question] = read_scored_table(source(table), Columns("y")).questions
    assert question.columns == ("tool", "sex")
    assert question.sentence.startswith(
        "Columns 'tool' (4 values) and 'sex' (2 values) hold text beside one column of"
    )


@pytest.mark.parametrize("words", [
    pytest.param(lambda rows: np.where(rows["a"] > 0.6, "high", "low"), id="ranges of the score"),
    pytest.param(lambda rows: np.where(rows["y"] == 1, "ill", "well"), id="classes"),
    pytest.param(lambda rows: np.where(np.arange(80) % 4, "u", "v"), id="three times as many rows"),
])  # fmt: skip
def test_text_whose_values_cannot_be_models_of_the_same_cases_is_not_asked_about(source, words):
    table = stack(4).drop(columns=["b", "tool"]).assign(words=words)
    assert asked(source(table)) == []


@pytest.mark.parametrize("values", [np.arange(N) % 4 + 1, [f"m{i % 4}" for i in range(N)]])
@pytest.mark.parametrize("name", ["model", "Classifier", "model_id", "algorithm no"])
def test_a_column_with_the_name_of_models_is_asked_about_beside_any_number_of_scores(source, name, values):
    table = frame(**{name: values})
    for scores in ((), ("a",), ("a", "b")):
        assert asked(source(table), scores=scores) == [(Kind.STACKED, name)]
    assert asked(source(frame(model=np.linspace(0, 1, N)))) == []
    assert asked(source(frame(model=np.linspace(0, 1, N))), scores=["a"]) == []


@pytest.mark.parametrize("order", ["stacked", "side by side"])
@pytest.mark.parametrize("values", [[1, 2, 3], ["u", "v", "w"]])
def test_rows_that_repeat_the_labels_for_each_value_are_asked_about(source, values, order):
    """Three models, or three predictions, of 40 cases in a column whose name says nothing."""
    rng = np.random.default_rng(2)
    y = rng.permutation(np.arange(40) % 2)
    stacked = pd.DataFrame(
        {"y": np.tile(y, 3), "x": np.repeat(values, 40), "a": rng.random(N), "b": rng.random(N)}
    )
    table = stacked if order == "stacked" else stacked.iloc[np.arange(N).reshape(3, 40).T.ravel()]
    table = table.reset_index(drop=True)
    assert asked(source(table)) == [(Kind.STACKED, "x")]
    result = read_scored_table(source(table), Columns("y", scores=["a", "b"]))
    [question] = result.questions
    assert question.options == ("--model", "--row", "--repeat")
    assert question.sentence.startswith(
        "The rows come 3 times with the same labels, once for each value of column 'x'"
    )
    # One label that differs in one block is enough to show that its rows are others.
    table.loc[table.index[5], "y"] = 1 - table.loc[table.index[5], "y"]
    assert [kind for kind, _ in asked(source(table), scores=["a", "b"])] in ([], [Kind.REPEATED])
    assert Kind.STACKED not in [kind for kind, _ in asked(source(table))]


# ------------------------------------------------------------------------------ units of any name


def clusters(values, seed=1):
    """Return a frame of 60 units with 2 rows each, whose labels differ in some units, and with `values` by unit."""
    rng = np.random.default_rng(seed)
    table = frame(pool=np.repeat(np.asarray(values)[:60], 2))
    return (
        table.assign(y=rng.permutation(table["y"])).sample(frac=1, random_state=seed).reset_index(drop=True)
    )


def test_text_of_many_values_that_repeat_is_asked_about_by_any_name(source):
    assert asked(source(clusters([f"u{i}" for i in range(60)]))) == [(Kind.REPEATED, "pool")]
    assert asked(source(clusters([f"u{i % 50}" for i in range(60)]))) == []  # perhaps a country
    assert asked(source(frame(pool=[f"u{i}" for i in range(N)]))) == []


def test_many_whole_numbers_that_repeat_are_asked_about_if_none_is_frequent(source):
    """Patients have about as many rows each. Of ages, most rows have those in the middle."""
    assert asked(source(clusters(np.arange(60) + 900)), scores=["a", "b"]) == [(Kind.REPEATED, "pool")]
    assert asked(source(clusters(np.arange(60) % 50)), scores=["a", "b"]) == []
    ages = clusters(np.arange(60)).assign(pool=np.r_[np.arange(54), np.full(N - 54, 20)])
    assert asked(source(ages), scores=["a", "b"]) == []


@pytest.mark.parametrize("values", [np.arange(60) // 2, [f"u{i // 2}" for i in range(60)]])
def test_units_of_any_name_whose_rows_stand_together_are_asked_about(source, values):
    mixed = clusters(values)
    ordered = mixed.sort_values("pool", kind="stable").reset_index(drop=True)
    assert asked(source(ordered), scores=["a", "b"]) == [(Kind.REPEATED, "pool")]
    assert asked(source(mixed), scores=["a", "b"]) == []


@pytest.mark.parametrize("values", [np.arange(60) // 2, [f"u{i // 2}" for i in range(60)]])
def test_units_of_any_name_with_one_label_each_are_asked_about(source, values):
    table = clusters(values)
    units = pd.factorize(table["pool"])[0]
    table["y"] = units % 2
    assert asked(source(table), scores=["a", "b"]) == [(Kind.REPEATED, "pool")]
    # With one label that differs, the rows of each unit are still more alike than others.
    table.loc[0, "y"] = 1 - table.loc[0, "y"]
    [question] = read_scored_table(source(table), Columns("y", ["a", "b"])).questions
    assert (question.columns, question.options) == (("pool",), ("--group",))
    assert "and rows that share one are more alike than others (p < 0.001)" in question.sentence


def test_few_values_that_are_classes_or_categories_are_not_asked_about(source):
    grade = np.random.default_rng(3).integers(0, 4, N)
    table = frame(kind=np.array(["u", "v", "w"])[np.arange(N) % 3], grade=grade)
    assert asked(source(table), scores=["a", "b"]) == []
    by_class = table.sort_values("kind", kind="stable").reset_index(drop=True)
    by_class["y"] = (by_class["kind"] == "v").astype(int)
    assert asked(source(by_class), scores=["a", "b"]) == []
    by_class["y"] = np.arange(N) % 7 % 2
    assert asked(source(by_class), scores=["a", "b"]) == [(Kind.REPEATED, "kind")]


def test_units_are_counted_among_the_cases_where_a_case_has_several_rows(source):
    case = np.arange(N) // 4
    table = frame(
        case=case, fold=np.arange(N) % 4, person=[f"p{i}" for i in case], site=[f"s{i // 3}" for i in case]
    )
    table["y"] = case % 2
    result = read_scored_table(source(table), Columns("y", ["a", "b"], row="case", fold="fold"))
    [question] = result.questions
    assert (question.columns, question.n_values, question.n_rows) == (("site",), 10, 30)
    assert question.sentence.startswith(
        "The values of column 'site' repeat (10 values, 30 cases). Give --group site"
    )


# ------------------------------------------------------------------------------ columns that may be no models


ODD = {
    "mrn": np.arange(N) // 3 + 1001,
    "seq": np.arange(N)[::-1] * 7,
    "age": np.arange(N) % 37 + 20,
    "bmi": 18.5 + np.arange(N) / 10,
}


@pytest.mark.parametrize("name", ODD)
def test_numbers_unlike_the_scores_of_the_other_models_are_asked_about(source, name):
    result = read_scored_table(source(frame(**{name: ODD[name]})), Columns("y"))
    [question] = result.questions
    assert (question.kind, question.columns, name in result.names) == (Kind.UNLIKE, (name,), True)
    assert question.options == (("--score", "--group") if name == "mrn" else ("--score",))
    assert "unlike those of 'a' and 'b'. If it is no model, name the models with --score" in question.sentence
    assert asked(source(frame(**{name: ODD[name]})), scores=["a", "b", name]) == []


def test_all_columns_that_are_unlike_scores_are_in_one_question(source):
    [question] = read_scored_table(source(frame(**ODD, dose=0.5 + np.arange(N))), Columns("y")).questions
    assert question.columns == (*ODD, "dose")
    assert question.sentence == (
        "Columns 'mrn' (whole numbers from 1001 to 1040), 'seq' (whole numbers from 0 to 833), 'age' (whole numbers "
        "from 20 to 56), 'bmi' (numbers from 18.5 to 30.4) and 1 more are taken as models, but their numbers are "
        "unlike those of 'a' and 'b'. If some of them are no models, name the models with --score. If the rows with "
        "the same value of 'mrn' belong together, give --group mrn"
    )


def test_a_count_of_the_rows_is_asked_about_even_beside_whole_numbers_or_alone(source):
    table = frame(nr=np.arange(N) + 5).drop(columns=["a", "b"])
    assert asked(source(table)) == [(Kind.UNLIKE, "nr")]
    assert asked(source(table.assign(points=np.arange(N) % 11))) == [(Kind.UNLIKE, "nr")]


NOT_ODD = {
    "all are whole numbers": {"a": np.arange(N) % 11, "b": np.arange(N) % 37},
    "hard predictions": {"c": np.arange(N) % 2, "d": np.arange(N) % 3 - 1, "e": np.arange(N) % 2 + 1},
    "one value": {"c": np.full(N, 7)},
    "decision values": {"c": np.linspace(-3, 4, N)},
    "large decision values": {"a": np.linspace(-3, 4, N), "b": np.linspace(100.5, 300, N)},
    "log probabilities": {"c": -np.linspace(0.1, 4, N)},
}


@pytest.mark.parametrize("columns", NOT_ODD.values(), ids=NOT_ODD)
def test_scores_of_other_scales_are_not_asked_about(source, columns):
    assert asked(source(frame(**columns))) == []


def test_numbers_of_few_values_are_no_stacked_models(source):
    table = source(frame(hard=np.arange(N) % 2, part=np.arange(N) % 5 / 10))
    assert asked(table, scores=["a"]) == []


def test_no_models_are_stacked_where_each_case_has_one_row(source):
    table = frame(learner=np.where(np.arange(N) % 3, "u", "v"), case=np.arange(N)).drop(columns="b")
    assert asked(source(table), row="case") == []


def test_a_header_of_numbers_alone_is_asked_about(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("1,0.9\n0,0.2\n1,0.7\n")
    assert asked(path, label="1") == [(Kind.NO_HEADER, "1")]
    with pytest.raises(
        Exception, match=r"no column 'y'; the columns are 1, 0\.9; the first line looks like data"
    ):
        asked(path)
    with pytest.raises(Exception, match=r"--label is missing; .*; the first line looks like data"):
        asked(path, label=None)
    path.write_text("y,0.9\n0,0.2\n1,0.7\n")
    assert asked(path) == []
    assert asked(table_of("frame", {"1": [0, 1], "2": [0.5, 0.7]}), label="1") == []


PLAIN = (
    "hybrid",
    "grid",
    "sigmoid",
    "rapid",
    "ridge",
    "svm",
    "group_lasso",
    "case_weighted",
    "userknn",
    "weighted",
    "folded",
)


def test_files_without_such_columns_are_asked_nothing(source):
    result = read_scored_table(
        source(frame(**{name: (np.arange(N) // 3 + 0.5) / N for name in PLAIN})), Columns("y")
    )
    assert result.names == ("a", "b", *PLAIN)
    assert result.questions == ()


def test_scores_of_which_lower_is_better_are_models_and_are_compared_as_they_are_in_the_table(source):
    table = frame(points=np.arange(N) % 37, bmi=ODD["bmi"])
    result = read_scored_table(source(table), Columns("y", lower_is_better=["a", "b", "points"]))
    [question] = result.questions
    assert question.columns == ("bmi",)
    assert question.sentence.startswith(
        "Column 'bmi' (numbers from 18.5 to 30.4) is taken as a model, but its numbers"
    )


# ------------------------------------------------------------------------------ rows that are alike under any name


def alike(name="Anlage", n_units=24, n_rows=20, offset=1.0, seed=5):
    """Return shuffled rows of units, whose scores and labels are shifted by as much in all rows of a unit."""
    rng = np.random.default_rng(seed)
    unit = np.repeat(np.arange(n_units), n_rows)
    shift = rng.normal(0, offset, n_units)[unit]
    y = rng.random(unit.size) < 1 / (1 + np.exp(0.5 - shift))
    scores = {model: y + shift + rng.normal(size=unit.size) for model in ("a", "b")}
    names = np.array([f"{letter}{rng.integers(10, 99)}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWX"])[:n_units]
    table = pd.DataFrame({name: names[unit], "y": y.astype(int), **scores})
    return table.sample(frac=1, random_state=seed).reset_index(drop=True)


@pytest.mark.parametrize("scores", [(), ("a",), ("a", "b")])
def test_shuffled_rows_that_are_alike_are_asked_about_under_any_name_and_beside_named_scores(source, scores):
    if scores == ("a",):  # A column of text beside one score may also hold models.
        result = read_scored_table(source(alike()), Columns("y", scores))
        assert result.questions[0].options[-1] == "--group"
        return
    [question] = read_scored_table(source(alike()), Columns("y", scores)).questions
    assert (question.kind, question.columns, question.options) == (Kind.REPEATED, ("Anlage",), ("--group",))
    assert question.sentence == (
        "The values of column 'Anlage' repeat (24 values, 480 rows), and rows that share one are more alike than "
        "others (p < 0.001). Give --group Anlage if these rows belong together. Otherwise the rows are taken as "
        "independent"
    )
    assert asked(source(alike().assign(patient="one")), scores=scores, group="Anlage") == []


def test_rows_are_alike_whatever_numbers_stand_beside_the_models(source):
    """A count of the cases was taken as a model, and its noise hid that rows of one place are alike."""
    table = alike(offset=0.5)
    numbers = {f"Fall {i}": np.random.default_rng(i).permutation(len(table)) + 40_000 for i in range(3)}
    kinds = [(question.kind, question.columns) for question in read_scored_table(
        source(table.assign(**numbers)), Columns("y")
    ).questions]  # fmt: skip
    assert kinds == [(Kind.REPEATED, ("Anlage",)), (Kind.UNLIKE, tuple(numbers))]


@pytest.mark.parametrize("name", ["age_group", "Age Band", "income bracket"])
def test_the_group_of_a_property_is_no_unit(source, name):
    table = alike(offset=0.0).assign(
        **{name: np.array(["0-39", "40-59", "60-74", "75+"])[np.arange(480) % 4]}
    )
    assert asked(source(table), scores=("a", "b")) == []


def test_a_name_that_a_command_line_would_cut_is_in_quotation_marks(source):
    [question] = read_scored_table(source(alike("Anlage (Ort)")), Columns("y", ["a", "b"])).questions
    assert 'Give --group "Anlage (Ort)" if these rows belong together' in question.sentence
    said = read_scored_table(source(alike("Anlage (Ort)", offset=0.0)), Columns("y", ["a", "b"]))
    assert said.choice(for_intervals=True).endswith('give --group "Anlage (Ort)"')


def test_a_column_whose_values_mean_nothing_is_said_and_not_asked_about(source):
    table = alike(offset=0.0)
    result = read_scored_table(source(table), Columns("y", ["a", "b"]))
    assert result.questions == ()
    [repeated] = result.repeated
    assert (repeated.column, repeated.text) == ("Anlage", "its 24 values repeat")
    said = (
        "Columns that are not used: 'Anlage' (its 24 values repeat). If rows with the same 'Anlage' belong together, "
        "give --group Anlage"
    )
    assert (result.choice(for_intervals=True), result.choice()) == (said, "")
    chosen = read_scored_table(source(table), Columns("y")).choice(for_intervals=True)
    assert "; its 24 values repeat). To choose other columns, use --score" in chosen
    assert chosen.endswith(said.partition(". ")[2])
    assert read_scored_table(source(table), Columns("y", group="Anlage")).repeated == ()


def test_two_columns_with_repeated_values_may_name_a_unit_together(source):
    table = alike(offset=0.0).assign(Halle=np.arange(480) % 5 + 1)
    result = read_scored_table(source(table), Columns("y", ["a", "b"]))
    assert [each.column for each in result.repeated] == ["Anlage", "Halle"]
    assert result.choice(for_intervals=True).endswith(
        "If rows with the same value of one of these columns, or of two of them, belong together, give --group with "
        "that column, or with one made of the two"
    )


def pairs(of_pair, of_each, seed=2):
    """Return rows of 30 pairs of a hall and a shift, whose scores are shifted by pair, and by hall and by shift."""
    rng = np.random.default_rng(seed)
    hall, shift = np.divmod(rng.permutation(np.repeat(np.arange(30), 16)), 5)
    offset = of_pair * rng.normal(size=(6, 5))[hall, shift]
    offset += of_each * (rng.normal(size=6)[hall] + rng.normal(size=5)[shift])
    y = rng.random(480) < 1 / (1 + np.exp(0.5 - offset))
    scores = {model: y + offset + rng.normal(size=480) for model in ("a", "b")}
    return pd.DataFrame(
        {"Halle": [f"H{i}" for i in hall], "Schicht": shift + 1, "y": y.astype(int), **scores}
    )


def test_two_columns_that_name_a_unit_only_together_are_asked_about_together(source):
    result = read_scored_table(source(pairs(1.0, 0.0)), Columns("y", ["a", "b"]))
    [question] = result.questions
    assert (question.columns, question.n_values, question.options) == (("Halle", "Schicht"), 30, ("--group",))
    assert question.sentence == (
        "The values of columns 'Halle' and 'Schicht' repeat together (30 pairs, 480 rows), and rows that share a pair "
        "are more alike than others (p < 0.001). If these rows belong together, make one column of the two, and give "
        "it to --group. Otherwise the rows are taken as independent"
    )


@pytest.mark.parametrize("of_each", [0.0, 0.8])
def test_two_properties_are_no_unit_together_even_if_each_goes_together_with_the_label(source, of_each):
    for seed in range(5):
        assert asked(source(pairs(0.0, of_each, seed)), scores=["a", "b"]) == []


def test_seven_values_are_said_but_too_few_to_be_asked_about(source):
    result = read_scored_table(source(alike(n_units=7, n_rows=60)), Columns("y", ["a", "b"]))
    assert (result.questions, [each.text for each in result.repeated]) == ((), ["its 7 values repeat"])


@pytest.mark.parametrize("kind", ["numbers without a trend", "fractions", "numbers with a trend"])
def test_numbers_are_units_only_if_neighbours_are_no_more_alike_than_others(saved, kind):
    table = alike(offset=1.2, n_rows=30)
    mean = table.groupby("Anlage")["b"].mean()
    numbers = np.random.default_rng(11).permutation(24) * 37 + 1000  # by the order of the names
    if kind == "numbers with a trend":
        numbers = mean.rank().astype(int).to_numpy() * 3
    values = dict(zip(mean.index, numbers / 1000 if kind == "fractions" else numbers, strict=True))
    csv = saved(table.assign(Anlage=table["Anlage"].map(values)), "csv")
    expected = [] if kind == "numbers with a trend" else [(Kind.REPEATED, "Anlage")]
    assert asked(csv, scores=["a", "b"]) == expected


@pytest.mark.parametrize("values", ["age", "predicted class", "ranges of a score", "classes of the label"])
def test_properties_predictions_and_ranges_are_alike_and_no_units(source, values):
    table = alike(n_rows=30).drop(columns="Anlage")
    ranges = [f"r{i:02d}" for i in pd.qcut(table["a"], 12, labels=False)]
    if values == "age":
        table["age"] = np.round(table["b"].rank(pct=True) * 20).astype(int)
    elif values == "predicted class":
        table["predicted class"] = [f"c{i}" for i in pd.qcut(table["a"] + table["b"], 12, labels=False)]
    elif values == "ranges of a score":
        table["band"] = ranges
    else:
        table["subtype"] = [f"{y}-{i % 4}" for i, y in enumerate(table["y"])]
    assert asked(source(table), scores=["a", "b"]) == []


def test_what_texts_begin_with_may_be_the_unit(source):
    table = alike()
    counted = table.groupby("Anlage").cumcount()
    table["Bild"] = [f"img/{unit}_{i:03d}.png" for unit, i in zip(table["Anlage"], counted, strict=True)]
    [question] = read_scored_table(source(table.drop(columns="Anlage")), Columns("y", ["a", "b"])).questions
    assert (question.columns, question.n_values, question.options) == (("Bild",), 24, ("--group",))
    assert question.sentence.startswith(
        "The values of column 'Bild' begin alike (24 beginnings, 480 rows), and rows"
    )
    assert (
        "If these rows belong together, make a column of the beginnings, and give it to --group"
        in question.sentence
    )
    shuffled_names = table.drop(columns="Anlage").assign(
        Bild=table["Bild"].sample(frac=1, random_state=1).to_numpy()
    )
    result = read_scored_table(source(shuffled_names), Columns("y"))
    assert result.questions == ()
    assert "'Bild'" in (said := result.choice(for_intervals=True))
    assert "its 24 beginnings repeat" in said
    assert said.endswith("rows whose 'Bild' begins alike belong together, make a column of the beginnings, and give it "
                         "to --group")  # fmt: skip


@pytest.mark.parametrize("texts", [
    pytest.param([f"T{i}" for i in range(480)], id="no parts"),
    pytest.param([f"a-{i}" for i in range(480)], id="one beginning"),
    pytest.param([f"{i}-a" for i in range(480)], id="beginnings that differ"),
    pytest.param([f"{i % 9}-{i}" if i else "0" for i in range(480)], id="one text without parts"),
])  # fmt: skip
def test_texts_of_other_patterns_say_nothing(source, texts):
    table = alike().drop(columns="Anlage").assign(Bild=texts)
    assert read_scored_table(source(table), Columns("y", ["a", "b"])).repeated == ()


def test_with_many_columns_none_is_tested(source):
    table = alike()
    for i in range(10):
        table[f"merkmal {i}"] = [f"v{k}" for k in np.random.default_rng(i).integers(0, 20, 480)]
    result = read_scored_table(source(table), Columns("y", ["a", "b"]))
    assert (result.questions, len(result.repeated)) == ((), 11)
    assert asked(source(table.drop(columns="merkmal 9")), scores=["a", "b"]) == [(Kind.REPEATED, "Anlage")]


# ------------------------------------------------------------------------------ columns of other types


def test_columns_of_any_type_are_asked_about_or_left_alone(tmp_path):
    units = np.arange(N) // 3
    columns = {
        "case_id": pa.array(units.astype(np.float16)),
        "user": pa.array([Decimal(int(unit)) for unit in units], pa.decimal256(50, 2)),
        "record_id": pa.array([None if unit == 3 else bytes([unit]) for unit in units]),
        "visit_id": pa.array([datetime(2020, 1, 1 + unit % 20) for unit in units]),
        "group": pa.array([f"g{unit}" for unit in units]).dictionary_encode(),
        "ward": pa.array([f"w{unit}" for unit in units], pa.large_string()),
        "unit": pa.array([f"u{unit}" for unit in units]).cast(pa.string_view()),
        "patient": pa.nulls(N),
        "subject": pa.array([[1, 2]] * N),
        "customer": pa.array([{"a": 1}] * N),
        "fractions": pa.array(units / 7),
    }
    rng = np.random.default_rng(1)
    table = pa.table({"y": np.arange(N) % 2, "a": rng.random(N), "b": rng.random(N), **columns})
    pq.write_table(table, tmp_path / "t.parquet")
    expected = [(Kind.REPEATED, name) for name in list(columns)[:7]]
    for data in (tmp_path / "t.parquet", table_of("frame", table)):
        assert asked(data, scores=["a", "b"]) == expected


def test_names_in_latin_1_that_are_not_needed_do_no_harm(tmp_path):
    rows = "".join(f"{i % 2},{i / 7},{i / 9},M\xfcller{i // 3}\n" for i in range(N))
    (tmp_path / "t.csv").write_bytes(f"y,a,b,person\n{rows}".encode("latin-1"))
    assert asked(tmp_path / "t.csv", scores=["a", "b"]) == [(Kind.REPEATED, "person")]


def test_long_texts_of_a_parquet_file_are_not_read_for_a_question(tmp_path):
    texts = [f"{i:05d} {'word ' * 20}" for i in range(N)]
    table = frame(document=texts, person=[f"p{i // 2}" for i in range(N)])
    table.to_parquet(tmp_path / "t.parquet")
    read = read_table(tmp_path / "t.parquet", ["y", "a", "b"], may_be_asked_about)
    assert read.names == ("y", "a", "b", "person")
    assert asked(tmp_path / "t.parquet", scores=["a", "b"]) == [(Kind.REPEATED, "person")]


# ------------------------------------------------------------------------------ a row for each case and model


def crossed(n_models=3, n_cases=40, seed=6):
    """Return shuffled rows of each case and model, beside the score of the model."""
    rng = np.random.default_rng(seed)
    case, model = np.divmod(rng.permutation(n_models * n_cases), n_models)
    return pd.DataFrame({"item": case + 7, "version": model + 1, "y": case % 2, "p": rng.random(case.size)})


@pytest.mark.parametrize("text", [(), ("version",), ("item",), ("item", "version")])
def test_two_columns_that_have_each_pair_of_values_once_are_cases_and_models_in_any_order_of_the_rows(
    source, text
):
    table = crossed()
    for name in text:
        table[name] = [f"{name}{value}" for value in table[name]]
    [question] = read_scored_table(source(table), Columns("y")).questions
    assert (question.kind, question.columns) == (Kind.STACKED, ("version", "item"))
    assert question.options == ("--model", "--row", "--repeat")
    assert question.sentence.startswith(
        "Each value of column 'item' comes once with each value of column 'version'"
    )
    followed = read_scored_table(source(table), Columns("y", model="version", row="item"))
    assert (len(followed.names), len(followed.y_true), followed.questions) == (3, 40, ())


@pytest.mark.parametrize("change", ["a label", "a pair"])
def test_a_label_that_differs_or_a_pair_that_comes_twice_shows_that_there_are_no_cases(source, change):
    table = crossed()
    if change == "a label":
        table.loc[3, "y"] = 1 - table.loc[3, "y"]
    else:
        table.loc[3, "item"] = table["item"][table["item"] != table.loc[3, "item"]].iloc[0]
    questions = read_scored_table(source(table), Columns("y")).questions
    assert ("version", "item") not in [question.columns for question in questions]


# ------------------------------------------------------------------------------ names, and groups that are too few


def shuffled(**columns):
    """Return rows in a random order, so that only names and values tell what a column holds."""
    return frame(**columns).sample(frac=1, random_state=7).reset_index(drop=True)


WIDER = (
    "participant",
    "subj",
    "hospital",
    "site_code",
    "run",
    "Session",
    "visitNo",
    "ward",
    "clinic",
    "speaker",
)


@pytest.mark.parametrize("name", WIDER)
@pytest.mark.parametrize("n_values", [12, 60])
def test_shuffled_texts_of_any_number_of_values_are_asked_about_if_their_name_is_that_of_a_unit(
    source, name, n_values
):
    table = shuffled(**{name: [f"u{i % n_values:02d}" for i in np.arange(N) // 2]})
    result = read_scored_table(source(table), Columns("y", ["a", "b"]))
    [question] = result.questions
    assert (question.kind, question.columns, question.options) == (Kind.REPEATED, (name,), ("--group",))
    assert asked(source(table.rename(columns={name: "country"})), scores=["a", "b"]) == (
        [(Kind.REPEATED, "country")] if n_values == 60 else []
    )


@pytest.mark.parametrize(("n_values", "n_scores", "option"), [
    (2, 2, "--fold"), (7, 2, "--fold"), (8, 2, "--group"), (7, 1, "--group"), (6, 1, "--fold"),
])  # fmt: skip
def test_a_unit_of_too_few_values_for_groups_is_offered_as_folds(source, n_values, n_scores, option):
    """Even a perfect ranking of 6 groups is not shown to be better than chance, nor is one of 7 by two models."""
    table = shuffled(hospital=[f"h{i % n_values}" for i in np.arange(N) // 2])
    table.loc[0, "y"] = 1 - table.loc[0, "y"]  # Stacked models would have the same numbers of both classes.
    scores = ["a", "b"][:n_scores]
    [question] = read_scored_table(source(table), Columns("y", scores)).questions
    assert (question.columns, question.options) == (("hospital",), (option,))
    assert ("too few for --group" in question.sentence) == (option == "--fold")


def test_a_case_is_offered_only_where_each_value_has_one_label(source):
    unit = np.arange(N) // 3
    mixed, pure = frame(patient=unit), frame(patient=unit).assign(y=unit % 2)
    for table, options in ((mixed, ("--group",)), (pure, ("--group", "--row"))):
        [question] = read_scored_table(source(table), Columns("y")).questions
        assert question.options == options


@pytest.mark.parametrize(
    ("name", "option"), [("fold_id", "--fold"), ("seed", "--repeat"), ("random-state", "--repeat")]
)
def test_folds_and_seeds_are_asked_about_by_their_own_option_and_are_no_models(source, name, option):
    result = read_scored_table(source(shuffled(**{name: np.arange(N) % 4})), Columns("y"))
    [question] = result.questions
    assert (question.columns, question.options, name in result.names) == ((name,), (option,), False)
    assert "--group" not in question.sentence


def test_a_property_of_few_values_is_no_unit(source):
    for name in ("age", "year", "sex"):
        assert asked(source(shuffled(**{name: np.arange(N) % 5 + 30})), scores=["a", "b"]) == []


def ratings(**columns):
    rng = np.random.default_rng(8)
    return pd.DataFrame(
        {"y": np.arange(N) % 2, "ann": rng.integers(1, 6, N), "bob": rng.integers(1, 6, N)} | columns
    )


@pytest.mark.parametrize("name", ["age", "birth_year", "mrn", "site", "x"])
def test_numbers_that_are_no_ratings_are_asked_about_among_ratings(source, name):
    values = np.random.default_rng(2).integers(20, 90, N)
    [question] = read_scored_table(source(ratings(**{name: values})), Columns("y")).questions
    assert (question.kind, question.columns) == (Kind.UNLIKE, (name,))
    # Numbers of the same scale are asked about by their name alone.
    inside = asked(source(ratings(**{name: values % 5 + 1})))
    assert inside == ([] if name == "x" else [(Kind.UNLIKE, name)])


@pytest.mark.parametrize("name", ["pred_age", "site_score", "age_model", "cat", "prob_by_year"])
def test_names_of_predictions_are_no_properties(source, name):
    assert asked(source(ratings(**{name: np.arange(N) % 5 + 1}))) == []


@pytest.mark.parametrize(("label", "name", "is_asked"), [
    ("died_30d", "died_1y", True), ("y", "outcome", True), ("y", "target", True), ("y", "rule", False),
    ("died_30d", "died_30d_pred", False), ("y", "y_hat", False),
])  # fmt: skip
def test_a_second_label_among_the_models_is_asked_about(source, label, name, is_asked):
    y = np.arange(N) % 2
    table = frame(**{name: np.where(np.arange(N) % 5, y, 1 - y)}).rename(columns={"y": label})
    result = read_scored_table(source(table), Columns(label))
    assert [(each.kind, each.columns) for each in result.questions] == (
        [(Kind.SECOND_LABEL, (name,))] if is_asked else []
    )
    if is_asked:
        assert "they go together in 80 % of the rows" in result.questions[0].sentence
        assert result.questions[0].options == ("--label", "--score")


@pytest.mark.parametrize(("name", "n_different", "is_asked"), [
    ("later", 20, True), ("later", 50, False), ("y_later", 50, True), ("predicted", 0, False),
])  # fmt: skip
def test_text_with_the_two_values_of_the_label_is_asked_about_if_it_is_like_it(
    source, name, n_different, is_asked
):
    y = np.random.default_rng(1).integers(0, 2, N)
    other = np.where(np.arange(N) < n_different, 1 - y, y)
    words = np.array(["no", "yes"])
    table = source(frame(y=words[y], **{name: words[other]}))
    result = read_scored_table(table, Columns("y", ["a", "b"], positive="yes"))
    assert [each.kind for each in result.questions] == ([Kind.SECOND_LABEL] if is_asked else [])
    unlike = source(frame(y=words[y], **{name: np.array(["m", "f"])[other]}))
    assert asked(unlike, scores=["a", "b"], positive="yes") == []


# ------------------------------------------------------------------------------ numbers that stand for no score


@pytest.mark.parametrize("code", [-1, -9, 2, -999, 9999])
@pytest.mark.parametrize("scores", [(), ("a", "b")])
def test_one_number_outside_the_range_of_probabilities_may_stand_for_a_missing_score(source, code, scores):
    table = frame()
    table.loc[[3, 50, 77], "b"] = code
    result = read_scored_table(source(table), Columns("y", scores))
    [question] = [each for each in result.questions if each.kind is Kind.MISSING]
    assert (question.columns, question.options) == (("b",), ("--drop-missing",))
    assert f"The score 'b' is {code} in 3 of 120 rows, and from 0.0" in question.sentence
    assert f"If {code} stands for a missing score, leave these cells empty" in question.sentence


@pytest.mark.parametrize(("values", "code", "is_asked"), [
    (np.linspace(-4, 4, N), -999, True), (np.linspace(-4, 4, N), 99, True), (np.linspace(-4, 4, N), 12, False),
    (np.arange(N) % 25, 99, True), (np.linspace(0, 1, N), -0.02, False), (np.linspace(0, 50, N), 99, False),
    (np.arange(N) % 2, -1, False),
    (np.linspace(0.1, 0.9, N), 1, False), (np.linspace(-0.5, 0.9, N), -1, False),
])  # fmt: skip
def test_only_a_number_far_from_all_others_or_a_whole_one_beside_probabilities_is_such_a_code(
    source, values, code, is_asked
):
    scores = np.where(np.arange(N) % 30 == 4, code, values)
    table = source(frame(a=scores))
    assert (Kind.MISSING in [kind for kind, *_ in asked(table, scores=["a"])]) == is_asked


def filled(end=0.0, share=0.08, n=1500, digits=4, seed=3):
    """Return a frame in which a share of the scores of a good model is replaced by one number at random."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    scores = {
        model: (1 / (1 + np.exp(0.5 - 2 * y - rng.normal(size=n)))).round(digits) for model in ("a", "b")
    }
    scores["b"] = np.where(rng.random(n) < share, end, scores["b"])
    return pd.DataFrame({"y": y.astype(int), **scores})


@pytest.mark.parametrize("end", [0.0, 1.0])
@pytest.mark.parametrize("digits", [3, 12])
def test_a_frequent_value_at_an_end_whose_rows_are_like_all_others_may_stand_for_a_missing_score(
    source, end, digits
):
    [question] = read_scored_table(source(filled(end, digits=digits)), Columns("y", ["a", "b"])).questions
    assert (question.kind, question.columns, question.options) == (Kind.MISSING, ("b",), ("--drop-missing",))
    n_filled = int((filled(end, digits=digits)["b"] == end).sum())
    assert (
        f"The score 'b' is {end:.0f} in {n_filled} of 1,500 rows, and no other value is nearly as"
        in question.sentence
    )


def test_the_way_round_of_the_score_does_not_matter(source):
    table = filled(0.0)
    table["b"] = 1 - table["b"]
    result = read_scored_table(source(table), Columns("y", ["a", "b"], lower_is_better=("b",)))
    assert [(each.kind, each.columns) for each in result.questions] == [(Kind.MISSING, ("b",))]


@pytest.mark.parametrize(
    "case", ["saturated", "few", "frequent values", "the same rows of another model", "most rows"]
)
def test_values_at_an_end_that_are_in_order_or_few_do_not_stand_for_missing_scores(source, case):
    table = filled(0.0, share={"few": 0.01, "most rows": 0.6}.get(case, 0.08))
    if case == "saturated":
        full = filled(0.0, share=0.0)
        table = full.assign(b=full["b"].where(full["b"] > full["b"].quantile(0.1), 0.0))
    elif case == "frequent values":
        table["b"] = (table["b"] * 12).round() / 12
    elif case == "the same rows of another model":
        table["a"] = table["a"].where(table["b"] > 0, 0.0)
    assert asked(source(table), scores=["a", "b"]) == []


@pytest.mark.parametrize("column", ["y", "a"])
def test_the_refusal_of_a_missing_cell_names_the_option_that_drops_it(source, column):
    table = frame().astype({"y": float})
    table.loc[5, column] = np.nan
    with pytest.raises(
        InputError, match=r"row 6 of the data.*; --drop-missing of aucstudy audit and score leaves out"
    ):
        asked(source(table))
    asked(source(table), drop_missing=True)
    with pytest.raises(InputError) as raised:
        asked(source(frame(a=np.where(np.arange(N) == 5, "low", "0.5"))), scores=["a"])
    assert "--drop-missing" not in str(raised.value)


@pytest.mark.parametrize(
    ("n_values", "option"), [(5, "--fold"), (7, "--fold"), (8, "--group"), (20, "--group")]
)
def test_few_whole_numbers_among_models_may_be_folds_and_more_of_them_units(source, n_values, option):
    table = source(shuffled(part=np.arange(N) // 2 % n_values + 1))
    [question] = read_scored_table(table, Columns("y")).questions
    assert (question.kind, question.columns, question.options) == (
        Kind.UNLIKE,
        ("part",),
        ("--score", option),
    )
    assert question.sentence.endswith(f"give {option} part")
