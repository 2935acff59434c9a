"""The first page of the report, an HTML fragment in Snakemake's report: the answer, the questions, the ledger."""

import base64
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from aucstudy.claims.verdicts import Evidence
from aucstudy.presentation.templates import templates_of
from aucstudy.report.answer import answer
from aucstudy.report.answer_figure import CAPTION
from aucstudy.report.ledger import MEANING, ledger, verdict_counts
from aucstudy.report.other_studies import answers_beside, kind_of, many_tasks, told_beside
from aucstudy.report.population import population
from aucstudy.report.questions import sections
from aucstudy.report.side_by_side import side_by_side
from aucstudy.report.table_page import MOST_TOGETHER, WITH_ALL_DIGITS
from aucstudy.report.wording import in_one_style

ANSWER_FIGURE = "answer"


def front_page(
    evidence: Evidence,
    study: str,
    figures: Path,
    told: Sequence[Path],
    tables: Sequence[Path] = (),
    *,
    beside: Mapping[str, Path] | None = None,
    results: Path | None = None,
    audited: bool = False,
) -> str:
    """The answer with its figure and the verdicts counted, a section a question, the ledger, and the files beside.

    Parameters
    ----------
    evidence : the study's tables, claims.csv and claims_values.csv among them.
    figures : the folder with <figure>.png, answer.png among them where there is an answer.
    told : the folder of each experiment's findings, named like the experiment, in the order of the report.
    tables : the files of all tables, which stand beside the report.
    beside : the folders of tables of other studies, by their names.
    results : the folder of the results of all studies, whose populations stand side by side once that was made.
    audited : whether the page audit.html stands there too.
    """
    answered = {part.question: part for part in answer(evidence)}
    findings = {folder.name: _findings(folder) for folder in told}
    questions = [
        (
            question,
            answered.get(question.question),
            [_experiment(findings[name], figures, question.question) for name in own],
        )
        for question, own in sections(findings)
    ]
    others = many_tasks(beside or {})
    populations = side_by_side(results) if results else []
    in_table = {study for study, *_ in populations}
    page = (
        templates_of("aucstudy.report")
        .get_template("front_page.html")
        .render(
            study=study,
            parts=list(answered.values()),
            answer_figure=_picture(figures / f"{ANSWER_FIGURE}.png") if answered else None,
            answer_caption=CAPTION,
            counts=verdict_counts(evidence),
            population=population(evidence),
            beside={name: words for name, words in told_beside(beside or {}).items() if name not in in_table},
            elsewhere=answers_beside(others),
            others={name: kind_of(study) for name, study in others.items()},
            populations=populations,
            questions=questions,
            papers=ledger(evidence),
            meaning=MEANING,
            tables=[(path.name, _bytes(path.stat().st_size)) for path in tables],
            bounds=(_bytes(WITH_ALL_DIGITS), _bytes(MOST_TOGETHER)),
            audited=audited,
        )
    )
    # a number and its unit stay on one line
    return page.replace(" %", "&nbsp;%")


def _findings(folder: Path) -> dict:
    return json.loads((folder / "findings.json").read_text(encoding="utf-8"))


def _experiment(findings: dict, figures: Path, section: str) -> dict:
    """An experiment as the template shows it: its own question, sentences, and figures with a short name each."""
    drawn = [
        {"source": _picture(figures / f"{name}.png"), "name": in_words(name), "caption": caption}
        for name, caption in findings["figures"].items()
    ]
    title = findings["question"] or ", ".join(figure["name"] for figure in drawn)
    # the section has asked it already
    title = "In numbers" if title == section else title
    return {
        "title": title,
        "sentences": [in_one_style(said) for said in findings["sentences"]],
        "figures": drawn,
    }


def in_words(figure: str) -> str:
    """The name of a figure's file as words.

    >>> in_words("f1_contours"), in_words("rank_heat_map")
    ('F1 contours', 'Rank heat map')
    """
    words = figure.replace("_", " ")
    return words[0].upper() + words[1:]


def _bytes(count: int) -> str:
    """A size as a reader wants it.

    >>> _bytes(150_000), _bytes(5_432_100)
    ('150 kB', '5.4 MB')
    """
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{max(count / 1e3, 1):.0f} kB"


def _picture(path: Path) -> str:
    """A PNG as a data address."""
    return f"data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}"
