"""Questions about the columns of a table, which only the reader can answer.

The name or the values of a column suggest that an option should name it, or that it is no model. The answer may change
every number, so no option is guessed.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import combinations, islice
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from aucstudy.reading.alike import are_alike, are_alike_together, upper_halves
from aucstudy.reading.column_names import (
    is_model,
    is_prediction,
    is_property,
    is_second_label,
    is_unit,
    may_be_unit,
    option_of,
)
from aucstudy.reading.column_values import (
    FEWEST_ROWS,
    FIRST_ROWS,
    Values,
    beginnings_of,
    hold_whole_numbers,
    values_of,
)
from aucstudy.reading.missing_scores import code_of_missing, filled_in
from aucstudy.reading.tables import Table, is_text

MOST_STACKED = 50  # models in one column of a table in long format
MOST_DESCRIBED = 4  # columns in a sentence
MOST_CATEGORIES = 50  # values of a text that may be a property of the rows, such as a country
FEWEST_SCALE = 2  # columns that show the scale of the scores where all are whole numbers
LIKE_LABEL = 0.5  # the correlation from which a column with the values of the label may be another label
FEWEST_UNITS = 3  # values of a column whose name says nothing
FEW_UNITS = 10  # So many values may stand together because the rows are sorted by their classes.
BY_CHANCE = 1e-3  # the probability below which it is no chance that the rows of each unit are alike
MOST_TESTED = 10  # columns whose rows may be alike; a file with more is one of features
MOST_PAIRED = 4  # columns of which two may name a unit together
MOST_SCORES = 5  # models by whose scores rows may be alike
MOST_UNITS = 200  # values of a column whose rows may be alike
_PURPOSES = {
    "--fold": "if it holds the folds of a cross-validation",
    "--repeat": "and --row if it holds the repeats of a cross-validation",
    "--weight": "if it holds weights of the rows",
}


class Kind(StrEnum):
    REPEATED = "repeated_values"  # Rows may belong together, or be of one case.
    OPTION = "column_of_an_option"
    STACKED = "stacked_models"
    UNLIKE = "unlike_scores"  # Columns that were taken as models may be none.
    SECOND_LABEL = "second_label"
    MISSING = "stands_for_missing"  # One number of a column of scores may stand for a missing score.
    NO_HEADER = "no_header"


@dataclass(frozen=True)
class ColumnQuestion:
    """A question about columns of a table of `n_rows` rows.

    `n_values` is the number of values of the column, or 0 if it does not matter. `options` are the options that may
    name the columns. `sentence` asks the question.
    """

    kind: Kind
    columns: tuple[str, ...]
    n_values: int
    n_rows: int
    options: tuple[str, ...]
    sentence: str


@dataclass(frozen=True)
class Used:
    """What is read from a table, about whose other columns there may be questions.

    Attributes
    ----------
    y_true : (n,) bool, True where positive.
    label : the column of labels.
    columns : the columns that are scores or that an option names.
    options : the options that name a column which holds neither labels nor scores.
    scores : the (n,) numbers of each column of scores, as they are in the table.
    named : the columns of scores that an option names, so that they are models.
    were_chosen : whether all columns of numbers were taken as scores, because no option names any.
    is_long : whether the table was in long format, so that its scores are no columns of the file.
    cases : the first row of each case, or None if each row is a case.
    tests_units : whether columns are tested for rows that are alike, which matters to intervals.
    """

    y_true: np.ndarray
    label: str
    columns: Collection[str]
    options: Collection[str]
    scores: Mapping[str, np.ndarray]
    named: Collection[str] = ()
    were_chosen: bool = False
    is_long: bool = False
    cases: np.ndarray | None = None
    tests_units: bool = True

    @property
    def noun(self) -> str:
        return "rows" if self.cases is None else "cases"

    @property
    def y_of_cases(self) -> np.ndarray:
        """The label of each case, or of each row if each row is a case."""
        return self.y_true if self.cases is None else self.y_true[self.cases]

    @property
    def scores_of_cases(self) -> list[np.ndarray]:
        """The scores of each model for each case, from its first row."""
        return [scores if self.cases is None else scores[self.cases] for scores in self.scores.values()]

    @cached_property
    def one_score(self) -> np.ndarray | None:
        """The scores of the only model, beside which other columns may hold hard predictions. None if several."""
        if len(self.scores) == 1:
            return next(iter(self.scores.values()))
        graded = (scores for scores in self.scores.values() if np.unique(scores[:FIRST_ROWS]).size > 2)
        first_two = [*islice(graded, 2)]
        return first_two[0] if len(first_two) == 1 else None


def may_be_asked_about(name: str, kind: pa.DataType) -> bool:
    """Return whether a column that is not used must be read, because there may be a question about it."""
    if pa.types.is_nested(kind):
        return False
    # Few fractions name anything, and they take long to read. In a text file the type of a column is not known.
    has_names = (
        is_text(kind)
        or pa.types.is_integer(kind)
        or pa.types.is_dictionary(kind)
        or pa.types.is_date(kind)
        or pa.types.is_timestamp(kind)
    )
    return has_names or may_be_unit(name) or option_of(name) is not None


class Repeated(NamedTuple):
    """The values of a column that is not used, or what they begin with, which come in several rows (or cases)."""

    column: str
    values: Values
    are_beginnings: bool = False

    @property
    def text(self) -> str:
        n_values = f"{self.values.n_values:,}"
        return f"its {n_values} beginnings repeat" if self.are_beginnings else f"its {n_values} values repeat"


def about_columns(table: Table, used: Used) -> tuple[tuple[ColumnQuestion, ...], tuple[Repeated, ...]]:
    """Return the questions about the columns of a table, and columns with repeated values that raise no question."""
    columns = {name: values for name, values in _unused(table, used) if values.n_values > 1}
    crossed = _crossed(columns | _whole_scores(used), used)
    raised: list[ColumnQuestion] = [_about_crossed(*crossed, used)] if crossed else []
    # Columns of text, each of which may name models beside one column of scores.
    words: dict[str, Values] = {}
    others: dict[str, Values] = {}
    for name, values in columns.items():
        if name in crossed:
            continue
        if values.n_values == 2 and values.are_words and _is_second_label(table, name, values.codes, used):
            raised.append(_about_second_label(name, values.codes == values.codes[0], used, is_model=False))
        elif _are_words_beside_one_score(name, values, used):
            words[name] = values
        elif of_column := [*_about_unused(name, values, used)]:
            raised += of_column
        else:
            others[name] = values
    if words:
        raised.append(_about_words(words, used))
    of_scores = [*_about_scores(used, crossed)] if used.were_chosen and not used.is_long else []
    repeated = [] if "--group" in used.options else [*_repeated(table, others, used)]
    models = _without_unlike(used, of_scores)
    alike = _alike(repeated, models) if used.tests_units else []
    for each in alike:
        raised += _about_unit(each, used, are_alike=True)
    if not alike and used.tests_units:
        raised += _about_pairs(repeated, models)
    raised += of_scores
    raised += _about_missing(used)
    return tuple(raised), tuple(each for each in repeated if all(each is not other for other in alike))


def _without_unlike(used: Used, questions: Collection[ColumnQuestion]) -> Used:
    """Return what is used without the scores that may be no models, such as the number of a case, unless all may."""
    unlike = {name for question in questions if question.kind == Kind.UNLIKE for name in question.columns}
    models = {name: scores for name, scores in used.scores.items() if name not in unlike}
    return replace(used, scores=models or used.scores)


def _unused(table: Table, used: Used) -> Iterator[tuple[str, Values]]:
    times = Counter(table.names)
    for name, column in zip(table.names, table.columns, strict=True):
        if times[name] == 1 and name not in used.columns and may_be_asked_about(name, column.type):
            values = values_of(table, name, column)
            if values is not None:
                yield name, values


def _whole_scores(used: Used) -> dict[str, Values]:
    """Return the columns of whole numbers that were taken as models, although they may hold cases or names."""
    if not used.were_chosen or used.is_long:
        return {}
    whole = {name: scores for name, scores in used.scores.items() if hold_whole_numbers(scores)}
    return {name: Values(*_coded(scores), are_whole=True) for name, scores in whole.items()}


def _crossed(columns: Mapping[str, Values], used: Used) -> tuple[str, str] | tuple[()]:
    """Return two columns of which each value of one comes once with each of the other, and the first has one label.

    The first one then holds cases, and the second one models, or repeats. It is () if there are no such columns.
    """
    n = used.y_true.size
    if used.is_long or "--row" in used.options:
        return ()
    even = {
        name: values for name, values in columns.items()
        if (values.are_words or values.are_whole) and 1 < values.n_values <= n / 2
        and (np.bincount(values.codes + 1, minlength=2)[1:] * values.n_values == n).all()
    }  # fmt: skip
    for case, of_case in even.items():
        for model, of_model in even.items():
            is_table = of_case.n_values * of_model.n_values == n and of_model.n_values <= MOST_STACKED
            if case == model or not is_table or of_case.n_values < max(FEWEST_ROWS, of_model.n_values):
                continue
            pairs = of_case.codes * of_model.n_values + of_model.codes
            if np.unique(pairs).size == n and of_case.labels_in_values(used.y_true)[0]:
                return case, model
    return ()


def _about_crossed(case: str, model: str, used: Used) -> ColumnQuestion:
    sentence = (
        f"Each value of column {case!r} comes once with each value of column {model!r}, and always with the same "
        f"label. Give --model {typed(model)} --row {typed(case)} if these are models whose rows are stacked, or "
        f"--repeat {typed(model)} --row {typed(case)} if each case was predicted several times. Otherwise all rows are "
        "taken together"
    )
    options = ("--model", "--row", "--repeat")
    return ColumnQuestion(Kind.STACKED, (model, case), 0, used.y_true.size, options, sentence)


def about_header(table: Table) -> tuple[ColumnQuestion, ...]:
    """Return the question whether the first line of a text file is one of names, if all of it are numbers."""
    if not table.header_seems_data:
        return ()
    first = ", ".join(map(repr, table.names[:3]))
    sentence = f"The first line looks like data, as all of its names are numbers ({first}). A line of names is needed"
    return (ColumnQuestion(Kind.NO_HEADER, table.names[:1], 0, len(table.columns[0]), (), sentence),)


# ------------------------------------------------------------------------------------------- columns that are not used


def _about_unused(name: str, values: Values, used: Used) -> Iterator[ColumnQuestion]:
    option = option_of(name)
    if option in _PURPOSES:
        if option not in used.options:
            sentence = f"Column {name!r} is not used. Give {option} {typed(name)} {_PURPOSES[option]}"
            yield ColumnQuestion(
                Kind.OPTION, (name,), values.n_values, values.codes.size, (option,), sentence
            )
        return
    if _may_be_models(name, values, used):
        yield _about_models(name, values, used)
        return
    of_cases = values.of_rows(used.cases)
    if 2 <= of_cases.n_values <= of_cases.codes.size / 2 and _may_be_units(name, of_cases, used.y_of_cases):
        yield from _about_unit(Repeated(name, of_cases), used)


def _are_words_beside_one_score(name: str, values: Values, used: Used) -> bool:
    """Return whether a column of text may name the models of the only column of scores.

    The models of a stack have about as many positives, and about as many negatives. If the values have ranges of the
    scores of their own, they name these ranges, such as high and low.
    """
    if not (_may_be_stacked(values, used) and values.are_words) or used.one_score is None:
        return False
    if is_model(name) or is_unit(name) or option_of(name) or values.repeat_the_labels(used.y_true):
        return False
    # Stacked models have the same cases.
    if may_be_unit(name) and not values.have_like_classes(used.y_true, 1):
        return False
    return values.have_like_classes(used.y_true) and not values.divide(used.one_score)


def _about_words(words: Mapping[str, Values], used: Used) -> ColumnQuestion:
    [name, *others], n_rows = words, used.y_true.size
    if others:
        described = [f"{name!r} ({values.n_values} values)" for name, values in words.items()]
        sentence = (
            f"Columns {_listed(described)} hold text beside one column of scores. If one of them holds models whose "
            "rows are stacked, give --model with it"
        )
        n_values = 0
    else:
        n_values = words[name].n_values
        sentence = (
            f"Column {name!r} holds text of {n_values} values beside one column of scores. If they are models whose "
            f"rows are stacked, give --model {typed(name)}"
        )
    options = ["--model", "--row"]
    sentence += ", and --row with the column of the cases"
    units = [
        name for name, values in words.items() if values.suffice_as_groups(used.y_true, len(used.scores))
    ]
    if units and "--group" not in used.options:
        options.append("--group")
        named = " or ".join(map(typed, units[:MOST_DESCRIBED]))
        sentence += f". If rows with the same value belong together, give --group {named}"
    sentence += ". Otherwise the rows of all values are taken together"
    return ColumnQuestion(Kind.STACKED, tuple(words), n_values, n_rows, tuple(options), sentence)


def _may_be_stacked(values: Values, used: Used) -> bool:
    is_stack = not used.is_long and "--row" not in used.options
    return is_stack and 2 <= values.n_values <= min(MOST_STACKED, values.codes.size / 2)


def _may_be_models(name: str, values: Values, used: Used) -> bool:
    """Return whether the name of a column, or the labels of its rows, suggest that it holds stacked models."""
    if not _may_be_stacked(values, used) or not (values.are_words or values.are_whole):
        return False
    return is_model(name) or (not is_unit(name) and values.repeat_the_labels(used.y_true))


def _about_models(name: str, values: Values, used: Used) -> ColumnQuestion:
    n_values, options = values.n_values, ["--model", "--row"]
    if values.repeat_the_labels(used.y_true):
        options.append("--repeat")
        sentence = (
            f"The rows come {n_values} times with the same labels, once for each value of column {name!r}. "
            f"Give --model {typed(name)} if these are models whose rows are stacked, or --repeat {typed(name)} if each "
            "case was predicted several times, both with --row and the column of the cases"
        )
        if values.suffice_as_groups(used.y_true, len(used.scores)):
            options.append("--group")
            sentence += f". Give --group {typed(name)} if rows with the same value belong together"
    else:
        holds = "text" if values.are_words else "whole numbers"
        sentence = (
            f"Column {name!r} holds {holds} of {n_values} values. If they are models whose rows are stacked, give "
            f"--model {typed(name)}, and --row with the column of the cases"
        )
    sentence += ". Otherwise the rows of all values are taken together"
    return ColumnQuestion(Kind.STACKED, (name,), n_values, values.codes.size, tuple(options), sentence)


def _may_be_units(name: str, values: Values, y_true: np.ndarray) -> bool:
    """Return whether the values of a column seem to be patients or other units to which several rows belong."""
    if is_unit(name):
        return True
    if is_property(name) or not (values.are_words or values.are_whole):
        return False
    if may_be_unit(name):
        return True
    if values.n_values < FEWEST_UNITS:
        return False
    if values.n_values > MOST_CATEGORIES and (values.are_words or values.have_like_sizes()):
        return True
    have_one_label, probability = values.labels_in_values(y_true)
    if values.n_values <= FEW_UNITS:  # Each of them may be a class of which the label says less.
        return values.stand_together() and not have_one_label
    return values.stand_together() or (have_one_label and probability < BY_CHANCE)


def _about_unit(unit: Repeated, used: Used, *, are_alike: bool = False) -> Iterator[ColumnQuestion]:
    if "--group" in used.options:
        return
    name, values = unit.column, unit.values
    rows, n_values, n_rows, y_true = used.noun, values.n_values, values.codes.size, used.y_of_cases
    if unit.are_beginnings:
        sentence = f"The values of column {name!r} begin alike ({n_values:,} beginnings, {n_rows:,} {rows})"
    else:
        sentence = f"The values of column {name!r} repeat ({n_values:,} values, {n_rows:,} {rows})"
    if are_alike:
        sentence += f", and {rows} that share one are more alike than others (p < {BY_CHANCE:g})"
    choices = {}
    if values.suffice_as_groups(y_true, len(used.scores)):
        choices["--group"] = f"if these {rows} belong together"
    elif "--fold" not in used.options:
        # The audit can say nothing of other groups than these few, but it can keep to their shares of the rows.
        choices["--fold"] = (
            "if it holds the folds of a cross-validation. If it holds units such as sites, they are too few for "
            "--group: with --fold, the intervals are about these alone and say nothing of others"
        )
    # All rows of a case have one label.
    if "--row" not in used.options and values.labels_in_values(y_true)[0] and not unit.are_beginnings:
        choices["--row"] = "if a case was predicted several times"
    if not choices:
        return
    if unit.are_beginnings:
        sentence += (
            f". If these {rows} belong together, make a column of the beginnings, and give it to --group"
        )
    else:
        listed = ", or ".join(f"{option} {typed(name)} {purpose}" for option, purpose in choices.items())
        sentence += f". Give {listed}"
    sentence += f". Otherwise the {rows} are taken as independent"
    yield ColumnQuestion(Kind.REPEATED, (name,), n_values, n_rows, tuple(choices), sentence)


def _repeated(table: Table, columns: Mapping[str, Values], used: Used) -> Iterator[Repeated]:
    """Yield the columns, of those about which there is no other question, whose values or their beginnings repeat."""
    y_true = used.y_of_cases
    for name, values in columns.items():
        if option_of(name) or is_prediction(name):
            continue
        of_cases, are_beginnings = values.of_rows(used.cases), False
        if of_cases.n_values > y_true.size / 2:
            beginnings = beginnings_of(table, name, table.column(name))
            if beginnings is None:
                continue
            of_cases, are_beginnings = beginnings.of_rows(used.cases), True
        if not FEWEST_UNITS <= of_cases.n_values <= y_true.size / 2:
            continue
        # Few values of one label each are classes of which the label says less.
        if of_cases.n_values > FEW_UNITS or not of_cases.labels_in_values(y_true)[0]:
            yield Repeated(name, of_cases, are_beginnings)


def _alike(repeated: list[Repeated], used: Used) -> list[Repeated]:
    """Return the columns of which rows with the same value are more alike than others.

    The module `aucstudy.reading.alike` has the test, which is corrected for the number of columns (Bonferroni). These
    are columns of at least as many values as groups are needed, that are no property by their name and no ranges of a
    score. None is tested if they are more than MOST_TESTED, as the features of the models are.
    """
    y_true, scores = used.y_of_cases, used.scores_of_cases
    tested = [
        each
        for each in repeated
        if not is_property(each.column)
        and each.values.n_values <= MOST_UNITS
        and each.values.suffice_as_groups(y_true, len(scores))
        and not any(each.values.divide(column) for column in scores[:MOST_SCORES])
    ]
    if not tested or len(tested) > MOST_TESTED:
        return []
    in_upper_half = upper_halves(y_true, scores[:MOST_SCORES])
    level = BY_CHANCE / len(tested)
    return [each for each in tested if are_alike(each.values, y_true, in_upper_half, level)]


def _about_pairs(repeated: list[Repeated], used: Used) -> Iterator[ColumnQuestion]:
    """Yield a question about two columns that may name a unit together, such as a ward and the number of a bed."""
    y_true, scores = used.y_of_cases, used.scores_of_cases
    columns = [each for each in repeated if not (each.are_beginnings or is_property(each.column))]
    if not 2 <= len(columns) <= MOST_PAIRED:
        return
    pairs = []
    for one, other in combinations(columns, 2):
        pair = one.values.crossed(other.values)
        is_finer = pair.n_values > max(one.values.n_values, other.values.n_values)
        n_most = min(MOST_UNITS, y_true.size / 2)
        if is_finer and pair.n_values <= n_most and pair.suffice_as_groups(y_true, len(scores)):
            pairs.append((one, other, pair))
    in_upper_half = upper_halves(y_true, scores[:MOST_SCORES]) if pairs else y_true
    for one, other, pair in pairs:
        level = BY_CHANCE / len(pairs)
        if are_alike_together(pair, (one.values, other.values), y_true, in_upper_half, level):
            noun = used.noun
            sentence = (
                f"The values of columns {one.column!r} and {other.column!r} repeat together ({pair.n_values:,} pairs, "
                f"{y_true.size:,} {noun}), and {noun} that share a pair are more alike than others "
                f"(p < {BY_CHANCE:g}). If these {noun} belong together, make one column of the two, and give it to "
                f"--group. Otherwise the {noun} are taken as independent"
            )
            names = (one.column, other.column)
            yield ColumnQuestion(Kind.REPEATED, names, pair.n_values, y_true.size, ("--group",), sentence)


def _is_second_label(table: Table, name: str, codes: np.ndarray, used: Used) -> bool:
    """Return whether a column of two words is like the label, by its values and by its name or its rows."""
    if is_prediction(name) or _words(table, name) != _words(table, used.label):
        return False
    return is_second_label(name, used.label) or _agreement(codes == 0, used.y_true) >= LIKE_LABEL


def _words(table: Table, name: str) -> set[str]:
    """Return the texts in a column, without those that are missing."""
    texts = pc.unique(table.column(name).cast(pa.string()).drop_null())
    return {text.as_buffer().to_pybytes().decode(errors="replace").strip() for text in texts} - {""}


def _agreement(is_first: np.ndarray, y_true: np.ndarray) -> float:
    """Return by how much two classes go together, from 0 to 1: the absolute correlation."""
    is_first = is_first.astype(float)
    return float(abs(np.corrcoef(is_first, y_true)[0, 1])) if np.ptp(is_first) > 0 else 0.0


def _about_second_label(name: str, is_first: np.ndarray, used: Used, *, is_model: bool) -> ColumnQuestion:
    share = np.mean(is_first == used.y_true)
    sentence = (
        f"Column {name!r} has two values as the label {used.label!r} has, and they go together in "
        f"{100 * max(share, 1 - share):.0f} % of the rows. If it is another label, make sure that --label names the "
        "right one"
    )
    if is_model:
        sentence += f", and name the models with --score, since {name!r} is taken as one"
    options = ("--label", "--score") if is_model else ("--label",)
    return ColumnQuestion(Kind.SECOND_LABEL, (name,), 2, used.y_true.size, options, sentence)


# ------------------------------------------------------------------------------ columns that were taken as models


def _about_scores(used: Used, crossed: Collection[str]) -> Iterator[ColumnQuestion]:
    """Yield the questions about columns of numbers that are unlike the scores of the other models."""
    by_name = {
        name for name, scores in used.scores.items()
        if (is_property(name) or may_be_unit(name)) and np.ptp(scores) > 0
    }  # fmt: skip
    if len(used.scores) == 1 and not (by_name or any(map(_count_the_rows, used.scores.values()))):
        return
    for name, scores in used.scores.items():
        if len(used.scores) > 1 and is_second_label(name, used.label) and np.unique(scores).size == 2:
            yield _about_second_label(name, scores == scores.max(), used, is_model=True)
    whole, fractions = {}, {}
    for name, scores in used.scores.items():
        if not hold_whole_numbers(scores):
            fractions[name] = scores
        elif np.abs(scores).max() > 1:
            whole[name] = Values(*_coded(scores), are_whole=True)
    stacked = [
        name
        for name, values in whole.items()
        if values.n_values > 1 and name not in crossed and _may_be_models(name, values, used)
    ]
    for name in stacked:
        yield _about_models(name, whole[name], used)
    unlike = {
        name
        for name, values in whole.items()
        if values.n_values > 2 and (fractions or _count_the_rows(used.scores[name]))
    }
    if any(scores.min() >= 0 and scores.max() <= 1 for scores in fractions.values()):
        unlike |= {name for name, scores in fractions.items() if scores.min() >= 0 and scores.max() > 1}
    unlike |= _apart(used.scores, whole)
    odd = [
        name
        for name in used.scores
        if name in unlike | by_name and name not in (*stacked, *used.named, *crossed)
    ]
    if odd:
        models = [name for name in used.scores if name not in odd] if {*odd} <= unlike else []
        yield _about_odd(used, odd, models, whole)


def _apart(scores: Mapping[str, np.ndarray], whole: Mapping[str, Values]) -> set[str]:
    """Return the columns whose numbers all lie above those of several others, if all columns are of whole numbers.

    So do ages and years beside ratings from 1 to 5.
    """
    if len(whole) < len(scores) or len(scores) < FEWEST_SCALE + 1:
        return set()
    by_least = sorted(scores, key=lambda name: scores[name].min())
    most = -np.inf
    for i, name in enumerate(by_least):
        if i >= FEWEST_SCALE and scores[name].min() > most:
            return {*by_least[i:]}
        most = max(most, scores[name].max())
    return set()


def _about_odd(used: Used, odd: list[str], models: list[str], whole: Mapping[str, Values]) -> ColumnQuestion:
    n_rows, is_one, options = used.y_true.size, len(odd) == 1, ["--score"]
    described = [_described(name, used.scores[name]) for name in odd]
    sentence = f"Column {described[0]} is" if is_one else f"Columns {_listed(described)} are"
    sentence += f" taken as {'a model' if is_one else 'models'}"
    if models:
        its = "its" if is_one else "their"
        sentence += f", but {its} numbers are unlike those of {_listed([repr(name) for name in models])}"
    else:
        sentence += f", but {'its name or numbers do' if is_one else 'their names or numbers do'} not look like scores"
    sentence += (
        f". If {'it is no model' if is_one else 'some of them are no models'}, name the models with --score"
    )
    repeated = [
        name for name in odd if name in whole and whole[name].n_values <= n_rows / 2 and not is_property(name)
    ]  # fmt: skip
    n_models = max(1, len(used.scores) - len(odd))
    enough = [name for name in repeated if whole[name].suffice_as_groups(used.y_true, n_models)]
    few = [name for name in repeated if name not in enough]
    for option, names, purpose in (
        ("--group", enough, "the rows with the same value of {} belong together"),
        ("--fold", few, "{} holds the folds of a cross-validation"),
    ):
        if names and option not in used.options:
            options.append(option)
            condition = purpose.format(f"{names[0]!r}" if len(names) == 1 else "one of them")
            sentence += f". If {condition}, give {option} {typed(names[0]) if len(names) == 1 else 'with it'}"
    return ColumnQuestion(Kind.UNLIKE, tuple(odd), 0, n_rows, tuple(options), sentence)


def _about_missing(used: Used) -> Iterator[ColumnQuestion]:
    """Yield a question about each column in which one number may mean no score."""
    for name, scores in used.scores.items():
        value = code_of_missing(scores)
        if value is not None:
            rest, n_missing = scores[scores != value], int((scores == value).sum())
            seen = f", and from {rest.min():.3g} to {rest.max():.3g} in all others"
        elif filled := filled_in(name, used.scores, used.y_true):
            value, n_missing = filled.value, filled.n_rows
            positive, beside = 100 * filled.positive, 100 * filled.positive_beside
            seen = (
                f", and no other value is nearly as frequent. Of these rows {positive:.0f} % are positive, although of "
                f"the half of the other rows with the nearest scores {beside:.0f} % are"
            )
        else:
            continue
        yield ColumnQuestion(
            Kind.MISSING, (name,), 0, scores.size, ("--drop-missing",),
            f"The score {name!r} is {value:.15g} in {n_missing:,} of {scores.size:,} rows{seen}. If {value:.15g} "
            "stands for a missing score, leave these cells empty, and give --drop-missing",
        )  # fmt: skip


def _described(name: str, scores: np.ndarray) -> str:
    if _count_the_rows(scores):
        return f"{name!r} (a count of the rows)"
    digits, kind = (".15g", "whole numbers") if hold_whole_numbers(scores) else (".3g", "numbers")
    return f"{name!r} ({kind} from {scores.min():{digits}} to {scores.max():{digits}})"


def typed(name: str) -> str:
    """Return a name as it is typed after an option on a command line, in quotation marks if it needs them.

    >>> typed("Klinik"), typed("Größe (mm)")
    ('Klinik', '"Größe (mm)"')
    """
    return name if re.fullmatch(r"[\w.:+@%/=,-]+", name) else f'"{name}"'


def _listed(words: list[str]) -> str:
    if len(words) > MOST_DESCRIBED:
        words = [*words[:MOST_DESCRIBED], f"{len(words) - MOST_DESCRIBED:,} more"]
    *leading, final = words
    return f"{', '.join(leading)} and {final}" if leading else final


def _count_the_rows(scores: np.ndarray) -> bool:
    return scores.size > 2 and bool((np.diff(scores) == 1).all())


def _coded(scores: np.ndarray) -> tuple[np.ndarray, int]:
    values, codes = np.unique(scores, return_inverse=True)
    return codes.reshape(-1), values.size
