"""`aucstudy score` gives the same metrics for every file format and refuses bad input with one line."""

import gzip
import json
from functools import partial

import numpy as np
import pandas as pd
import pytest
from openml_server.dialects import Dialect, write_predictions_file

from aucstudy.commands.main import main
from aucstudy.metrics import areas, areas_many, interval
from aucstudy.metrics.registry import keys

AREAS = keys()

RNG = np.random.default_rng(3)
N = 60
TRUTH = (np.arange(N) % 3 == 0).astype(int)
SCORE = (RNG.random(N) + TRUTH * 0.4).round(3) / 1.4
FOLD = np.arange(N) % 5


@pytest.fixture
def run(run):
    return partial(run, "score")


@pytest.fixture
def frame() -> pd.DataFrame:
    """Return a table with labels, the scores of two models, and folds."""
    return pd.DataFrame({"y": TRUTH, "model": SCORE, "constant": 0.5, "part": FOLD})


@pytest.fixture
def table(frame, tmp_path):
    """Return a function that writes a CSV file with changed columns and returns the words to score it."""

    def call(**columns: object) -> tuple[object, ...]:
        frame.assign(**columns).to_csv(tmp_path / "t.csv", index=False)
        return (tmp_path / "t.csv", "--label", "y", "--score", "model")

    return call


@pytest.fixture
def rows_of(run):
    """Return a function that runs the command and returns its rows by score and aggregation."""

    def call(*words: object) -> dict[tuple[str, str], dict]:
        code, out, _ = run(*words, "--format", "json")
        assert code == 0
        return {(row["score"], row["aggregation"]): row for row in json.loads(out)}

    return call


def _arff(dialect=Dialect(), classes=("no", "yes"), truth=TRUTH) -> bytes:  # noqa: B008
    return write_predictions_file(
        dialect, classes, np.zeros(N, int), FOLD, np.arange(N), np.column_stack([1 - SCORE, SCORE]), truth
    )


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz", "parquet"])
def test_every_format_gives_the_areas_of_the_metrics_module(rows_of, frame, tmp_path, ending):
    path = tmp_path / f"table.{ending}"
    if ending == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False, sep="\t" if ending == "tsv" else ",")
    rows = rows_of(path, "--label", "y", "--score", "model", "--score", "constant", "--fold", "part")
    expected = areas(TRUTH, SCORE)
    by_fold = areas_many(TRUTH, SCORE[:, None], groups=FOLD)
    for area in AREAS:
        assert rows["model", "pooled"][area] == getattr(expected, area)
        assert rows["model", "fold_mean"][area] == getattr(by_fold, area)[:, 0].mean()
    assert rows["constant", "pooled"]["auroc"] == 0.5
    assert list(rows["model", "pooled"]) == [
        "score", "aggregation", "n", "n_positive", "prevalence", "auroc", "aupr", "auprg", "aucnpr",
        "average_precision",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "dialect", [Dialect(), Dialect(order="r", quote='"', tail=b"\0"), Dialect(order="old", quote="'")]
)
def test_an_openml_file_needs_no_column_names(rows_of, tmp_path, dialect):
    path, zipped = tmp_path / "predictions.arff", tmp_path / "zipped.arff.gz"
    path.write_bytes(_arff(dialect))
    zipped.write_bytes(gzip.compress(path.read_bytes()))
    rows = rows_of(path, "--positive", "yes")
    assert rows["confidence.yes", "pooled"]["auroc"] == areas(TRUTH, SCORE).auroc
    assert ("confidence.yes", "fold_mean") in rows
    assert rows_of(zipped, "--positive", "yes") == rows


def test_one_of_several_classes_is_scored_against_the_rest(rows_of, table):
    rows = rows_of(*table(y=np.where(TRUTH, "b", np.where(FOLD > 2, "a", "c"))), "--positive", "b")
    assert rows["model", "pooled"]["auroc"] == areas(TRUTH, SCORE).auroc


def test_recall_range_and_prevalence_reach_the_areas(rows_of, table):
    row = rows_of(*table(), "--recall-range", 0.2, 0.7, "--prevalence", 0.1)["model", "pooled"]
    assert row["aupr"] == areas(TRUTH, SCORE, recall_range=(0.2, 0.7), prevalence=0.1).aupr
    assert row["prevalence"] == TRUTH.mean()


def test_table_and_csv_hold_the_same_numbers(run, table):
    _, shown, _ = run(*table())
    _, text, _ = run(*table(), "--format", "csv")
    header, row = (line.split(",") for line in text.splitlines())
    assert shown.split()[:10] == header
    assert float(row[5]) == pytest.approx(float(shown.split()[15]), abs=1e-6)
    assert float(row[6]) == pytest.approx(areas(TRUTH, SCORE).aupr, rel=1e-11)


def test_one_class_only_gives_no_areas_and_no_ends_and_says_so(run, rows_of, table):
    assert rows_of(*table(y=1))["model", "pooled"]["auroc"] is None
    code, out, err = run(*table(y=1), "--interval", "--format", "csv")
    assert (code, out.split("\n")[1].endswith("," * 10)) == (0, True)
    assert "all 60 rows are positive" in err


def test_swapped_columns_are_refused(rows_of, refused, tmp_path):
    path = tmp_path / "p.arff"
    path.write_bytes(_arff(Dialect(swapped=True)))
    assert "'prediction' and 'correct' were swapped" in refused(path, "--positive", "yes")
    rows = rows_of(path, "--positive", "yes", "--label", "prediction")
    assert rows["confidence.yes", "pooled"]["auroc"] == areas(TRUTH, SCORE).auroc


def test_a_model_that_is_always_right_is_not_taken_for_swapped(run, tmp_path):
    path = tmp_path / "p.arff"
    path.write_bytes(_arff(truth=(SCORE > 0.5).astype(int)))
    assert run(path, "--positive", "yes")[0] == 0


@pytest.mark.parametrize(
    ("words", "columns"),
    [
        (("FILE", "--label", "y"), "abc"),
        (("FILE", "--label", "y", "--score", "a", "c"), "ac"),
        (("--label", "y", "--score", "a", "c", "FILE"), "ac"),
        (("--score", "a", "FILE", "--label", "y"), "a"),
        (("--score", "a", "FILE", "--score", "c", "--label", "y"), "ac"),
    ],
)
@pytest.mark.parametrize("command", ["score", "curves", "audit"])
def test_one_option_takes_several_columns_and_none_takes_all(tmp_path, capsys, command, words, columns):
    if command == "curves" and len(columns) == 3:
        # A curve has as many rows as its column has scores, so `curves` does not take all columns by default.
        return
    path = tmp_path / "t.csv"
    path.write_text("y,a,b,c\n1,.5,.2,.3\n0,.1,.3,.2\n1,.4,.4,.6\n0,.2,.1,.1\n")
    words = [str(path) if word == "FILE" else word for word in words]
    assert main([command, *words, "--format", "csv"]) == 0
    first = [line.partition(",")[0] for line in capsys.readouterr().out.splitlines()[1:]]
    assert list(dict.fromkeys(first)) == list(columns)


def test_curves_takes_every_option_that_says_how_a_file_is_read(tmp_path, capsys):
    def curve(text, *options):
        path = tmp_path / "t.csv"
        path.write_text(text)
        assert main(["curves", str(path), "--label", "y", "--score", "a", *options]) == 0
        return capsys.readouterr().out

    negated = curve("y,a\n1,-5\n0,-1\n1,-4\n0,-2\n")
    assert curve("y,a\n1,5\n0,1\n1,4\n0,2\n", "--lower-is-better", "a") == negated
    complete = curve("y,a\n1,5\n0,1\n")
    assert curve("y,a\n1,5\n1,\n0,1\n", "--drop-missing") == complete
    assert curve('y,a\n1,"5,0"\n0,"1,0"\n', "--decimal", ",") == complete


def test_without_a_file_none_is_guessed(capsys):
    for words in (("score", "--label", "y"), ("curves", "--score", "a", "--label", "y")):
        with pytest.raises(SystemExit):
            main(list(words))
        assert "the following arguments are required: FILE" in capsys.readouterr().err


BAD = {
    "no file": (None, "t.csv: no such file"),
    "empty": (b"", "the first line is empty"),
    "no column": (b"a,b\n1,2\n", "no column 'y'; the columns are a, b"),
    "no rows": (b"y,model\n", "column 'y': no rows of data"),
    "ragged": (b"y,model\n1,2\n1,2,3\n", "one column has no name"),
    "text": (
        b"y,model\n1,0.5\n0,high\n",
        "column 'model': 1 values are no finite numbers, the first is 'high' in",
    ),
    "score missing": (b"y,model\n1,0.5\n0,\n", "the first is missing in row 2"),
    "label missing": (b"y,model\n1,0.5\n,1\n", "column 'y': 1 values are missing, the first in row 2"),
    "ambiguous": (b"y,model\nno,0.5\nyes,1\n", "'y' holds 'no', 'yes': which one is positive? Give --posi"),
    "three": (b"y,model\n0,0.5\n1,1\n2,1\n", "column 'y' holds '0', '1', '2': which one is positive?"),
    "twice": (b"y,model,model\n0,1,2\n", "2 columns are called 'model'"),
    "torn gzip": (gzip.compress(b"y,model\n0,1\n")[:-4], "not a readable table"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_table_is_refused_in_one_line(refused, tmp_path, name):
    body, message = BAD[name]
    path = tmp_path / "t.csv"
    if body is not None:
        path.write_bytes(body)
    line = refused(path, "--label", "y", "--score", "model")
    assert message in line
    assert str(path) in line


@pytest.mark.parametrize(
    ("words", "order", "message"),
    [
        (("--positive", "maybe"), "new", "--positive 'maybe' is not among its values 'no', 'yes'"),
        ((), "new", "column 'correct' holds 'no', 'yes': which one is positive?"),
        (("--positive", "yes", "--recall-range", "0.5", "0.1"), "new", "recall_range"),
        (("--positive", "yes", "--prevalence", "2"), "new", "prevalence"),
        (("--positive", "yes", "--score", "x"), "new", "no column 'x'"),
        (("--positive", "yes"), "bare", "--label is missing"),
    ],
)
def test_a_bad_argument_is_refused_in_one_line(refused, tmp_path, words, order, message):
    path = tmp_path / "p.arff"
    path.write_bytes(_arff(Dialect(order=order)))
    assert message in refused(path, *words)


def test_interval_adds_the_ends_of_each_area_of_all_rows_and_changes_nothing_else(run, rows_of, table, frame):
    words = (*table(), "--score", "constant", "--fold", "part")
    plain, with_ends = rows_of(*words), rows_of(*words, "--interval")
    for key, row in with_ends.items():
        assert {name: row[name] for name in plain[key]} == plain[key]
        for area in AREAS:
            ends = [row[f"{area}_low"], row[f"{area}_high"]]
            if key[1] == "pooled":
                limits = interval(TRUTH, frame[key[0]], metric=area, folds=FOLD)[1:]
                assert ends == pytest.approx(limits, abs=1e-12)
            else:
                assert ends == [None, None]
    header = run(*words, "--format", "csv", "--interval")[1].split("\n")[0].split(",")
    assert header[-2:] == ["average_precision_low", "average_precision_high"]
    assert len(header) == 20


def test_intervals_of_a_file_of_repeats_are_those_of_its_cases(rows_of, tmp_path):
    repeat, row = np.arange(4 * N) // N, np.arange(4 * N) % N
    confidences = np.column_stack([1 - SCORE, SCORE])[row]
    truth, fold = TRUTH[row], FOLD[row]
    body = write_predictions_file(Dialect(), ("no", "yes"), repeat, fold, row, confidences, truth)
    (tmp_path / "four.arff").write_bytes(body)
    (tmp_path / "one.arff").write_bytes(_arff())
    words = ("--positive", "yes", "--interval", "--prevalence", 0.1)
    one, four = (
        rows_of(tmp_path / name, *words)["confidence.yes", "pooled"] for name in ("one.arff", "four.arff")
    )
    for area in AREAS:
        width, as_one = (of[f"{area}_high"] - of[f"{area}_low"] for of in (four, one))
        assert width == pytest.approx(as_one, rel=0.15)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "1 row holds a positive; an interval needs two, as one says "),
        (("--fold", "part", "--memory", "9GB"), "--interval needs a file that is read whole"),
        (("--recall-range", 0, 0.5), None),
    ],
)
def test_intervals_of_what_has_none_are_refused_in_one_line(refused, table, words, message):
    path, *others = table(y=[1, *[0] * (N - 1)])
    start = f"{path}: {message}" if message else "--interval is of whole areas: leave out --recall-range"
    assert refused(path, *others, "--interval", *words).startswith(f"aucstudy: {start}")


def test_the_option_decimal_reads_commas_wherever_they_are(run, refused, frame, tmp_path):
    path = tmp_path / "t.csv"
    frame.assign(model=[f"{value:.6f}".replace(".", ",") for value in SCORE]).to_csv(path, index=False)
    words = (path, "--label", "y", "--score", "model")
    assert "--decimal , reads decimal commas" in refused(*words)
    _, out, _ = run(*words, "--decimal", ",", "--format", "json")
    assert json.loads(out)[0]["auroc"] == areas(TRUTH, SCORE.round(6)).auroc


@pytest.fixture
def stacked(tmp_path):
    """Return the path of a file with a row for each case and model, in a shuffled order."""
    wide = pd.DataFrame({"case": np.arange(N), "y": TRUTH, "tree": SCORE, "net": SCORE[::-1]})
    long = wide.melt(["case", "y"], var_name="learner", value_name="p").sample(frac=1, random_state=2)
    long.to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


def test_models_in_long_format_are_scored_one_by_one(rows_of, run, stacked):
    rows = rows_of(stacked, "--label", "y", "--score", "p", "--model", "learner", "--row", "case")
    for name, scores in (("tree", SCORE), ("net", SCORE[::-1])):
        assert rows[name, "pooled"]["auroc"] == areas(TRUTH, scores).auroc
        assert rows[name, "pooled"]["n"] == N
    _, _, err = run(stacked, "--label", "y")
    assert "note: Each value of column 'case' comes once with each value of column 'learner'" in err
    assert "Give --model learner --row case if these are models whose rows are stacked" in err


def test_groups_of_a_text_file_are_scored_as_those_of_a_parquet_file(rows_of, frame, tmp_path):
    frame = frame.assign(part=["pooled" if fold == 2 else f"site {fold}" for fold in FOLD])
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    words = ("--label", "y", "--score", "model", "constant", "--by", "part")
    text, parquet = (rows_of(tmp_path / name, *words) for name in ("t.csv", "t.parquet"))
    assert [*text] == [*parquet]
    assert ("model", "part=pooled") in text
    for key, row in text.items():
        assert row == pytest.approx(parquet[key], abs=1e-12)
    assert text["model", "part=pooled"]["auroc"] == areas(TRUTH[FOLD == 2], SCORE[FOLD == 2]).auroc


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("words", [(), ("--memory", "200MB")])
def test_scores_for_which_lower_is_better_change_their_sign(
    rows_of, run, refused, frame, tmp_path, ending, words
):
    path = tmp_path / f"t.{ending}"
    frame = frame.assign(model=-SCORE)
    frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path)
    if words and ending == "csv":
        return  # Only Parquet has parts.
    words = (path, "--label", "y", "--score", "model", "constant", *words)
    rows = rows_of(*words, "--lower-is-better", "model")
    assert rows["model", "pooled"]["auroc"] == pytest.approx(areas(TRUTH, SCORE).auroc, abs=1e-15)
    assert rows["constant", "pooled"]["auroc"] == 0.5
    assert "lower is better in model" in run(*words, "--lower-is-better", "model")[2]
    assert "--lower-is-better 'y' is none of the columns of scores" in refused(
        *words, "--lower-is-better", "y"
    )


@pytest.mark.parametrize(
    "option", [("--model", "part"), ("--row", "part"), ("--decimal", ","), ("--drop-missing",)]
)
def test_options_of_whole_files_are_refused_for_parts(refused, frame, tmp_path, option):
    frame.to_parquet(tmp_path / "t.parquet")
    err = refused(tmp_path, "--label", "y", "--score", "model", *option)
    assert f"{option[0]} needs a file that is read whole" in err


def test_rows_without_a_label_or_a_score_are_dropped_only_if_asked(rows_of, run, refused, frame, tmp_path):
    frame = frame.astype(object)
    frame.loc[3, "model"], frame.loc[9, "y"], frame.loc[20, "constant"] = None, "NA", " "
    frame.to_csv(tmp_path / "t.csv", index=False)
    words = (tmp_path / "t.csv", "--label", "y", "--score", "model", "constant")
    refused(*words)
    kept = ~np.isin(np.arange(N), [3, 9, 20])
    assert (
        rows_of(*words, "--drop-missing")["model", "pooled"]["auroc"] == areas(TRUTH[kept], SCORE[kept]).auroc
    )
    told = "3 of 60 rows have no label or no score and are left out, the first is row 4 of the data"
    assert told in run(*words, "--drop-missing")[2]
    frame.loc[30, "model"] = "n.d."
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert "the first is 'n.d.' in row 31 of the data" in refused(*words, "--drop-missing")
