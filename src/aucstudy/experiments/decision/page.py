"""docs/choosing.md, the rule on one page, made from the evidence that comes with the package.

`python -m aucstudy.experiments.decision.page` copies decision.csv of the default study into the package and writes the
page anew. A test holds both against what is committed.
"""

from pathlib import Path

import pandas as pd

from aucstudy.area_names import AREA_LABELS, DISTINCT_PAIRS, PAIR_LABELS
from aucstudy.experiments.decision.evidence import EVIDENCE, evidence
from aucstudy.experiments.decision.rule import WORDS, band, decide, evidence_at, points, share
from aucstudy.experiments.decision.telling import QUESTION, findings_of
from aucstudy.presentation.markdown import markdown_table
from aucstudy.published.values import RULES_FIXED
from aucstudy.store.tables import read_table, write_whole

PAGE = Path(__file__).parents[4] / "docs" / "choosing.md"
TABLE = PAGE.parents[1] / "results" / "default" / "tables" / "decision.csv"
PRIMARY = TABLE.with_name("selection_primary.csv")
EXAMPLES = ((60, 0.05, 0.005), (500, 0.2, None), (5, 0.3, None))
LIMITS = """\
* Shares of swaps come from the tasks of the default study (`disagreement_tasks`), with intervals over its source
  groups; few tasks lie in a band, so the intervals are wide. A dash: fewer than five source groups.
* Costs come from simulations (`simulated_choices`): sets of models with curves fitted to real tasks ({n_sets} sets).
  At prevalences that no task has, the same curves are moved there. The number is an upper bound: the largest of all
  simulated cells of a band, corners included, plus two Monte Carlo errors. Models that differ more than these
  cost more.
* A point of one area counts as much as a point of another. Models of a task differ more in AUPR than in AUROC where
  positives are rare, so "use AUPR where you know nothing else" says that least is lost in points, not that AUPR is what
  you want.
* "Shown real" is the test by halves of the experiment `noise`; "at most" is what it shows of true swaps in the best of
  the simulated cells (`simulated_swaps`; large samples are not tested).
* {level}A hint is one cell's own interval: of twenty cells one
  excludes 0 by chance alone.
* What is wanted was judged on the other half of the test rows (`selection`); the models were not fitted again, and the
  tasks are those of the table.
* Outside of these sizes and prevalences the rule says nothing. It is exploratory: made and read on the same study.
* Verdicts on claims: {fixed}."""


def choosing_page(table: pd.DataFrame, primary: pd.DataFrame) -> str:
    """The page in Markdown.

    Parameters
    ----------
    table : decision.csv.
    primary : selection_primary.csv.
    """
    parts = [
        f"# {QUESTION}",
        "<!-- made by python -m aucstudy.experiments.decision.page -->",
        "AUPR, AUPRG and AUROC often put different models first. This page says how often, how often that was "
        "shown to be more than noise, what it costs to choose by the wrong one, and which to use. A point is a "
        "hundredth of the area or utility; brackets hold 95 % intervals.",
        "## The rule",
        "\n".join(f"* {sentence}" for sentence in findings_of(table)),
        "## By size and prevalence",
        _bands(table),
        "## By what you want of the model",
        "Choice by the area less AUROC's choice, in points, on rows that did not choose: above 0 the area is better.",
        _wanted(table),
        _designs(primary),
        "## For your own data",
        "`aucstudy audit FILE` ends its verdict with the rule for that file; in Python it is "
        "`aucstudy.experiments.decision.rule.decide(n_positive, prevalence, margin, evidence())`:",
        "\n".join(_examples(table)),
        "## Limits",
        LIMITS.format(n_sets=_sets(table), level=_level(table), fixed=RULES_FIXED),
    ]
    return "\n\n".join(parts) + "\n"


def _designs(primary: pd.DataFrame) -> str:
    """AUPRG's choice against AUPR's in F1 by both designs, with the verdict on each."""
    verdicts = {
        design: f"{points(row['difference'])} points ({points(row['low'])} to {points(row['high'])}): {row['verdict']}"
        for design, row in primary[primary["utility"] == "f1"].set_index("design").iterrows()
    }
    folds = (
        f" Chosen on all folds but one and judged on that one, a design that was not primary: {verdicts['folds']}."
        if "folds" in verdicts
        else ""
    )
    return (
        f"AUPRG's choice less AUPR's in F1, the primary contrast: {verdicts['halves']}.{folds} Each verdict is one for "
        "F1 and expected F-Gain together."
    )


def _sets(table: pd.DataFrame) -> str:
    costs = table.loc[table["quantity"] == "cost", "n_groups"]
    return f"{costs.max():.0f}" if len(costs) else "no"


def _level(table: pd.DataFrame) -> str:
    levels = table[table["quantity"] == "level"]
    if levels.empty:
        return ""
    worst = levels.loc[levels["estimate"].idxmax()]
    return f"Where no swap is real, the test calls one real in {share(worst)} of the samples in the worst cell.\n  "


def _bands(table: pd.DataFrame) -> str:
    pairs = [PAIR_LABELS[pair] for pair in DISTINCT_PAIRS]
    heads = [
        "positives", "prevalence", *(f"{names} differ" for names in pairs), "tasks",
        f"{pairs[1]}: shown real", "at most", "largest cost", "by", "of",
    ]  # fmt: skip
    lines = []
    costs = table[table["quantity"] == "cost"]
    for bounds, rows in costs.groupby(["positives_from", "positives_to", "prevalence_from", "prevalence_to"]):
        # the middle of a band lies in no other
        n, prevalence = (bounds[0] + bounds[1]) / 2, (bounds[2] + bounds[3]) / 2
        swaps, real, power = (
            evidence_at(table, quantity, n, prevalence).set_index(["first", "second"])
            for quantity in ("p_swap", "p_real", "power")
        )
        worst = rows.loc[rows["high"].idxmax()]
        cells = [
            band(worst, "positives"), band(worst, "prevalence"),
            *(share(swaps.loc[pair]) if pair in swaps.index else "–" for pair in DISTINCT_PAIRS),
            f"{swaps['n'].iloc[0]:.0f}" if len(swaps) else "–",
            share(real.loc[DISTINCT_PAIRS[1]]) if len(swaps) and DISTINCT_PAIRS[1] in real.index else "–",
            f"{100 * power.loc[DISTINCT_PAIRS[1], 'estimate']:.0f} %" if DISTINCT_PAIRS[1] in power.index else "–",
            f"{points(worst['high'])}{' (matters)' if worst['verdict'] == 'matters' else ''}",
            AREA_LABELS[worst["first"]], AREA_LABELS[worst["second"]],
        ]  # fmt: skip
        lines.append(cells)
    return markdown_table(heads, lines)


def _wanted(table: pd.DataFrame) -> str:
    use = table[table["quantity"] == "use"].set_index(["first", "judged_by"])
    choosers = list(dict.fromkeys(name for name, _ in use.index))
    heads = ["wanted", *(AREA_LABELS.get(name, "a model at random") for name in choosers)]
    lines = []
    for utility, words in WORDS.items():
        rows = [use.loc[(name, utility)] for name in choosers if (name, utility) in use.index]
        cells = [
            f"{points(row['estimate'])} ({points(row['low'])} to {points(row['high'])})"
            + ("" if row["verdict"] == "nothing" else f" {row['verdict']}")
            for row in rows
        ]
        lines.append([words, *cells])
    return markdown_table(heads, lines)


def _examples(table: pd.DataFrame) -> list[str]:
    lines = []
    for n, prevalence, margin in EXAMPLES:
        lead = "" if margin is None else f", the best model {margin:g} ahead in AUPR"
        lines.append(
            f"* *{n} positives, prevalence {prevalence:g}{lead}.* {decide(n, prevalence, margin, table)}"
        )
    return lines


if __name__ == "__main__":
    write_whole(EVIDENCE, lambda path: path.write_bytes(TABLE.read_bytes()))
    made = choosing_page(evidence(), read_table(PRIMARY))
    write_whole(PAGE, lambda path: path.write_text(made, encoding="utf-8"))
