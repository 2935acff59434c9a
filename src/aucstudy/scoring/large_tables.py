"""Areas of Parquet tables larger than memory: a file, or parts in a folder or store."""

import errno
import os
import resource
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from aucstudy.area_names import AREAS, LIMIT_KEYS
from aucstudy.errors import InputError
from aucstudy.metrics.areas import Areas
from aucstudy.metrics.outside_memory.runs import CHUNK, Rows
from aucstudy.metrics.outside_memory.tables import Scored, grouped_areas, negated
from aucstudy.metrics.uncertainty.intervals import influence_will_do, limits_of_all
from aucstudy.metrics.uncertainty.sample import checked_sample
from aucstudy.reading.column_files import ColumnFile, Columns, categorical, unreadable
from aucstudy.reading.labels import Labels, equal_numbers, positive_rows
from aucstudy.reading.numbers import as_numpy, is_numeric
from aucstudy.reading.opened_files import memory_here
from aucstudy.reading.part_files import part_files
from aucstudy.scoring.tables import FOLDS_LEFT_OUT, score_row

READING = 150_000_000  # bytes that reading takes beside the rows that are held
LEAST_HELD = 50_000_000
WHOLE = 200_000  # rows up to which samples of few positives or negatives have the limits of `interval`


def _resident() -> int:
    if sys.platform == "darwin":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # the largest so far would hold what has been given back, and on Linux what the parent had when it started this
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class _Batch(NamedTuple):
    """Rows of a part, from its `first_row` on."""

    path: str
    first_row: int
    rows: pa.RecordBatch

    def texts(self, name: str) -> tuple[list[str], np.ndarray]:
        """The distinct texts of a column and (n,) which of them stands in each row; none may be missing."""
        column = self.rows[name]
        if not pa.types.is_dictionary(column.type):
            column = column.dictionary_encode()
        kinds = categorical(pa.chunked_array([column.dictionary]), f"{self.path}: column {name!r}")
        codes = np.append(kinds.codes, -1)[as_numpy(column.indices, -1)]
        self.refuse(codes < 0, name)
        return [str(text) for text in kinds.categories], codes

    def numbers(self, name: str) -> np.ndarray:
        column = self.rows[name]
        if pa.types.is_floating(column.type) or column.null_count:
            self.refuse(pc.is_null(column, nan_is_null=True).to_numpy(zero_copy_only=False), name)
        return column.to_numpy(zero_copy_only=False)

    def refuse(self, wrong_rows: np.ndarray, name: str, required: str = "a value") -> None:
        if wrong_rows.any():
            first = int(np.argmax(wrong_rows))
            raise InputError(
                f"{self.path}: column {name!r}: {self.rows[name][first]} in row {self.first_row + first + 1} of the "
                f"data; {required} is wanted in every row"
            )


class Parts:
    """The parts of a table, whose columns are read by name, in a memory of `memory` bytes."""

    def __init__(
        self,
        where: str,
        columns: Columns,
        *,
        by: str | None = None,
        memory: int | None = None,
        scratch: Path | None = None,
        level: float | None = None,
    ) -> None:
        self.where, self.level, self._weight, self._by = where, level, columns.weight, by
        self._stamps: dict[str, tuple] = {}  # of each part, its size and time before anything is read
        self._scratch = Path(tempfile.gettempdir()) if scratch is None else scratch
        if not self._scratch.is_dir():
            raise InputError(f"{self._scratch}: no such folder; one for temporary files is wanted")
        with self._readable(where):
            files = part_files(where)
            self._files, self._dataset = files.files, files.dataset()
            self._stamps = self._stamped()
            self.n_rows = self._dataset.count_rows()
        self._check_columns(columns)
        self._positive, notes = self._read_labels(columns.positive)
        self.notes = [*files.notes, *notes]
        self._held = self._held_bytes(memory_here() // 2 if memory is None else memory)
        # of one score at a time, where the rows do not fit into memory
        row = 8 + np.min_scalar_type(2 * len(self.groups)).itemsize + 8 * bool(columns.weight)
        fits = (row + 16 * bool(columns.weight)) * self.n_rows <= self._held
        self._scratch_bytes = 0 if fits else row * self.n_rows

    def _stamped(self) -> dict[str, tuple]:
        infos = self._files.get_file_info(self._dataset.files)
        return {info.path: (info.size, info.mtime_ns) for info in infos}

    def _refuse_changes(self) -> None:
        changed = [path for path, stamp in self._stamped().items() if stamp != self._stamps[path]]
        if changed:
            raise InputError(f"{changed[0]}: changed while it was read; a table at rest is wanted")

    @contextmanager
    def _readable(self, path: str) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError:
            raise InputError(f"{path}: no such file or folder") from None
        except (pa.ArrowException, OSError) as error:
            if self._stamps:
                self._refuse_changes()
            raise InputError(
                f"{unreadable(path, error)}; --weight, --by, --memory and --scratch want one"
            ) from None

    def _check_columns(self, columns: Columns) -> None:
        schema = self._dataset.schema
        table = ColumnFile(self.where, schema.names)
        self._label = columns.label or table.own_label()
        self.scores = tuple(dict.fromkeys(columns.scores)) or (table.own_score(""),)
        numbers = [*self.scores, *filter(None, [self._weight])]
        names = [self._label, *filter(None, [self._by]), *numbers]
        for name in names:
            table.check(name)
        for name in numbers:
            kind = schema.field(name).type
            if not is_numeric(kind) or pa.types.is_decimal(kind):
                raise InputError(f"{self.where}: column {name!r} holds {kind}, floats or integers are wanted")
        for fragment in self._dataset.get_fragments():
            with self._readable(fragment.path):
                stored = fragment.physical_schema
                folder_keys = ds.get_partition_keys(fragment.partition_expression)
            for name in names:
                kind = schema.field(name).type
                if name in folder_keys or (name in stored.names and stored.field(name).type == kind):
                    continue
                holds = f"holds {stored.field(name).type}" if name in stored.names else "is missing"
                raise InputError(
                    f"{fragment.path}: column {name!r} {holds}, {kind} is wanted as in other parts"
                )

    def _batches(self, columns: Sequence[str]) -> Iterator[_Batch]:
        """InputError where a part has changed since the start."""
        for fragment in self._dataset.get_fragments():
            row, folder_keys = 0, ds.get_partition_keys(fragment.partition_expression)
            constant_columns = {name: folder_keys[name] for name in columns if name in folder_keys}
            file_columns = [name for name in dict.fromkeys(columns) if name not in constant_columns]
            with self._readable(fragment.path), self._files.open_input_file(fragment.path) as raw:
                # the scanner of the data set would read ahead without end where rows are used slowly
                file = pq.ParquetFile(
                    raw, page_checksum_verification=True, pre_buffer=False, buffer_size=1 << 20
                )
                for batch in file.iter_batches(CHUNK, columns=file_columns):
                    for name, value in constant_columns.items():
                        batch = batch.append_column(name, pa.repeat(value, batch.num_rows))
                    yield _Batch(fragment.path, row, batch)
                    row += batch.num_rows
        self._refuse_changes()

    def _read_labels(self, positive: str | None) -> tuple[dict[str, bool], list[str]]:
        labels: set[str] = set()
        groups: set[str] = set()
        for batch in self._batches([self._label, *filter(None, [self._by])]):
            labels.update(batch.texts(self._label)[0])
            if self._by:
                groups.update(batch.texts(self._by)[0])
        # decided once, of all values: those of one batch would merge by how the rows are cut
        names, ids = sorted(labels), sorted(groups)
        class_of = dict(zip(names, equal_numbers(names), strict=True))
        self._group_of = dict(zip(ids, equal_numbers(ids), strict=True))
        self.groups = sorted(set(self._group_of.values()))
        # one row of each class stands for all
        classes = sorted(set(class_of.values()))
        rows = Labels(np.arange(len(classes)), classes)
        positive_class, _, _, notes = positive_rows(f"{self.where}: column {self._label!r}", rows, positive)
        return {name: same_class == positive_class for name, same_class in class_of.items()}, notes

    def _held_bytes(self, memory: int) -> int:
        two = np.array([-0.5, -0.2]), np.array([1, 0], dtype=np.uint8)
        for weights in (np.empty(0), np.ones(2)):  # what has to be compiled takes memory too
            grouped_areas([Rows(*two, weights)] * 2, 1, held=1, level=self.level)
        in_use = _resident() + READING
        if memory < in_use + LEAST_HELD:
            raise InputError(
                f"a memory of {memory / 1e6:,.0f} MB is too small; {(in_use + LEAST_HELD) / 1e6:,.0f} MB are wanted"
            )
        return memory - in_use

    def plan(self) -> list[str]:
        """What the temporary files will take, if any; InputError where the disk has too little room."""
        if not self._scratch_bytes:
            return []
        free = shutil.disk_usage(self._scratch).free
        need = f"temporary files of {_shown(self._scratch_bytes)}"
        if self._scratch_bytes > free:
            missing_room = _shown(self._scratch_bytes - free)
            raise InputError(f"{self._scratch}: {need} are wanted, {missing_room} more than are free")
        return [f"{self._scratch}: {need}, gone afterwards"]

    def areas(self, score: str, grouped: bool = False, **options) -> list[Scored]:
        """The areas of one column of scores and their limits, of each group by itself if `grouped`."""
        n_groups = len(self.groups) if grouped else 1
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # where an area is NaN, the rows say why
                with _progress(score, 2 * self.n_rows) as progress:
                    storage = {"held": self._held, "scratch": self._scratch, "rows": self.n_rows}
                    options |= {"level": self.level, "progress": progress}
                    group_areas = grouped_areas(self._rows(score, grouped), n_groups, **storage, **options)
                if self.n_rows > WHOLE or not any(map(_few, group_areas)):
                    return group_areas
                return list(self._with_limits_of_rows(group_areas, score, grouped, options["prevalence"]))
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            raise InputError(
                f"{self._scratch}: the disk is full; {_shown(self._scratch_bytes)} are wanted"
            ) from None

    def _with_limits_of_rows(
        self, scored: list[Scored], score: str, grouped: bool, prevalence: float | None
    ) -> Iterator[Scored]:
        rows = Rows(*map(np.concatenate, zip(*self._rows(score, grouped), strict=True)))
        # halves are drawn by place: the order in the files must not matter
        rows = rows.taken(np.lexsort([column for column in rows[::-1] if column.size]))
        for group, sample_areas in enumerate(scored):
            if _few(sample_areas):
                keys, codes, weights = rows.taken(rows.codes // 2 == group)
                ranks = -np.unique(keys, return_inverse=True)[1]
                weight = weights if self._weight else None
                sample = checked_sample(codes % 2, {score: ranks}, weight, prevalence=prevalence)
                sample_areas = sample_areas._replace(limits=limits_of_all(sample, self.level)[0])
            yield sample_areas

    def _rows(self, score: str, grouped: bool) -> Iterator[Rows]:
        code = {group: 2 * i for i, group in enumerate(self.groups)} if grouped else {}
        kind = np.min_scalar_type(2 * max(1, len(code)) - 1)
        further_columns = filter(None, [self._weight, self._by if grouped else None])
        for batch in self._batches([self._label, score, *further_columns]):
            names, indices = batch.texts(self._label)
            codes = np.array([self._positive[name] for name in names], dtype=kind)[indices]
            if grouped:
                names, indices = batch.texts(self._by)
                codes += np.array([code[self._group_of[name]] for name in names], dtype=kind)[indices]
            weights = np.empty(0)
            if self._weight:
                weights = batch.numbers(self._weight).astype(np.float64)
                is_wrong = ~(np.isfinite(weights) & (weights >= 0))
                batch.refuse(is_wrong, self._weight, "a finite weight of at least 0")
            yield Rows(negated(batch.numbers(score)), codes, weights)


@contextmanager
def _progress(title: str, total: int) -> Iterator[Callable[[int], object]]:
    try:
        from tqdm import tqdm
    except ModuleNotFoundError:
        yield bool
        return
    with tqdm(total=total, desc=title, unit="row", unit_scale=True, disable=None, leave=False) as bar:
        yield bar.update


def _shown(n_bytes: float) -> str:
    thousands = min(int(np.log10(max(n_bytes, 1)) / 3), 3)
    return f"{n_bytes / 1000**thousands:,.4g} {('B', 'kB', 'MB', 'GB')[thousands]}"


def _few(scored: Scored) -> bool:
    return scored.limits is not None and not influence_will_do(
        scored.n_minority, scored.areas.reference_prevalence
    )


def score_parts(table: Parts, *, folds: bool = False, **options) -> tuple[list[dict[str, object]], list[str]]:
    """Rows of the areas of each score, pooled and of each group or the mean of the groups; and notes for the reader."""
    rows, notes = [], list(table.notes)
    for score in table.scores:
        [pooled] = table.areas(score, **options)
        if not pooled.areas.weight:
            raise InputError(f"{table.where}: all weights are 0; one above 0 is wanted in rows of each class")
        results = table.areas(score, grouped=True, **options) if table.groups else []
        named = [("pooled", pooled)]
        group_areas = [result.areas for result in results if not np.isnan(result.areas.auroc)]
        if folds:
            means = np.mean(
                [areas[: len(AREAS)] for areas in group_areas] or [(np.nan,) * len(AREAS)], axis=0
            )
            named.append(("fold_mean", Scored(Areas(*means.tolist(), *pooled.areas[len(AREAS) :]))))
        else:
            named += zip(table.groups, results, strict=True)
        for aggregation, (areas, limits, _) in named:
            ends = [np.nan] * len(LIMIT_KEYS) if limits is None else np.ravel(limits).tolist()
            rows.append(score_row(score, aggregation, areas._asdict(), ends))
    if len(group_areas) < len(results):
        reason = FOLDS_LEFT_OUT if folds else "groups hold one class only: no area is defined there"
        notes.append(f"{len(results) - len(group_areas)} of {len(results)} {reason}")
    if np.isnan(pooled.areas.auroc):
        notes.append(f"all {table.n_rows} rows are of one class: no area is defined")
    n_lone = sum(result.limits is None and not np.isnan(result.areas.auroc) for result in results or [pooled])
    if table.level and n_lone:
        notes.append(
            f"{n_lone} of {len(results) or 1} samples have one row of a class: an interval wants two"
        )
    if table.n_rows > WHOLE and any(_few(result) for _, result in named):
        notes.append("some samples have few rows of a class: their limits may be too narrow")
    return rows, notes
