"""An analysis on a terminal: tables and sentences; colours only on a terminal, and nothing that it would obey."""

import sys
from collections.abc import Iterator, Sequence
from functools import singledispatch
from math import isnan
from textwrap import fill

from rich.console import Console
from rich.table import Table
from rich.text import Text

from aucstudy.area_names import AREA_LABELS, AREAS
from aucstudy.audit.analysis import Analysis
from aucstudy.audit.metric_tables import MetricAnalysis
from aucstudy.audit.sentences import sentences
from aucstudy.printable import printable

LONGEST_NAME = 100  # characters of a model or metric in a table
NAME_WIDTH, METRIC_WIDTH = 10, 14  # columns of the terminal: names wrap, an area and its rank do not
SHARES_WIDTH = 70  # below it shares stand one below the other


def console() -> Console:
    """Standard output: as wide as the terminal, 100 columns in a pipe or file."""
    return Console(file=sys.stdout, highlight=False, width=None if sys.stdout.isatty() else 100)


@singledispatch
def show(analysis: Analysis, name: str, to: Console) -> None:
    """Print an analysis, of predictions or of metric values; `name` says of what."""
    facts = analysis.facts
    folds = f", {facts['n_folds']} folds" if facts["n_folds"] else ""
    folds += f", {facts['n_groups']:,} groups" if facts["n_groups"] else ""
    _line(
        f"{name}: {facts['n']:,} rows, {facts['n_positive']:,} of class {facts['positive']} (prevalence "
        f"{facts['prevalence']:.4g}){folds}, {facts['n_models']} models",
        to,
        style="bold",
    )
    for table in area_tables(analysis, to.width):
        to.print()
        to.print(table)
    for heading, lines in sentences(analysis).items():
        to.print()
        _line(heading, to, style="bold yellow" if heading == "Warnings" else "bold cyan")
        for line in lines:
            _line(line, to, mark="- ")


@show.register
def _(analysis: MetricAnalysis, name: str, to: Console) -> None:
    facts = analysis.facts
    counted = f"{facts['n_tasks']:,} tasks, {facts['n_rows']:,} rows"
    _line(f"{name}: {counted}, metrics {', '.join(facts['metrics'])}", to, style="bold")
    to.print()
    for table in _share_tables(analysis, to.width):
        to.print(table)
    to.print()
    _line(
        "Share of tasks in which two metrics put another model first, or another three in order (tied models: "
        "expected under one shared random order); ranks: median over tasks of the correlation of ranks.",
        to,
    )
    for line in analysis.warnings:
        _line(f"Warning: {line}", to, style="yellow")


def _line(text: str, to: Console, mark: str = "", style: str = "") -> None:
    wrapped = fill(printable(text), to.width, initial_indent=mark, subsequent_indent=" " * len(mark))
    to.print(wrapped, markup=False, style=style)


def area_tables(analysis: Analysis, width: int) -> Iterator[Table]:
    """The areas of the models with their ranks, the best by AUPR first; as many tables as a narrow terminal needs."""
    ordered = analysis.areas.sort_values("aupr", ascending=False, kind="stable")
    beside = max(1, (width - NAME_WIDTH) // METRIC_WIDTH)
    for start in range(0, len(AREAS), beside):
        metrics = AREAS[start : start + beside]
        table = _table()
        table.add_column("model", overflow="fold")
        for metric in metrics:
            table.add_column(AREA_LABELS[metric], justify="right", no_wrap=True)
            table.add_column("rank", justify="right", no_wrap=True)
        for model, row in ordered.iterrows():
            cells = []
            for metric in metrics:
                rank = row[f"rank_{metric}"]
                style = "bold green" if rank == ordered[f"rank_{metric}"].min() else ""
                cells += [Text(f"{row[metric]:.4f}", style), Text(f"{rank:g}", style)]
            table.add_row(_name(model), *cells)
        yield table


def _share_tables(analysis: MetricAnalysis, width: int) -> Iterator[Table]:
    """The shares of disagreement, a row a pair of metrics; on a narrow terminal a table a pair."""
    headings = ("another best model", "95 % interval", "another top three", "95 % interval", "ranks")
    medians = analysis.correlations.set_index(["first", "second"])["median"]
    rows = []
    for pair, shares in analysis.shares.groupby(["first", "second"], sort=False):
        cells = []
        for row in shares.itertuples():
            # a share of one task has no interval
            ends = "" if isnan(row.low) else f"{100 * row.low:.1f} to {100 * row.high:.1f}"
            cells += [f"{100 * row.estimate:.1f} %", ends]
        rows.append((_name(" and ".join(pair)), [*cells, f"{medians[pair]:.3f}"]))
    if width < SHARES_WIDTH:
        for name, cells in rows:
            yield _pair_table(name, headings, cells)
        return
    table = _table()
    for heading in ("metrics", *headings):
        table.add_column(heading, justify="left" if heading == "metrics" else "right", overflow="fold")
    for name, cells in rows:
        table.add_row(name, *cells)
    yield table


def _pair_table(name: Text, headings: Sequence[str], cells: Sequence[str]) -> Table:
    table = _table()
    table.add_column(name, overflow="fold")
    table.add_column(justify="right", no_wrap=True)
    for heading, cell in zip(headings, cells, strict=True):
        table.add_row(heading, cell)
    return table


def _table() -> Table:
    return Table(box=None, header_style="bold", pad_edge=False)


def _name(text: object) -> Text:
    return Text(printable(text, LONGEST_NAME))
