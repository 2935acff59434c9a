"""What README.md and docs/claims.md say in numbers, made from the committed tables so that they cannot differ.

Run as `python -m aucstudy.report.readme` to write both anew.
"""

from collections.abc import Mapping
from pathlib import Path

from aucstudy.presentation.markdown import markdown_table
from aucstudy.presentation.phrases import listed
from aucstudy.report.answer import answer
from aucstudy.report.answer_figure import CAPTION
from aucstudy.report.choosing import advice, rule_table
from aucstudy.report.key_claims import key_table
from aucstudy.report.ledger import MEANING, Claim, Number, counts_sentence, ledger
from aucstudy.report.other_studies import (
    answers_beside,
    kind_of,
    many_tasks,
    studies_beside,
    told_beside,
    verdicts_beside,
)
from aucstudy.report.side_by_side import side_by_side

from aucstudy.claims.verdicts import Evidence, Verdict
from aucstudy.published.values import RULES_FIXED
from aucstudy.store.files import write_whole
from aucstudy.store.tables import read_table

ROOT = Path(__file__).parents[3]
README, CLAIMS_PAGE = ROOT / "README.md", ROOT / "docs" / "claims.md"
STUDY = "default"
TABLES = ROOT / "results" / STUDY / "tables"
FIGURE = f"results/{STUDY}/figures/answer.png"
FIGURE_TEXT = "How often areas disagree, beyond noise, whose choice is better, and what skew moves"
BEGIN = "<!-- {name}: made by python -m aucstudy.report.readme -->"
END = "<!-- end of {name} -->"
HEAT_MAP = f"""\
![Rank by one area against rank by another](../results/{STUDY}/figures/rank_heat_map.png)

*How often a model is ranked i by one area and j by another, colours in powers of two (Flach & Kull 2015,
figure 4, left).*"""
RULES = Path("populations", "tables", "populations_rules.csv")
# what another study of the checkout measured for a claim
ELSEWHERE = {
    "B-tab3-data": "*Elsewhere.* The study `uw-cse` has Boyd et al.'s own data with other learners: what it found "
    "stands under the figure of the [README](../README.md)."
}
# so many numbers of one claim are shown at once, more are folded away
MOST_OPEN = 6


def readme_parts(evidence: Evidence) -> dict[str, str]:
    """The parts of the README that are made, by the names in its marks."""
    folders = studies_beside(ROOT / "results", STUDY)
    others = many_tasks(folders)
    elsewhere = answers_beside(others)
    answered = "\n".join(
        f"* **{part.question} {part.short}** {part.numbers}"
        + "".join(f" *{name}*: {short}" for name, short in elsewhere.get(part.question, {}).items())
        for part in answer(evidence)
    )
    asked = listed(f"*{name}* ({kind_of(study)}{_shared(study, evidence)})" for name, study in others.items())
    start = (
        f"Each answer is that of the study *{STUDY}* ({len(evidence.table('tasks'))} tasks, exploratory); those of "
        f"{asked} follow."
    )
    figure = f"![{FIGURE_TEXT}]({FIGURE})\n*Study {STUDY}. {CAPTION}*"
    in_table = {study for study, *_ in side_by_side(ROOT / "results")}
    beside = [
        f"* {words} (Study `{name}`.)" for name, words in told_beside(folders).items() if name not in in_table
    ]
    rule = "\n".join(rule_table(evidence.table("decision")))
    return {
        "answer": "\n\n".join(
            [start, answered, figure, "\n".join(beside), populations(ROOT), confirmed(ROOT / "results")]
        ),
        "choosing": "\n\n".join([rule, "\n".join(f"* {sentence}" for sentence in advice(evidence))]),
        "verdicts": f"{counts_sentence(evidence)} All are in [docs/claims.md](docs/claims.md), those that bear on the "
        "answer here. Exact or not: computed from a paper's own formulas and tables; supported, contradicted or "
        "undecided: by our tasks, and where *weka* or *wide* are not named they agree or have no data for it. A "
        f"dash: the paper gives no number. Rules: {RULES_FIXED}.\n\n"
        f"{key_table(evidence, 'docs/claims.md', verdicts_beside(others))}",
    }


def _shared(study: Evidence, evidence: Evidence) -> str:
    """How many tasks of a study are those of this one."""
    n_shared = study.table("tasks")["task_id"].isin(evidence.table("tasks")["task_id"]).sum()
    return f", {n_shared} of them those of *{STUDY}*" if n_shared else ""


def populations(root: Path) -> str:
    """The slot of the populations side by side: filled once results/populations and docs/populations.md exist."""
    rows = side_by_side(root / "results")
    if not rows or not (root / "docs" / "populations.md").exists():
        return "<!-- populations side by side: made here once results/populations/tables exists -->"
    start = "Tasks with another best model on other populations ([docs/populations.md](docs/populations.md)):"
    return f"{start}\n\n{markdown_table(rows[0], rows[1:])}"


def confirmed(results: Path) -> str:
    """How many rules of confirmation each other study confirms, contradicts and leaves open, and which not."""
    table = read_table(results / RULES)
    sentences: list[str] = []
    not_confirmed: set[str] = set()
    for study, rules in table[table["study"] != STUDY].groupby("study", sort=False):
        judged = rules[~rules["verdict"].isin((Verdict.NOT_AVAILABLE, Verdict.TOO_FEW_DATA))]
        if judged.empty:
            continue
        words = (
            f"{verdict} {len(of)}" + ("" if verdict == Verdict.CONFIRMED else f" ({', '.join(of['id'])})")
            for verdict, of in judged.groupby("verdict")
        )
        not_confirmed.update(judged["id"][judged["verdict"] != Verdict.CONFIRMED])
        sentences.append(f"*{study}*: {listed(words)}")
    claims = table.drop_duplicates("id").set_index("id")["claim"]
    named = "; ".join(
        f"{name}: {claim.rstrip('.')}" for name, claim in claims.items() if name in not_confirmed
    )
    return (
        f"Of the {table['id'].nunique()} rules of confirmation ([docs/confirmation.md](docs/confirmation.md)), written "
        f"before other tasks were computed, {'; '.join(sentences)}." + (f" {named}." if named else "")
    )


def with_parts(text: str, parts: dict[str, str]) -> str:
    """A text with what stands between the marks of each part replaced."""
    for name, made in parts.items():
        begin, end = BEGIN.format(name=name), END.format(name=name)
        before, rest = text.split(begin)
        text = f"{before}{begin}\n{made}\n{end}{rest.split(end)[1]}"
    return text


def claims_page(evidence: Evidence) -> str:
    """docs/claims.md: every claim with its numbers, its verdict, its note and the rule by which it is judged."""
    parts = [
        "# What the papers say and what was found here",
        "<!-- made by python -m aucstudy.report.readme -->",
        f"{counts_sentence(evidence)} Each verdict is computed from the tables in `results/{STUDY}/tables` by the rule "
        "that stands under the claim; `claims_values.csv` has the same with all digits. Areas lie between 0 and 1, "
        "brackets hold 95 % intervals over groups of related data sets.",
        "\n".join(f"* *{words}*: {meaning}" for words, meaning in MEANING.items()),
        HEAT_MAP,
    ]
    beside = verdicts_beside(many_tasks(studies_beside(ROOT / "results", STUDY)))
    for paper, claims in ledger(evidence).items():
        parts.append(f"## {paper}")
        parts += [_claim(claim, beside.get(claim.id, {})) for claim in claims]
    return "\n\n".join(parts) + "\n"


def _claim(claim: Claim, beside: Mapping[str, str]) -> str:
    lines = [f"### {claim.id}", "", f"{claim.claim}. **{claim.verdict.capitalize()}.**"]
    if claim.note:
        lines[-1] += f" {claim.note[0].upper()}{claim.note[1:]}."
    table = [markdown_table(["number", "published", "here"], map(_cells, claim.numbers))]
    if len(claim.numbers) > MOST_OPEN:
        table = [
            "<details>",
            f"<summary>{len(claim.numbers)} numbers</summary>",
            "",
            *table,
            "",
            "</details>",
        ]
    rule = f"*Rule.* {claim.rule}"
    others = "; ".join(f"`{name}`, {words}" for name, words in beside.items())
    elsewhere = [f"*Other studies.* {others}."] if others and not claim.arithmetic else []
    elsewhere += [ELSEWHERE[claim.id]] if claim.id in ELSEWHERE else []
    return "\n".join([*lines, "", *table, "", rule, *(line for text in elsewhere for line in ("", text))])


def _cells(number: Number) -> list[str]:
    here = f"{number.here} ({number.interval})" if number.interval else number.here
    cells = (number.name, number.published or "–", here or "–")
    return [cell.replace("|", "\\|") for cell in cells]


def write() -> None:
    """Write README.md and docs/claims.md anew."""
    evidence = Evidence(TABLES, "packaged")
    made = {
        README: with_parts(README.read_text(encoding="utf-8"), readme_parts(evidence)),
        CLAIMS_PAGE: claims_page(evidence),
    }
    for file, text in made.items():
        write_whole(file, lambda path, text=text: path.write_text(text, encoding="utf-8"))


if __name__ == "__main__":
    write()
