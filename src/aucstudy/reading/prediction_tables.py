"""A user's table of predictions, whatever kind of file it is, as labels and scores."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from aucstudy.errors import InputError
from aucstudy.reading.column_files import ColumnFile, Columns, NotANumber
from aucstudy.reading.labels import crossed, positive_rows
from aucstudy.reading.numbers import is_number
from aucstudy.reading.opened_files import open_columns


class RepeatedRows(InputError):
    """A row is there more than once in a fold."""


@dataclass(frozen=True)
class ScoredTable:
    """The labels and scores of n rows.

    Attributes
    ----------
    y_true : (n,) bool, True where positive.
    scores : (n, m) float64 in Fortran order, its m columns called `names`.
    folds, row_ids, groups : (n,) integers or None: the fold of each row, which row it is, and of which patient, user or
        document.
    positive, negative : the classes; "not <positive>" where several are negative.
    exact : by column, the (n,) integers that float64 cannot tell apart: their ranks stand in `scores`.
    left_out : why each column is not among the scores, where all were asked for.
    notes : what a reader must know of how the table was read, a sentence each.
    weight : (n,) finite weights of at least 0, not all 0; None where every row counts as one.
    """

    y_true: np.ndarray
    scores: np.ndarray
    names: tuple[str, ...]
    folds: np.ndarray | None
    positive: str
    negative: str = ""
    row_ids: np.ndarray | None = None
    exact: Mapping[str, np.ndarray] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    groups: np.ndarray | None = None
    weight: np.ndarray | None = None

    def cases(self) -> np.ndarray | None:
        """(n,) the case of each row where some case has several, as repeated cross-validation gives; else None."""
        if self.row_ids is None:
            return None
        case = np.unique(self.row_ids, return_inverse=True)[1].reshape(-1)
        size, positives = np.bincount(case), np.bincount(case, self.y_true)
        mixed = np.flatnonzero(((positives > 0) & (positives < size))[case])
        if len(mixed):
            raise ValueError(
                f"row {mixed[0] + 1} of the data is of a case that is positive in one row and negative in another; "
                "one label a case is wanted (leave out the column of rows if its numbers begin anew in each fold)"
            )
        return case if size.max() > 1 else None

    def without_weightless(self) -> "ScoredTable":
        if self.weight is None or self.weight.all():
            return self
        has_weight = self.weight > 0
        fields = {name: getattr(self, name) for name in ("y_true", "folds", "row_ids", "groups", "weight")}
        rows = {name: None if values is None else values[has_weight] for name, values in fields.items()}
        rows["exact"] = {name: values[has_weight] for name, values in self.exact.items()}
        return replace(self, scores=np.asfortranarray(self.scores[has_weight]), **rows)


def read_scored_table(
    path: Path | str | ColumnFile, columns: Columns, *, all_scores: bool = False
) -> ScoredTable:
    """Read labels and scores out of a table, in one pass, and no column that is not asked for; InputError in one line.

    `path` is a CSV, TSV, Parquet or ARFF file, gzipped or not; a pipe, or - for standard input; or an open table. Where
    no scores are named, `all_scores` takes every column of numbers but those of `columns`, an index and ids.
    """
    fold, row, group, weight = columns.fold, columns.row, columns.group, columns.weight
    repeat = columns.repeat
    with open_columns(path) as table:
        label = columns.label or table.own_label()
        texts = [name for name in (label, fold, row, group, repeat) if name]
        not_scores = [*texts, weight] if weight else texts
        takes_all = all_scores and not columns.scores
        names, left_out = tuple(dict.fromkeys(columns.scores)), {}
        if takes_all:
            names, left_out = table.all_scores(not_scores)
        table.load(texts, list(dict.fromkeys([*names, weight] if weight else names)))
        positive, negative, y_true, notes = positive_rows(
            table.where(label), table.text(label), columns.positive
        )
        ids = table.without_ids(names) if takes_all else {}
        names = tuple(name for name in names if name not in ids) or (table.own_score(positive),)
        values = np.empty((len(y_true), len(names)), order="F")
        try:
            for i, name in enumerate(names):
                values[:, i] = table.scores(name)
        except NotANumber as error:
            advice = "; correct it, or name the models with --score (in a study: scores)" if takes_all else ""
            raise NotANumber(f"{error}{advice}") from None
        table.check_truth(label)
        folds = table.text(fold).codes if fold else table.own_folds()
        row_ids = table.text(row).codes if row else table.own_rows()
        if repeat:
            if row_ids is None:
                raise InputError(
                    f"{table.path}: --repeat {repeat!r} wants --row too: a column that says which rows are of one case"
                )
            folds = crossed(table.text(repeat).codes, *([] if folds is None else [folds]))
        groups = _groups(table, group) if group else None
        if row_ids is not None:
            _check_rows(table.path, row_ids, folds)
        weights = _weights(table, weight) if weight else None
    return ScoredTable(
        y_true, values, names, folds, positive, negative, row_ids,
        exact=table.exact, left_out=left_out | ids, notes=(*table.notes, *notes), groups=groups,
        weight=weights,
    )  # fmt: skip


def _groups(table: ColumnFile, name: str) -> np.ndarray:
    """(n,) codes, with a note where what stands in the column looks like scores."""
    groups = table.text(name)
    if any(is_number(text) and not float(text).is_integer() for text in map(str, groups.categories[:1000])):
        table.notes.append(
            f"--group {name}: the column holds numbers with decimals, as scores do; one that names the patient, user "
            "or document is wanted"
        )
    return groups.codes


def _weights(table: ColumnFile, name: str) -> np.ndarray:
    weights, where = table.numbers(name), table.where(name)
    # where float64 cannot tell them apart, their ranks stand in for scores
    weights = np.array(table.exact.pop(name, weights), dtype=float)
    wrong_rows = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong_rows):
        wrong_weight = f"{weights[wrong_rows[0]]:g} in {table.place(wrong_rows[0])}"
        raise InputError(
            f"{where}: {wrong_weight} is no weight; a finite one of at least 0 is wanted in every row"
        )
    if not weights.any():
        raise InputError(f"{where}: all weights are 0; one above 0 is wanted in rows of each class")
    return weights


def _check_rows(path: Path, row_ids: np.ndarray, folds: np.ndarray | None) -> None:
    keys = [row_ids] if folds is None else [row_ids, folds]
    order = np.lexsort(keys)
    repeated = np.sort(order[1:][np.all([np.diff(key[order]) == 0 for key in keys], axis=0)])
    if len(repeated):
        another = f"another{'' if folds is None else ' of their fold'}"
        first = f"the first is row {repeated[0] + 1} of the data"
        raise RepeatedRows(
            f"{path}: {len(repeated)} rows are duplicates of {another}, {first}; each row is wanted once"
        )
