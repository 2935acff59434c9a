"""An audit on a terminal: tables and sentences; colours only on a terminal."""

import sys
from textwrap import fill

from rich.console import Console
from rich.table import Table
from rich.text import Text

from aucstudy.area_names import AREA_LABELS, AREAS
from aucstudy.audit.analysis import Audit
from aucstudy.audit.metric_tables import FinishedAudit
from aucstudy.audit.sentences import sentences


def console() -> Console:
    """Standard output: as wide as the terminal, 100 columns in a pipe or file."""
    return Console(file=sys.stdout, highlight=False, width=None if sys.stdout.isatty() else 100)


def show(found: Audit, name: str, to: Console) -> None:
    """Print an audit."""
    facts = found.facts
    folds = f", {facts['n_folds']} folds" if facts["n_folds"] else ""
    to.print(
        f"{name}: {facts['n']:,} rows, {facts['n_positive']:,} of class {facts['positive']} (prevalence "
        f"{facts['prevalence']:.4g}){folds}, {facts['n_models']} models",
        markup=False,
        style="bold",
    )
    to.print()
    to.print(areas_table(found))
    for heading, lines in sentences(found).items():
        to.print()
        to.print(heading, style="bold yellow" if heading == "Warnings" else "bold cyan")
        for line in lines:
            to.print(fill(line, to.width, initial_indent="- ", subsequent_indent="  "), markup=False)


def areas_table(found: Audit) -> Table:
    """The areas of the models with their ranks, the best by AUPR first."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("model", no_wrap=False)
    for metric in AREAS:
        table.add_column(AREA_LABELS[metric], justify="right", no_wrap=True)
        table.add_column("rank", justify="right", no_wrap=True)
    ordered = found.areas.sort_values("aupr", ascending=False, kind="stable")
    for model, row in ordered.iterrows():
        cells = []
        for metric in AREAS:
            best = row[f"rank_{metric}"] == found.areas[f"rank_{metric}"].min()
            cells.append(_cell(f"{row[metric]:.4f}", best))
            cells.append(_cell(f"{row[f'rank_{metric}']:g}", best))
        table.add_row(_plain(str(model)), *cells)
    return table


def _plain(text: str) -> Text:
    return Text(text)


def _cell(text: str, best: bool) -> Text:
    return Text(text, style="bold green" if best else "")


def show_finished(found: FinishedAudit, name: str, to: Console) -> None:
    """Print an audit of finished scores."""
    facts = found.facts
    to.print(
        f"{name}: {facts['n_tasks']:,} tasks, {facts['n_rows']:,} rows, metrics {', '.join(facts['metrics'])}",
        markup=False,
        style="bold",
    )
    to.print()
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in (
        "metrics",
        "another best model",
        "95 % interval",
        "another top three",
        "95 % interval",
        "ranks",
    ):
        table.add_column(heading, justify="left" if heading == "metrics" else "right")
    medians = found.correlations.set_index(["first", "second"])["median"]
    for pair, part in found.shares.groupby(["first", "second"], sort=False):
        cells = []
        for row in part.itertuples():
            cells += [f"{100 * row.estimate:.1f} %", f"{100 * row.low:.1f} to {100 * row.high:.1f}"]
        table.add_row(_plain(" and ".join(pair)), *cells, f"{medians[pair]:.3f}")
    to.print(table)
    to.print()
    to.print(
        "Share of tasks in which two metrics put another model first, or another three in order (tied models: "
        "expected under one shared random order); ranks: median over tasks of the correlation of ranks."
    )
    for line in found.warnings:
        to.print(f"Warning: {line}", markup=False, style="yellow")
