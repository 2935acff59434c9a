"""`aucstudy score` of tables larger than memory: the same bits whatever the parts, bounded, and nothing left behind."""

import errno
import json
import os
import resource
import subprocess
import sys
from argparse import ArgumentTypeError
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from aucstudy.area_names import AREAS
from aucstudy.commands.arguments import size
from aucstudy.metrics import areas, interval
from aucstudy.metrics.outside_memory.runs import RangeFiles
from aucstudy.reading.column_files import Columns
from aucstudy.scoring.large_tables import Parts

N = 4000


def made(n, models=2, seed=1):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.2
    columns = {"y": np.where(y, "sick", "well"), "site": rng.integers(0, 3, n)}
    columns["weight"] = rng.gamma(1.0, size=n)
    for model in range(models):
        columns[f"model_{model}"] = (rng.normal(size=n) + y).round(2 if model else 17)
    return pd.DataFrame(columns)


def write_parts(frame, folder, n_parts, order=None):
    folder.mkdir()
    for i, rows in enumerate(np.array_split(np.arange(len(frame)) if order is None else order, n_parts)):
        frame.iloc[rows].to_parquet(folder / f"part-{i}.parquet", index=False, row_group_size=700)
    return folder


@pytest.fixture(scope="module")
def frame():
    return made(N)


@pytest.fixture
def parts(frame, tmp_path):
    return write_parts(frame, tmp_path / "table", 3)


COMMON = ("--label", "y", "--positive", "sick", "--score", "model_0", "--score", "model_1")


@pytest.fixture
def score(run):
    """A function that scores two models and returns exit code, output and errors."""
    return lambda path, *words: run("score", path, *COMMON, *words)


@pytest.fixture
def no_score(refused):
    """A function that returns the line by which they are refused."""
    return lambda path, *words: refused("score", path, *COMMON, *words)


@pytest.fixture
def little_memory(monkeypatch):
    """So little that every table goes to temporary files."""
    monkeypatch.setattr(Parts, "_held_bytes", lambda self, memory: 5_000)


def rows_of(output):
    return {(row["score"], row["aggregation"]): row for row in json.loads(output)}


@pytest.mark.parametrize("weighted", [False, True])
def test_parts_give_the_areas_of_the_whole_table_and_of_each_site(score, frame, parts, weighted):
    words = ["--by", "site", "--format", "json", *(["--weight", "weight"] if weighted else [])]
    code, out, _ = score(parts, *words)
    assert code == 0
    wanted = {"pooled": frame, **{str(site): rows for site, rows in frame.groupby("site")}}
    for (model, aggregation), row in rows_of(out).items():
        own = wanted[aggregation]
        weight = own["weight"] if weighted else None
        exact = areas(own["y"], own[model], sample_weight=weight, pos_label="sick")
        for name in (*AREAS, "n", "n_positive", "prevalence"):
            assert row[name] == pytest.approx(getattr(exact, name), rel=1e-12), (model, aggregation, name)


@pytest.mark.parametrize("method", [None, "influence"])
@pytest.mark.parametrize("weighted", [False, True])
def test_intervals_of_few_rows_are_those_of_the_rows_and_of_many_of_the_walk(
    score, frame, parts, monkeypatch, method, weighted
):
    if method:
        monkeypatch.setattr("aucstudy.scoring.large_tables.WHOLE", 100)
    words = ["--by", "site", "--interval", "--prevalence", 0.3, "--format", "json"]
    code, out, err = score(parts, *words, *(["--weight", "weight"] if weighted else []))
    assert (code, "limits may be too narrow" in err) == (0, bool(method))
    for (model, aggregation), row in rows_of(out).items():
        own = frame if aggregation == "pooled" else frame[frame["site"] == int(aggregation)]
        # the rows as they are read, from the top down: halves are drawn by place
        own = own.iloc[np.lexsort((own["weight"], own["y"] == "sick", -own[model]))]
        for area in AREAS:
            options = {"pos_label": "sick", "sample_weight": own["weight"] if weighted else None}
            wanted = interval(own["y"], own[model], area=area, method=method, prevalence=0.3, **options)
            ends = row[area], row[f"{area}_low"], row[f"{area}_high"]
            assert ends == pytest.approx(wanted, rel=1e-9), (model, aggregation, area)


def test_few_rows_of_a_class_are_as_many_as_of_equal_weight(score, tmp_path):
    frame = made(60_000).assign(weight=np.where(np.arange(60_000) % 2000, 1.0, 1e6))
    words = ["--weight", "weight", "--interval", "--format", "json"]
    code, out, _ = score(write_parts(frame, tmp_path / "uneven", 2), *words)
    assert code == 0
    row = rows_of(out)["model_0", "pooled"]
    ranked = frame.iloc[np.lexsort((frame["weight"], frame["y"] == "sick", -frame["model_0"]))]
    weight = ranked["weight"]
    exact = interval(ranked["y"], ranked["model_0"], area="auroc", pos_label="sick", sample_weight=weight)
    assert [row["auroc_low"], row["auroc_high"]] == pytest.approx(exact[1:], rel=1e-9)


def test_one_row_of_a_class_has_no_interval_and_a_note(score, frame, tmp_path):
    lone = frame.drop(index=frame[(frame["y"] == "sick") & (frame["site"] == 2)].index[1:])
    table = write_parts(lone, tmp_path / "lone", 2)
    code, out, err = score(table, "--by", "site", "--interval", "--format", "json")
    assert code == 0
    assert "1 of 3 samples have one row of a class: an interval wants two" in err
    assert [row["auroc_low"] is None for row in rows_of(out).values()] == 2 * [False, False, False, True]


def test_options_and_folds_reach_parts_as_they_reach_a_file(score, frame, parts, tmp_path):
    frame.to_parquet(tmp_path / "one.parquet")
    words = ["--fold", "site", "--prevalence", 0.1, "--recall-range", 0.2, 0.7, "--format", "json"]
    one, several = (rows_of(score(path, *words)[1]) for path in (tmp_path / "one.parquet", parts))
    assert list(one) == list(several)
    for key, row in one.items():
        areas_of_parts = [several[key][area] for area in AREAS]
        assert areas_of_parts == pytest.approx([row[area] for area in AREAS], rel=1e-12)


@pytest.mark.parametrize(
    "words", [[], ["--by", "site"], ["--weight", "weight"], ["--interval", "--by", "site"]], ids=str
)
def test_order_of_rows_number_of_parts_and_files_change_no_bit(score, frame, tmp_path, monkeypatch, words):
    words = [*words, "--format", "json", "--scratch", tmp_path]
    first = score(write_parts(frame, tmp_path / "a", 1), *words)[1]
    order = np.random.default_rng(1).permutation(len(frame))
    other = write_parts(frame, tmp_path / "b", 7, order)
    assert score(other, *words)[1] == first
    monkeypatch.setattr(Parts, "_held_bytes", lambda self, memory: 5_000)
    code, out, err = score(other, *words)
    assert (code, out) == (0, first)
    assert f"temporary files of {68 if '--weight' in words else 36} kB, gone afterwards" in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_patterns_addresses_brackets_and_hive_folders_are_tables_too(score, frame, parts, tmp_path):
    want = score(parts, "--by", "site")
    assert want[0] == 0
    assert score(tmp_path / "*" / "part-?.parquet", "--by", "site") == want
    assert score(parts.as_uri(), "--by", "site") == want
    pq.write_to_dataset(pa.Table.from_pandas(frame), tmp_path / "hive", partition_cols=["site"])
    assert score(tmp_path / "hive", "--by", "site") == want
    want = score(parts)
    assert score(parts.rename(tmp_path / "x[1]")) == want
    assert score(tmp_path / "x[[]1]" / "*.parquet") == want
    assert score(tmp_path / "x*") == want


@pytest.mark.parametrize("inside", ["", "*.parquet"])
@pytest.mark.parametrize(
    ("link", "target", "said"),
    [
        ("loop", "", "/loop: is"),
        ("again.parquet", "part-0.parquet", "/part-0.parquet: is the same file as"),
        (
            "part-3.parquet",
            "../gone.parquet",
            "/part-3.parquet: is a link to nothing; a Parquet file is wanted",
        ),
        ("_delta_log", None, "table: a table of Delta (_delta_log), some of whose files may no longer count"),
        ("../.hoodie", None, ": a table of Hudi (.hoodie)"),
    ],
)
def test_no_row_is_counted_twice_or_after_its_removal(score, no_score, parts, link, target, said, inside):
    (parts / link).mkdir() if target is None else (parts / link).symlink_to(parts / target)
    if link == "loop" and inside:  # the pattern does not match the link
        assert score(parts / inside)[0] == 0
    else:
        assert said in no_score(parts / inside)


def test_two_links_to_a_folder_end_at_once(no_score, parts):
    for name in ("a", "b"):
        (parts / name).symlink_to(parts)
    assert "each part is wanted once" in no_score(parts)


def test_a_folder_that_a_link_leads_to_is_read(score, frame, tmp_path):
    table = write_parts(frame[:2000], tmp_path / "table", 2)
    (table / "more").symlink_to(write_parts(frame[2000:], tmp_path / "elsewhere", 2))
    frame.to_parquet(tmp_path / "one.parquet")
    code, out, err = score(table)
    whole = score(tmp_path / "one.parquet", "--memory", "8GB")
    assert out == whole[1]
    assert (code, err) == (whole[0], whole[2])


def test_parts_whose_names_are_skipped_are_noted(score, frame, parts):
    want = score(parts)
    (parts / "_sub").mkdir()
    for name in ("_b.parquet", "_sub/c.parquet"):
        frame[:9].to_parquet(parts / name)
    (parts / "_SUCCESS").touch()
    code, out, err = score(parts)
    assert (code, out) == want[:2]
    note = "2 Parquet files are left out, as their names or folders begin with . or _: _b.parquet, _sub/c.parquet"
    assert note in err


def test_the_names_of_folders_are_text(score, frame, tmp_path):
    for i, site in enumerate(("1", "01", "001")):
        (tmp_path / "hive" / f"site={site}").mkdir(parents=True)
        frame[i::3].drop(columns="site").to_parquet(tmp_path / "hive" / f"site={site}" / "a.parquet")
    code, out, _ = score(tmp_path / "hive", "--by", "site", "--format", "json")
    assert code == 0
    assert {key[1]: row["n"] for key, row in rows_of(out).items()} == {
        "pooled": 4000, "001": 1333, "01": 1333, "1": 1334,
    }  # fmt: skip
    frame.drop(columns="site").to_parquet(tmp_path / "hive" / "b.parquet")
    assert "b.parquet: column 'site' is missing" in score(tmp_path / "hive", "--by", "site")[2]


@pytest.mark.parametrize("cuts", [[1], [2000], [1000, 2000, 3000]])
def test_which_groups_are_one_does_not_depend_on_how_rows_are_cut_into_files(score, frame, tmp_path, cuts):
    frame = frame.assign(site=np.where(np.arange(N) < 2000, "1", "1.0"))
    (tmp_path / "cut").mkdir()
    for i, rows in enumerate(np.split(np.arange(N), cuts)):
        frame.iloc[rows].to_parquet(tmp_path / "cut" / f"{i}.parquet")
    code, out, _ = score(tmp_path / "cut", "--by", "site", "--format", "json")
    assert (code, {key[1] for key in rows_of(out)}) == (0, {"pooled", "1"})


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (OSError(errno.ENOSPC, "No space left on device"), 1, "the disk is full; 36 kB are wanted"),
    ],
)
def test_nothing_stays_behind_when_it_ends_early(score, parts, tmp_path, monkeypatch, error, code, said):
    add, calls = RangeFiles.add, []

    def fails(self, rows):
        calls.append(len(list(tmp_path.glob("aucstudy-*/*"))))
        if len(calls) > 3:
            raise error
        add(self, rows)

    monkeypatch.setattr(RangeFiles, "add", fails)
    ended, out, err = score(parts, "--scratch", tmp_path)
    assert (ended, out) == (code, "")
    assert said in err.splitlines()[-1]
    assert calls[-1] > 1
    assert not list(tmp_path.glob("aucstudy-*"))


@pytest.mark.usefixtures("little_memory")
def test_a_disk_without_room_is_told_before_the_start(score, parts, tmp_path, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=10))
    code, _, err = score(parts, "--scratch", tmp_path)
    assert code == 1
    assert f"{tmp_path}: temporary files of 36 kB are wanted, 35.99 kB more than are free" in err


def test_a_part_that_changes_is_one_line(score, frame, parts, monkeypatch):
    read = Parts._rows

    def changes(self, score, grouped):
        frame[:5].to_parquet(parts / "part-1.parquet")
        return read(self, score, grouped)

    monkeypatch.setattr(Parts, "_rows", changes)
    code, out, err = score(parts)
    assert (code, out) == (1, "")
    assert f"{parts}/part-1.parquet: changed while it was read; a table at rest is wanted" in err


def test_weights_that_are_all_0_are_not_one_class(no_score, frame, tmp_path):
    table = write_parts(frame.assign(weight=0.0), tmp_path / "none", 2)
    line = "none: all weights are 0; one above 0 is wanted in rows of each class"
    assert line in no_score(table, "--weight", "weight")


def test_what_parts_lack_at_a_lower_prevalence_is_noted(score, parts):
    for prevalence, lacks in ((0.01, True), (0.5, False)):
        assert ("aupr_from_few_negatives is left out" in score(parts, "--prevalence", prevalence)[2]) == lacks


def test_what_is_terminated_leaves_no_temporary_files(parts, tmp_path):
    words = ["score", parts, *COMMON, "--scratch", tmp_path]
    program = (
        "import os, signal, sys\n"
        "from aucstudy.commands.main import main\n"
        "from aucstudy.metrics.outside_memory.runs import RangeFiles\n"
        "from aucstudy.scoring.large_tables import Parts\n"
        "Parts._held_bytes = lambda self, memory: 5_000\n"
        "def add(self, rows): print(len(os.listdir(sys.argv[-1]))); os.kill(os.getpid(), signal.SIGTERM)\n"
        "RangeFiles.add = add\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run([sys.executable, "-c", program, *map(str, words)], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (143, "2\n")
    assert [path.name for path in tmp_path.iterdir()] == [parts.name]


def spoilt(frame, column, value):
    return frame.assign(**{column: frame[column].where(frame.index != 7, value)})


@pytest.mark.parametrize(
    ("spoil", "words", "said"),
    [
        (lambda f: f.drop(columns="model_1"), [], "column 'model_1' is missing, double is wanted"),
        (lambda f: f.assign(model_1="x"), [], "part-1.parquet: column 'model_1' holds"),
        (lambda f: spoilt(f, "model_0", np.nan), [], "column 'model_0': None in row 8 of the data"),
        (lambda f: spoilt(f, "y", None), [], "column 'y': None in row 8 of the data"),
        (lambda f: spoilt(f, "weight", -1.0), ["--weight", "weight"], "'weight': -1.0 in row 8 of the data"),
        (lambda f: f, ["--weight", "wieght"], "no column 'wieght'; did you mean 'weight'?"),
        (lambda f: f, ["--weight", "y"], "column 'y' holds"),
        (lambda f: spoilt(f, "model_0", None), [], "in row 8 of the data; a value is wanted in every row\n"),
        (lambda f: f, ["--memory", "0"], "a memory of 0 MB is too small"),
        (lambda f: f, ["--memory", "9MB"], "a memory of 9 MB is too small"),
        (lambda f: f, ["--scratch", "/no/folder"], "/no/folder: no such folder"),
        (lambda f: f.assign(y="well"), ["--positive", "ill"], "'ill' is not among its values 'sick', 'well'"),
    ],
)
def test_bad_parts_are_one_line_with_the_part_and_the_row(no_score, frame, parts, spoil, words, said):
    spoil(frame[:100]).to_parquet(parts / "part-1.parquet", index=False)
    assert said in no_score(parts, *words)


@pytest.mark.parametrize("name", ["none/*.parquet", "empty", "no-table", "file:///no/such/folder"])
def test_what_is_no_table_is_one_line(no_score, tmp_path, name):
    (tmp_path / "empty").mkdir()
    (tmp_path / "no-table").mkdir()
    (tmp_path / "no-table" / "part.parquet").write_text("y,model_0\n1,.5\n")
    assert name in no_score(name if "://" in name else tmp_path / name)


def test_sizes_are_read_as_people_write_them():
    assert [size(text) for text in ("2GB", "1.5 gib", "500M", "7")] == [2e9, 1.5 * 2**30, 5e8, 7]
    with pytest.raises(ArgumentTypeError, match="'much': a size such as 2GB is wanted"):
        size("much")


def test_memory_that_was_given_back_does_not_count_as_taken(parts):
    columns = Columns(label="y", scores=["model_0"], positive="sick")
    held = [Parts(str(parts), columns, memory=10**10)._held]
    np.ones(60_000_000)
    held.append(Parts(str(parts), columns, memory=10**10)._held)
    assert held[1] == pytest.approx(held[0], abs=100_000_000)


@pytest.mark.whole
def test_forty_million_rows_in_two_gigabytes_give_the_same_bits_shuffled(tmp_path):
    n, n_parts = 40_000_000, 8
    folders = [tmp_path / name for name in ("as-made", "shuffled")]
    for folder in folders:
        folder.mkdir()
    columns = ["y", "model_0", "model_1"]
    for part in range(n_parts):
        rng = np.random.default_rng(part)
        y = rng.random(n // n_parts) < 0.2
        scores = rng.normal(size=y.size) + y
        table = pa.table(dict(zip(columns, (y, scores, scores.round(2)), strict=True)))
        pq.write_table(table, folders[0] / f"{part}.parquet")
        pq.write_table(table.take(rng.permutation(y.size)), folders[1] / f"{n_parts - part}.parquet")

    def scored(folder, memory):
        limits = ["--memory", memory, "--scratch", tmp_path, "--format", "json"]
        command = [sys.executable, "-m", "aucstudy", "score", folder, "--label", "y", *COMMON[4:], *limits]
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    largest = scored(folders[0], "2GB")
    assert scored(folders[1], "600MB") == largest
    # what the system counted; a limit of it would count memory that is asked for and never used
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 < 2e9
    # read only now: the system counts what this process holds when it starts another as held by that one
    y, *scores = (column.to_numpy() for column in pq.read_table(folders[0]).columns)
    for row, score in zip(json.loads(largest), scores, strict=True):
        exact = areas(y, score)
        wanted = [getattr(exact, area) for area in AREAS]
        assert [row[area] for area in AREAS] == pytest.approx(wanted, rel=1e-12)
