"""The pages of the experiments, from their own pages and the results, and the page on all tables."""

import json
from pathlib import Path

import pandas as pd
from texts import allowed, plain, table

from aucstudy.claims.verdicts import Evidence
from aucstudy.config import shipped_experiments
from aucstudy.experiments import contract
from aucstudy.experiments.contract import Experiment, Table, questions
from aucstudy.report.page import findings

# These studies have committed results. A page shows the first one that has its tables and figures.
COMMITTED = (
    "default",
    "wide",
    "weka",
    "few_natural",
    "few_thinned",
    "uw-cse",
)
MOST_ROWS = 12  # Of a table with more rows, only the caption is shown.
DIGITS = 4
# The experiments of the package come first, and those of studies follow.
EXPERIMENTS = shipped_experiments()
MAIN = [name for name, experiment in EXPERIMENTS.items() if experiment.main == name]


def sections() -> dict[str, list[str]]:
    """Return the names of the main experiments, which have a page each, by question of the report."""
    titles = questions(EXPERIMENTS.values())
    by_question: dict[str, list[str]] = {title: [] for title in titles.values()}
    for name in MAIN:
        by_question[titles[EXPERIMENTS[name].question]].append(name)
    return by_question


def in_words(name: str) -> str:
    """Return the name of a file or experiment as words.

    >>> in_words("f1_contours"), in_words("fold_skew")
    ('F1 contours', 'Fold skew')
    """
    words = name.replace("_", " ")
    return words[0].upper() + words[1:]


def overview() -> str:
    """Return the page that lists the experiments under the questions of the report."""
    lines = ["# The experiments"]
    for question, names in sections().items():
        rows = [
            (f"[{in_words(name)}]({name}.md)", plain(contract.page(EXPERIMENTS[name].page).title))
            for name in names
        ]
        lines += [f"## {question}", table(("experiment", "what it asks"), rows)]
    return "\n\n".join(lines) + "\n"


def pages(root: Path) -> dict[str, str]:
    """Return the page of each main experiment, by its name."""
    return {name: _page(name, root) for name in MAIN}


def _page(main: str, root: Path) -> str:
    page = contract.page(EXPERIMENTS[main].page)
    own = [one for one in EXPERIMENTS.values() if one.main == main]
    parts = [f"# {in_words(main)}", f"**{page.title}**", page.method]
    for experiment in own:
        tables = _tables(experiment, root)
        if experiment.name != main:
            parts.append(f"## {in_words(experiment.name.partition('.')[2])}")
        if tables is None:
            captions = "\n".join(
                f"* `{name}.csv` ([columns](../reference/tables.md#{name})). {plain(facts.caption)}"
                for name, facts in experiment.tables.items()
            )
            parts += ["No committed study has run this experiment. Its tables are:", captions]
            continue
        said = findings(experiment, Evidence(tables, ""))
        parts += [f"Study `{tables.parent.name}`: {plain(said)}"] if said else []
        parts += [
            _figure(caption, f"{tables.parent.name}/figures/{name}.png")
            for name, caption in experiment.figures.items()
        ]
        for name, facts in experiment.tables.items():
            parts += _shown(name, facts, tables)
        parts += _estimates(experiment)
    limits = [limit for experiment in own for limit in experiment.limits]
    if limits:
        parts += ["## What it cannot say", "\n".join(f"* {plain(limit)}" for limit in limits)]
    settings = [row for experiment in own for row in _settings(experiment)]
    if settings:
        parts += ["## Settings", table(("key", "default", "what", "allowed"), settings)]
    return "\n\n".join(parts) + "\n"


def _estimates(experiment: Experiment) -> list[str]:
    """Return what the columns of estimates.csv hold in the rows of an experiment."""
    rows = [(f"`{column}`", _lines(text)) for column, text in experiment.estimates.items()]
    return ["Its rows of `estimates.csv`:", table(("column", "what"), rows)] if rows else []


def _settings(experiment: Experiment) -> list[tuple[str, ...]]:
    return [
        (
            f"`{experiment.name}.{name}`",
            f"`{json.dumps(setting.default)}`",
            plain(setting.help),
            allowed(setting.schema),
        )
        for name, setting in experiment.settings.items()
        if not setting.place
    ]


def _tables(experiment: Experiment, root: Path) -> Path | None:
    """Return the folder of tables of the first study that has all tables and figures of the experiment.

    None if no committed study has them.
    """
    folders = (root / "results" / study for study in COMMITTED)
    return next(
        (
            folder / "tables"
            for folder in folders
            if all((folder / "tables" / f"{name}.csv").exists() for name in experiment.tables)
            and all((folder / "figures" / f"{name}.png").exists() for name in experiment.figures)
        ),
        None,
    )


def _figure(caption: str, file: str) -> str:
    """Return a figure with its caption, which is also its alternative text."""
    alternative = caption.replace("[", "(").replace("]", ")")
    return f"![{alternative}](../results/{file})\n\n*{plain(caption)}*"


def _shown(name: str, facts: Table, tables: Path) -> list[str]:
    """Return the caption of a table and, if they are few, its rows."""
    content = pd.read_csv(tables / f"{name}.csv")
    file = f"`results/{tables.parent.name}/tables/{name}.csv`"
    parts = [
        f"{file}, {len(content)} rows ([columns](../reference/tables.md#{name})). {plain(facts.caption)}"
    ]
    if len(content) <= MOST_ROWS:
        rows = [[_cell(value) for value in row] for row in content.itertuples(index=False)]
        parts.append(table(list(content.columns), rows))
    return parts


def _cell(value: object) -> str:
    if isinstance(value, float):
        return "–" if pd.isna(value) else f"{value:.{DIGITS}g}"
    return plain(str(value))


def dictionary() -> str:
    """Return the page on all tables and their columns."""
    common = contract.shared_words()["columns"]
    tables = {
        name: Table(facts["caption"], facts["columns"])
        for name, facts in contract.tables_of_every_study().items()
    }
    for experiment in EXPERIMENTS.values():
        tables |= experiment.tables
    parts = ["# Tables", "Every table of `results/<study>/tables`, and what its columns hold."]
    for name, facts in tables.items():
        rows = [(f"`{column}`", _lines(text or common[column])) for column, text in facts.columns.items()]
        parts += [f"## {name}", plain(facts.caption), table(("column", "what"), rows)]
    return "\n\n".join(parts) + "\n"


def _lines(text: str) -> str:
    """Return the description of a column, with each value that it may hold on a line of its own."""
    return plain(text).strip().replace("\n", "<br>")
