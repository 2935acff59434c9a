"""An analysis put out: on a terminal for reading, as JSON, or as one table."""

import json
import math
import sys
from collections.abc import Iterator
from functools import singledispatch
from itertools import chain
from textwrap import fill
from typing import TextIO

import pandas as pd
from rich.console import Console
from rich.table import Table
from rich.text import Text

from aucstudy import __version__
from aucstudy.area_names import AREA_LABELS, AREAS
from aucstudy.audit.analysis import Analysis
from aucstudy.audit.metric_tables import MetricAnalysis
from aucstudy.audit.text import LONGEST_NAME, said
from aucstudy.printable import printable

# columns of the terminal: names wrap, an area and its rank do not
NAME_WIDTH, METRIC_WIDTH, INTERVAL_WIDTH = 10, 14, 17
SHARES_WIDTH = 70  # below it shares stand one below the other
AT_FIRST = ("Verdict", "May be best (95 %)", "From few negatives", "Warnings")  # headings
SHARES = ("another best model", "95 % interval", "another top three", "95 % interval", "ranks")


@singledispatch
def as_json(analysis: Analysis) -> dict[str, object]:
    """Everything in an analysis; NaN becomes null."""
    words = said(analysis)
    frames = {
        "areas": _by_model(analysis.areas),
        "fold_means": _by_model(analysis.fold_means),
        "area_intervals": analysis.intervals,
        "winners": analysis.winners,
        "swaps": analysis.swaps,
        "excluded": analysis.excluded.drop(columns="support"),
        "where": analysis.bands,
        "winners_by_prevalence": analysis.by_prevalence,
        "conventions": _by_model(analysis.conventions),
        "aupr_from_few_negatives": _by_model(analysis.few_negatives),
        "contenders": analysis.contenders,
        "chance": analysis.chance,
        "operating_points": _by_model(analysis.operating_points),
    }
    tables = {name: None if frame is None else _records(frame) for name, frame in frames.items()}
    statements = {
        "verdict": analysis.verdict or None,
        "decision": words.decision,
        "warnings": words.warnings,
        "sentences": words.sections,
    }
    return {"version": __version__, **analysis.facts, **tables, **statements}


@as_json.register
def _(analysis: MetricAnalysis) -> dict[str, object]:
    return {
        **analysis.facts,
        "disagreement": _records(analysis.shares),
        "correlations": _records(analysis.correlations),
        "tasks": _records(analysis.by_task),
        "warnings": said(analysis).warnings,
    }


def json_text(analysis: Analysis | MetricAnalysis) -> str:
    return json.dumps(as_json(analysis), indent=1, allow_nan=False) + "\n"


def _by_model(frame: pd.DataFrame | None) -> pd.DataFrame | None:
    return None if frame is None else frame.reset_index()


def _records(frame: pd.DataFrame) -> list[dict[str, object]]:
    return [{key: _plain(value) for key, value in row.items()} for row in frame.to_dict("records")]


def _plain(value: object) -> object:
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


@singledispatch
def as_table(analysis: Analysis) -> pd.DataFrame:
    areas = analysis.areas[[*AREAS, *(f"rank_{metric}" for metric in AREAS)]]
    if analysis.conventions is None:
        return areas.reset_index()
    rivals = analysis.conventions.drop(columns=["exact", "average_precision"]).add_prefix("aupr_")
    return areas.join(rivals).reset_index()


@as_table.register
def _(analysis: MetricAnalysis) -> pd.DataFrame:
    return analysis.shares


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave it to the command, as whatever else goes wrong: rich would end with 1 and say nothing."""
        raise  # rich calls this where it has caught the error


def console(to: TextIO | None = None) -> Console:
    """As wide as the terminal, 100 columns in a pipe or file."""
    to = to or sys.stdout
    return _Console(file=to, highlight=False, width=None if to.isatty() else 100)


@singledispatch
def show(analysis: Analysis, name: str, to: Console, *, details: bool = False) -> None:
    """Without `details` a screen: the areas, the verdict and what to beware of."""
    words, ranked = said(analysis, name), len(analysis.areas) > 1
    _line(words.headline, to, style="bold")
    tables = area_tables(analysis, to.width)
    for table in chain(tables, interval_tables(analysis, to.width)) if details or not ranked else tables:
        to.print()
        to.print(table)
    for heading, lines in words.sections.items():
        if not (details or heading in AT_FIRST):
            continue
        to.print()
        _line(heading, to, style="bold yellow" if heading == "Warnings" else "bold cyan")
        for line in lines:
            _line(line, to, mark="- ")
    if not details:
        to.print()
        _line("More: --details", to)


@show.register
def _(analysis: MetricAnalysis, name: str, to: Console, *, details: bool = False) -> None:
    words = said(analysis, name)
    _line(words.headline, to, style="bold")
    to.print()
    for table in _share_tables(analysis, to.width):
        to.print(table)
    to.print()
    _line(words.note, to)
    for line in words.warnings:
        _line(f"Warning: {line}", to, style="yellow")


def _line(text: str, to: Console, mark: str = "", style: str = "") -> None:
    # names may hold what a terminal would obey
    wrapped = fill(printable(text), to.width, initial_indent=mark, subsequent_indent=" " * len(mark))
    to.print(wrapped, markup=False, style=style)


def area_tables(analysis: Analysis, width: int) -> Iterator[Table]:
    ordered = analysis.areas.loc[analysis.shown_models]
    shown = 2 if len(ordered) > 1 else 1  # a single model has no rank
    beside = max(1, (width - NAME_WIDTH) // METRIC_WIDTH)
    for start in range(0, len(AREAS), beside):
        metrics = AREAS[start : start + beside]
        table = _table()
        table.add_column("model", overflow="fold")
        for metric in metrics:
            table.add_column(AREA_LABELS[metric], justify="right", no_wrap=True)
            if shown > 1:
                table.add_column("rank", justify="right", no_wrap=True)
        for model, row in ordered.iterrows():
            cells = []
            for metric in metrics:
                rank = row[f"rank_{metric}"]
                style = "bold green" if rank == ordered[f"rank_{metric}"].min() else ""
                cells += [Text(f"{row[metric]:.4f}", style), Text(f"{rank:g}", style)][:shown]
            table.add_row(_name(model), *cells)
        chance = analysis.chance.set_index("metric")
        for words, column in (("(chance)", "mean"), ("(to 95 %)", "limit")):
            cells = [cell for metric in metrics for cell in (f"{chance.loc[metric, column]:.3f}", "")[:shown]]
            table.add_row(Text(words), *cells, style="dim")
        yield table


def interval_tables(analysis: Analysis, width: int) -> Iterator[Table]:
    ends = analysis.intervals.set_index(["metric", "model"])
    measures = analysis.measures
    beside = max(1, (width - NAME_WIDTH) // INTERVAL_WIDTH)
    for start in range(0, len(measures), beside):
        metrics = measures[start : start + beside]
        table = _table()
        table.add_column("95 % intervals", overflow="fold")
        for metric in metrics:
            table.add_column(AREA_LABELS.get(metric, metric), justify="right", no_wrap=True)
        for model in analysis.shown_models:
            of_model = [ends.loc[(metric, model)] for metric in metrics]
            table.add_row(_name(model), *(f"{of.low:.3f} to {of.high:.3f}" for of in of_model))
        yield table


def _share_tables(analysis: MetricAnalysis, width: int) -> Iterator[Table]:
    medians = analysis.correlations.set_index(["first", "second"])["median"]
    table = _table()
    for heading in ("metrics", *SHARES):
        table.add_column(heading, justify="left" if heading == "metrics" else "right", overflow="fold")
    for pair, shares in analysis.shares.groupby(["first", "second"], sort=False):
        name, cells = _name(" and ".join(pair)), []
        for row in shares.itertuples():
            # a share of one task has no interval
            ends = "" if math.isnan(row.low) else f"{100 * row.low:.1f} to {100 * row.high:.1f}"
            cells += [f"{100 * row.estimate:.1f} %", ends]
        cells.append(f"{medians[pair]:.3f}")
        table.add_row(name, *cells)
        if width < SHARES_WIDTH:
            of_pair = _table()
            of_pair.add_column(name, overflow="fold")
            of_pair.add_column(justify="right", no_wrap=True)
            for heading, cell in zip(SHARES, cells, strict=True):
                of_pair.add_row(heading, cell)
            yield of_pair
    if width >= SHARES_WIDTH:
        yield table


def _table() -> Table:
    return Table(box=None, header_style="bold", pad_edge=False)


def _name(text: object) -> Text:
    return Text(printable(text, LONGEST_NAME))
