"""The tables of numbers that cog writes into pages, between the marks `[[[cog` and `[[[end]]]`.

Each function returns a block of Markdown. `python -m cogapp` calls the functions (see CONTRIBUTING.md).
"""

from pathlib import Path

from committed import Study, committed, hundredths, turned
from estimates import estimates
from peers import RULES, by_function, matrix

from aucstudy.claims.entries import entries, printed_shares
from aucstudy.experiments.compared import DISTINCT_PAIRS, PAIR_LABELS
from aucstudy.experiments.decomposition import ORDERS, order_name
from aucstudy.metrics import definition
from aucstudy.published import ORIGINAL_RATIO, printed_table
from aucstudy.report import main_table as report
from aucstudy.store.estimates import ALL, SOURCE, TASK
from aucstudy.wording import markdown_table, percent, selected, single

POPULATIONS = ("wide", "weka, data of wide", "weka, data of default", "default")


def _across_populations(*, is_turned: bool = False, **where: object) -> list[str]:
    """Return an estimate over all tasks of each population, in hundredths.

    If `is_turned` is true, it is that of the second metric minus the first.
    """
    of_kinds = estimates()[estimates()["kind"].isin(["mean", "share"])]
    rows = selected(of_kinds, **{"weight": SOURCE, "subset": ALL, **where})
    cells = []
    for name in POPULATIONS:
        row = single(selected(rows, population=name), f"{where} of {name}")
        cells.append(hundredths(turned(row) if is_turned else row))
    return cells


def _headings() -> list[str]:
    return ["`wide`", "`weka`, data of `wide`", "`weka`, data of `default`", "`default`"]


def both_ways_of_counting() -> str:
    """Return how often two metrics pick different best models, in each population and by each weight."""
    lines = []
    for pair in DISTINCT_PAIRS:
        where = {"experiment": "disagreement", "quantity": "differs", "at": 1}
        where |= dict(zip(("first", "second"), pair, strict=True))
        by_source, by_task = (_across_populations(**where, weight=weight) for weight in ("source", "task"))
        lines.append([PAIR_LABELS[pair], "each source once", *by_source, ""])
        lines.append(["", "each task once", *by_task, f"{printed_shares()[*pair, 1]:.0f}"])
    return markdown_table(["", "counted", *_headings(), "Flach & Kull"], lines)


def findings_by_population() -> str:
    """Return the findings on chance, choice and causes in each population."""
    experiments = "../src/aucstudy/experiments"
    two_halves = {"experiment": "noise", "at": 1, "first": "aupr", "second": "auroc"}
    gain = {"experiment": "selection", "quantity": "gain", "setting": "halves", "second": "auroc"}
    rows = {
        "% of the splits in which AUPR on one half and AUROC on the other [pick different models]"
        f"({experiments}/noise.md)": {**two_halves, "quantity": "across"},
        "% of the splits in which AUPR picks different models on the two halves":
            {**two_halves, "quantity": "self_first"},
        f"F1 of AUROC's model [minus F1 of AUPR's model]({experiments}/selection.md) (points)":
            {**gain, "first": "aupr", "target": "f1", "is_turned": True},
        "F1 of AUROC's model minus F1 of AUPRG's model (points)":
            {**gain, "first": "auprg", "target": "f1", "is_turned": True},
        "F1 of AUROC's model minus F1 of a random model (points)":
            {**gain, "first": "random", "target": "f1", "is_turned": True},
        "recall at precision .9: AP's model minus AUROC's model (points)":
            {**gain, "first": "average_precision", "target": "recall_at_90"},
        "% of the tasks in which AUPRG's best model overtakes AUPR's best model when [recall below the prevalence is "
        f"left out]({experiments}/decomposition.md); only tasks where AUPR and AUPRG pick different best models count":
            {"experiment": "decomposition", "quantity": "change of the best model", "target": order_name(ORDERS[0]),
             "setting": "recall_above_prevalence"},
        f"% of the tasks where [AP and the exact AUPR]({experiments}/conventions.md) pick different best models":
            {"experiment": "conventions", "quantity": "differs", "at": 1, "second": "average_precision"},
    }  # fmt: skip
    lines = [[words, *_across_populations(**where)] for words, where in rows.items()]
    return markdown_table(["each source counts once", *_headings()], lines)


def flip_pair() -> str:
    """Return the areas of the two models of figure 5: ours, and those that the paper prints."""
    pair = committed("wide", "flip_pair")
    ours = [
        [f"our {place} model", f"{row.aupr:.3f}", f"{row.auprg:.3f}"]
        for place, row in zip(("first", "second"), pair.itertuples(), strict=True)
    ]
    printed = [number.printed for number in entries()["FK-fig5"].numbers.values()]
    papers = [["the paper's AdaBoost", *printed[:2]], ["the paper's Logistic Regression", *printed[2:]]]
    return markdown_table(["", "AUPR", "AUPRG"], [*ours, *papers])


def main_table() -> str:
    """Return the main table of Flach & Kull beside three studies: three numbers of each pair of metrics, by task."""
    studies = ("wide", "weka", "default")
    counted = {"experiment": "disagreement", "weight": TASK, "subset": ALL}
    tables = [report.main_table(selected(Study(study).estimates(), **counted)) for study in studies]
    lines = []
    for k, words in enumerate(report.COLUMNS):
        for pair in DISTINCT_PAIRS:
            cells = [table[PAIR_LABELS[pair]][k] for table in tables]
            lines.append([words, PAIR_LABELS[pair], cells[0].printed, *(cell.ours for cell in cells)])
    tasks = [str(len(Study(study).tasks)) for study in studies]
    lines.append(["number of tasks", "", "886", *tasks])
    return markdown_table(["", "metrics", "Flach & Kull", *(f"`{study}`" for study in studies)], lines)


def table_3() -> str:
    """Return table 3 of Boyd et al. beside our means over learners: downsampled test set; original one."""
    printed = printed_table(3).set_index(["negatives_per_positive", "test_set"])
    lines = []
    for ratio, rows in committed("uw-cse", "refitting_table_3").groupby("ratio", sort=False):
        negatives = ORIGINAL_RATIO if ratio == "original" else int(ratio.removeprefix("1:"))
        cells = []
        for paper, ours in (("aucpr", "aupr"), ("aucnpr", "aucnpr")):
            of_paper = printed[paper][negatives]
            cells.append(f"{of_paper['downsampled']}; {of_paper['original']}")
            cells.append(f"{rows[f'{ours}_downsampled'].mean():.3f}; {rows[f'{ours}_original'].mean():.3f}")
        lines.append([ratio if ratio != "original" else "1:24, the original", *cells])
    heads = ["ratio in training", "paper, AUPR", "ours, AUPR", "paper, AUCNPR", "ours, AUCNPR"]
    return markdown_table(heads, lines)


def functions_of_tools() -> str:
    """Return which definition each function of a tool follows, but for AUROC."""
    functions = by_function(matrix())
    lines = [
        [
            f"{row.tool} `{row.function}`", row.version, RULES[row.convention],
            f"{row.n_same} of {row.n_cases}", f"{row.largest_error:.0e}", row.one_class,
        ]
        for row in functions[functions["convention"] != "auroc"].itertuples()
    ]  # fmt: skip
    heads = ["function", "version", "rule of the function", "cases in which it follows the rule"]
    return markdown_table([*heads, "largest error", "answer in cases with one class"], lines)


def steps_and_trapezoids() -> str:
    """Return how often two other rules pick another best model than hyperbolas, by the share of tied pairs."""
    differs = {
        "experiment": "conventions",
        "quantity": "differs",
        "at": 1,
        "population": "wide",
        "weight": TASK,
    }
    groups = {
        ALL: "all",
        "1 to 10 % tied pairs": "1 to 10 % of the pairs are tied",
        "10 to 20 % tied pairs": "10 to 20 % are tied",
        "more than 20 % tied pairs": "more than 20 % are tied",
    }
    lines = []
    for subset, words in groups.items():
        rows = selected(estimates(), **differs, subset=subset)
        steps, trapezoids = (
            single(selected(rows, second=rule), f"{rule}, {subset}")
            for rule in ("average_precision", "trapezoid")
        )
        lines.append([words, str(trapezoids["n_tasks"]), percent(steps), percent(trapezoids)])
    differ = "and hyperbolas pick different best models"
    return markdown_table(["tasks", "number of tasks", f"steps {differ}", f"trapezoids {differ}"], lines)


def source_of_areas() -> str:
    """Return the source code of all metrics, without the checks of their arguments."""
    source = Path(definition.__file__).read_text(encoding="utf-8")
    return f"```python\n{source[source.index('class Totals(') :].rstrip()}\n```"
