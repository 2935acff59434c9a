"""`aucstudy audit` and `aucstudy curves` print their results and refuse wrong input with one line."""

import json
import os
import re
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from audit.made_page import close_models, normal_models

from aucstudy.commands.main import main
from aucstudy.jobs.environment import THREADS
from aucstudy.metrics import areas, aupr_conventions, interval

RNG = np.random.default_rng(4)
N = 1500
TRUTH = RNG.random(N) < 0.2


@pytest.fixture(scope="module")
def frame():
    early = np.where(TRUTH & (RNG.random(N) < 0.45), 5, RNG.normal(size=N))
    late = RNG.normal(size=N) + 1.1 * TRUTH
    labels = np.where(TRUTH, "yes", "no")
    hard = (late > 1).astype(int)
    return pd.DataFrame({"y": labels, "early": early, "late": late, "hard": hard, "part": np.arange(N) % 3})


@pytest.fixture
def table(frame, tmp_path):
    frame.to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


HEADINGS = (
    "Winners", "Ranking changes", "Where it comes from", "At other prevalences", 'Other tools\' "AUPR"', "Warnings",
)  # fmt: skip
QUICK = ("--resamples", 100)
FILE = ("--label", "y", "--positive", "yes", "--fold", "part")


def test_json_holds_everything(run, table, frame):
    code, out, _ = run("audit", table, *FILE, *QUICK, "--format", "json")
    result = json.loads(out)
    assert code == 0
    assert (result["n"], result["n_positive"], result["n_folds"]) == (N, int(TRUTH.sum()), 3)
    by_model = {row["model"]: row for row in result["areas"]}
    assert by_model["late"]["aupr"] == pytest.approx(areas(TRUTH, frame["late"]).aupr, abs=1e-13)
    rivals = {row["model"]: row for row in result["conventions"]}
    assert rivals["hard"]["trapezoid"] == aupr_conventions(TRUTH, frame["hard"])["trapezoid"]
    assert {row["metric"] for row in result["winners"]} >= {"auroc", "aupr", "auprg"}
    assert result["where"]
    assert result["winners_by_prevalence"]
    assert any("Hard scores" in warning for warning in result["warnings"])


def test_the_text_tells_winners_swaps_reasons_prevalence_conventions_and_warnings(run, table):
    code, out, _ = run("audit", table, *FILE, *QUICK, "--details")
    assert code == 0
    for heading in HEADINGS:
        assert heading in out
    assert "\x1b" not in out
    assert max(map(len, out.splitlines())) <= 100


def test_csv_has_a_row_a_model(run, table):
    _, out, _ = run("audit", table, *FILE, *QUICK, "--format", "csv")
    lines = out.splitlines()
    assert len(lines) == 4
    assert lines[0].startswith("model,auroc,aupr,auprg,aucnpr,average_precision,rank_auroc")


def test_the_same_command_prints_the_same(run, table):
    assert run("audit", table, *FILE, *QUICK) == run("audit", table, *FILE, *QUICK)


@pytest.fixture
def finished(tmp_path):
    rows = [
        (f"t{t}", m, acc, loss)
        for t in range(4)
        for m, acc, loss in (("a", 0.9, 0.2), ("b", 0.8, 0.1 if t else 0.3))
    ]
    pd.DataFrame(rows, columns=["task", "model", "acc", "loss"]).to_csv(tmp_path / "s.csv", index=False)
    return tmp_path / "s.csv"


SCORES = ("--task", "task", "--model", "model", "--metric", "acc", "--metric", "loss")


def test_finished_scores_are_audited_without_predictions(run, finished):
    words = ("audit", "--scores", finished, *SCORES)
    code, out, _ = run(*words, "--lower-is-better", "loss", "--format", "json")
    result = json.loads(out)
    assert code == 0
    best = next(row for row in result["disagreement"] if row["top"] == 1)
    # In task t0, the model with the best accuracy also has the lowest loss.
    assert (best["estimate"], best["n_tasks"]) == (0.75, 4)
    assert {row["best_second"] for row in result["tasks"]} == {"a", "b"}
    assert "another best model" in run(*words, "--lower-is-better", "loss")[1]
    higher = json.loads(run(*words, "--format", "json")[1])
    assert higher["disagreement"][0]["estimate"] == 0.25


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: pd.concat([f, f.tail(1)]), "task 't3' and model 'b' have two rows, the second is row 9"),
        (
            lambda f: f.assign(loss="low"),
            "column 'loss': 8 values are no finite numbers, the first is 'low' in row 1",
        ),
        (lambda f: f.rename(columns={"loss": "losses"}), "no column 'loss'; did you mean 'losses'?"),
        (lambda f: f[f["model"] == "a"], "no task has two models"),
        (lambda f: f.head(0), "no rows of data"),
    ],
)
def test_bad_metric_values_are_refused_in_one_line(refused, finished, change, message):
    change(pd.read_csv(finished)).to_csv(finished, index=False)
    assert message in refused("audit", "--scores", finished, *SCORES)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "either FILE or --scores TABLE is needed"),
        (("t.csv", "--task", "t"), "--task goes with --scores TABLE"),
        (("--scores", "s.csv", "--label", "y"), "--label goes with FILE"),
        (("--scores", "s.csv", "--seed", "0"), "--seed goes with FILE"),
        (("t.csv", "--label", "y", "--no-thresholds"), "--no-thresholds goes with --html OUT"),
        (("t.csv", "--label", "y", "--target-metric", "f1", "--want", "f2"), "give one --target-metric"),
        (("--scores", "s.csv", "--target-metric", "f1"), "--target-metric goes with FILE"),
        (
            ("--scores", "s.csv", "--task", "t", "--model", "m", "--metric", "a"),
            "two or more different --metric",
        ),
        (
            ("t.csv", "--label", "y", "--resamples", "5"),
            "number of resamples is a whole number from 100",
        ),
    ],
)
def test_wrong_usage_exits_with_2(misused, words, message):
    assert message in misused("audit", *words)


@pytest.mark.parametrize("only", [0, -1, False])
def test_labels_that_are_all_negative_are_one_class(refused, table, frame, only):
    frame.assign(y=only).to_csv(table, index=False)
    for command, said in (("audit", f"are of class '{only}'"), ("curves", "are of one class")):
        assert f"all {N} rows {said}" in refused(command, table, "--label", "y", "--score", "late")


@pytest.mark.parametrize(
    ("change", "words", "message"),
    [
        ({"y": "yes"}, (), "all 1500 rows are of class 'yes': no area is defined"),
        ({}, ("--score", "lade", "--score", "hard"), "did you mean 'late'?"),
        ({"y": np.arange(N) % 3}, (), "--positive 'yes' is not among its values '0', '1', '2'"),
        (
            {"patient": np.where(TRUTH, 0, np.arange(N))},
            ("--group", "patient"),
            f"all {TRUTH.sum()} rows of class 'yes' are in one group; two groups or more are needed",
        ),
    ],
)
def test_bad_predictions_are_refused_in_one_line(refused, table, frame, change, words, message):
    frame.assign(**change).to_csv(table, index=False)
    for command in ("audit", "curves") if "--score" in words else ("audit",):
        line = refused(command, table, *FILE[:4], *words)
        assert message in line
        assert str(table) in line


def test_a_target_metric_that_is_not_known_is_refused_with_those_that_are(refused, table):
    line = refused("audit", table, *FILE, "--target-metric", "f1@")
    assert "target metric 'f1@' is not known; expected: f1, f2, " in line


def test_the_former_name_of_the_target_metric_works_with_a_warning(run, table):
    words = ("audit", table, *FILE, *QUICK, "--format", "json")
    code, out, err = run(*words, "--want", "mcc")
    assert (code, out) == (0, run(*words, "--target-metric", "mcc")[1])
    assert "--want is called --target-metric now" in err


def test_a_single_model_is_told_with_intervals_beside_chance(run, table, frame, tmp_path):
    words = ("audit", table, *FILE, *QUICK, "--score", "late", "--target-metric", "f1")
    page = tmp_path / "page.html"
    code, out, _ = run(*words, "--html", page)
    assert code == 0
    assert "better than chance" in out
    result = json.loads(run(*words, "--format", "json")[1])
    ends = {row["metric"]: row for row in result["area_intervals"]}
    asked = [ends["auroc"][key] for key in ("value", "low", "high")]
    expected = interval(TRUTH, frame["late"], metric="auroc", folds=frame["part"])
    assert asked == pytest.approx(expected, abs=0.002)
    limit = next(row["limit"] for row in result["chance"] if row["metric"] == "auroc")
    told = (
        "AUROC is {:.3f} (95 % interval {:.3f} to {:.3f}), which is better than chance. 95 % of random rankings "
        "have a value below {:.3f}."
    ).format(*asked, limit)
    out = " ".join(out.split())
    assert told in out
    assert (
        "- f1 is {value:.4f} on these rows (95 % interval {low:.4f} to {high:.4f}).".format(**ends["f1"])
        in out
    )
    assert (result["verdict"], result["winners"], result["swaps"]) == (None, [], [])
    assert run(*words, "--format", "csv")[1].startswith("model,auroc")
    assert told in page.read_text()
    assert HEADINGS[4] in run(*words, "--details")[1]


def test_scores_at_random_are_not_told_from_chance_and_inverted_ones_worse(run, table, frame):
    frame.assign(random=RNG.random(N), inverted=-frame["late"]).to_csv(table, index=False)
    said = {name: run("audit", table, *FILE, *QUICK, "--score", name)[1] for name in ("random", "inverted")}
    assert said["random"].count("not significantly different from chance") == 4
    assert said["inverted"].count("which is worse than chance") == 4


def test_intervals_of_several_models_are_in_the_details(run, table):
    out = run("audit", table, *FILE, *QUICK, "--details")[1]
    result = json.loads(run("audit", table, *FILE, *QUICK, "--format", "json")[1])
    assert len(result["area_intervals"]) == 3 * 5
    assert all(f"{row['low']:.3f} to {row['high']:.3f}" in out for row in result["area_intervals"])


def test_groups_are_halved_instead_of_rows_and_few_are_warned_of(run, table, frame):
    frame.assign(patient=np.arange(N) // 5).to_csv(table, index=False)
    code, out, _ = run("audit", table, *FILE[:4], "--group", "patient", *QUICK, "--format", "json")
    result = json.loads(out)
    assert (code, result["n_groups"], result["intervals"]) == (0, 300, "halves")
    assert {row["model"] for row in result["areas"]} == {"early", "late", "hard", "part"}
    halved = (
        "100 random halves of the 300 groups (patients, users, documents). All rows of a group stay together"
    )
    assert halved in " ".join(result["sentences"]["Winners"])
    frame.assign(patient=np.arange(N) % 7).to_csv(table, index=False)
    _, out, _ = run("audit", table, *FILE[:4], "--group", "patient", *QUICK)
    assert "Only 7 groups hold a " in out


def test_an_unreadable_file_is_refused_in_one_line(refused, tmp_path):
    assert "cannot be read (Is a directory)" in refused("audit", tmp_path, "--label", "y")


def test_the_page_says_what_it_holds_of_the_predictions_and_can_leave_the_scores_out(run, table, tmp_path):
    whole, without = tmp_path / "whole.html", tmp_path / "without.html"
    assert run("audit", table, *FILE, *QUICK, "--html", whole)[0] == 0
    assert run("audit", table, *FILE, *QUICK, "--html", without, "--no-thresholds")[0] == 0
    assert (
        "so the ranks of the scores. It has the scores at these corners as thresholds. It has no"
        in whole.read_text()
    )
    assert "so the ranks of the scores. It has no scores. It has no rows" in without.read_text()
    with_scores, left = (figures_of_page(path) for path in (whole, without))
    texts = [trace.pop("text") for figure in with_scores for trace in figure["data"] if "text" in trace]
    assert len(texts) == 3 * 3
    for figures in (with_scores, left):
        for figure in figures:
            for trace in figure["data"]:
                trace.pop("hovertemplate", None)
    assert left == with_scores


def figures_of_page(path):
    figures = re.findall(r'data-plot="\w+">(.*?)</script>', path.read_text(), re.DOTALL)
    return [json.loads(figure) for figure in figures]


def test_a_page_that_cannot_be_written_leaves_nothing_behind(refused, table, tmp_path):
    (tmp_path / "file").write_text("no folder")
    assert "cannot be written" in refused(
        "audit", table, *FILE, *QUICK, "--html", tmp_path / "file/page.html"
    )


def test_a_full_disk_leaves_no_half_a_page(table, tmp_path):
    """A limit on the size of files takes the place of a full disk; in both cases writing fails half-way."""
    page = tmp_path / "out" / "page.html"
    child = os.fork()
    if not child:
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        words = ["audit", str(table), *FILE, "--resamples", "100", "--html", str(page)]
        os._exit(main(words))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    assert list(page.parent.iterdir()) == []


@pytest.mark.parametrize(("variables", "threads"), [({}, {1}), ({"OPENBLAS_NUM_THREADS": "2"}, {2})])
def test_blas_has_one_thread_unless_a_variable_says_otherwise(table, variables, threads):
    code = """
import sys
from aucstudy.commands.main import main
from aucstudy.jobs.environment import THREADS
assert main() == 0
from threadpoolctl import threadpool_info
print({library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"})
"""
    words = [sys.executable, "-c", code, "audit", str(table), *FILE, "--resamples", "100"]
    environment = {name: value for name, value in os.environ.items() if name not in THREADS} | variables
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.splitlines()[-1] == str(threads)


def test_curves_hold_the_vertices_and_the_hyperbolas(run, table):
    common = ("curves", table, "--label", "y", "--positive", "yes", "--score", "hard")
    _, out, _ = run(*common, "--kind", "roc")
    assert len(out.splitlines()) == 1 + 3
    _, out, _ = run(*common, "--points", 5, "--format", "json")
    curve = json.loads(out)[0]
    assert curve["kind"] == "pr"
    assert sum(curve["vertex"]) == 3
    assert len(curve["recall"]) == 3 + 2 * 5
    assert curve["threshold"][0] is None
    assert curve["recall"][-1] == 1
    _, out, _ = run(*common, "--kind", "prg")
    assert out.splitlines()[0] == "score,threshold,recall_gain,precision_gain"


def written(tmp_path, y, scores):
    path = tmp_path / "t.csv"
    pd.DataFrame({"y": y.astype(int), **scores}).to_csv(path, index=False)
    return path


def test_a_leak_is_warned_of_and_never_recommended(run, tmp_path):
    y, scores = normal_models(400, 50, 1.5, 0.5)
    path = written(tmp_path, y, {**scores, "leak": y + 0.01 * scores["a"]})
    _, out, _ = run("audit", path, "--label", "y", *QUICK)
    said = " ".join(out.split())
    assert "leak separates the classes almost perfectly: the AUROC is 1.0000 with 50 positives." in said
    assert "What to do: find out first how leak was made. Without it, use a." in said


def test_auprg_that_is_not_estimable_is_a_dash_and_a_finding(run, tmp_path):
    path = written(tmp_path, *normal_models(2000, 10, 2.0, 1.5))
    words = ("audit", path, "--label", "y", *QUICK)
    row = next(line for line in run(*words)[1].splitlines() if line.startswith("a "))
    assert row.split()[5:7] == ["-", "-"]
    told = json.loads(run(*words, "--format", "json")[1])
    assert "not_estimable" in [finding["kind"] for finding in told["findings"]]


def test_margins_on_the_command_line(run, misused, tmp_path):
    path = written(tmp_path, *close_models(600))
    words = ("audit", str(path), "--label", "y", "--resamples", "100")
    code, out, _ = run(*words, "--margin", "auroc=.2", "--margin", "ap=.3")
    said = " ".join(out.split())
    assert code == 0
    assert "and your margin is 0.2." in said
    assert "and your margin is 0.3." in said
    assert "as good for you" not in run(*words)[1]
    assert "a metric and a number are needed" in misused(*words, "--margin", "auroc")
    assert "give one --margin for each metric" in misused(
        *words, "--margin", "auroc=.1", "--margin", "auroc=.2"
    )


def test_a_model_that_is_missing_in_a_task_is_noted(run, tmp_path):
    rows = [
        (f"t{t}", m, 0.5 + 0.1 * t, 0.4)
        for t in range(3)
        for m in "abc"
        if (t, m) not in ((0, "c"), (2, "c"))
    ]
    pd.DataFrame(rows, columns=["task", "model", "x", "z"]).to_csv(tmp_path / "s.csv", index=False)
    words = (
        "audit",
        "--scores",
        tmp_path / "s.csv",
        "--task",
        "task",
        "--model",
        "model",
        "--metric",
        "x",
        "--metric",
        "z",
    )
    line = (
        "A model is missing in some tasks: c (in 2, the first is t0). These tasks rank the other models only."
    )
    assert line in " ".join(run(*words)[1].split())
    told = json.loads(run(*words, "--format", "json")[1])
    assert line in told["warnings"]
    assert "missing" in [finding["kind"] for finding in told["findings"]]


AUDIT_PAGE = (Path(__file__).parents[2] / "docs" / "audit.md").read_text(encoding="utf-8")


def test_the_page_of_the_audit_shows_what_the_command_prints(run):
    command, *shown = AUDIT_PAGE.split("$ .venv/bin/aucstudy audit ")[1].split("```")[0].splitlines()
    file, *words = command.split()
    out = run("audit", Path(__file__).parents[2] / file, *words)[1]
    printed = [line.rstrip() for line in out.splitlines()]
    assert len(shown) > 10
    assert [line for line in shown if line != "..." and line not in printed] == []


def test_each_of_the_ten_questions_is_answered_by_its_command(run):
    """The command above a table, with the options of a row, prints the text in quotes in that row."""
    first, second = AUDIT_PAGE.split("| question | add | answer |\n")[1:]
    commands = re.findall(
        r"(?m)(?<=^\$ .venv/bin/aucstudy audit )docs/.*|studies/.*csv --label.*(?=`:)", AUDIT_PAGE
    )
    asked = 0
    for command, rows in zip(commands, (first, second), strict=True):
        file, *words = command.split()
        for question, options, answer in re.findall(r"(?m)^\| (.*?\?) \| (.*?) \| (.*) \|$", rows):
            added = options.strip("`").split() if options != "nothing" else []
            code, out, _ = run("audit", Path(__file__).parents[2] / file, *words, *added)
            said = re.findall('`(".*?)`', answer) or re.findall('"(.*?)"', answer)
            assert code == 0
            assert said, question
            assert all(line in " ".join(out.split()) for line in said), question
            asked += 1
    assert asked == 10


def test_questions_about_columns_are_asked_first_in_text_json_and_page(run, tmp_path):
    rng = np.random.default_rng(12)
    y = np.repeat(rng.permutation([0, 1] * 15), 6)
    luck = np.repeat(rng.normal(size=30), 6)
    frame = pd.DataFrame(
        {"subject_no": np.arange(180) // 6, "y": y, "a": y + luck, "b": y + rng.normal(size=180)}
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    words = ("audit", tmp_path / "t.csv", "--label", "y", "--resamples", "100")
    question = "The values of column 'subject_no' repeat (30 values, 180 rows). Give --group subject_no if"
    _, out, _ = run(*words, "--html", tmp_path / "t.html")
    assert question in " ".join(out.split())
    assert out.index("Questions about the columns") < out.index("Verdict")
    assert question.replace("'", "&#39;") in (tmp_path / "t.html").read_text()
    _, out, _ = run(*words, "--format", "json", "--score", "a", "b")
    finding = json.loads(out)["findings"][0]
    assert (finding["kind"], finding["severity"], finding["columns"]) == (
        "repeated_values",
        "question",
        ["subject_no"],
    )
    assert (finding["numbers"]["n_values"], finding["numbers"]["n_rows"]) == (30, 180)
    _, out, _ = run(*words, "--format", "json", "--group", "subject_no")
    assert "question" not in {finding["severity"] for finding in json.loads(out)["findings"]}


def test_models_in_long_format_are_audited_as_those_in_columns(run, table, frame, tmp_path):
    models = ["early", "late"]
    long = frame.assign(case=range(N)).melt(["case", "y"], models, "m", "s")
    long.to_csv(tmp_path / "long.csv", index=False)
    words = ("--label", "y", "--positive", "yes", *QUICK, "--format", "csv")
    _, in_columns, _ = run("audit", table, *words, "--score", *models)
    _, stacked, _ = run("audit", tmp_path / "long.csv", *words, "--model", "m", "--row", "case")
    assert stacked == in_columns
