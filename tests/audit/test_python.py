"""From Python, the audit says the same of a frame, a table, arrays and a file."""

import html
import json
from contextlib import redirect_stdout
from io import StringIO

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from aucstudy.audit import audit
from aucstudy.commands.main import main
from aucstudy.errors import InputError
from aucstudy.metrics import areas, areas_many, compare_models

RNG = np.random.default_rng(3)
Y = RNG.random(300) < 0.3
FRAME = pd.DataFrame(
    {
        "outcome": np.where(Y, "yes", "no"),
        "a": RNG.normal(size=300) + Y,
        "b": (RNG.normal(size=300) + 0.8 * Y).round(1),
        "patient": np.arange(300) // 2,
        "site": pd.Categorical(np.where(np.arange(300) % 3, "x", "y")),
    }
)
OPTIONS = {"label": "outcome", "positive": "yes", "folds": "site", "target_metric": "f1", "resamples": 100}
WORDS = (
    "--label",
    "outcome",
    "--positive",
    "yes",
    "--fold",
    "site",
    "--target-metric",
    "f1",
    "--resamples",
    "100",
)


class Stream:
    """A table as polars and others hand it over: neither a frame of pandas nor a table of pyarrow."""

    def __arrow_c_stream__(self, requested_schema=None):
        return pa.Table.from_pandas(FRAME, preserve_index=False).__arrow_c_stream__(requested_schema)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("audit") / "predictions.csv"
    FRAME.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def of_file(file):
    """Return what the command prints of the file, as JSON, as text and with its details, and each time the page."""
    outputs, pages = [], []
    page = file.parent / "page.html"
    for words in (("--format", "json"), (), ("--details",)):
        with redirect_stdout(StringIO()) as stream:
            assert main(["audit", str(file), *WORDS, *words, "--html", str(page)]) == 0
        outputs.append(stream.getvalue())
        pages.append(page.read_bytes())
        page.unlink()
    return outputs, pages


@pytest.mark.parametrize(
    "data", [FRAME, pa.Table.from_pandas(FRAME), Stream()], ids=["pandas", "pyarrow", "stream"]
)
def test_a_table_gives_the_json_the_text_and_the_page_of_its_file(data, file, of_file, tmp_path):
    outputs, pages = of_file
    result = audit(data, name=file.name, **OPTIONS)
    assert outputs == [result.to_json(tmp_path / "audit.json"), str(result), result.text()]
    assert (tmp_path / "audit.json").read_text() == result.to_json()
    result.to_html(tmp_path / "of_frame.html")
    assert pages == [(tmp_path / "of_frame.html").read_bytes()] * 3


def test_the_short_text_the_verdict_and_a_notebook_compute_no_details(monkeypatch):
    result = audit(FRAME, **OPTIONS)

    def refuse(*_):
        raise AssertionError("details are computed")

    with monkeypatch.context() as patched:
        patched.setattr("aucstudy.audit.analysis.detail_findings", refuse)
        short, verdict, notebook = result.text(details=False), result.verdict, result._repr_html_()
        with pytest.raises(AssertionError, match="details are computed"):
            result.text()
    sections = result.analysis.said().sections
    assert verdict == sections["Verdict"]
    for line in (*sections["Verdict"], *sections["Which models may be best (95 %)"]):
        assert line in " ".join(short.split())
        assert line in html.unescape(notebook)


MODELS = {
    "decision values": 5 * FRAME["a"],
    "percents": 100 * FRAME["a"].rank(pct=True),
    "one above 1": FRAME["a"].rank(pct=True).where(FRAME["a"] < FRAME["a"].max(), 1.0000001),
}


@pytest.mark.parametrize("kind", MODELS)
def test_every_model_takes_part_whatever_its_values_and_all_of_them_are_said(kind, tmp_path, capsys):
    ranks = FRAME[["a", "b"]].rank(pct=True).assign(odd=MODELS[kind], y=Y, id=range(300), note="text")
    result = audit(ranks, label="y", resamples=100)
    assert list(result.areas.index) == ["a", "b", "odd"]
    assert result.areas.loc["odd", "auroc"] == pytest.approx(result.areas.loc["a", "auroc"], abs=0.01)
    line = (
        "Columns taken as models: 'a', 'b', 'odd'. Columns left out: 'id' (is named like an index), 'note' (holds "
        "text). To choose other columns, use --score (in Python and in study files: scores)"
    )
    result.to_html(tmp_path / "page.html")
    told = json.loads(result.to_json())
    assert (told["models"], told["columns"]) == (["a", "b", "odd"], line)
    assert told["left_out"] == {"id": "is named like an index", "note": "holds text"}
    for text in (repr(result), result.text()):
        assert line in " ".join(text.split()).partition("Verdict")[0]
    assert (
        line
        in html.unescape((tmp_path / "page.html").read_text()).partition(
            "<h2>Verdict (rows are taken as independent)</h2>"
        )[0]
    )
    ranks.to_csv(tmp_path / "t.csv", index=False)
    assert main(["score", str(tmp_path / "t.csv"), "--label", "y"]) == 0
    assert line.replace("holds text", "holds no numbers") in capsys.readouterr().err
    named = audit(ranks, ["a", "odd"], label="y", resamples=100)
    assert "Columns taken" not in named.text()
    assert (json.loads(named.to_json())["models"], json.loads(named.to_json())["left_out"]) == (
        ["a", "odd"],
        None,
    )


def test_want_is_what_target_metric_was_called_and_warns():
    options = {name: value for name, value in OPTIONS.items() if name != "target_metric"}
    with pytest.warns(FutureWarning, match="want= is called target_metric= now"):
        renamed = audit(FRAME, ["a", "b"], want="f1", **options)
    assert renamed.to_json() == audit(FRAME, ["a", "b"], **OPTIONS).to_json()
    with (
        pytest.warns(FutureWarning, match="target_metric"),
        pytest.raises(InputError, match="give target_metric alone"),
    ):
        audit(FRAME, ["a", "b"], want="f1", **OPTIONS)


def test_a_column_called_label_does_not_replace_the_labels_that_are_given():
    frame = FRAME[["a"]].assign(label=(FRAME["b"] > 1).astype(int), id=range(300))
    result = audit(Y, frame, resamples=100)
    assert result.areas["auroc"].to_dict() == {name: areas(Y, frame[name]).auroc for name in ("a", "label")}
    assert "Columns left out: 'id' (is named like an index)" in " ".join(result.text().split())


@pytest.mark.parametrize("given", ["a", ["a"], np.array(["a"])])
def test_scores_are_a_name_or_names(given):
    assert list(audit(FRAME, given, label="outcome", positive="yes", resamples=100).areas.index) == ["a"]


@pytest.mark.parametrize("scores", [FRAME["a"], FRAME["a"].to_numpy(), FRAME[["a"]].to_numpy()])
def test_one_vector_of_scores_is_one_model(scores):
    result = audit(Y, scores, resamples=100)
    assert result.areas["auroc"].to_dict() == {
        "a" if hasattr(scores, "name") else "model 1": areas(Y, FRAME["a"]).auroc
    }


class Polars:
    """A frame whose columns only narwhals can read, since narwhals itself wraps it."""

    def __new__(cls, columns):
        return nw.from_native(pa.table(columns), eager_only=True)


def polars_frame(columns):
    import polars

    return polars.DataFrame(columns)


def frames():
    yield "pandas", pd.DataFrame
    yield "pyarrow", pa.table
    yield "narwhals", Polars
    yield pytest.param("polars", polars_frame, marks=pytest.mark.needs("polars"))


@pytest.mark.parametrize(("library", "frame"), list(frames()))
def test_every_function_of_several_models_takes_a_frame_and_keeps_its_names(library, frame):
    columns = {"rf": FRAME["a"].to_numpy(), "lr": FRAME["b"].to_numpy()}
    held, matrix = frame(columns), np.column_stack(list(columns.values()))
    assert list(audit(Y, held, resamples=100).areas.index) == ["rf", "lr"]
    for one in (held, columns):
        np.testing.assert_array_equal(areas_many(Y, one).aupr, areas_many(Y, matrix).aupr)
    [pair] = compare_models(Y, held, metric="auroc", method="delong")
    assert pair == compare_models(Y, columns, metric="auroc", method="delong")[0]
    assert (pair.first, pair.second) == ("rf", "lr")
    labelled = frame({"y": Y, **columns})
    assert list(audit(labelled, label="y", positive=True, resamples=100).areas.index) == ["rf", "lr"]


def test_an_array_of_several_models_numbers_them():
    pairs = compare_models(Y, FRAME[["a", "b"]].to_numpy(), metric="auroc", method="delong")
    assert [(pair.first, pair.second) for pair in pairs] == [("model 1", "model 2")]


def test_columns_of_other_types_are_left_out_with_a_line():
    frame = FRAME.assign(odd=[1, "x", None] * 100, when=pd.Timestamp("2026-01-01"), y=Y)
    result = audit(frame.drop(columns="outcome"), label="y", resamples=100)
    assert not {"odd", "when", "site"} & set(result.areas.index)
    assert {"odd", "when", "site"} <= set(json.loads(result.to_json())["left_out"])


@pytest.mark.parametrize("positive", [True, np.True_, 1, "True", "true", "1"])
@pytest.mark.parametrize("kind", ["bool", "boolean", "int64", "Int64", "float64", "category", "object"])
def test_true_is_positive_whatever_the_column_of_labels_holds(kind, positive):
    frame = FRAME[["a"]].assign(y=pd.Series(Y).astype(kind))
    expected = areas(Y, FRAME["a"]).auroc
    assert audit(frame, label="y", positive=positive, resamples=50).areas["auroc"]["a"] == expected


@pytest.mark.parametrize("kind", ["bool", "boolean", "int64", "category"])
def test_true_is_positive_in_files_too(kind, tmp_path, capsys):
    frame, expected = FRAME[["a"]].assign(y=pd.Series(Y).astype(kind)), areas(Y, FRAME["a"]).auroc
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_csv(tmp_path / "t.csv", index=False)
    for name in ("t.parquet", "t.csv"):
        words = ["score", str(tmp_path / name), "--label", "y", "--score", "a", "--positive", "True"]
        assert main([*words, "--format", "json"]) == 0
        assert json.loads(capsys.readouterr().out)[0]["auroc"] == pytest.approx(expected)


@pytest.mark.parametrize("scores", [FRAME[["a", "b"]], dict(FRAME[["a", "b"]]), FRAME[["a", "b"]].to_numpy()])
def test_arrays_are_named_by_their_keys_or_numbers(scores):
    result = audit(Y, scores, resamples=100)
    assert list(result.areas.index) == (["a", "b"] if hasattr(scores, "keys") else ["model 1", "model 2"])
    of_frame = audit(FRAME, ["a", "b"], label="outcome", positive="yes", resamples=100)
    assert result.areas.to_numpy().tolist() == of_frame.areas.to_numpy().tolist()
    assert result.contenders["low"].tolist() == of_frame.contenders["low"].tolist()
    assert result.verdict[0].startswith("Take ")


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (FRAME, {"label": "outcame"}, "data: no column 'outcame'"),
        (FRAME, {"label": "outcome", "name": "mine"}, "mine: column 'outcome' holds 'no', 'yes': which"),
        (
            FRAME,
            {"label": "outcome", "positive": "yes", "target_metric": "f1@"},
            "target metric 'f1@' is not known",
        ),
        (Y[1:], {"scores": FRAME[["a", "b"]]}, "data: no table (columns of 299, 300 rows"),
        (Y, {"scores": [FRAME["a"], FRAME["b"]]}, "data: scores of shape (2, 300) for 300 labels; (n, m)"),
        (Y, {"scores": FRAME["a"][1:]}, "data: scores of shape (299,) for 300 labels"),
        (
            FRAME,
            {"scores": ["a", "b"]},
            "data: --label is missing; the columns are outcome, a, b, patient, site",
        ),
        ("no.csv", {"label": "y"}, "no.csv: no such file"),
        (Y, {"scores": FRAME[["a", "b"]], "folds": Y}, "folds: is of ndarray; the name of a column"),
    ],
)
def test_what_is_wrong_is_one_line_with_the_name_of_the_data(data, options, message):
    with pytest.raises(InputError) as raised:
        audit(data, **options)
    assert str(raised.value).startswith(message)
    assert "\n" not in str(raised.value)


def test_the_options_of_reading_are_those_of_the_command(tmp_path):
    case = np.arange(300)
    long = FRAME.assign(case=case).melt(["case", "outcome"], ["a", "b"], "model", "score")
    rules = {"label": "outcome", "positive": "yes", "resamples": 100}
    columns = audit(FRAME, ["a", "b"], **rules)
    stacked = audit(long, model="model", row="case", **rules)
    pd.testing.assert_frame_equal(stacked.areas, columns.areas)
    lower = audit(FRAME.assign(a=-FRAME["a"]), ["a", "b"], lower_is_better="a", **rules)
    pd.testing.assert_frame_equal(lower.areas, columns.areas)
    gaps = FRAME.assign(a=FRAME["a"].where(case != 7))
    with pytest.raises(
        InputError, match="column 'a': 1 values are no finite numbers, the first is missing in row 8"
    ):
        audit(gaps, ["a", "b"], **rules)
    kept = audit(gaps, ["a", "b"], drop_missing=True, **rules)
    assert kept.areas["auroc"].loc["a"] == areas(Y[case != 7], FRAME["a"][case != 7]).auroc
    commas = FRAME.assign(a=FRAME["a"].map(lambda value: f"{value:.17g}".replace(".", ",")))
    with pytest.raises(InputError, match="column 'a': holds text that looks like numbers"):
        audit(commas, **rules)
    pd.testing.assert_frame_equal(audit(commas, ["a", "b"], decimal=",", **rules).areas, columns.areas)


def test_the_question_about_patients_is_a_finding_and_is_printed_first():
    result = audit(FRAME, label="outcome", positive="yes", resamples=100)
    assert "The values of column 'patient' repeat (150 values, 300 rows)" in " ".join(result.text().split())
    finding = json.loads(result.to_json())["findings"][0]
    assert (finding["kind"], finding["columns"]) == ("repeated_values", ["patient"])
