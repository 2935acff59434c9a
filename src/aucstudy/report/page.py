"""The report of a study, an HTML page that needs no other file and no network."""

import base64
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml
from jinja2.filters import do_mark_safe

from aucstudy import __version__
from aucstudy.claims.entries import Entry, entries
from aucstudy.claims.verdicts import NO_CLAIM, Evidence, Verdict, side_of
from aucstudy.experiments.compared import AREA_LABELS, DISTINCT_AREAS
from aucstudy.experiments.contract import Experiment, page, questions, tables_of_every_study
from aucstudy.figures.charts import why_not_drawn
from aucstudy.report.main_table import COLUMNS, Cell, main_table
from aucstudy.report.tasks_and_models import best_models, metrics_that_tell, standings, who_may_be_best
from aucstudy.sources import brings_models
from aucstudy.statistics.intervals import FEWEST_GROUPS
from aucstudy.store.estimates import ALL, REAL, SOURCE, TASK
from aucstudy.store.files import digest_of_files
from aucstudy.store.rejections import Reason
from aucstudy.store.tables import read_table
from aucstudy.study_folder.files import CLAIMS
from aucstudy.wording import (
    html_templates,
    in_percent,
    listed,
    number,
    selected,
    single,
    text_of,
    with_decimals,
    with_zero,
)

ANSWER = "answer"
# The keys are patterns in the words of claims. The values are the HTML elements that they become.
MARKUP = {
    r"\*(.+?)\*": r"<em>\1</em>",
    r"\[(.+?)\]\((#.+?)\)": r'<a href="\2">\1</a>',
}
LINK = r'<a href="#(.+?)">(.+?)</a>'
MOST_ROWS, MOST_BYTES = 50, 20_000  # the largest table that the page itself shows
SHOWN_AS_CARDS = ("claims", "claims_values")  # The page has these tables as cards in plain words.
PAPERS = {
    "FK": "Flach & Kull 2015, Precision-Recall-Gain curves",
    "B": "Boyd et al. 2012, Unachievable region in precision-recall space",
    "L": "Later papers",
    "H": "Hypotheses of ours",
    "C": "Rules of confirmation",
    "": "Claims that the study brings",
}
# The claims of these sources are counted together. Hypotheses of ours and rules of confirmation are not
# claims of a paper, so they are not counted.
COUNTED = {"the two papers": ("FK", "B"), "later papers": ("L",)}
ROUNDING = 1e-9  # A smaller number without an interval is a deviation, and is shown with its exponent.
# Studies with these sources of tasks ask the papers' questions of other tasks. The page treats every other
# study as one of the user's own data.
REPLICATING = ("packaged", "openml")
# The name of the experiment that draws the papers' own figures. Its question has the same key.
PAPERS_FIGURES = "papers"
NOT_BY_DATA = (Verdict.TOO_FEW_DATA, Verdict.BY_CONSTRUCTION, *NO_CLAIM)
OTHER_TASKS = (Verdict.INSIDE, Verdict.BELOW, Verdict.ABOVE, Verdict.BOTH_SIDES)
WORDS: dict[str, str] = {
    Verdict.PROVED: "proved",
    Verdict.CHECKED: "checked",
    Verdict.FALSE: "does not hold",
    Verdict.COMES_OUT: "comes out",
    Verdict.WITHIN_ROUNDING: "comes out within rounding",
    Verdict.DOES_NOT_COME_OUT: "does not come out",
    Verdict.BY_CONSTRUCTION: "agrees by construction",
    Verdict.SUPPORTS: "supported",
    Verdict.NO_DIFFERENCE: "no difference that matters",
    Verdict.CONTRADICTS: "contradicted",
    Verdict.UNDECIDED: "undecided",
    **dict.fromkeys(OTHER_TASKS, "measured on other tasks"),
}


def report_page(
    evidence: Evidence,
    study: str,
    figures: Path,
    experiments: Sequence[Experiment],
    tables: Sequence[Path] = (),
    *,
    failed: Mapping[str, str] | None = None,
    scores: pd.DataFrame | None = None,
    folders: Sequence[Path] = (),
    settings: Mapping[str, object] | None = None,
) -> str:
    """Return the report of a study.

    It begins with the main table and the figure of the answer. Then come the sections of `experiments`,
    which are in the order of the report, with their pictures `<figure>.png` from the folder `figures`.
    `tables` are the files beside the report. `failed` has a line for each experiment that failed. `folders`
    are the folders of studies that bring claims of their own. `settings` are those that the page shows.

    A page on the user's own data begins with the tasks and their models, which it takes from `scores`. It
    has only the claims that these data decide. The papers' own figures and tables are left out, because
    they are the same in every study.
    """
    own, known = evidence.source not in REPLICATING, entries(tuple(folder / CLAIMS for folder in folders))
    titles = questions(experiments)
    if own:
        experiments = [each for each in experiments if each.name != PAPERS_FIGURES]
        titles = {**titles, PAPERS_FIGURES: "What else was measured"}
    files = {path.stem: path for path in tables}
    by_question = {
        key: [_section(each, evidence, figures, files) for each in experiments if each.question == key]
        for key in titles
    }
    tasks = evidence.table("tasks")
    n_groups = tasks["source_group"].nunique()
    models = standings(tasks, scores, evidence.weight) if own and scores is not None else []
    pairs, counted = _main_table(evidence, own=own)
    server = evidence.table("server_check")
    has_compared = server is not None and server["n_compared"].iloc[0]
    template = html_templates("aucstudy.report").get_template("page.html")
    text = template.render(
        study=study,
        failed=failed or {},
        columns=COLUMNS,
        main_table=pairs,
        counted=counted,
        answers=by_question.pop(ANSWER),
        choosing=_docs_page("choosing", figures),
        own=own,
        models=_numbers_of_models(scores) if scores is not None else "",
        best_models=best_models(tasks, scores) if own and scores is not None else [],
        standings=models,
        may_be_best={said: listed(labels) for said, labels in who_may_be_best(models, n_groups).items()},
        telling=metrics_that_tell(models) if n_groups >= FEWEST_GROUPS else [],
        n_groups=n_groups,
        fewest_groups=FEWEST_GROUPS,
        areas=[AREA_LABELS[area] for area in DISTINCT_AREAS],
        counts=verdict_counts(shown_claims(evidence).set_index("id")["verdict"], known),
        tasks=tasks,
        by_repetitions=_by_repetitions(tasks),
        rejected=_left_out(evidence.table("rejections")),
        server=server.to_dict("records")[0] if has_compared else None,
        sections=[
            {"anchor": _anchor(key), "title": titles[key], "experiments": shown}
            for key, shown in by_question.items()
            if shown
        ],
        papers=PAPERS,
        claims=claims_by_paper(evidence, known),
        every_claim=_docs_page("claims", figures),
        confirmation=_docs_page("confirmation", figures),
        tables=_tables(_other_captions(evidence, experiments), files),
        settings=yaml.safe_dump(settings, sort_keys=False) if settings else "",
        most_rows=MOST_ROWS,
        version=__version__,
        digest=digest_of_files(tables, tables[0].parent) if tables else "",
    )
    # A no-break space keeps a number and its unit on one line.
    return text.replace(" %", "&nbsp;%")


def settings_shown(config: Mapping[str, Any], experiments: Sequence[Experiment]) -> dict[str, Any]:
    """Return the settings of a study that decide its numbers, but for those of its source.

    The settings of a source may have keys and paths of the user's machine, which a report should not show.
    """
    keys = ("study", "seed", "source", "models_per_task", "min_flows", "ranking", "weight")
    return {
        **{key: config[key] for key in keys},
        "source": Path(config["source"]).name,
        "metrics": [Path(metric).name for metric in config["metrics"]],
        "experiments": [each.name for each in experiments],
        **{
            main: config[main]
            for main in dict.fromkeys(each.main for each in experiments)
            if config.get(main)
        },
    }


def _main_table(evidence: Evidence, *, own: bool) -> tuple[dict[str, list[Cell]], str]:
    """Return the main table, and in words what it counts. The table is empty if there are no estimates of disagreement.

    Beside the paper's numbers each task counts once, as in the paper, and tasks with simulated data are left out.
    """
    estimates = evidence.table("estimates")
    if estimates is None:
        return {}, ""
    of_disagreement = selected(estimates, experiment="disagreement")
    weight = evidence.weight if own else TASK
    subset = REAL if not own and REAL in set(of_disagreement["subset"]) else ALL
    rows = selected(of_disagreement, weight=weight, subset=subset)
    if rows.empty:
        return {}, ""
    n_tasks = int(rows["n_tasks"].max())
    which = f" The table is about the {n_tasks} tasks that are not simulated." if subset == REAL else ""
    counts = "source of data" if weight == SOURCE else "task"
    if weight != evidence.weight:
        which += " The text above and the figure below count each source of data once."
    return main_table(rows), f"Each {counts} counts once{'' if own else ', as in the paper'}.{which}"


def _numbers_of_models(scores: pd.DataFrame) -> str:
    """Return how many models the tasks have, as text.

    >>> _numbers_of_models(pd.DataFrame({"task_id": ["a", "a", "b"], "flow_name": ["x", "y", "x"]}))
    '1 to 2 models'
    """
    numbers = scores.groupby("task_id")["flow_name"].nunique()
    fewest, most = int(numbers.min()), int(numbers.max())
    return f"{fewest} to {most} models" if fewest < most else f"{most} model{'s' * (most > 1)}"


def _anchor(title: str) -> str:
    """Return the id of a section.

    >>> _anchor("How many heads are there?")
    'section-how-many-heads-are-there'
    """
    return "section-" + re.sub(r"\W+", "-", title.lower()).strip("-")


def _other_captions(evidence: Evidence, experiments: Sequence[Experiment]) -> dict[str, str]:
    """Return the captions of the tables of every study, and of experiments that are only made for others to read."""
    captions = {name: facts["caption"] for name, facts in tables_of_every_study().items()}
    shown = {PAPERS_FIGURES, *(each.name for each in experiments)}
    for each in evidence.experiments.values():
        if each.name not in shown:
            captions |= {name: table.caption for name, table in each.tables.items()}
    return captions


def _tables(captions: Mapping[str, str], files: Mapping[str, Path]) -> list[dict[str, str]]:
    """Return the file, size and caption of each table that is among `files`.

    A small table is added as HTML, unless the page shows its rows as cards.
    """
    return [
        {
            "file": files[name].name,
            "size": _bytes(files[name].stat().st_size),
            "caption": with_code(caption),
            "html": "" if name in SHOWN_AS_CARDS else _small(files[name]),
        }
        for name, caption in captions.items()
        if name in files
    ]


def _small(path: Path) -> str:
    if path.stat().st_size > MOST_BYTES or not 0 < len(rows := read_table(path)) <= MOST_ROWS:
        return ""
    with pd.option_context("display.max_colwidth", None):
        return rows.to_html(index=False, border=0, na_rep="", float_format="{:.4g}".format)


def _docs_page(name: str, figures: Path) -> str:
    """Return the address of a page of docs/ relative to the report, or "" if there is no such page.

    The report lies beside the folder of figures. Outside a checkout of the repository there is no docs/.
    """
    file = f"docs/{name}.md"
    return f"../../{file}" if (figures.parents[2] / file).exists() else ""


def _section(
    experiment: Experiment, evidence: Evidence, figures: Path, tables: Mapping[str, Path]
) -> dict[str, Any]:
    files = {name: figures / f"{name}.png" for name in experiment.figures}
    why = {f"figure {name}": why_not_drawn(file) for name, file in files.items()}
    why |= {
        f"{name}.csv": experiment.tables[name].empty or experiment.empty
        for name in experiment.tables
        if (table := evidence.table(name)) is not None and table.empty
    }
    reasons = dict.fromkeys(filter(None, why.values()))
    return {
        "title": page(experiment.page).title if experiment.name == experiment.main else "",
        "findings": findings(experiment, evidence),
        "figures": [
            {
                "source": base64.b64encode(file.read_bytes()).decode(),
                "name": name,
                "caption": with_code(experiment.figures[name]),
            }
            for name, file in files.items()
            if not why[f"figure {name}"]
        ],
        "tables": _tables({name: table.caption for name, table in experiment.tables.items()}, tables),
        "empty": {reason: [name for name in why if why[name] == reason] for reason in reasons},
    }


def findings(experiment: Experiment, evidence: Evidence) -> str:
    """Return the findings of an experiment in words, from its page and the tables of this study.

    They are "" if the study has no estimates of the experiment or, if it makes none, no rows of its first table. The
    experiment of the answer has neither, and reads the estimates of others. They are "" also for a further experiment,
    because its page has one text of findings, which belongs to the main experiment.
    """
    estimates = evidence.table("estimates")
    if experiment.name != experiment.main:
        return ""
    if experiment.has_quantities:
        rows = None if estimates is None else estimates[estimates["experiment"] == experiment.name]
    else:
        rows = evidence.table(next(iter(experiment.tables))) if experiment.tables else estimates
    if rows is None or rows.empty:
        return ""

    def number(name: str, **keys: object) -> pd.Series:
        return single(evidence.numbers(name, **keys), f"estimates.csv with {name} and {keys}")

    made = set() if estimates is None else set(estimates["experiment"])
    once = f"Each {'source of data' if evidence.weight == SOURCE else 'task'} counts once."
    names = {"numbers": evidence.numbers, "number": number, "made": made, "counts_once": once}
    return " ".join(text_of(page(experiment.page).findings, evidence.table, **names).split())


def _by_repetitions(tasks: pd.DataFrame) -> list[str]:
    """Return how many tasks have each number of repetitions. It is empty if all have a single one.

    >>> _by_repetitions(pd.DataFrame({"n_repeats": [None, 10, None]}))
    ['2 tasks has 1 repetition', '1 task has 10 repetitions']
    """
    if "n_repeats" not in tasks:
        return []
    counts = tasks["n_repeats"].fillna(1).astype(int).value_counts().sort_index()
    return [
        f"{n} task{'s' * (n > 1)} has {number} repetition{'s' * (number > 1)}" for number, n in counts.items()
    ]


def _left_out(rejections: pd.DataFrame) -> list[str]:
    """Return how many runs, folds or tasks were left out for each reason.

    >>> _left_out(pd.DataFrame({"reason": ["too_few_flows", "file_broken", "file_broken"], "run_id": [None, 1, 2]}))
    ['2 runs file_broken', '1 task too_few_flows']
    """
    runs = rejections["run_id"].notna() & (rejections["run_id"] != "")
    folds = rejections["reason"] == Reason.FOLD_ONE_CLASS
    unit = np.select([folds, runs], ["fold", "run"], "task")
    counts = rejections.groupby(["reason", unit]).size()
    return [f"{n} {unit}{'s' * (n > 1)} {reason}" for (reason, unit), n in counts.items()]


def shown_claims(evidence: Evidence) -> pd.DataFrame:
    """Return the rows of claims.csv.

    In a study of the user's own data, only the claims that these data decide are kept. Where the models are the
    user's own, too, these are the claims that the study brings, and none of the papers'.
    """
    claims = evidence.table("claims")
    if evidence.source in REPLICATING:
        return claims
    if brings_models(evidence.source):
        claims = claims[~claims["id"].isin(entries())]
    return claims[
        ~(claims["verdict"].isin(NOT_BY_DATA) | claims["verdict"].str.startswith(("arithmetic", "theorem")))
    ]


def claims_by_paper(evidence: Evidence, known: Mapping[str, Entry]) -> dict[str, list[dict]]:
    """Return the cards of the claims by the key of PAPERS, in the order of PAPERS."""
    values = evidence.table("claims_values").fillna({"item": ""}).groupby("id")
    papers: dict[str, list[dict]] = {}
    shown = shown_claims(evidence)
    words = partial(marked_up, anchors=set(shown["id"].str.lower()))
    for row in shown.fillna("").to_dict("records"):
        entry = known[row["id"]]
        papers.setdefault(entry.source, []).append(_card(entry, row, values.get_group(entry.id), words))
    return {key: papers[key] for key in PAPERS if key in papers}


def _card(
    entry: Entry, row: Mapping[str, str], values: pd.DataFrame, words: Callable[[str], str]
) -> dict[str, Any]:
    """Return what the page shows of a claim, from its rows of claims.csv and claims_values.csv.

    `words` makes HTML of a text of a claim.
    """
    shown = values.set_index("item").reindex(entry.shown)
    return {
        "id": entry.id,
        "title": words(entry["title"]),
        "says": words(entry.get("says")),
        "reading": words(entry.get("reading")),
        "is_of_a_paper": entry.source in sum(COUNTED.values(), ()),
        "place": entry.short_place,
        "address": entry.address,
        "quantity": words(_capitalised(entry.get("quantity"))),
        "numbers": [
            {"name": words(entry.shown[item]), **_published_and_measured(number_row, entry, item)}
            for item, number_row in shown.iterrows()
            if number_row["published"] or pd.notna(number_row["here"])
        ],
        "verdict": verdict_words(row["verdict"], values.to_dict("records")),
        "note": words(_capitalised(row["note"])),
        "data": words(_data(entry, shown["n"])),
        "rule": words(rule_in_plain_words(entry)),
        "amendments": [(date, words(change)) for date, change in entry.amendments],
    }


def rule_in_plain_words(entry: Entry) -> str:
    """Return the rule of a verdict. The words of a rule of confirmation are plainer than those that were committed."""
    if "committed" not in entry.facts:
        return entry.rule
    return f"Confirmed if {entry['confirmed']}. Contradicted if {entry['contradicted']}."


def _data(entry: Entry, counts: pd.Series) -> str:
    """Return on how many tasks the numbers of a claim rest and how they were measured, as text.

    It is "" if nothing was measured.
    """
    distinct = [f"{int(count)}" for count in counts.dropna().unique()]
    if not distinct:
        return ""
    which = f" {entry['which']}" if entry.get("which") else ""
    basis = f" {entry['basis']}." if entry.get("basis") else ""
    counted = "task" if distinct == ["1"] else "tasks"
    return f"We used {listed(distinct)} {entry.get('counted', counted)}{which}.{basis}"


def marked_up(text: str, anchors: Collection[str] | None = None) -> str:
    """Return a text of a claim as HTML, with its code, its emphasis and its links to other claims.

    If `anchors` are given, links to others become plain text.

    >>> marked_up("The *excess* of `a` < 1 ([FK-differ](#fk-differ))")
    Markup('The <em>excess</em> of <code>a</code> &lt; 1 (<a href="#fk-differ">FK-differ</a>)')
    >>> marked_up("see [FK-differ](#fk-differ)", anchors={"fk-x"})
    Markup('see FK-differ')
    """
    html = str(with_code(text))
    for pattern, element in MARKUP.items():
        html = re.sub(pattern, element, html)
    if anchors is not None:
        html = re.sub(LINK, lambda link: link[0] if link[1] in anchors else link[2], html)
    return do_mark_safe(html)


def with_code(text: str) -> str:
    """Return a text as HTML, with the code between its backticks.

    >>> with_code("`a` < 2 * b * c")
    Markup('<code>a</code> &lt; 2 * b * c')
    """
    return do_mark_safe(re.sub(r"`(.+?)`", r"<code>\1</code>", escape(text, quote=False)))


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def verdict_words(verdict: str, items: Sequence[Mapping[str, object]]) -> str:
    """Return a verdict in a few words.

    If the published numbers are about other tasks than ours, the words say on which side of our intervals
    they lie. `items` are the published numbers, each with our interval.
    """
    words = WORDS.get(verdict, verdict)
    return f"{words}: {sides_in_words(items)}" if verdict in OTHER_TASKS else words


def sides_in_words(items: Sequence[Mapping[str, object]]) -> str:
    """Return on which side of our intervals printed numbers lie.

    >>> sides_in_words([{"published": ".24", "low": 0.36, "high": 0.47}])
    'the printed number lies below our interval'
    """
    sides: dict[str, list[str]] = {"inside": [], "below": [], "above": []}
    for item in items:
        side = side_of(float(item["published"]), item["low"], item["high"])
        sides[side].append(with_zero(item["published"]))
    distinct = [
        f"{listed(numbers)} {'lies' if len(numbers) == 1 else 'lie'} {side}"
        for side, numbers in sides.items()
        if numbers
    ]
    if len(distinct) > 1:
        return f"of the printed numbers, {', and '.join(distinct)} our intervals"
    (side,) = (side for side, numbers in sides.items() if numbers)
    if len(items) == 1:
        return f"the printed number lies {side} our interval"
    return f"all printed numbers lie {side} our intervals"


def verdict_counts(verdicts: pd.Series, known: Mapping[str, Entry]) -> dict[str, Counter[str]]:
    """Return how many claims have each verdict in words, for each title of COUNTED.

    `verdicts` has the verdicts by the ids of the claims. Errata and remarks are not counted.
    """
    verdicts = verdicts[~verdicts.isin(NO_CLAIM)]
    sources = verdicts.index.map(lambda name: known[name].source)
    counts_by_title: dict[str, Counter[str]] = {}
    for title, papers in COUNTED.items():
        counts = verdicts[sources.isin(papers)].value_counts()
        title_counts = counts_by_title.setdefault(title, Counter())
        for verdict in Verdict:
            if verdict in counts.index:
                title_counts[WORDS.get(verdict, verdict)] += int(counts[verdict])
    return counts_by_title


def _published_and_measured(row: pd.Series, entry: Entry, item: str) -> dict[str, str]:
    percent = " %" if row["unit"] == "%" else ""
    return {
        "published": f"{with_zero(row['published'])}{percent}" if row["published"] else "",
        "measured": in_its_unit(row, entry, item) if pd.notna(row["here"]) else "",
    }


def in_its_unit(row: pd.Series, entry: Entry, item: str) -> str:
    """Return a number of claims_values.csv with its interval, in the unit and with the digits of its entry."""
    number = entry.numbers[item]
    unit = number.shown_in or entry.get("in")
    if not number.digits:
        return with_unit(row, unit)
    factor = 100 if unit and row["unit"] != "%" else 1
    scaled = [factor * row[end] for end in ("here", "low", "high")]
    centre, *ends = (with_decimals(value, number.digits) for value in scaled)
    interval = "" if pd.isna(row.get("low")) else f"({' to '.join(ends)})"
    return " ".join(filter(None, [centre, unit, interval]))


def with_unit(row: pd.Series, unit: str = "") -> str:
    """Return a number of claims_values.csv with its interval, in its own unit, in points or in %.

    >>> row = pd.Series({"here": 0.00264, "low": -0.006, "high": 0.0067, "unit": "F1"})
    >>> with_unit(row, "points"), with_unit(row)
    ('0.3 points (-0.6 to 0.7)', '0.00264 (-0.00600 to 0.00670)')
    """
    if 0 < abs(row["here"]) < ROUNDING and pd.isna(row["low"]):
        return f"{row['here']:.1e}"
    unit = unit or ("%" if row["unit"] == "%" else "")
    if not unit:
        return number(row, "here")
    factor = 1 if row["unit"] == "%" else 100
    hundredths = pd.Series({column: factor * row[column] for column in ("here", "low", "high")})
    estimate, _, interval = in_percent(hundredths, "here").partition(" ")
    return f"{estimate} {unit} {interval}".rstrip()


def _bytes(count: int) -> str:
    """Return a number of bytes as text, in kB or MB.

    >>> _bytes(150_000), _bytes(5_432_100)
    ('150 kB', '5.4 MB')
    """
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{max(count / 1e3, 1):.0f} kB"
