"""Audit your own predictions: how far the metrics disagree on the models, and why.

>>> from aucstudy.audit import audit
>>> result = audit([1, 0, 1, 0, 0], {"a": [0.9, 0.2, 0.4, 0.5, 0.1], "b": [0.9, 0.3, 0.7, 0.1, 0.2]}, resamples=100)
>>> result.areas["auroc"].round(4).tolist()
[0.8333, 1.0]
>>> print(result.verdict[1].partition(":")[0])
Too few positives to tell whether any model is better than chance
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aucstudy.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from aucstudy.audit.analysis import Analysis
    from aucstudy.audit.findings import Finding
    from aucstudy.reading.tables import Table


@dataclass(frozen=True)
class Audit:
    """The result of `audit`. It prints as `aucstudy audit` does, and a notebook shows its tables."""

    analysis: "Analysis"
    name: str

    def text(self, *, details: bool = True) -> str:
        """Return what the command prints, with or without --details, but without colours."""
        from aucstudy.audit.output import text_of

        return text_of(self.analysis, self.name, details=details)

    def __repr__(self) -> str:
        return self.text(details=False)

    def _repr_html_(self) -> str:
        from aucstudy.audit.notebook import html_of

        return html_of(self.analysis, self.name)

    @cached_property
    def verdict(self) -> list[str]:
        from aucstudy.audit.findings import Section

        return self.analysis.said(details=False).sections[Section.VERDICT]

    @property
    def findings(self) -> list["Finding"]:
        """Everything that the sentences say, as data."""
        return self.analysis.findings

    @property
    def areas(self) -> "pd.DataFrame":
        """The values of the metrics and the ranks of the models, with one row for each model."""
        return self.analysis.areas

    @property
    def intervals(self) -> "pd.DataFrame":
        """The 95 % intervals, with one row for each metric and model.

        The metrics include the target metric, if there is one.
        """
        return self.analysis.intervals

    @property
    def contenders(self) -> "pd.DataFrame":
        """For each metric and model, how far it is behind the first model, and whether it may be the best."""
        return self.analysis.contenders

    def to_json(self, path: Path | str | None = None) -> str:
        """Return what `aucstudy audit --format json` prints, and write it to `path` if one is given."""
        from aucstudy.audit.text import json_text
        from aucstudy.store.files import write_text

        text = json_text(self.analysis.as_json())
        if path is not None:
            write_text(path, text)
        return text

    def to_html(self, path: Path | str, *, title: str | None = None, thresholds: bool = True) -> None:
        """Write the HTML page.

        Its title is `title`, or else the name of the data. Without `thresholds` it contains no scores.
        """
        from aucstudy.audit.page import page_of
        from aucstudy.store.files import write_text

        write_text(path, page_of(self.analysis, title or self.name, thresholds=thresholds))


def audit(
    data: Any,
    scores: Any = (),
    *,
    label: str | None = None,
    positive: object = None,
    folds: str | None = None,
    row: str | None = None,
    groups: str | None = None,
    repeat: str | None = None,
    weight: str | None = None,
    model: str | None = None,
    lower_is_better: Sequence[str] = (),
    decimal: str | None = None,
    drop_missing: bool = False,
    prevalence: float | None = None,
    target_metric: str | None = None,
    metrics: Sequence[str] = (),
    margin: Mapping[str, float] | None = None,
    resamples: int = 1000,
    seed: int = 1,
    name: str | None = None,
    want: str | None = None,
) -> Audit:
    """Audit predictions as the command `aucstudy audit` does.

    Wrong input raises InputError with a message of one line.

    Parameters
    ----------
    data : the path of a file, or a data frame of pandas or polars, or a pyarrow table. If `label` is not
        given, anything but a path is taken for the (n,) labels themselves.
    scores : the names of the columns of scores. By default they are all columns of numbers except those that
        other arguments name and those named like an index. If `data` holds the labels, `scores` holds the
        scores: a mapping from each model to its (n,) numbers, a data frame with such columns, or numbers (n,)
        or (n, m). The model of a Series has its name. Other models without a name are called model 1, model 2
        and so on.
    label : the name of the column of labels.
    positive, folds, row, groups, repeat, weight, model, lower_is_better, decimal, drop_missing, prevalence,
    target_metric, resamples, seed : as the options of `aucstudy audit`.
    margin : by metric, how far below the best model another one is still as good for you, as in {"auroc": 0.01}.
    metrics : the metrics by which the models are ranked, as the option --metric names them. By default they are all
        that do not rank as another one does.
    name : the name of the data in the text and on the page.
    want : the former name of `target_metric`. It causes a FutureWarning and will be removed with the release
        after next.
    """
    # Imported here, so that a command that needs one module of this package does not import all of them.
    from aucstudy.audit.analysis import Question, analyse
    from aucstudy.audit.findings import column_finding
    from aucstudy.metrics.registry import metric_named
    from aucstudy.reading.prediction_tables import Columns, read_scored_table
    from aucstudy.reading.table_files import table_of

    if want is not None:
        warnings.warn(
            "audit: want= is called target_metric= now, and will be unknown later",
            FutureWarning,
            stacklevel=2,
        )
        if target_metric is not None:
            raise InputError("target_metric and want: both were given; give target_metric alone")
        target_metric = want
    ranked = tuple(metric_named(key).key for key in ([metrics] if isinstance(metrics, str) else metrics))
    question = Question(target_metric, prevalence, resamples, seed, ranked, margin or {})
    columns = {"fold": folds, "row": row, "group": groups, "repeat": repeat, "weight": weight, "model": model}
    arguments = {
        "label": label,
        "folds": folds,
        "row": row,
        "groups": groups,
        "repeat": repeat,
        "weight": weight,
        "model": model,
    }
    for key, column in arguments.items():
        if not (column is None or isinstance(column, str)):
            raise InputError(
                f"{key}: is of {type(column).__name__}; the name of a column of a data frame is needed"
            )
    source, title = data, name or "data"
    if isinstance(data, str | Path):
        source, title = Path(data), str(data)
    elif label is None:
        source, label, scores = _of_arrays(title, data, scores)
    else:
        source = table_of(title, data)
    names = [scores] if isinstance(scores, str) else [str(model) for model in scores]
    positive = None if positive is None else str(positive)
    losses = [lower_is_better] if isinstance(lower_is_better, str) else [*map(str, lower_is_better)]
    how = {"lower_is_better": losses, "decimal": decimal, "drop_missing": drop_missing}
    table = read_scored_table(source, Columns(label, names, positive, **columns, **how))
    try:
        analysis = analyse(table, question, [column_finding(asked) for asked in table.questions])
    except InputError as error:
        raise InputError(f"{title}: {error}") from None
    return Audit(analysis, name or Path(title).name)


def _of_arrays(title: str, y: Any, scores: Any) -> tuple["Table", str, Sequence[str]]:
    """Return one table of labels and scores, the name of its column of labels, and the names of its scores.

    The names are empty for a data frame of scores: its columns are chosen as those of a file are. The column
    of labels gets a name that no column of scores has.
    """
    from aucstudy.metrics.containers import columns_by_name, named_columns
    from aucstudy.metrics.inputs import same_order
    from aucstudy.reading.table_files import table_of

    if len(named_columns(y) or ()) > 1:
        table_of(title, y).own_label()  # It raises InputError, since the labels are in several columns.
    try:
        columns = columns_by_name(scores, len(y))
        same_order(y, columns)
        is_frame = named_columns(scores) is not None and not isinstance(scores, Mapping)
    except (TypeError, ValueError) as error:
        raise InputError(f"{title}: {' '.join(str(error).split())}") from None
    chosen = [] if is_frame else list(columns)
    label = "label"
    while label in columns:
        label = f"{label} given"
    return table_of(title, [(label, y), *columns.items()]), label, chosen
