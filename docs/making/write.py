"""Writes README.md, the pages of docs/ with numbers and the article in paper/rescience from their templates.

The numbers come from the committed tables. `python docs/making/write.py` writes the pages again, with their
figures and the exact claims. If a sentence of a template says which of two numbers is larger, a guard comes
before it. The guard ends the run with an error once the tables no longer say so.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import few as few_words
import pandas as pd
from choice_table import auroc_over, choice_table, choices, signed_points
from claims import Ledger, described
from committed import EXACT, ROOT, RULES_FIXED, Study, Tables, committed, hundredths, save_figure, turned
from committed import learners_apart as apart
from jinja2 import FileSystemLoader
from peers import RULES, by_function, matrix, peers_figure
from pictures import take_pictures
from populations import FIGURES, populations, populations_figure
from printed import printed

from aucstudy.area_names import DISTINCT_PAIRS
from aucstudy.claims.claims import exact_claims
from aucstudy.estimates import POPULATIONS, learners_apart
from aucstudy.metrics import definition as areas_module
from aucstudy.published import printed_shares, printed_table
from aucstudy.store.files import write_text
from aucstudy.store.tables import write_table
from aucstudy.wording import guard, selected, text_templates

TEMPLATES = text_templates(FileSystemLoader(Path(__file__).parent))
PAGES = {
    "README.md": "README.md.j2",
    "docs/audit.md": "audit.md.j2",
    "docs/choosing.md": "choosing.md.j2",
    "docs/claims.md": "claims.md.j2",
    "docs/definitions.md": "definitions.md.j2",
    "docs/few-positives.md": "few-positives.md.j2",
    "docs/figures.md": "figures.md.j2",
    "docs/peers.md": "peers.md.j2",
    "docs/populations.md": "populations.md.j2",
    "paper/rescience/article.md": "rescience.md.j2",
}


COMPARED = ("weka", "wide", "default")


def table_3_as_printed(ratio: str, column: str) -> str:
    """Return the two numbers of Boyd et al.'s table 3 for a ratio: downsampled test set; original test set.

    The ratio is "original" or, for example, "1:2". The column is `aucpr` or `aucnpr`.
    """
    negatives = 24 if ratio == "original" else int(ratio.removeprefix("1:"))
    rows = printed_table(3).set_index(["negatives_per_positive", "test_set"])[column]
    return f"{rows[negatives, 'downsampled']}; {rows[negatives, 'original']}"


def render(
    page: str,
    tables: Tables = committed,
    guard: Callable[[object, str], str] = guard,
    few: few_words.FewPositives | None = None,
) -> str:
    """Return the text of a page of PAGES, by default with the numbers of the committed tables."""
    ledger, studies, choice = Ledger(tables), populations(tables), choices(tables=tables)
    return TEMPLATES.get_template(PAGES[page]).render(
        guard=guard,
        RULES=RULES,
        matrix=matrix,
        by_function=by_function,
        study=lambda name: Study(name, tables),
        populations=studies,
        ledger=ledger,
        verdict=ledger.verdict,
        described=described(),
        main_claims=[name for name, facts in described().items() if facts.get("main")],
        printed=printed,
        table_3_as_printed=table_3_as_printed,
        printed_shares=[printed_shares()[*pair, 1] / 100 for pair in DISTINCT_PAIRS],
        choice=choice,
        choice_table=choice_table(choice),
        signed_points=signed_points,
        auroc_over_ap=partial(auroc_over, "average_precision", tables=tables),
        rules_fixed=RULES_FIXED,
        few=few or few_words.FewPositives(tables),
        few_words=few_words,
        where=selected,
        limits_benchmark=pd.read_csv(ROOT / "results" / "benchmarks" / "few_positives_limits.csv"),
        definition=definition(),
        learners_apart=apart,
        turned=turned,
        across=lambda method, *of: " | ".join(
            hundredths(getattr(study, method)(*of)) for study in studies.values()
        ),
    )


def definition() -> str:
    """Return the source code of all metrics, without the checks of their arguments."""
    source = Path(areas_module.__file__).read_text(encoding="utf-8")
    return source[source.index("def sums_of_groups(") :].rstrip()


if __name__ == "__main__":
    for name, claims in zip(("claims", "claims_values"), exact_claims(), strict=True):
        write_table(claims, ROOT / "results" / EXACT / f"{name}.csv")
    write_table(
        learners_apart(committed, COMPARED), ROOT / "results" / POPULATIONS / "tables" / "estimates.csv"
    )
    studies = populations()
    save_figure(populations_figure(studies), FIGURES / "populations")
    save_figure(peers_figure(), ROOT / "docs" / "conformance")
    take_pictures()
    for page in PAGES:
        text = render(page)
        write_text(ROOT / page, text)
