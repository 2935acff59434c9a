"""Rows sorted by score that may not fit into memory: a file for each range of scores, sorted when its turn comes."""

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import NamedTuple

import numpy as np

from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.outside_memory.exact_sums import LIMBS, add_by_code, rounded

CHUNK = 1 << 17  # rows that are handled at once
FILLED = 0.7  # of the memory: how full a range is meant to be, as its cuts come from a sample
MOST_RANGES = 200  # files that are open at once
EXPECTED_FILLS = 16  # of the memory, where nobody knows how many rows will come
SAMPLE = 1 << 16


def no_progress(n_rows: int) -> None:
    pass


class Rows(NamedTuple):
    """Negated scores; codes of 2 x group + 1 for a positive, + 0 for a negative; weights, of size 0 where all are 1."""

    keys: np.ndarray
    codes: np.ndarray
    weights: np.ndarray

    def taken(self, which: slice | np.ndarray) -> "Rows":
        return Rows(*(column[which] if column.size else column for column in self))

    def row_bytes(self) -> int:
        # sorting rows with weights holds their largest class twice
        return sum(column.itemsize for column in self if column.size) + 16 * (self.weights.size > 0)


class Run(NamedTuple):
    """The n rows of a range of scores: `in_memory`, or `read` in chunks."""

    n: int
    read: Callable[[], Iterator[Rows]]
    in_memory: Rows | None = None
    path: Path | None = None
    one_score: bool = False


class SortedRows(NamedTuple):
    """Rows sorted by code and then by key; `ends` of the codes."""

    keys: np.ndarray
    weights: np.ndarray
    ends: np.ndarray


class OneScore(NamedTuple):
    """Counts of the rows of one score by code; or sums of weights, their rounding and sums of squares."""

    amounts: np.ndarray


def split_into_runs(
    chunks: Iterable[Rows],
    memory_bytes: int,
    n_rows: int | None,
    folder: Path,
    sample: np.ndarray | None = None,
) -> list[Run]:
    """One run of all rows where they fit into `memory_bytes`, else files by range of scores, the top first."""
    buffer, files, size = None, None, 0
    for chunk in chunks:
        if buffer is None:
            fitting_rows = memory_bytes // chunk.row_bytes()
            capacity = max(min(fitting_rows, n_rows or fitting_rows), chunk.keys.size)
            buffer = Rows(*(np.empty(capacity if column.size else 0, column.dtype) for column in chunk))
        if (chunk.keys.dtype, chunk.weights.size > 0) != (buffer.keys.dtype, buffer.weights.size > 0):
            raise ValueError("chunks differ in the type of their scores, or only some have weights")
        if files is None and size + chunk.keys.size > buffer.keys.size:
            # a copy: a view would hold the buffer while the ranges are sorted
            keys = np.sort(buffer.keys[: size : size // SAMPLE + 1] if sample is None else sample)
            n_ranges = math.ceil((n_rows or EXPECTED_FILLS * size) / (FILLED * buffer.keys.size)) + 3
            files = RangeFiles(folder, keys, min(n_ranges, MOST_RANGES), buffer)
            for start in range(0, size, CHUNK):
                files.add(buffer.taken(slice(start, min(start + CHUNK, size))))
        if files is not None:
            files.add(chunk)
            continue
        for column, values in zip(buffer, chunk, strict=True):
            column[size : size + values.size] = values
        size += chunk.keys.size
    if files is not None:
        return files.closed()
    return [] if buffer is None else [Run(size, lambda: iter(()), in_memory=buffer.taken(slice(size)))]


def sorted_runs(
    runs: list[Run],
    n_groups: int,
    memory_bytes: int,
    folder: Path,
    *,
    squared: bool = False,
    progress: Callable[[int], object] = no_progress,
) -> Iterator[SortedRows | OneScore]:
    """The rows of all runs, sorted, the top first; what does not fit into memory is split again."""
    runs.reverse()
    while runs:
        run = runs.pop()
        if run.one_score:
            yield _one_score(run.read(), n_groups, squared)
        elif run.in_memory is not None:
            yield sort_rows(run.in_memory, n_groups)
        else:
            rows = next(run.read())
            sample = None
            if run.n * rows.row_bytes() > memory_bytes:
                sample = np.concatenate([chunk.keys[:: run.n // SAMPLE + 1] for chunk in run.read()])
            runs += reversed(split_into_runs(run.read(), memory_bytes, run.n, folder, sample))
        if run.path is not None:
            run.path.unlink()
        if run.one_score or run.in_memory is not None:
            progress(run.n)


class RangeFiles:
    """A file of rows for each range of keys: from above the last cut up to and with the next."""

    names = count()

    def __init__(self, folder: Path, sample: np.ndarray, n_ranges: int, example: Rows) -> None:
        cuts, times = np.unique(sample[np.arange(1, n_ranges) * sample.size // n_ranges], return_counts=True)
        repeated = cuts[times > 1]  # a key that fills a range has one to itself
        just_below = (
            np.nextafter(repeated, -np.inf)
            if repeated.dtype.kind == "f"
            else repeated - repeated.dtype.type(1)
        )
        self._cuts = np.union1d(cuts, just_below)
        columns = zip(("key", "code", "weight"), example, strict=True)
        self.record = np.dtype([(name, column.dtype) for name, column in columns if column.size])
        self._paths = [folder / str(next(self.names)) for _ in range(self._cuts.size + 1)]
        self._scores: list[set] = [set() for _ in self._paths]  # of each file one or two
        self._stack = ExitStack()
        self._files = [self._stack.enter_context(path.open("wb")) for path in self._paths]

    def add(self, rows: Rows) -> None:
        cut_of_row = np.searchsorted(self._cuts, rows.keys).astype(np.uint16)
        order = np.argsort(cut_of_row, kind="stable")
        records = np.empty(order.size, self.record)
        for name, column in zip(self.record.names, rows, strict=False):
            records[name] = column[order]
        ends = np.cumsum(np.bincount(cut_of_row, minlength=len(self._files)))
        for i, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
            if end > start:
                in_range = records[start:end]
                self._files[i].write(in_range.tobytes())
                if len(self._scores[i]) < 2:
                    self._scores[i] |= {in_range["key"].min(), in_range["key"].max()}

    def closed(self) -> list[Run]:
        self._stack.close()
        runs = []
        for path, scores in zip(self._paths, self._scores, strict=True):
            n = path.stat().st_size // self.record.itemsize
            if n:
                runs.append(Run(n, lambda path=path: self.read(path), path=path, one_score=len(scores) == 1))
        return runs

    def read(self, path: Path) -> Iterator[Rows]:
        with path.open("rb") as file:
            while (records := np.fromfile(file, self.record, CHUNK)).size:
                columns = [np.ascontiguousarray(records[name]) for name in self.record.names]
                yield Rows(*columns, *[np.empty(0)] * (3 - len(columns)))


def _one_score(chunks: Iterable[Rows], n_groups: int, squared: bool) -> OneScore:
    rows_of_code = np.zeros(2 * n_groups, dtype=np.int64)
    limbs = np.zeros(
        (1 + squared, 2 * n_groups, LIMBS), dtype=np.int64
    )  # takes memory where it is written to
    for chunk in chunks:
        rows_of_code += np.bincount(chunk.codes, minlength=rows_of_code.size)
        if chunk.weights.size:
            for power, sums in enumerate(limbs, start=1):
                add_by_code(chunk.codes, chunk.weights**power, sums)
    if not chunk.weights.size:
        return OneScore(rows_of_code[None].astype(float))
    amounts = np.zeros((2 + squared, rows_of_code.size))
    for code in np.flatnonzero(rows_of_code):
        amounts[:2, code] = rounded(limbs[0, code])
        amounts[2:, code] = [rounded(sums[code])[0] for sums in limbs[1:]]
    return OneScore(amounts)


def sort_rows(rows: Rows, n_groups: int) -> SortedRows:
    """Sort rows in place by code and key."""
    # bincount makes int64 of what it counts
    chunks = (rows.codes[start : start + CHUNK] for start in range(0, rows.codes.size, CHUNK))
    size = sum(np.bincount(codes, minlength=2 * n_groups) for codes in chunks)
    ends = np.cumsum(size)
    starts = ends - size
    _gather(*rows, starts.copy(), ends)
    for code in np.flatnonzero(size > 1):
        in_code = rows.taken(slice(starts[code], ends[code]))
        if in_code.weights.size:
            order = np.argsort(in_code.keys)
            in_code.weights[:] = in_code.weights[order]
            in_code.keys[:] = in_code.keys[order]
        else:
            in_code.keys.sort()
    return SortedRows(rows.keys, rows.weights, ends)


@compiled
def _gather(keys, codes, weights, starts, ends):
    for code in range(ends.size):
        while starts[code] < ends[code]:
            i, row_code = starts[code], np.int64(codes[starts[code]])
            j = starts[row_code]
            starts[row_code] += 1
            if row_code != code:
                codes[i], codes[j] = codes[j], codes[i]
                keys[i], keys[j] = keys[j], keys[i]
                if weights.size:
                    weights[i], weights[j] = weights[j], weights[i]
