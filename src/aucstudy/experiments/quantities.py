"""The declaration of a number that an experiment measures in every task, for the table of estimates."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from string import Formatter

import pandas as pd

from aucstudy.store.estimates import ALL, KEYS
from aucstudy.store.tables import some

Frames = Mapping[str, pd.DataFrame]


@dataclass(frozen=True)
class Quantity:
    """A number that is averaged over tasks.

    Attributes
    ----------
    name : the name of the quantity. It may name columns in braces, as may the values of `keys`.
    rows : the frame with rows by task, or a function that makes it from the experiment's frames. The function takes
        them by `measured_rows`.
    value : the column that is averaged.
    keys : the values of KEYS. Rows with equal keys make one estimate. The difference of two things is `first`
        minus `second`.
    where : the values that rows must have in some columns.
    kind : one of the kinds of `aucstudy.estimates`. A `correlation` gives a quantity for each kind of correlation.
    over : the column that the value is divided by, after both are added up over tasks. For a mean and a share
        it says how much a task weighs, and `value` is already multiplied by it.
    subsets : the names of the subsets of tasks for which there is an estimate.
    exact : whether a share of exactly 0 or 1 has the exact interval of binomial trials, or the column that says so.
    family : for simultaneous intervals, what their numbers are.
    jointly : for simultaneous intervals, the columns in which the numbers of one family differ.
    by_rule : whether the interval is the one of a rule that was written before the data: percentiles of 2,000
        resamples of source groups with seed 1.
    """

    name: str
    rows: str | Callable[[Frames], pd.DataFrame]
    value: str
    keys: Mapping[str, str] = field(default_factory=dict)
    where: Mapping[str, object] = field(default_factory=dict)
    kind: str = "mean"
    over: str = ""
    subsets: tuple[str, ...] = (ALL,)
    exact: bool | str = False
    family: str = ""
    jointly: tuple[str, ...] = ()
    by_rule: bool = False

    @property
    def columns(self) -> list[str]:
        """The columns whose values name an estimate."""
        templates = (self.name, *self.keys.values())
        names = (name for text in templates for _, name, _, _ in Formatter().parse(text) if name)
        return list(dict.fromkeys(names))

    def named(self, values: Mapping[str, object]) -> dict[str, str]:
        """Return the keys of the rows with these values in `columns`. A missing number has no text."""
        texts = {"quantity": self.name, **self.keys}
        written = {key: texts.get(key, "").format(**values) for key in KEYS}
        return {key: "" if text == "nan" else text for key, text in written.items()}


def measured_rows(frames: Frames, name: str) -> pd.DataFrame:
    """Return a frame with the rows that an experiment measured.

    TooFewRows is raised if there are none. An empty frame may lack columns, because it has only those of its table.
    """
    return some(frames.get(name, pd.DataFrame()), name)


def each(names: Mapping[str, str] | tuple[str, ...], rows, **options) -> tuple[Quantity, ...]:
    """Return a quantity for each column: names that are columns, or the columns by name."""
    columns = names if isinstance(names, Mapping) else {name: name for name in names}
    return tuple(Quantity(name, rows, column, **options) for name, column in columns.items())
