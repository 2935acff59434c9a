"""The metrics of Parquet tables that are larger than memory.

DuckDB counts the rows of each score, and the metrics are sums over these counts. Only counts are read here.
The scores never leave the data base, so that integers and decimals of any size keep their order.
"""

import math
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TypeVar

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from aucstudy.errors import InputError
from aucstudy.metrics.counts import RunningAreas
from aucstudy.metrics.inputs import checked_options
from aucstudy.metrics.registry import keys
from aucstudy.reading.labels import Labels, equal_numbers, positive_rows
from aucstudy.reading.part_files import open_parts
from aucstudy.reading.prediction_tables import Columns, losses_of
from aucstudy.reading.table_files import memory_here
from aucstudy.reading.tables import check_name, is_numeric, listed
from aucstudy.scoring.tables import FOLDS_LEFT_OUT, GROUPS_UNDEFINED, group_names, limit_keys, score_row

Result = TypeVar("Result")

COUNTS_AT_ONCE = 1 << 17
OF_ARROW = {"__fragment_index", "__batch_index", "__last_in_fragment", "__filename"}
WEIGHTS = (
    2.0**-100,
    2.0**100,
)  # The largest weight is brought between these, so that sums stay in the range of floats.
MOST_KINDS = 1_000_000  # pairs of a label and a group
# Batches are small and few are read ahead, because Arrow's memory does not count towards DuckDB's limit.
READING = {"batch_size": 1 << 17, "batch_readahead": 2, "fragment_readahead": 1}


class _Group(NamedTuple):
    """The size of a table or of a group in it. `P` and `N` are the weights of its positives and negatives."""

    name: str
    n: int
    n_positive: int
    P: float
    N: float


class Parts:
    """A table in Parquet parts. `columns` names the columns that are read, and `by` the column of groups."""

    def __init__(
        self,
        database: duckdb.DuckDBPyConnection,
        dataset: ds.Dataset,
        where: str,
        columns: Columns,
        by: str | None = None,
    ) -> None:
        self._database, self._dataset, self.where, self._by = database, dataset, where, by
        self.notes: list[str] = []
        names = self._dataset.schema.names
        if not (columns.label and columns.scores):
            missing = "--score" if columns.label else "--label"
            raise InputError(f"{where}: {missing} is missing; the columns are {listed(names)}")
        self._label, self._weight, self.scores = (
            columns.label,
            columns.weight,
            tuple(dict.fromkeys(columns.scores)),
        )
        self._losses = losses_of(where, columns, self.scores, self.notes)
        for name in filter(None, [self._label, by, self._weight, *self.scores]):
            check_name(where, names, name)
            self._refuse_other_types(name, is_number=name in (self._weight, *self.scores))
        self._count_kinds(columns.positive)

    def _refuse_other_types(self, name: str, is_number: bool = False) -> None:
        """Raise InputError if a column differs in type between parts, or must hold numbers and does not.

        The data base would round the numbers of one part to the type of another.
        """
        kind = self._dataset.schema.field(name).type
        if is_number and not (is_numeric(kind) or pa.types.is_boolean(kind)):
            raise InputError(f"{self.where}: column {name!r} holds {kind}, numbers are needed")
        for part in self._dataset.get_fragments():
            stored = part.physical_schema
            if name in ds.get_partition_keys(part.partition_expression):
                continue
            if name not in stored.names or stored.field(name).type != kind:
                holds = f"holds {stored.field(name).type}" if name in stored.names else "is missing"
                raise InputError(f"{part.path}: column {name!r} {holds}, {kind} is needed as in other parts")

    def _view(self, *scores: str) -> None:
        """Give the data base a view `parts` with the columns label, unit, weight, score_0, score_1, ..."""
        names = {"label": self._label, "unit": self._by, "weight": self._weight}
        names |= {f"score_{i}": score for i, score in enumerate(scores)}
        names = {alias: name for alias, name in names.items() if name}
        if OF_ARROW.isdisjoint(self._dataset.schema.names):
            fields = {alias: self._field(name) for alias, name in names.items()}
            self._database.register("parts", self._dataset.scanner(columns=fields, **READING))
        else:
            self._database.register("parts", self._read_part_by_part(names))

    def _type(self, name: str) -> pa.DataType:
        """Return a type that the data base knows, in which no number of a column changes."""
        kind = self._dataset.schema.field(name).type
        if pa.types.is_float16(kind):
            return pa.float32()
        return pa.decimal128(38, kind.scale) if pa.types.is_decimal256(kind) else kind

    def _field(self, name: str) -> ds.Expression:
        field, kind = ds.field(name), self._type(name)
        return field if kind == self._dataset.schema.field(name).type else field.cast(kind)

    def _read_part_by_part(self, names: dict[str, str]) -> pa.RecordBatchReader:
        """Return the columns by their aliases, without Arrow's scanner, which adds columns of its own names."""
        schema = pa.schema([(alias, self._type(name)) for alias, name in names.items()])

        def batches() -> Iterator[pa.RecordBatch]:
            for part in self._dataset.get_fragments():
                keys = ds.get_partition_keys(part.partition_expression)
                stored = [name for name in dict.fromkeys(names.values()) if name not in keys]
                with part.filesystem.open_input_file(part.path) as source:
                    file = pq.ParquetFile(source, page_checksum_verification=True)
                    for batch in file.iter_batches(READING["batch_size"], columns=stored):
                        columns = [
                            pa.repeat(pa.scalar(keys[name], kind), batch.num_rows)
                            if name in keys
                            else batch.column(name).cast(kind)
                            for name, kind in zip(names.values(), schema.types, strict=True)
                        ]
                        yield pa.RecordBatch.from_arrays(columns, schema=schema)

        return pa.RecordBatchReader.from_batches(schema, batches())

    def _total(self, condition: str = "") -> str:
        # fsum is compensated. Many digits of a plain sum of floats depend on the order of the rows.
        amount = f"fsum(CAST(weight AS DOUBLE) * {self._scale!r})" if self._weight else "count(*)"
        return f"coalesce({amount} FILTER ({condition}), 0)" if condition else amount

    def _count_kinds(self, positive: str | None) -> None:
        """Count the rows of each label and group for `groups` and `pooled`.

        The same query counts the rows that have no number where one is needed. Raises InputError if there are
        any.
        """
        self._scale = self._scale_of_weights()
        self._view(*self.scores)
        wrong = (
            {"weight": "coalesce(NOT isfinite(weight::DOUBLE) OR weight < 0, true)"} if self._weight else {}
        )
        for i in range(len(self.scores)):
            # DuckDB would take NaN as the largest of all numbers.
            wrong[f"score_{i}"] = f"coalesce(NOT isfinite(score_{i}::DOUBLE), true)"
        counts = ", ".join(f"count(*) FILTER ({condition})" for condition in wrong.values())
        unit = "unit" if self._by else "'' AS unit"
        self._database.execute(
            f"CREATE TEMP TABLE kinds AS SELECT label, {unit}, count(*), {self._total()}, {counts} FROM parts "
            f"GROUP BY ALL LIMIT {MOST_KINDS + 1}"
        )
        texts = "label::VARCHAR, unit::VARCHAR"
        kinds = self._database.sql(f"SELECT {texts}, * EXCLUDE (label, unit) FROM kinds").fetchall()
        if len(kinds) > MOST_KINDS:
            raise InputError(
                f"{self.where}: over {MOST_KINDS:,} pairs of a label and a group; fewer are needed"
            )
        column_of = dict(zip((f"score_{i}" for i in range(len(self.scores))), self.scores, strict=True))
        for alias, *n_wrong in zip(wrong, *(kind[4:] for kind in kinds), strict=True):
            self._refuse(column_of.get(alias, self._weight), sum(n_wrong))
        self._refuse(self._label, sum(n for label, _, n, *_ in kinds if self._is_missing(self._label, label)))
        if self._by:
            self._refuse(self._by, sum(n for _, unit, n, *_ in kinds if self._is_missing(self._by, unit)))
        class_of = _one_spelling({label for label, *_ in kinds})
        # One row of each class stands for all of its rows.
        classes = sorted(set(class_of.values()))
        rows = Labels(np.arange(len(classes)), classes)
        positive, *_, notes = positive_rows(f"{self.where}: column {self._label!r}", rows, positive)
        self.notes += notes
        self._code("classes", "label", {label: int(name == positive) for label, name in class_of.items()})
        unit_of = _one_spelling({unit for _, unit, *_ in kinds})
        names = sorted(set(unit_of.values()))
        self._code("units", "unit", {unit: names.index(name) for unit, name in unit_of.items()})
        totals = {name: [[0, 0.0], [0, 0.0]] for name in names}
        for label, unit, n, weight, *_ in kinds:
            of_class = totals[unit_of[unit]][class_of[label] == positive]
            of_class[0] += n
            of_class[1] += weight
        shown = group_names(names, self._by or "")
        self.groups = [
            _Group(name, d[0] + e[0], d[0], d[1], e[1])
            for name, (e, d) in zip(shown, totals.values(), strict=True)
        ]
        self.pooled = _Group("pooled", *(sum(column) for column in list(zip(*self.groups, strict=True))[1:]))

    def _scale_of_weights(self) -> float:
        """Return the power of two by which weights are multiplied. It is 1 unless they are very large or small."""
        if not self._weight:
            return 1.0
        self._view()
        query = "SELECT max(weight::DOUBLE) FROM parts WHERE isfinite(weight::DOUBLE)"
        [[largest]] = self._database.sql(query).fetchall()
        if not largest or WEIGHTS[0] <= largest <= WEIGHTS[1]:
            return 1.0
        return 2.0 ** -min(max(math.frexp(largest)[1], -1000), 1000)

    def _refuse(self, name: str, n_wrong: int) -> None:
        if n_wrong:
            needed = (
                "a finite weight of at least 0" if name == self._weight else "a finite number, or a label,"
            )
            raise InputError(
                f"{self.where}: column {name!r} has no value, or a wrong one, in {n_wrong:,} of the rows; "
                f"{needed} is needed in every row"
            )

    def _is_missing(self, name: str, text: str | None) -> bool:
        """Return whether a label or a group is missing. In a column of text, nan is a text like any other."""
        if text is None or not text.strip():
            return True
        return pa.types.is_floating(self._dataset.schema.field(name).type) and text.lower() == "nan"

    def _code(self, table: str, column: str, code_of: dict[str, int]) -> None:
        """Make a table of the values of a column as they are stored, with the code of the text of each."""
        self._database.register("codes", pa.table({"text": list(code_of), "code": list(code_of.values())}))
        self._database.execute(
            f"CREATE TEMP TABLE {table} AS SELECT DISTINCT {column}, code FROM kinds JOIN codes "
            f"ON {column}::VARCHAR = text"
        )

    def areas(self, score: str, grouped: bool = False, **options) -> list[dict[str, float]]:
        """Return the metrics of one column of scores, for all rows or for each group."""
        groups = self.groups if grouped else [self.pooled]
        running = [RunningAreas(group.P, group.N, **options) for group in groups]
        self._view(score)
        unit, join = ("units.code", "JOIN units USING (unit)") if grouped else ("0::BIGINT", "")
        counts = self._database.sql(
            f"SELECT {unit}, {self._total('classes.code = 1')}, {self._total('classes.code = 0')} "
            f"FROM parts JOIN classes USING (label) {join} "
            f"GROUP BY {unit}, score_0 ORDER BY {unit}, score_0 {'ASC' if score in self._losses else 'DESC'}"
        )
        for batch in counts.to_arrow_reader(COUNTS_AT_ONCE):
            codes, positives, negatives = (column.to_numpy() for column in batch.columns)
            starts = np.flatnonzero(np.diff(codes, prepend=-1))
            for start, end in zip(starts, [*starts[1:], len(codes)], strict=True):
                running[codes[start]].add(positives[start:end], negatives[start:end])
        for group, walk in zip(groups, running, strict=True):
            counted = walk.true_positives, walk.false_positives
            if not np.allclose(counted, (group.P, group.N), rtol=1e-9 if self._weight else 0, atol=0):
                raise InputError(f"{self.where}: changed while it was read; a table at rest is needed")
        return [walk.areas() for walk in running]


def _one_spelling(texts: set[str]) -> dict[str, str]:
    """Return for each text the spelling of the class or group that it means, without blanks around it."""
    ordered = sorted({text.strip() for text in texts})
    spelling = dict(zip(ordered, equal_numbers(ordered), strict=True))
    return {text: spelling[text.strip()] for text in texts}


@contextmanager
def _database(memory: int | None, scratch: Path | None) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a data base in memory, whose temporary files are deleted afterwards."""
    if scratch is not None and not scratch.is_dir():
        raise InputError(f"{scratch}: no such folder; one for temporary files is needed")
    limit = memory_here() // 2 if memory is None else memory
    try:
        temporary = tempfile.TemporaryDirectory(prefix="aucstudy-", dir=scratch)
    except OSError as error:
        where = scratch or tempfile.gettempdir()
        raise InputError(
            f"{where}: cannot be written ({error.strerror}); a folder for temporary files is needed"
        ) from None
    with temporary as folder:
        settings = {
            "memory_limit": f"{limit} bytes",
            "temp_directory": folder,
            # The order of the rows does not matter, and keeping it would take memory.
            "preserve_insertion_order": "false",
            # In a join the small table on the right must be held in memory. DuckDB does not know the size of
            # an Arrow data set and would hold the data set instead.
            "disabled_optimizers": "join_order,build_side_probe_side",
        }
        with duckdb.connect(config=settings) as connection:
            yield connection


@contextmanager
def _refusals(where: str) -> Iterator[None]:
    """Turn whatever fails while a table is read into an InputError of one line."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"{where}: no such file or folder") from None
    except ImportError as error:  # Arrow needs another package for some stores.
        raise InputError(f"{where}: cannot be read ({error})") from None
    except duckdb.OutOfMemoryException as error:
        raise InputError(
            f"{where}: more than --memory or --scratch has: {str(error).splitlines()[0]}"
        ) from None
    except (duckdb.Error, pa.ArrowException, OSError) as error:
        reason = " ".join(str(error).split())[:200]
        why = (
            "an address is that of Parquet parts in a store, such as s3://bucket/folder"
            if "://" in where
            else "--weight, --by, --memory and --scratch need it"
        )
        raise InputError(f"{where}: not readable Parquet ({reason}); {why}") from None


def _interruptible(database: duckdb.DuckDBPyConnection, work: Callable[[], Result]) -> Result:
    """Return what `work` returns, and stop its queries if a signal such as Ctrl-C raises an exception here.

    DuckDB looks for signals only between its own tasks. While one of its threads has the last task of a
    query, the thread that asked for it sleeps until the query ends. So another thread does the `work`, and
    this one waits in Python.
    """
    with ThreadPoolExecutor(max_workers=1) as pool:
        future = pool.submit(work)
        try:
            return future.result()
        except BaseException:
            while not future.done():
                # This is repeated, because between two queries there is nothing to interrupt.
                database.interrupt()
                wait([future], timeout=0.1)
            raise


def score_parts(
    where: str,
    columns: Columns,
    *,
    by: str | None = None,
    folds: bool = False,
    memory: int | None = None,
    scratch: Path | None = None,
    **options,
) -> tuple[list[dict[str, object]], list[str]]:
    """Return rows with the metrics of each score, and notes for the reader.

    Each score has a row for all rows pooled. With `by` it also has a row for each group, or with `folds` one
    row for the mean over the groups.
    """
    checked_options(**options)  # Wrong options must be refused before hours of reading.
    with _refusals(where):
        dataset, notes = open_parts(where)
    with _refusals(where), _database(memory, scratch) as database:

        def scored() -> tuple[Parts, list[dict[str, object]]]:
            table = Parts(database, dataset, where, columns, by)
            return table, _rows(table, by is not None, folds, **options)

        table, rows = _interruptible(database, scored)
    notes += table.notes
    n_undefined = sum(group.P == 0 or group.N == 0 for group in table.groups)
    if by and n_undefined:
        reason = FOLDS_LEFT_OUT if folds else GROUPS_UNDEFINED
        notes.append(f"{n_undefined} of {len(table.groups)} {reason}")
    if table.pooled.P == 0 or table.pooled.N == 0:
        notes.append(f"all {table.pooled.n} rows are of one class: no area is defined")
    return rows, notes


def _rows(table: Parts, grouped: bool, folds: bool, **options) -> list[dict[str, object]]:
    """Return rows with the metrics of each score: pooled, and for each group or the mean over the groups."""
    if not table.pooled.P + table.pooled.N:
        raise InputError(f"{table.where}: all weights are 0; one above 0 is needed in rows of each class")
    rows = []
    for score in table.scores:
        results = [(table.pooled, *table.areas(score, **options))]
        group_areas = table.areas(score, grouped=True, **options) if grouped else []
        if folds:
            usable = [list(areas.values()) for areas in group_areas if not np.isnan(areas["auroc"])]
            means = np.mean(usable or [[np.nan] * len(keys())], axis=0)
            pooled = table.pooled._replace(name="fold_mean")
            results.append((pooled, dict(zip(keys(), means.tolist(), strict=True))))
        elif grouped:
            results += zip(table.groups, group_areas, strict=True)
        rows += [_row(score, *result) for result in results]
    return rows


def _row(score: str, group: _Group, areas: dict[str, float]) -> dict[str, object]:
    total = group.P + group.N
    facts = {"n": group.n, "n_positive": group.n_positive, "prevalence": group.P / total if total else np.nan}
    return score_row(score, group.name, facts | areas, [np.nan] * len(limit_keys()))
