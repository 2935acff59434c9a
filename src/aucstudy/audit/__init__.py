"""Auditing predictions of your own: how far the areas disagree on them, and why.

>>> from aucstudy.audit import audit
>>> result = audit([1, 0, 1, 0, 0], {"a": [0.9, 0.2, 0.4, 0.5, 0.1], "b": [0.9, 0.3, 0.7, 0.1, 0.2]}, resamples=100)
>>> result.areas["auroc"].round(4).tolist(), result.verdict[0]
([0.8333, 1.0], 'Take b or a: no area excludes either as best; b is in front.')
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aucstudy.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from aucstudy.audit.analysis import Analysis
    from aucstudy.reading.column_files import TableInMemory


@dataclass(frozen=True)
class Audit:
    """What `audit` returns: printed, it is what the command `aucstudy audit` prints."""

    analysis: "Analysis"
    name: str

    def text(self, *, details: bool = True) -> str:
        from aucstudy.audit.output import console, show

        text = StringIO()
        show(self.analysis, self.name, console(text), details=details)
        return text.getvalue()

    def __repr__(self) -> str:
        return self.text(details=False)

    @cached_property
    def verdict(self) -> list[str]:
        return self.analysis.said().sections["Verdict"]

    @property
    def areas(self) -> "pd.DataFrame":
        """A row a model, an area and its rank a column."""
        return self.analysis.areas

    @property
    def intervals(self) -> "pd.DataFrame":
        """A row an area (and want) and model: the ends of its 95 % interval."""
        return self.analysis.intervals

    @property
    def contenders(self) -> "pd.DataFrame":
        """A row a measure and model: how far behind, and whether it may be the best."""
        return self.analysis.contenders

    def to_json(self, path: Path | str | None = None) -> str:
        """As `aucstudy audit --format json`."""
        from aucstudy.audit.text import json_text
        from aucstudy.store.files import write_text

        text = json_text(self.analysis)
        if path is not None:
            write_text(path, text)
        return text

    def to_html(self, path: Path | str, *, title: str | None = None, thresholds: bool = True) -> None:
        """Write the page, titled by what was audited or `title`; without `thresholds` it holds no scores."""
        from aucstudy.store.files import write_text

        write_text(path, self.analysis.page(title or self.name, thresholds=thresholds))


def audit(
    data: Any,
    scores: Any = (),
    *,
    label: str | None = None,
    positive: object = None,
    fold: str | None = None,
    row: str | None = None,
    group: str | None = None,
    repeat: str | None = None,
    weight: str | None = None,
    prevalence: float | None = None,
    want: str | None = None,
    resamples: int = 1000,
    seed: int = 1,
    name: str | None = None,
) -> Audit:
    """Audit predictions, as `aucstudy audit` does; InputError of one line for whatever is wrong.

    Parameters
    ----------
    data : a data frame of pandas or polars, a pyarrow table, or the path of a file, with a column `label`; or, without
        `label`, the (n,) labels themselves.
    scores : names of columns, none for every one that may be a model's; with labels, the scores: (n,) by model, a data
        frame or (n, m) numbers.
    positive, fold, row, group, repeat, weight, prevalence, want, resamples, seed : as the options of `aucstudy
        audit`.
    name : what text and page call the data.
    """
    # imported here: the command needs the modules beside this one, and not all each time
    from aucstudy.audit.analysis import Question, analyse
    from aucstudy.reading.column_files import Columns
    from aucstudy.reading.prediction_tables import read_scored_table

    question = Question(want, prevalence, resamples, seed)
    columns = {"fold": fold, "row": row, "group": group, "repeat": repeat, "weight": weight}
    for key, column in {"label": label, **columns}.items():
        if not (column is None or isinstance(column, str)):
            raise InputError(
                f"{key}: is of {type(column).__name__}; the name of a column of a data frame is wanted"
            )
    a_file = isinstance(data, str | Path)
    title = str(data) if a_file else name or "data"
    if not a_file:
        data, label, scores = _in_memory(data, scores, label, title)
    positive = None if positive is None else str(positive)
    table = read_scored_table(data, Columns(label, scores, positive, **columns), all_scores=True)
    try:
        analysis = analyse(table, question)
    except InputError as error:
        raise InputError(f"{title}: {error}") from None
    return Audit(analysis, name or Path(title).name)


def _in_memory(
    data: Any, scores: Any, label: str | None, shown: str
) -> tuple["TableInMemory", str, Sequence[str]]:
    import numpy as np
    import pandas as pd
    import pyarrow as pa

    from aucstudy.reading.column_files import TableInMemory

    if label is None:
        if not hasattr(scores, "keys"):
            scores = {f"model {i}": column for i, column in enumerate(np.asarray(scores).T, 1)}
        label, columns = "label", {str(model): scores[model] for model in scores}
        data, scores = {label: data, **columns}, list(columns)
    try:
        is_frame = isinstance(data, pd.DataFrame)
        table = pa.Table.from_pandas(data, preserve_index=False) if is_frame else pa.table(data)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InputError(f"{shown}: no table ({' '.join(str(error).split())[:200]})") from None
    return TableInMemory(shown, table), label, scores
