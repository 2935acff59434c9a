"""docs/choosing.md, the rule on one page, made from the evidence that comes with the package.

`python docs/making/choosing.py` copies decision.csv of the default study into the package and writes the page anew. A
test holds both against what is committed.
"""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from committed import RULES_FIXED
from jinja2 import ChoiceLoader, FileSystemLoader

from aucstudy.area_names import AREA_LABELS, DISTINCT_PAIRS, PAIR_LABELS
from aucstudy.audit.decision import EVIDENCE, NAMES, SENTENCES, decide, evidence, worded
from aucstudy.experiments.decision_rule import WORDS, evidence_at, preferences, safest_area, that_matter
from aucstudy.presentation.wording import percent, text_templates
from aucstudy.store.files import write_whole
from aucstudy.store.tables import read_table

PAGE = Path(__file__).parents[1] / "choosing.md"
TABLE = PAGE.parents[1] / "results" / "default" / "tables" / "decision.csv"
PRIMARY = TABLE.with_name("selection_primary.csv")
EXAMPLES = ((60, 0.05, 0.005), (500, 0.2, None), (5, 0.3, None))
TEMPLATES = ChoiceLoader([FileSystemLoader(Path(__file__).parent), SENTENCES])
PAIR = ["first", "second"]


def choosing_page(table: pd.DataFrame, primary: pd.DataFrame) -> str:
    """The page in Markdown.

    Parameters
    ----------
    table : decision.csv.
    primary : selection_primary.csv.
    """
    of = {name: table[table["quantity"] == name] for name in ("cost", "p_real", "power", "level", "use")}
    crossing = table[table["quantity"] == "cost_crossing"]
    clear, silent = preferences(of["use"])
    areas, random = (of["use"][(of["use"]["first"] == "random") == chance] for chance in (False, True))
    return (
        text_templates(TEMPLATES)
        .get_template("choosing.md.j2")
        .render(
            **NAMES,
            **of,
            crossing=crossing,
            by_prevalence=[
                (ends, rows, _cost(_over_bands(rows)))
                for ends, rows in of["cost"].groupby(["prevalence_from", "prevalence_to"])
            ],
            best=of["power"].loc[of["power"].groupby(PAIR)["estimate"].idxmax()],
            clear=clear,
            silent=silent,
            areas=areas,
            random=random.set_index("judged_by"),
            pairs=[PAIR_LABELS[pair] for pair in DISTINCT_PAIRS],
            bands=list(_bands(table)),
            choosers=list(dict.fromkeys(of["use"]["first"])),
            wanted=list(_wanted(of["use"])),
            designs=primary[primary["utility"] == "f1"].set_index("design"),
            examples=[(*example, decide(*example, table)) for example in EXAMPLES],
            rules_fixed=RULES_FIXED,
        )
    )


def _cost(costs: pd.DataFrame) -> str:
    return worded().cost(costs.loc[costs["high"].idxmax()], that_matter(costs), *safest_area(costs))


def _over_bands(costs: pd.DataFrame) -> pd.DataFrame:
    """Of each direction the band that costs most; one that matters anywhere matters."""
    largest = costs.sort_values("high", ascending=False).groupby(PAIR, as_index=False, sort=False).first()
    matters = set(costs.loc[costs["verdict"] == "matters", PAIR].itertuples(index=False, name=None))
    ways = largest[PAIR].itertuples(index=False, name=None)
    return largest.assign(verdict=["matters" if way in matters else "noise" for way in ways])


def _bands(table: pd.DataFrame) -> Iterator[list[str]]:
    """The cells of each band of positives and prevalence."""
    words, pair = worded(), DISTINCT_PAIRS[1]
    costs = table[table["quantity"] == "cost"]
    for bounds, rows in costs.groupby(["positives_from", "positives_to", "prevalence_from", "prevalence_to"]):
        # the middle of a band lies in no other
        n, prevalence = (bounds[0] + bounds[1]) / 2, (bounds[2] + bounds[3]) / 2
        swaps, real, power = (
            evidence_at(table, quantity, n, prevalence).set_index(PAIR)
            for quantity in ("p_swap", "p_real", "power")
        )
        worst = rows.loc[rows["high"].idxmax()]
        yield [
            words.band(worst, "positives"), words.band(worst, "prevalence"),
            *(percent(swaps.loc[each]) if each in swaps.index else "–" for each in DISTINCT_PAIRS),
            f"{swaps['n'].iloc[0]:.0f}" if len(swaps) else "–",
            percent(real.loc[pair]) if len(swaps) and pair in real.index else "–",
            f"{100 * power.loc[pair, 'estimate']:.0f} %" if pair in power.index else "–",
            f"{words.points(worst['high'])}{' (matters)' if worst['verdict'] == 'matters' else ''}",
            AREA_LABELS[worst["first"]], AREA_LABELS[worst["second"]],
        ]  # fmt: skip


def _wanted(use: pd.DataFrame) -> Iterator[list[str]]:
    """The cells of each utility."""
    points = worded().points
    for utility, words in WORDS.items():
        yield [words] + [
            f"{points(row['estimate'])} ({points(row['low'])} to {points(row['high'])})"
            + ("" if row["verdict"] == "nothing" else f" {row['verdict']}")
            for _, row in use[use["judged_by"] == utility].iterrows()
        ]


if __name__ == "__main__":
    write_whole(EVIDENCE, lambda path: path.write_bytes(TABLE.read_bytes()))
    made = choosing_page(evidence(), read_table(PRIMARY))
    write_whole(PAGE, lambda path: path.write_text(made, encoding="utf-8"))
