"""`aucstudy score` on tables in parts: the metrics of the whole table, refusals, and no files left behind."""

import errno
import json
import os
import signal
import socket
import subprocess
import sys
from argparse import ArgumentTypeError
from decimal import Decimal
from io import StringIO

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from aucstudy.commands.arguments import size
from aucstudy.metrics import areas
from aucstudy.metrics.registry import keys
from aucstudy.scoring import large_tables

AREAS = keys()

N = 4000


def made(n, seed=1):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.2
    columns = {
        "y": np.where(y, "sick", "well"),
        "site": rng.integers(0, 3, n),
        "weight": rng.gamma(1.0, size=n),
        "model_0": rng.normal(size=n) + y,
        "model_1": (rng.normal(size=n) + y).round(2),
    }
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
    """Return a function that scores two models of a table."""
    models = ["--label", "y", "--positive", "sick", "--score", "model_0", "--score", "model_1"]
    return lambda path, *words: run("score", path, *models, *words)


@pytest.fixture
def rows_of(run):
    """Return a function that runs the command and returns its rows by score and aggregation."""

    def call(path, *words):
        code, out, _ = run(path, *words, "--format", "json")
        assert code == 0
        return {(row["score"], row["aggregation"]): row for row in json.loads(out)}

    return call


@pytest.mark.parametrize("weighted", [False, True])
def test_parts_give_the_areas_of_the_whole_table_and_of_each_site(rows_of, frame, parts, weighted):
    samples = {"pooled": frame, **{str(site): rows for site, rows in frame.groupby("site")}}
    rows = rows_of(parts, "--by", "site", *(["--weight", "weight"] if weighted else []))
    assert {key[1] for key in rows} == samples.keys()
    for (model, aggregation), row in rows.items():
        own = samples[aggregation]
        weight = own["weight"] if weighted else None
        exact = areas(own["y"], own[model], sample_weight=weight, pos_label="sick")
        for name in (*AREAS, "n", "n_positive", "prevalence"):
            assert row[name] == pytest.approx(getattr(exact, name), rel=1e-12), (model, aggregation, name)


def test_options_and_folds_reach_parts_as_they_reach_a_file(rows_of, frame, parts, tmp_path):
    frame.to_parquet(tmp_path / "one.parquet")
    words = ["--fold", "site", "--prevalence", 0.1, "--recall-range", 0.2, 0.7]
    rows, expected = rows_of(parts, *words), rows_of(tmp_path / "one.parquet", *words)
    for key, row in expected.items():
        assert [rows[key][area] for area in AREAS] == pytest.approx([row[area] for area in AREAS], rel=1e-12)
    assert list(rows) == list(expected)


@pytest.mark.parametrize("words", [[], ["--by", "site"]], ids=str)
def test_order_of_rows_number_of_parts_and_files_change_no_bit(run, tmp_path, monkeypatch, words):
    # The small number makes many batches.
    monkeypatch.setattr(large_tables, "COUNTS_AT_ONCE", 2048)
    frame, words = made(60_000), [*words, "--format", "json", "--scratch", tmp_path]
    code, first, _ = run(write_parts(frame, tmp_path / "a", 1), *words, "--memory", "1GB")
    order = np.random.default_rng(1).permutation(len(frame))
    assert (code, first) == run(write_parts(frame, tmp_path / "b", 7, order), *words, "--memory", "200MB")[:2]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_patterns_addresses_and_hive_folders_are_tables_too(run, frame, parts, tmp_path):
    expected = run(parts, "--by", "site")
    assert expected[0] == 0
    pq.write_to_dataset(pa.Table.from_pandas(frame), tmp_path / "hive", partition_cols=["site"])
    for path in (tmp_path / "*" / "part-?.parquet", parts.as_uri(), tmp_path / "hive"):
        assert run(path, "--by", "site") == expected
    renamed = parts.rename(tmp_path / "x[1]")
    for path in (renamed, tmp_path / "x[[]1]" / "*.parquet", tmp_path / "x*"):
        assert run(path, "--by", "site") == expected


def test_the_names_of_folders_are_text(rows_of, frame, tmp_path):
    for i, site in enumerate(("1", "01", "001")):
        (tmp_path / "hive" / f"site={site}").mkdir(parents=True)
        frame[i::3].drop(columns="site").to_parquet(tmp_path / "hive" / f"site={site}" / "a.parquet")
    rows = rows_of(tmp_path / "hive", "--by", "site")
    assert {key[1]: row["n"] for key, row in rows.items()} == {
        "pooled": 4000, "001": 1333, "01": 1333, "1": 1334,
    }  # fmt: skip


def test_two_spellings_of_one_number_are_one_group(rows_of, frame, tmp_path):
    frame = frame.assign(site=np.where(np.arange(N) < 2000, "1", "1.0"))
    rows = rows_of(write_parts(frame, tmp_path / "cut", 3), "--by", "site")
    assert {key[1] for key in rows} == {"pooled", "1"}
    assert rows["model_0", "1"]["aupr"] == rows["model_0", "pooled"]["aupr"]


@pytest.mark.parametrize(
    ("scores", "auroc"),
    [
        (2**60 + np.array([3, 2, 1, 0]), 0.75),
        (np.uint64(2**63) + np.array([3, 2, 1, 0], np.uint64), 0.75),
        (
            [Decimal("1.00000000000000000003"), Decimal("1.00000000000000000002"), Decimal(1), Decimal(0)],
            0.75,
        ),
        ([0.0, -0.0, 0.0, -0.0], 0.5),
        (np.array([4, 3, 2, 1], np.float32), 0.75),
        ([True, True, False, False], 0.5),
    ],
    ids=["int64", "uint64", "decimal", "zeros", "float32", "bool"],
)
def test_scores_of_every_kind_keep_their_order_and_ties(rows_of, tmp_path, scores, auroc):
    frame = pd.DataFrame({"y": ["sick", "well", "sick", "well"], "model_0": scores, "model_1": scores})
    rows = rows_of(write_parts(frame, tmp_path / "table", 1))
    assert [row["auroc"] for row in rows.values()] == [auroc, auroc]


def test_names_that_differ_by_their_case_are_two_columns(run, rows_of, frame, tmp_path):
    twin = frame.rename(columns={"model_1": "MODEL_0"})
    folder = write_parts(twin.assign(model_1=frame["model_1"]), tmp_path / "case", 2)
    rows = rows_of(folder, "--score", "MODEL_0")
    assert rows["MODEL_0", "pooled"]["auroc"] == rows["model_1", "pooled"]["auroc"]
    assert rows["MODEL_0", "pooled"]["auroc"] != rows["model_0", "pooled"]["auroc"]


def iceberg(table):
    (table / "metadata").mkdir()
    (table / "metadata" / "00001-a.metadata.json").write_text("{}")


@pytest.mark.parametrize("inside", ["", "*.parquet"])
@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda table: [(table / name).symlink_to(table) for name in "ab"], "each part is needed once"),
        (lambda table: (table / "again.parquet").symlink_to(table / "part-0.parquet"), "is the same file as"),
        (lambda table: (table / "part-3.parquet").symlink_to(table / "gone"), "no such file"),
        (lambda table: (table / "_delta_log").mkdir(), "table: a table of Delta (_delta_log), some of whose"),
        (lambda table: (table.parent / ".hoodie").mkdir(), ": a table of Hudi (.hoodie)"),
        (
            lambda table: (table / "again.parquet").hardlink_to(table / "part-0.parquet"),
            "is the same file as",
        ),
        (
            lambda table: (table / "_spark_metadata").mkdir(),
            "table: a table of a stream of Spark (_spark_metadata)",
        ),
        (lambda table: iceberg(table), "table: a table of Iceberg (metadata)"),
    ],
    ids=["back twice", "twice", "nothing", "Delta", "Hudi above", "hard link", "Spark", "Iceberg"],
)
def test_no_row_is_counted_twice_or_after_its_removal(run, parts, spoil, said, inside, request):
    spoil(parts)
    code, out, err = run(parts / inside)
    # The links do not end in .parquet, so the pattern does not match them.
    if inside and "back" in request.node.callspec.id:
        assert code == 0
        return
    assert (code, out, len(err.splitlines())) == (1, "", 1)
    assert said in err


def test_parts_whose_names_are_skipped_are_noted(run, frame, parts):
    expected = run(parts)
    (parts / "_sub").mkdir()
    for name in ("_b.parquet", "_sub/c.parquet"):
        frame[:9].to_parquet(parts / name)
    (parts / "_SUCCESS").touch()
    code, out, err = run(parts)
    assert (code, out) == expected[:2]
    assert "2 Parquet files left out, as their names or folders begin with . or _: _b.parquet, _sub/c" in err


@pytest.mark.parametrize(
    ("spoilt", "words", "said"),
    [
        ({"model_1": None}, [], "part-1.parquet: column 'model_1' is missing, double is needed"),
        ({"model_1": ["x"] * 9}, [], "part-1.parquet: column 'model_1' holds string, double is needed"),
        ({"model_1": [1] * 9}, [], "part-1.parquet: column 'model_1' holds int64, double is needed"),
        ({"model_0": [np.nan] + [0.0] * 8}, [], "'model_0' has no value, or a wrong one, in 1 of the rows"),
        ({"model_0": [None] + [0.0] * 8}, [], "'model_0' has no value, or a wrong one, in 1 of the rows"),
        ({"model_0": [np.inf] + [0.0] * 8}, [], "'model_0' has no value, or a wrong one, in 1 of the rows"),
        ({"y": [None, None] + ["well"] * 7}, [], "'y' has no value, or a wrong one, in 2 of the rows"),
        ({"y": ["Sick"] * 9}, [], "holds 'Sick' and 'sick', which look like one class"),
        ({"weight": [-1.0] * 9}, ["--weight", "weight"], "a finite weight of at least 0 is needed"),
        ({"weight": [np.inf] * 9}, ["--weight", "weight"], "a finite weight of at least 0 is needed"),
        ({}, ["--positive", "ill"], "'ill' is not among its values 'sick', 'well'"),
        ({}, ["--weight", "wieght"], "no column 'wieght'; did you mean 'weight'?"),
        ({}, ["--weight", "y"], "column 'y' holds"),
        ({}, ["--memory", "1MB"], "more than --memory or --scratch has"),
        ({}, ["--scratch", "/no/folder"], "/no/folder: no such folder"),
        ({}, ["--score", "__filename"], "no column '__filename'"),
        ({}, ["--interval"], "--interval needs a file that is read whole"),
    ],
)
def test_bad_parts_are_one_line(run, frame, parts, spoilt, words, said):
    table = pa.Table.from_pandas(frame[:9], preserve_index=False)
    for name, values in spoilt.items():
        i = table.schema.get_field_index(name)
        # pyarrow makes the column, because pandas would write NaN as a missing value.
        table = table.remove_column(i) if values is None else table.set_column(i, name, pa.array(values))
    pq.write_table(table, parts / "part-1.parquet")
    code, out, err = run(parts, *words)
    assert (code, out, len(err.splitlines())) == (1, "", 1)
    assert said in err


@pytest.mark.parametrize("address", ["hf://datasets/a/b.parquet", "https://127.0.0.1:9/t.csv", "xyz://a/b"])
def test_an_address_that_no_store_has_is_one_line(run, address):
    code, out, err = run(address)
    assert (code, out, len(err.splitlines())) == (1, "", 1)
    assert address in err
    # The option was not given, so the message must not name it.
    assert "--weight" not in err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_process_while_a_store_is_asked(number):
    # The store never answers. Python's handlers do not run while Arrow waits, so the signal has to end the
    # process without them.
    code = (
        "import sys, time; from aucstudy.reading import part_files; from aucstudy.commands.main import main\n"
        "def asked(where): print('asked', flush=True); time.sleep(60)\n"
        "import signal; part_files._parts = asked\n"
        "def handled(*_): print('handled by Python', flush=True)\n"
        "signal.signal(signal.SIGTERM, handled); signal.signal(signal.SIGINT, handled)\n"
        "signal.signal(signal.SIGHUP, handled)\n"
        "main(['score', 's3://a/b', '--label', 'y', '--score', 's'])"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "asked\n"
    child.send_signal(number)
    assert (child.wait(), child.stdout.read()) == (-number, "")


def test_a_broken_page_is_an_error_and_no_number(run, frame, tmp_path):
    path = tmp_path / "table" / "0.parquet"
    path.parent.mkdir()
    table = pa.Table.from_pandas(frame)
    pq.write_table(table, path, compression="none", use_dictionary=False, write_page_checksum=True)
    data, score = bytearray(path.read_bytes()), frame["model_0"][2000].tobytes()
    data[data.index(score)] ^= 1
    path.write_bytes(data)
    code, out, err = run(path.parent)
    assert (code, out) == (1, "")
    assert "not readable Parquet" in err


def test_weights_that_are_all_0_are_not_one_class(run, frame, tmp_path):
    code, out, err = run(write_parts(frame.assign(weight=0.0), tmp_path / "none", 2), "--weight", "weight")
    assert (code, out) == (1, "")
    assert "none: all weights are 0; one above 0 is needed in rows of each class" in err


def test_a_part_that_changes_is_one_line(run, frame, parts, monkeypatch):
    count_kinds = large_tables.Parts._count_kinds

    def changes(self, positive):
        count_kinds(self, positive)
        frame[:5].to_parquet(parts / "part-1.parquet", index=False)

    monkeypatch.setattr(large_tables.Parts, "_count_kinds", changes)
    code, out, err = run(parts)
    assert (code, out, len(err.splitlines())) == (1, "", 1)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_within_a_query_ends_it_and_leaves_no_temporary_files(parts, tmp_path, number):
    words = f"--label y --positive sick --score model_0 --memory 1GB --scratch {tmp_path}".split()
    program = (
        "import os, signal, sys, threading\n"
        "from aucstudy.commands.main import main\n"
        "from aucstudy.scoring.large_tables import Parts\n"
        # A shell may make tests in the background ignore the interrupt, and nohup a hang-up, so the usual handlers
        # are set here.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "signal.signal(signal.SIGHUP, signal.SIG_DFL)\n"
        "def areas(self, *_, **__):\n"
        "    print(len(os.listdir(sys.argv[-1])))\n"
        f"    threading.Timer(0.5, os.kill, (os.getpid(), {int(number)})).start()\n"
        # A thread of DuckDB is busy for minutes, and the calling thread does not look for signals.
        "    self._database.sql('SELECT count(*) FROM range(1000000000000)').fetchall()\n"
        "Parts.areas = areas\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", program, "score", parts, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (128 + number, "2\n")
    assert [path.name for path in tmp_path.iterdir()] == [parts.name]


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
    with pytest.raises(ArgumentTypeError, match="'much': a size such as 2GB is needed"):
        size("much")


@pytest.mark.parametrize("request_to_end", [signal.SIGTERM, signal.SIGINT])
def test_a_store_that_never_answers_is_left_at_a_signal(request_to_end):
    keys = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_EC2_METADATA_DISABLED": "true"}
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(60)
        where = f"s3://bucket/x.parquet?endpoint_override=127.0.0.1:{silent.getsockname()[1]}&scheme=http&region=r"
        command = [sys.executable, "-m", "aucstudy", "score", where, "--label", "y", "--score", "a"]
        child = subprocess.Popen(command, stderr=subprocess.DEVNULL, env=os.environ | keys)
        try:
            connection, _ = silent.accept()
            child.send_signal(request_to_end)
            assert child.wait(timeout=20) in (-request_to_end, 128 + request_to_end)
            connection.close()
        finally:
            child.kill()
            child.wait()


@pytest.mark.parametrize("where", ["**/*.parquet", "**", "*", "*/**/*.parquet"])
@pytest.mark.parametrize("is_address", [False, True])
def test_a_pattern_reads_folders_of_any_depth_and_leaves_out_what_a_folder_does(
    run, rows_of, frame, tmp_path, where, is_address
):
    folders = ["", "a", "a/b", "a/b/c"]
    for folder, rows in zip(folders, np.array_split(np.arange(N), 4), strict=True):
        (tmp_path / "t" / folder).mkdir(parents=True, exist_ok=True)
        frame.iloc[rows].to_parquet(tmp_path / "t" / folder / "p.parquet")
    for name in ("a/_temporary", "a/.ipynb_checkpoints"):
        (tmp_path / "t" / name).mkdir()
        frame[:9].to_parquet(tmp_path / "t" / name / "p.parquet")
    table = tmp_path / "t"
    pattern = f"{table.as_uri() if is_address else table}/{where}"
    n_rows = 3000 if where == "*/**/*.parquet" else N
    assert rows_of(pattern)["model_0", "pooled"]["n"] == n_rows
    if n_rows == N:
        code, out, err = run(pattern)
        assert (code, out) == run(table)[:2]
        assert "2 Parquet files left out, as their names or folders begin with . or _" in err


def test_a_hidden_part_is_read_by_a_pattern_that_begins_as_its_name_does(rows_of, frame, parts):
    frame[:90].to_parquet(parts / "_half.parquet")
    assert rows_of(parts / "_*.parquet")["model_0", "pooled"]["n"] == 90


def test_the_names_of_folders_that_are_whole_numbers_are_numbers(run, frame, tmp_path):
    for site, rows in frame.groupby("site"):
        (tmp_path / "hive" / f"site={site}").mkdir(parents=True)
        rows.to_parquet(tmp_path / "hive" / f"site={site}" / "a.parquet", index=site == 1)
    frame.to_parquet(tmp_path / "t.parquet")
    words = ("--score", "site", "--by", "site")
    assert run(tmp_path / "hive", *words)[:2] == run(tmp_path / "t.parquet", *words)[:2]


@pytest.mark.parametrize("column", ["half", "wide", "weight"])
def test_half_floats_and_wide_decimals_of_parts_are_those_of_a_file(run, frame, tmp_path, column):
    half = pa.array(frame["model_1"].to_numpy().astype(np.float16))
    wide = pa.array([Decimal(f"{value:.2f}") for value in frame["model_1"]], pa.decimal256(50, 20))
    columns = {"y": frame["y"], "model_0": frame["model_0"], "model_1": wide if column == "wide" else half}
    table = pa.table(columns | {"w": pa.array(frame["weight"].to_numpy().astype(np.float16))})
    (tmp_path / "t").mkdir()
    pq.write_table(table, tmp_path / "t" / "a.parquet")
    words = ["--weight", "w"] if column == "weight" else []
    code, out, _ = run(tmp_path / "t", *words)
    assert code == 0
    if not words:
        assert out == run(tmp_path / "t" / "a.parquet")[1]


def test_parts_without_rows_may_have_columns_without_a_type(run, frame, parts):
    expected = run(parts)
    pq.write_table(pa.table({name: pa.nulls(0) for name in frame}), parts / "a-first.parquet")
    assert run(parts) == expected


def test_a_class_may_be_called_nan_and_blanks_around_it_do_not_count(rows_of, frame, tmp_path):
    other = np.where(np.arange(N) % 2, "nan", "nan\t")
    table = write_parts(frame.assign(y=np.where(frame["y"] == "sick", "sick", other)), tmp_path / "t", 3)
    auroc = areas(frame["y"] == "sick", frame["model_0"]).auroc
    assert rows_of(table)["model_0", "pooled"]["auroc"] == pytest.approx(auroc, abs=1e-15)


@pytest.mark.parametrize("scale", [1e300, 1e-300, 2.0**-1060])
def test_the_scale_of_weights_does_not_matter(rows_of, frame, tmp_path, scale):
    frame = frame.assign(weight=2.0 ** np.arange(N).clip(0, 3))
    tables = (
        write_parts(frame.assign(weight=frame["weight"] * k), tmp_path / f"t{k}", 2) for k in (1, scale)
    )
    plain, scaled = (rows_of(table, "--weight", "weight") for table in tables)
    for key, row in plain.items():
        for metric in AREAS:
            assert row[metric] == pytest.approx(scaled[key][metric], rel=1e-12)


def test_a_scratch_folder_that_cannot_be_written_is_one_line(run, parts, tmp_path, monkeypatch):
    def read_only(*_, **__):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(large_tables.tempfile, "TemporaryDirectory", read_only)
    code, out, err = run(parts, "--scratch", tmp_path)
    assert (code, out) == (1, "")
    assert (
        f"{tmp_path}: cannot be written (Read-only file system); a folder for temporary files is needed"
        in err
    )


@pytest.mark.parametrize("words", [
    (), ("--weight", "__batch_index"), ("--score", "__filename", "--by", "site"),
    ("--score", "__filename", "__last_in_fragment", "--folds", "__fragment_index"),
])  # fmt: skip
def test_columns_with_names_of_arrows_own_are_read_in_parts_as_in_one_file(run, frame, tmp_path, words):
    frame = frame.assign(
        __filename=frame["model_1"],
        __last_in_fragment=frame["model_0"].astype(np.float16),
        __batch_index=frame["weight"],
        __fragment_index=np.arange(N) % 3,
    )
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=700)
    table = tmp_path / "table"
    for site, rows in frame.groupby("site"):  # The sites are in the names of folders.
        (table / f"site={site}").mkdir(parents=True)
        rows.drop(columns="site").to_parquet(table / f"site={site}" / "0.parquet", row_group_size=700)
    words = (*words, "--format", "csv")
    code, in_parts, err = run(table, *words)
    assert code == 0, err
    assert in_parts == run(tmp_path / "t.parquet", *words, "--memory", "1GB")[1]
    if "--weight" not in words and "--by" not in words:
        whole = pd.read_csv(StringIO(run(tmp_path / "t.parquet", *words)[1]))
        pd.testing.assert_frame_equal(pd.read_csv(StringIO(in_parts)), whole, rtol=1e-12)
