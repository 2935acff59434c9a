"""The text of an analysis on a terminal."""

import math
import sys
from collections.abc import Iterator
from io import StringIO
from textwrap import fill
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from aucstudy.audit.findings import Section
from aucstudy.audit.metric_tables import MetricAnalysis
from aucstudy.audit.text import LONGEST_NAME, Said
from aucstudy.metrics.registry import labels
from aucstudy.printable import printable

if TYPE_CHECKING:
    from aucstudy.audit.analysis import Analysis

WIDTH = 100  # columns where there is no terminal
# Columns of the terminal. Names are wrapped, but a value and its rank are not.
NAME_WIDTH, METRIC_WIDTH, INTERVAL_WIDTH = 10, 14, 17
SHARES_WIDTH = 70  # columns; on a narrower terminal the shares are printed one below the other
NOT_ESTIMABLE = "-"
SHARES = ("another best model", "95 % interval", "another top three", "95 % interval", "ranks")


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave the error to the command, like all errors: rich would exit with code 1 and no message."""
        raise  # Rich calls this method while it handles the error.


def console() -> Console:
    """Return a console on standard output. It prints text in a notebook too, where rich would show HTML."""
    width = None if sys.stdout.isatty() else WIDTH
    return _Console(file=sys.stdout, highlight=False, width=width, force_jupyter=False)


def text_of(analysis: "Analysis | MetricAnalysis", name: str, *, details: bool = False) -> str:
    """Return what `show` prints, without colours and in a fixed width, on whatever terminal it runs."""
    text = StringIO()
    plain = _Console(
        file=text, highlight=False, width=WIDTH, force_jupyter=False, force_terminal=False, color_system=None
    )
    show(analysis, name, plain, details=details)
    return text.getvalue()


def show(analysis: "Analysis | MetricAnalysis", name: str, to: Console, *, details: bool = False) -> None:
    """Print the analysis. Without `details` it is one screen with tables, verdict and warnings."""
    words = analysis.said(name, details=details)
    _line(words.headline, to, style="bold")
    if words.choice:
        _line(words.choice, to)
    if Section.COLUMNS in words.sections:
        _section(words, Section.COLUMNS, to)
    for table in _tables(analysis, to.width, details=details):
        to.print()
        to.print(table)
    if words.note:
        to.print()
        _line(words.note, to)
        for line in words.warnings:
            _line(f"Warning: {line}", to, style="yellow")
        return
    for section in words.sections:
        if section is not Section.COLUMNS:
            _section(words, section, to)
    if not details:
        to.print()
        _line("More: --details", to)


def _section(words: Said, section: Section, to: Console) -> None:
    to.print()
    is_warning = section in (Section.COLUMNS, Section.WARNINGS)
    _line(words.heading(section), to, style="bold yellow" if is_warning else "bold cyan")
    for line in words.sections[section]:
        _line(line, to, mark="- ")


def _line(text: str, to: Console, mark: str = "", style: str = "") -> None:
    # Names may contain control characters, which a terminal would obey.
    wrapped = fill(printable(text), to.width, initial_indent=mark, subsequent_indent=" " * len(mark))
    to.print(wrapped, markup=False, style=style)


def _tables(analysis: "Analysis | MetricAnalysis", width: int, *, details: bool) -> Iterator[Table]:
    if isinstance(analysis, MetricAnalysis):
        yield from _share_tables(analysis, width)
        return
    yield from _area_tables(analysis, width)
    if details or len(analysis.areas) == 1:
        yield from _interval_tables(analysis, width)


def _area_tables(analysis: "Analysis", width: int) -> Iterator[Table]:
    areas, chance = analysis.areas.loc[analysis.shown_models], analysis.chance_values()
    shown = 2 if len(areas) > 1 else 1  # A single model has no rank.
    for metrics in _beside(analysis.question.metrics, width, METRIC_WIDTH):
        table = _table()
        table.add_column("model", overflow="fold")
        for metric in metrics:
            table.add_column(labels()[metric], justify="right", no_wrap=True)
            if shown > 1:
                table.add_column("rank", justify="right", no_wrap=True)
        for model, row in areas.iterrows():
            cells = []
            for metric in metrics:
                if metric in analysis.not_estimable:
                    cells += [Text(NOT_ESTIMABLE)] * shown
                    continue
                rank = row[f"rank_{metric}"]
                style = "bold green" if rank == areas[f"rank_{metric}"].min() else ""
                cells += [Text(f"{row[metric]:.4f}", style), Text(f"{rank:g}", style)][:shown]
            table.add_row(_name(model), *cells)
        for words, column in (("(chance)", "mean"), ("(chance, 95 %)", "limit")):
            cells = [cell for metric in metrics for cell in (_three(chance[metric][column]), "")[:shown]]
            table.add_row(Text(words), *cells, style="dim")
        yield table


def _interval_tables(analysis: "Analysis", width: int) -> Iterator[Table]:
    ends = analysis.values()
    for metrics in _beside(analysis.measures, width, INTERVAL_WIDTH):
        table = _table()
        table.add_column("95 % intervals", overflow="fold")
        for metric in metrics:
            table.add_column(labels().get(metric, metric), justify="right", no_wrap=True)
        for model in analysis.shown_models:
            limits = [ends[metric, model] for metric in metrics]
            table.add_row(_name(model), *(_interval(of["low"], of["high"]) for of in limits))
        yield table


def _three(value: float) -> str:
    return NOT_ESTIMABLE if math.isnan(value) else f"{value:.3f}"


def _interval(low: float, high: float) -> str:
    return NOT_ESTIMABLE if math.isnan(low) else f"{low:.3f} to {high:.3f}"


def _beside(measures: tuple[str, ...], width: int, column_width: int) -> Iterator[tuple[str, ...]]:
    """Yield the metrics of each table: as many as fit side by side into the width."""
    n_beside = max(1, (width - NAME_WIDTH) // column_width)
    return (measures[start : start + n_beside] for start in range(0, len(measures), n_beside))


def _share_tables(analysis: MetricAnalysis, width: int) -> Iterator[Table]:
    medians = analysis.correlations.set_index(["first", "second"])["median"]
    table = _table()
    for heading in ("metrics", *SHARES):
        table.add_column(heading, justify="left" if heading == "metrics" else "right", overflow="fold")
    for pair, shares in analysis.shares.groupby(["first", "second"], sort=False):
        name, cells = _name(" and ".join(pair)), []
        for row in shares.itertuples():
            # The share of a single task has no interval.
            ends = "" if math.isnan(row.low) else f"{100 * row.low:.1f} to {100 * row.high:.1f}"
            cells += [f"{100 * row.estimate:.1f} %", ends]
        cells.append(f"{medians[pair]:.3f}")
        table.add_row(name, *cells)
        if width < SHARES_WIDTH:
            pair_table = _table()
            pair_table.add_column(name, overflow="fold")
            pair_table.add_column(justify="right", no_wrap=True)
            for heading, cell in zip(SHARES, cells, strict=True):
                pair_table.add_row(heading, cell)
            yield pair_table
    if width >= SHARES_WIDTH:
        yield table


def _table() -> Table:
    return Table(box=None, header_style="bold", pad_edge=False)


def _name(text: object) -> Text:
    return Text(printable(text, LONGEST_NAME))
