"""Reading a user's table of predictions, which is a file or a data frame, as labels and scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from aucstudy.errors import InputError
from aucstudy.printable import shortened
from aucstudy.reading.labels import crossed, minority_class, positive_rows
from aucstudy.reading.long_format import unstacked
from aucstudy.reading.questions import (
    ColumnQuestion,
    Repeated,
    Used,
    about_columns,
    about_header,
    may_be_asked_about,
    typed,
)
from aucstudy.reading.table_files import read_table
from aucstudy.reading.tables import MissingValues, Table, listed


class RepeatedRows(InputError):
    """A row occurs more than once in a fold, or in the table if there are no folds."""


@dataclass(frozen=True)
class Columns:
    """Which columns of a table of predictions are read, and which class is positive.

    All classes but `positive` are negative. Labels 0/1, -1/1 and False/True need no `positive`. With
    `minority`, the rarer of two classes is positive. No value of `row` may be repeated in a fold. Rows with
    the same value of `group` belong together.

    A table in long format has one column of scores, and a column `model` that says whose scores they are. It has a row
    for each `row` and model. Scores of the columns or models in `lower_is_better` change their sign. `decimal` is the
    decimal sign of numbers in text. If it is None, each column must show its sign. With `drop_missing`, rows without a
    label or a score are left out.

    A file of OpenML needs no names of columns. Its `label` is in `truth` or `correct`, its scores are its
    confidences for `positive`, its folds are in `repeat` and `fold`, and its rows are in `row_id`.
    """

    label: str | None = None
    scores: Sequence[str] = ()
    positive: str | None = None
    fold: str | None = None
    row: str | None = None
    group: str | None = None
    repeat: str | None = None
    weight: str | None = None
    minority: bool = False
    model: str | None = None
    lower_is_better: Sequence[str] = ()
    decimal: str | None = None
    drop_missing: bool = False

    def others(self) -> list[str]:
        """The columns that are named and hold no scores."""
        names = (self.label, self.fold, self.row, self.group, self.repeat, self.weight, self.model)
        return [name for name in names if name]

    def options(self) -> set[str]:
        """The options that name a column which holds neither labels nor scores."""
        names = {
            "fold": self.fold,
            "row": self.row,
            "group": self.group,
            "repeat": self.repeat,
            "weight": self.weight,
        }
        return {f"--{option}" for option, name in names.items() if name}


@dataclass(frozen=True)
class ScoredTable:
    """The labels and scores of n rows.

    Attributes
    ----------
    y_true : (n,) bool, True where positive.
    scores : (n, m) finite float64 in Fortran order, its m columns called `names`.
    folds, row_ids, groups : (n,) integers or None. They say which fold each row is from, which row of the
        data set it is, and which patient, user or document it belongs to.
    positive, negative : the classes; "not <positive>" where several are negative.
    left_out : if no scores were named, the reason why each other column was not taken as scores; else None.
    notes : what a reader must know about how the table was read, each in a sentence.
    weight : (n,) finite weights of at least 0, not all 0; None where every row counts as one.
    fold_names : the name of each number in `folds`, if a column of the table gives one.
    questions : what only the reader can say about columns that were not used.
    repeated : columns that were not used, and raise no question, but have values that come in several rows.
    row_numbers : (n,) index of each row in the data as they were given; None if each is its own.
    lower_is_better : the columns of scores that have changed their sign.
    stacked_in : the column that holds the scores of all models of a table in long format; else "".
    """

    y_true: np.ndarray
    scores: np.ndarray
    names: tuple[str, ...]
    folds: np.ndarray | None
    positive: str
    negative: str = ""
    row_ids: np.ndarray | None = None
    left_out: Mapping[str, str] | None = None
    notes: tuple[str, ...] = ()
    groups: np.ndarray | None = None
    weight: np.ndarray | None = None
    fold_names: tuple[str, ...] = ()
    questions: tuple[ColumnQuestion, ...] = ()
    repeated: tuple[Repeated, ...] = ()
    row_numbers: np.ndarray | None = None
    lower_is_better: tuple[str, ...] = ()
    stacked_in: str = ""

    def columns_of(self, models: Sequence[str]) -> tuple[str, ...]:
        """Return the columns of the file that hold the scores of the models."""
        return (self.stacked_in,) if self.stacked_in and models else tuple(models)

    def models_of(self, column: str) -> set[str]:
        """Return the models whose scores a column of the file holds."""
        return {*self.names} if self.stacked_in else {column}

    def choice(self, *, for_intervals: bool = False) -> str:
        """Return a text that says which columns were taken as scores and which were not.

        It is "" if the columns were named. For intervals, it says which columns that are not used have repeated values,
        named or not, since rows with the same value may belong together.
        """
        repeated = {each.column: each.text for each in self.repeated} if for_intervals else {}
        if self.left_out is None and not repeated:
            return ""
        if self.left_out is None:
            lines = [
                f"Columns that are not used: {_some([f'{_quoted(c)} ({why})' for c, why in repeated.items()])}"
            ]
        else:
            left_out = [
                f"{_quoted(name)} ({'; '.join([why, repeated[name]] if name in repeated else [why])})"
                for name, why in self.left_out.items()
            ]
            lines = [
                f"Columns taken as models: {_some(list(map(_quoted, self.names)))}",
                f"Columns left out: {_some(left_out) or 'none'}",
                "To choose other columns, use --score (in Python and in study files: scores)",
            ]
        if repeated:
            lines.append(_on_groups(self.repeated))
        return ". ".join(lines)

    def cases(self) -> np.ndarray | None:
        """Return the (n,) number of the case of each row, or None if no case has several rows.

        Repeated cross-validation gives several rows of a case. Raise ValueError if their labels differ.
        """
        if self.row_ids is None:
            return None
        case = np.unique(self.row_ids, return_inverse=True)[1].reshape(-1)
        size, positives = np.bincount(case), np.bincount(case, self.y_true)
        mixed = np.flatnonzero(((positives > 0) & (positives < size))[case])
        if len(mixed):
            row = mixed[0] if self.row_numbers is None else self.row_numbers[mixed[0]]
            raise ValueError(
                f"row {row + 1} of the data is of a case that is positive in one row and negative in another; "
                "one label a case is needed (leave out the column of rows if its numbers begin again in each fold)"
            )
        return case if size.max() > 1 else None

    def without_weightless(self) -> "ScoredTable":
        """Return the table without rows of weight 0."""
        if self.weight is None or self.weight.all():
            return self
        has_weight = self.weight > 0
        fields = {name: getattr(self, name) for name in ("y_true", "folds", "row_ids", "groups", "weight")}
        rows = {name: None if values is None else values[has_weight] for name, values in fields.items()}
        return replace(self, scores=np.asfortranarray(self.scores[has_weight]), **rows)


# The end of a message about missing labels or scores.
DROPPING = "; --drop-missing of aucstudy audit and score leaves out the rows without a label or a score"
# Columns and characters. These limits keep a message on one line.
MOST_NAMED, LONGEST_NAME = 10, 40


def _on_groups(repeated: Sequence[Repeated]) -> str:
    """Return what to do if rows belong together that share a value of a column, or what a value begins with."""
    values, beginnings = (
        [each.column for each in repeated if each.are_beginnings is are] for are in (False, True)
    )
    texts = []
    if len(values) == 1:
        texts.append(f"with the same {_quoted(values[0])} belong together, give --group {typed(values[0])}")
    elif values:
        texts.append(
            "with the same value of one of these columns, or of two of them, belong together, give --group with that "
            "column, or with one made of the two"
        )
    if beginnings:
        texts.append(
            f"whose {_quoted(beginnings[0])} begins alike belong together, make a column of the beginnings, and give "
            "it to --group"
        )
    return f"If rows {', and if rows '.join(texts)}"


def _quoted(name: str) -> str:
    return repr(shortened(name, LONGEST_NAME))


def _some(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def read_scored_table(
    source: Path | str | Table, columns: Columns, *, asks: bool = True, tests_units: bool = True
) -> ScoredTable:
    """Return the labels and scores in a file, or in a table that has been read. Raise InputError of one line.

    If no scores are named, all columns of numbers are taken, except those that `columns` names and those
    named like an index. Which numbers a column holds does not matter. In a text file, a column of numbers is
    one with a number in some cell. With `asks`, the result has questions, for which more columns are read.
    With `tests_units`, it is also asked about columns of which rows with the same value are alike, which takes longer.
    """
    others = columns.others()
    names, left_out = tuple(dict.fromkeys(columns.scores)), None
    table = source if isinstance(source, Table) else _read(source, [*others, *names] if names else None, asks)
    table.decimal = columns.decimal
    label = columns.label or table.own_label()
    table.column(label)  # It raises InputError if there is no such column.
    if not names:
        names, left_out = table.score_columns([label, *others])
    if columns.drop_missing:
        table = table.without_missing(label, names)
    try:
        labels = table.labels(label)
    except MissingValues as error:
        raise InputError(f"{error}{DROPPING}") from None
    positive = minority_class(table.named(label), labels) if columns.minority else columns.positive
    positive, negative, y_true, notes = positive_rows(table.named(label), labels, positive)
    if not names:
        names, left_out = (table.own_score(positive),), None
    questions = about_header(table) if asks else ()
    repeated: tuple[Repeated, ...] = ()
    losses, stacked_in = losses_of(table.where, columns, names, table.notes), ""
    lower_is_better = losses
    if columns.model:
        stacked_in = names[0]
        table, names = _unstacked(table, label, names, columns, left_out is None)
        losses = names if losses else ()
        y_true = positive_rows(table.named(label), table.labels(label), positive)[2]
    values = np.empty((len(y_true), len(names)), order="F")
    for i, name in enumerate(names):
        values[:, i] = _numbers(table, name, left_out is None)
        if name in losses:
            values[:, i] *= -1
    table.check_truth(label)
    named_folds = table.labels(columns.fold) if columns.fold else None
    folds = named_folds.codes if named_folds is not None else table.own_folds()
    row_ids = table.labels(columns.row).codes if columns.row else table.own_rows()
    if columns.repeat:
        if row_ids is None:
            raise InputError(
                f"{table.where}: --repeat {columns.repeat!r} needs --row too: a column that says which rows are of one "
                "case"
            )
        folds = crossed(table.labels(columns.repeat).codes, *([] if folds is None else [folds]))
    if row_ids is not None:
        _check_rows(table, row_ids, folds, columns)
    if asks:
        used = Used(
            y_true,
            label,
            {label, *others, *names, *table.own_columns()},
            columns.options(),
            {
                name: -column if name in losses else column
                for name, column in zip(names, values.T, strict=True)
            },
            named=losses,
            were_chosen=left_out is not None,
            is_long=bool(columns.model),
            cases=None if row_ids is None else np.sort(np.unique(row_ids, return_index=True)[1]),
            tests_units=tests_units,
        )
        of_columns, repeated = about_columns(table, used)
        questions += of_columns
    return ScoredTable(
        y_true, values, names, folds, positive, negative, row_ids,
        left_out=left_out,
        notes=(*table.notes, *notes),
        groups=table.labels(columns.group).codes if columns.group else None,
        weight=_weights(table, columns.weight) if columns.weight else None,
        fold_names=() if named_folds is None or columns.repeat else tuple(named_folds.categories),
        questions=questions,
        repeated=repeated,
        row_numbers=table.row_numbers,
        lower_is_better=lower_is_better,
        stacked_in=stacked_in,
    )  # fmt: skip


def _read(path: Path | str, names: Sequence[str] | None, asks: bool) -> Table:
    return read_table(path, names, may_be_asked_about) if asks else read_table(path, names)


def _numbers(table: Table, name: str, is_named: bool) -> np.ndarray:
    try:
        return table.numbers(name)
    except InputError as error:
        dropping = DROPPING if isinstance(error, MissingValues) else ""
        naming = "" if is_named else "; correct it, or name the models with --score (or scores)"
        raise InputError(f"{error}{naming}{dropping}") from None


def losses_of(where: str, columns: Columns, names: Sequence[str], notes: list[str]) -> tuple[str, ...]:
    """Return the columns of scores for which lower is better, and add a note on them to `notes`."""
    losses = tuple(dict.fromkeys(columns.lower_is_better))
    stray = [name for name in losses if name not in names]
    if stray:
        raise InputError(
            f"{where}: --lower-is-better {stray[0]!r} is none of the columns of scores {listed(names)}"
        )
    if losses:
        notes.append(f"lower is better in {listed(losses)}: these scores have changed their sign")
    return losses


def _unstacked(
    table: Table, label: str, names: Sequence[str], columns: Columns, is_named: bool
) -> tuple[Table, tuple[str, ...]]:
    """Return a table in long format with a column for each model, and the names of the models."""
    if not columns.row:
        raise InputError(
            f"{table.where}: --model {columns.model!r} needs --row too: a column that says which rows are of one case"
        )
    if len(names) != 1:
        raise InputError(
            f"{table.where}: --model {columns.model!r} needs one column of scores, not {listed(names)}; name it with "
            "--score"
        )
    values = _numbers(table, names[0], is_named)  # Its errors name the row of the table as it is given.
    keys = [name for name in (columns.fold, columns.repeat) if name]
    constants = [name for name in (columns.group, columns.weight) if name]
    return unstacked(
        table,
        values,
        label=label,
        score=names[0],
        model=columns.model,
        case=columns.row,
        keys=keys,
        constants=constants,
    )


def _weights(table: Table, name: str) -> np.ndarray:
    weights = table.numbers(name)
    negative = np.flatnonzero(weights < 0)
    if len(negative):
        raise InputError(
            f"{table.named(name)}: {weights[negative[0]]:g} in row {table.row_number(negative[0])} of the data is no "
            "weight; at least 0 is needed in every row"
        )
    if not weights.any():
        raise InputError(
            f"{table.named(name)}: all weights are 0; one above 0 is needed in rows of each class"
        )
    return weights


def _check_rows(table: Table, row_ids: np.ndarray, folds: np.ndarray | None, columns: Columns) -> None:
    keys = [row_ids] if folds is None else [row_ids, folds]
    order = np.lexsort(keys)
    repeated = np.sort(order[1:][np.all([np.diff(key[order]) == 0 for key in keys], axis=0)])
    if not len(repeated):
        return
    another = f"another{'' if folds is None else ' of their fold'}"
    first = f"the first is row {table.row_number(repeated[0])} of the data"
    advice = ""
    if columns.row:
        choices = [f"--group {columns.row} in place of --row if these rows belong together"]
        if not columns.model:
            choices.append("--model if the rows of several models are stacked")
        if not (columns.fold and columns.repeat):
            unnamed = [
                option
                for option, name in (("--fold", columns.fold), ("--repeat", columns.repeat))
                if not name
            ]
            choices.append(f"{' or '.join(unnamed)} if a case was predicted several times")
        advice = f" (give {', or '.join(choices)})"
    raise RepeatedRows(
        f"{table.where}: {len(repeated)} rows are duplicates of {another}, {first}; each row is needed once{advice}"
    )
