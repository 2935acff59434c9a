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
    columns = {
        "y": np.where(y, "sick", "well"),
        "site": rng.integers(0, 3, n),
        "weight": rng.gamma(1.0, size=n),
    }
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


@pytest.fixture
def run(run):
    """As of conftest.py, on two models."""
    models = ["--label", "y", "--positive", "sick", "--score", "model_0", "--score", "model_1"]
    return lambda path, *words: run("score", path, *models, *words)


@pytest.fixture
def little_memory(monkeypatch):
    """So little that every table goes to temporary files."""
    monkeypatch.setattr(Parts, "_held_bytes", lambda self, memory: 5_000)


@pytest.fixture
def rows_of(run):
    """A function that runs the command and returns its rows by score and aggregation."""

    def call(path, *words):
        code, out, _ = run(path, *words, "--format", "json")
        assert code == 0
        return {(row["score"], row["aggregation"]): row for row in json.loads(out)}

    return call


def same_areas(rows, others):
    assert list(rows) == list(others)
    for key, row in rows.items():
        assert [row[area] for area in AREAS] == pytest.approx(
            [others[key][area] for area in AREAS], rel=1e-12
        )


@pytest.mark.parametrize("weighted", [False, True])
def test_parts_give_the_areas_of_the_whole_table_and_of_each_site(rows_of, frame, parts, weighted):
    wanted = {"pooled": frame, **{str(site): rows for site, rows in frame.groupby("site")}}
    rows = rows_of(parts, "--by", "site", *(["--weight", "weight"] if weighted else []))
    for (model, aggregation), row in rows.items():
        own = wanted[aggregation]
        weight = own["weight"] if weighted else None
        exact = areas(own["y"], own[model], sample_weight=weight, pos_label="sick")
        for name in (*AREAS, "n", "n_positive", "prevalence"):
            assert row[name] == pytest.approx(getattr(exact, name), rel=1e-12), (model, aggregation, name)


def ranked(frame, model):
    """The rows as they are read, from the top down: halves are drawn by place."""
    return frame.iloc[np.lexsort((frame["weight"], frame["y"] == "sick", -frame[model]))]


@pytest.mark.parametrize("method", [None, "influence"])
@pytest.mark.parametrize("weighted", [False, True])
def test_intervals_of_few_rows_are_those_of_the_rows_and_of_many_of_the_walk(
    run, rows_of, frame, parts, monkeypatch, method, weighted
):
    if method:
        monkeypatch.setattr("aucstudy.scoring.large_tables.WHOLE", 100)
    words = ["--by", "site", "--interval", "--prevalence", 0.3, *(["--weight", "weight"] if weighted else [])]
    assert ("limits may be too narrow" in run(parts, *words)[2]) == bool(method)
    for (model, aggregation), row in rows_of(parts, *words).items():
        own = ranked(frame if aggregation == "pooled" else frame[frame["site"] == int(aggregation)], model)
        for area in AREAS:
            options = {"pos_label": "sick", "sample_weight": own["weight"] if weighted else None}
            wanted = interval(own["y"], own[model], area=area, method=method, prevalence=0.3, **options)
            ends = row[area], row[f"{area}_low"], row[f"{area}_high"]
            assert ends == pytest.approx(wanted, rel=1e-9), (model, aggregation, area)


def test_few_rows_of_a_class_are_as_many_as_of_equal_weight(rows_of, tmp_path):
    frame = made(60_000).assign(weight=np.where(np.arange(60_000) % 2000, 1.0, 1e6))
    rows = rows_of(write_parts(frame, tmp_path / "uneven", 2), "--weight", "weight", "--interval")
    row, own = rows["model_0", "pooled"], ranked(frame, "model_0")
    options = {"area": "auroc", "pos_label": "sick", "sample_weight": own["weight"]}
    limits = interval(own["y"], own["model_0"], **options)[1:]
    assert [row["auroc_low"], row["auroc_high"]] == pytest.approx(limits, rel=1e-9)


def test_one_row_of_a_class_has_no_interval_and_a_note(run, rows_of, frame, tmp_path):
    lone = frame.drop(index=frame[(frame["y"] == "sick") & (frame["site"] == 2)].index[1:])
    call = write_parts(lone, tmp_path / "lone", 2), "--by", "site", "--interval"
    assert "1 of 3 samples have one row of a class: an interval wants two" in run(*call)[2]
    assert [row["auroc_low"] is None for row in rows_of(*call).values()] == 2 * [False, False, False, True]


def test_options_and_folds_reach_parts_as_they_reach_a_file(rows_of, frame, parts, tmp_path):
    frame.to_parquet(tmp_path / "one.parquet")
    words = ["--fold", "site", "--prevalence", 0.1, "--recall-range", 0.2, 0.7]
    same_areas(rows_of(tmp_path / "one.parquet", *words), rows_of(parts, *words))


@pytest.mark.parametrize(
    "words", [[], ["--by", "site"], ["--weight", "weight"], ["--interval", "--by", "site"]], ids=str
)
def test_order_of_rows_number_of_parts_and_files_change_no_bit(run, frame, tmp_path, monkeypatch, words):
    words = [*words, "--format", "json", "--scratch", tmp_path]
    first = run(write_parts(frame, tmp_path / "a", 1), *words)[1]
    order = np.random.default_rng(1).permutation(len(frame))
    other = write_parts(frame, tmp_path / "b", 7, order)
    assert run(other, *words)[1] == first
    monkeypatch.setattr(Parts, "_held_bytes", lambda self, memory: 5_000)
    code, out, err = run(other, *words)
    assert (code, out) == (0, first)
    assert f"temporary files of {68 if '--weight' in words else 36} kB, gone afterwards" in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_patterns_addresses_and_hive_folders_are_tables_too(run, frame, parts, tmp_path):
    want = run(parts, "--by", "site")
    assert want[0] == 0
    pq.write_to_dataset(pa.Table.from_pandas(frame), tmp_path / "hive", partition_cols=["site"])
    for path in (tmp_path / "*" / "part-?.parquet", parts.as_uri(), tmp_path / "hive"):
        assert run(path, "--by", "site") == want
    renamed = parts.rename(tmp_path / "x[1]")
    for path in (renamed, tmp_path / "x[[]1]" / "*.parquet", tmp_path / "x*"):
        assert run(path, "--by", "site") == want


@pytest.mark.parametrize("inside", ["", "*.parquet"])
@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda table: (table / "loop").symlink_to(table), "/loop: is"),
        (lambda table: [(table / name).symlink_to(table) for name in "ab"], "each part is wanted once"),
        (
            lambda table: (table / "again.parquet").symlink_to(table / "part-0.parquet"),
            "/part-0.parquet: is the same file as",
        ),
        (
            lambda table: (table / "part-3.parquet").symlink_to(table / "gone.parquet"),
            "/part-3.parquet: is a link to nothing; a Parquet file is wanted",
        ),
        (
            lambda table: (table / "_delta_log").mkdir(),
            "table: a table of Delta (_delta_log), some of whose files may no longer count",
        ),
        (lambda table: (table.parent / ".hoodie").mkdir(), ": a table of Hudi (.hoodie)"),
    ],
    ids=["back", "back twice", "twice", "nothing", "Delta", "Hudi above"],
)
def test_no_row_is_counted_twice_or_after_its_removal(run, parts, spoil, said, inside, request):
    spoil(parts)
    code, out, err = run(parts / inside)
    if inside and "back" in request.node.callspec.id:  # the pattern does not match the links
        assert code == 0
        return
    assert (code, out, len(err.splitlines())) == (1, "", 1)
    assert said in err


def test_a_folder_that_a_link_leads_to_is_read(run, frame, tmp_path):
    table = write_parts(frame[:2000], tmp_path / "table", 2)
    (table / "more").symlink_to(write_parts(frame[2000:], tmp_path / "elsewhere", 2))
    frame.to_parquet(tmp_path / "one.parquet")
    assert run(table) == run(tmp_path / "one.parquet", "--memory", "8GB")


def test_parts_whose_names_are_skipped_are_noted(run, frame, parts):
    want = run(parts)
    (parts / "_sub").mkdir()
    for name in ("_b.parquet", "_sub/c.parquet"):
        frame[:9].to_parquet(parts / name)
    (parts / "_SUCCESS").touch()
    code, out, err = run(parts)
    assert (code, out) == want[:2]
    left_out = "left out, as their names or folders begin with . or _: _b.parquet, _sub/c.parquet"
    assert f"2 Parquet files are {left_out}" in err


def test_the_names_of_folders_are_text(run, rows_of, frame, tmp_path):
    for i, site in enumerate(("1", "01", "001")):
        (tmp_path / "hive" / f"site={site}").mkdir(parents=True)
        frame[i::3].drop(columns="site").to_parquet(tmp_path / "hive" / f"site={site}" / "a.parquet")
    rows = rows_of(tmp_path / "hive", "--by", "site")
    assert {key[1]: row["n"] for key, row in rows.items()} == {
        "pooled": 4000, "001": 1333, "01": 1333, "1": 1334,
    }  # fmt: skip
    frame.drop(columns="site").to_parquet(tmp_path / "hive" / "b.parquet")
    assert "b.parquet: column 'site' is missing" in run(tmp_path / "hive", "--by", "site")[2]


@pytest.mark.parametrize("cuts", [[1], [2000], [1000, 2000, 3000]])
def test_which_groups_are_one_does_not_depend_on_how_rows_are_cut_into_files(rows_of, frame, tmp_path, cuts):
    frame = frame.assign(site=np.where(np.arange(N) < 2000, "1", "1.0"))
    (tmp_path / "cut").mkdir()
    for i, rows in enumerate(np.split(np.arange(N), cuts)):
        frame.iloc[rows].to_parquet(tmp_path / "cut" / f"{i}.parquet")
    assert {key[1] for key in rows_of(tmp_path / "cut", "--by", "site")} == {"pooled", "1"}


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (OSError(errno.ENOSPC, "No space left on device"), 1, "the disk is full; 36 kB are wanted"),
    ],
)
def test_nothing_stays_behind_when_it_ends_early(run, parts, tmp_path, monkeypatch, error, code, said):
    add, calls = RangeFiles.add, []

    def fails(self, rows):
        calls.append(len(list(tmp_path.glob("aucstudy-*/*"))))
        if len(calls) > 3:
            raise error
        add(self, rows)

    monkeypatch.setattr(RangeFiles, "add", fails)
    ended, out, err = run(parts, "--scratch", tmp_path)
    assert (ended, out) == (code, "")
    assert said in err.splitlines()[-1]
    assert calls[-1] > 1
    assert not list(tmp_path.glob("aucstudy-*"))


@pytest.mark.usefixtures("little_memory")
def test_a_disk_without_room_is_told_before_the_start(run, parts, tmp_path, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=10))
    code, _, err = run(parts, "--scratch", tmp_path)
    assert code == 1
    assert f"{tmp_path}: temporary files of 36 kB are wanted, 35.99 kB more than are free" in err


def test_a_part_that_changes_is_one_line(run, frame, parts, monkeypatch):
    read = Parts._rows

    def changes(self, score, grouped):
        frame[:5].to_parquet(parts / "part-1.parquet")
        return read(self, score, grouped)

    monkeypatch.setattr(Parts, "_rows", changes)
    code, out, err = run(parts)
    assert (code, out) == (1, "")
    assert f"{parts}/part-1.parquet: changed while it was read; a table at rest is wanted" in err


def test_weights_that_are_all_0_are_not_one_class(run, frame, tmp_path):
    code, out, err = run(write_parts(frame.assign(weight=0.0), tmp_path / "none", 2), "--weight", "weight")
    assert (code, out) == (1, "")
    assert "none: all weights are 0; one above 0 is wanted in rows of each class" in err


def test_what_is_terminated_leaves_no_temporary_files(parts, tmp_path):
    words = f"--label y --positive sick --score model_0 --scratch {tmp_path}".split()
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
    done = subprocess.run(
        [sys.executable, "-c", program, "score", parts, *words], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (143, "2\n")
    assert [path.name for path in tmp_path.iterdir()] == [parts.name]


@pytest.mark.parametrize(
    ("spoilt", "words", "said"),
    [
        ({"model_1": "x"}, [], "part-1.parquet: column 'model_1' holds"),
        ({"y": "well"}, ["--positive", "ill"], "'ill' is not among its values 'sick', 'well'"),
        (
            ("model_0", np.nan),
            [],
            "column 'model_0': None in row 8 of the data; a value is wanted in every row\n",
        ),
        (("y", None), [], "column 'y': None in row 8 of the data"),
        (("weight", -1.0), ["--weight", "weight"], "column 'weight': -1.0 in row 8 of the data"),
        ({}, ["--weight", "wieght"], "no column 'wieght'; did you mean 'weight'?"),
        ({}, ["--weight", "y"], "column 'y' holds"),
        ({}, ["--memory", "0"], "a memory of 0 MB is too small"),
        ({}, ["--memory", "9MB"], "a memory of 9 MB is too small"),
        ({}, ["--scratch", "/no/folder"], "/no/folder: no such folder"),
        (None, [], "part-1.parquet: column 'model_1' is missing, double is wanted"),
    ],
)
def test_bad_parts_are_one_line_with_the_part_and_the_row(run, frame, parts, spoilt, words, said):
    bad = frame[:100]
    if spoilt is None:
        bad = bad.drop(columns="model_1")
    elif isinstance(spoilt, dict):
        bad = bad.assign(**spoilt)
    else:
        name, value = spoilt
        bad = bad.assign(**{name: bad[name].where(bad.index != 7, value)})
    bad.to_parquet(parts / "part-1.parquet", index=False)
    code, out, err = run(parts, *words)
    assert (code, out) == (1, "")
    assert said in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("name", ["none/*.parquet", "empty", "no-table", "file:///no/such/folder"])
def test_what_is_no_table_is_one_line(run, tmp_path, name):
    (tmp_path / "empty").mkdir()
    (tmp_path / "no-table").mkdir()
    (tmp_path / "no-table" / "part.parquet").write_text("y,model_0\n1,.5\n")
    code, out, err = run(name if "://" in name else tmp_path / name)
    assert (code, out, len(err.splitlines())) == (1, "", 1)
    assert name in err


def test_sizes_are_read_as_people_write_them():
    assert [size(text) for text in ("2GB", "1.5 gib", "500M", "7")] == [2e9, 1.5 * 2**30, 5e8, 7]
    with pytest.raises(ArgumentTypeError, match="'much': a size such as 2GB is wanted"):
        size("much")


def test_memory_that_was_given_back_does_not_count_as_taken(parts):
    def held():
        columns = Columns(label="y", scores=["model_0"], positive="sick")
        return Parts(str(parts), columns, memory=10**10)._held

    before = held()
    np.ones(60_000_000)
    assert held() == pytest.approx(before, abs=100_000_000)


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
        words = f"--memory {memory} --label y --score model_0 --score model_1 --format json".split()
        command = [sys.executable, "-m", "aucstudy", "score", folder, "--scratch", tmp_path, *words]
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
        assert [row[area] for area in AREAS] == pytest.approx(
            [getattr(exact, area) for area in AREAS], rel=1e-12
        )
