"""The tables on few positives that cog writes into pages, from the tables of few_natural and few_thinned.

An entry is a difference in points with its interval. It is in italics if the whole interval is within half a
point of 0. It is in bold if it is not, and the interval does not contain 0.
"""

from collections.abc import Mapping, Sequence

import pandas as pd
from committed import committed

from aucstudy.config import STUDIES, read_yaml
from aucstudy.experiments.compared import MARGIN
from aucstudy.study_folder.modules import import_file
from aucstudy.wording import markdown_table, selected

few_positives, figures = (
    import_file(STUDIES / "few_positives" / f"{name}.py")
    for name in ("few_positives_tables", "few_positives_figures")
)
# Ways to use the labelled rows, by the rows that select, the way to set the threshold and what is subtracted.
CONTRASTS = {
    ("one", "other", "same"): "a threshold from other rows instead of the same rows",
    ("both", "same", "split"): "all rows for both steps instead of half for each",
    ("both", "crossed", "same"): "a cross-fitted threshold instead of one from the same rows",
    ("both", "bayes", "same"): "a threshold from calibrated training rows instead of the same rows",
    ("both", "share", "same"): "a threshold from the share of training positives instead of the same rows",
    ("both", "hindsight", "same"): "the best threshold in hindsight instead of one from the same rows",
}
THRESHOLDS = {
    "same": "the rows that selected",
    "other": "as many other rows",
    "crossed": "cross-fitting",
    "bayes": "calibrated training rows",
    "share": "the share of training positives",
}
TARGETS = {
    "f1": "F1", "f2": "F2", "net:odds": "TPR minus FPR (`net:odds`)",
    "net:sqrt": "net benefit (`net:sqrt`)", "net:1": "net benefit (`net:1`)", "cost:10": "saved cost (`cost:10`)",
    "precision@P": "precision among the highest scores", "recall@.5": "recall at precision .5",
}  # fmt: skip
N_OLDER = read_yaml(STUDIES / "few_positives" / "few_thinned.yaml")["models_per_task"]
SETS = {
    "today": "24 learners of today",
    "with_old": "15 learners of today and 9 of 2005",
    "older": f"{N_OLDER} learners of 2005",
}
# the rules of few_thinned-rules.yaml, each in one sentence
RULES = {
    "ap-gains-more": "A threshold from other rows instead of the same rows raises the F1 more if AP selects the model "
    "than if AUROC selects it.",
    "ap-gains-more-by-rates": "A threshold from other rows instead of the same rows raises TPR minus FPR "
    "(`net:odds`) more if AP selects the model than if AUROC selects it.",
    "ap-keeps-up": "With a threshold from other rows, the F1 of the model that AP selects is at most half a point "
    "below the F1 of the model that AUROC selects.",
    "auroc-needs-none": "If AUROC selects the model, a threshold from other rows raises the F1 by at most half a "
    "point, compared with a threshold from the same rows.",
    "do-not-split": "If AUROC selects the model, using all rows for both steps lowers the F1 by at most half a point, "
    "compared with half of the rows for each step.",
}
VERDICTS = {
    "confirmed": "Confirmed",
    "contradicted": "Contradicted",
    "open": "Inconclusive",
    "too few groups": "Too few data sets to judge",
}


NATURAL, THINNED = "few_natural", "few_thinned"
# The models and the prevalence of the main tables. The prevalence 0 stands for all data sets together.
TODAY = {"candidates": "today", "prevalence": 0}
THINNED_TO_10 = {"candidates": "older", "prevalence": 0.1}
FEWEST, MOST = 10, 100  # positives in each of the two samples of a pair
WHOLE = few_positives.WHOLE  # in place of a number of positives: the halves of the whole validation set
METRICS = {name: figures.LABELS[name] for name in few_positives.METRICS}


def rows_of(study: str, table: str, **where: object) -> pd.DataFrame:
    return selected(committed(study, table), **where)


def compared(study: str, **where: object) -> pd.DataFrame:
    """Return rows of the table that compares ways to select a model and to set its threshold.

    They are of all data sets, unless `outcomes` is given.
    """
    return rows_of(study, "few_positives_compared", **{"outcomes": "all", **where})


def n_groups(rows: pd.DataFrame) -> str:
    """Return of how many data sets the rows are, or a dash if there are none."""
    return f"{rows['n_groups'].max():.0f}" if len(rows) else "–"


def numbers_of_positives(study: str, candidates: str) -> list[int]:
    """Return the numbers of positives per sample for which a study has results. WHOLE comes last."""
    numbers = set(compared(study, candidates=candidates)["positives"])
    return sorted(numbers, key=lambda positives: (positives == WHOLE, positives))


def heads(numbers: list[int]) -> list[str]:
    return ["whole validation set, in halves" if n == WHOLE else f"{n} + {n} positives" for n in numbers]


SAMPLES = {10: (10, "one"), 20: (10, "both"), 30: (30, "one"), 60: (30, "both")}  # by number of positives
SELECTION = ("auroc", "log_loss", "average_precision")  # of the tables with one line for each way
REFERENCE_WORDS = "reference"
# the selection metrics of the first table, with those that are proper for probabilities after AUROC
FIRST_ROWS = ("auroc", "log_loss", "brier", "average_precision", "aupr", "auprg", "mcc", "f1")


def first_table() -> str:
    """Return the first table of the page `choosing`: selection metric by way to set the threshold.

    The intervals are those that hold together.
    """
    rows = compared(
        NATURAL, **TODAY, target="f1", positives=FEWEST, chosen_on="both", against="reference"
    )  # fmt: skip
    thresholds = ("same", "crossed", "bayes", "share")
    lines = []
    for metric in (*FIRST_ROWS, "random"):
        of_metric = selected(rows, selected_by=metric)
        cells = [_first_entry(selected(of_metric, threshold=threshold)) for threshold in thresholds]
        lines.append([METRICS.get(metric, "no metric (a random model)"), *cells])
    words = [f"threshold from {THRESHOLDS[threshold]}" for threshold in thresholds]
    return markdown_table(["selected by", *words], lines)


def _first_entry(rows: pd.DataFrame) -> str:
    """Return the mean F1, the difference with its interval, the share of better data sets, and the words for it."""
    if rows.empty:
        return "–"
    row = rows.iloc[0]
    level = f"F1 {100 * row['value']:.1f}"
    if pd.isna(row["joint_low"]):
        return f"{level}, the {REFERENCE_WORDS}"
    number = entry(rows, "difference", "joint_low", "joint_high", digits=2)
    words = in_words(row["joint_low"], row["joint_high"])
    return f"{number}<br>{words}; {level}; better on {100 * row['better']:.0f} %"


def by_way(
    columns: Mapping[str, tuple[str, Mapping[str, object]]],
    target: str,
    thresholds: Sequence[str] = ("same", "crossed", "bayes"),
) -> str:
    """Return differences to the reference: a line for each selection metric and way, a column for each setting.

    `columns` have, by heading, a study and the rows of the setting. The first line has the reference's mean.
    """
    settings = {
        words: compared(study, target=target, against="reference", **where)
        for words, (study, where) in columns.items()
    }
    means = [_level(selected(rows, selected_by="auroc", threshold="same")) for rows in settings.values()]
    lines = [["AUROC", THRESHOLDS["same"], *means]]
    for metric in (*SELECTION, "random"):
        for threshold in thresholds:
            if (metric, threshold) == ("auroc", "same") or (
                metric == "random" and threshold in ("crossed", "other")
            ):
                continue
            cells = [
                entry(selected(rows, selected_by=metric, threshold=threshold), digits=2)
                for rows in settings.values()
            ]
            words = METRICS.get(metric, "no metric (a random model)")
            lines.append([words, THRESHOLDS[threshold], *cells])
    counts = [n_groups(rows) for rows in settings.values()]
    return markdown_table(
        ["selected by", "threshold from", *settings], [*lines, ["*data sets*", "", *counts]]
    )


def _level(rows: pd.DataFrame) -> str:
    return f"{REFERENCE_WORDS}: {100 * rows['value'].iloc[0]:.1f}"


def by_number_of_positives() -> str:
    """Return F1 by the number of positives, on the data sets that have all of these numbers."""
    columns = {
        f"{n} positives": (
            NATURAL,
            {**TODAY, "outcomes": "common", "positives": positives, "chosen_on": rows},
        )
        for n, (positives, rows) in SAMPLES.items()
    }
    return by_way(columns, "f1", ("same", "other", "crossed", "bayes"))


def _thinned(prevalence: float, outcomes: str = "all") -> tuple[str, dict[str, object]]:
    where = {"candidates": "older", "prevalence": prevalence, "positives": FEWEST, "chosen_on": "both"}
    return THINNED, {**where, "outcomes": outcomes}


def _natural(positives: int) -> tuple[str, dict[str, object]]:
    return NATURAL, {**TODAY, "positives": positives, "chosen_on": "both"}


def on_thinned() -> str:
    """Return F1 in few_thinned, also on the sources alone that few_natural does not have."""
    new = "without shared"
    columns = {
        "10 % positives": _thinned(0.1), "10 %, other sources alone": _thinned(0.1, new),
        "3 % positives": _thinned(0.03), "3 %, other sources alone": _thinned(0.03, new),
        "1 % positives": _thinned(0.01),
    }  # fmt: skip
    return by_way(columns, "f1")


def tpr_minus_fpr() -> str:
    columns = {
        "`few_natural`, 20 positives": _natural(10), "`few_natural`, 60 positives": _natural(30),
        "`few_thinned`, 10 %": _thinned(0.1), "`few_thinned`, 3 %": _thinned(0.03),
        "`few_thinned`, 1 %": _thinned(0.01),
    }  # fmt: skip
    return by_way(columns, "net:odds")


def net_benefit() -> str:
    columns = {
        "`few_natural`, 20 positives": _natural(10), "`few_natural`, 60 positives": _natural(30),
        "`few_thinned`, 10 %": _thinned(0.1), "`few_thinned`, 3 %": _thinned(0.03),
    }  # fmt: skip
    return by_way(columns, "net:sqrt")


def by_target(
    study: str,
    where: Mapping[str, object],
    positives: int,
    left_out: Sequence[str] = (),
    targets: Sequence[str] = tuple(TARGETS),
) -> str:
    """Return the table of target metrics (rows) and selection metrics (columns), both steps on both samples.

    AUROC's model is subtracted. For a target with "@", the threshold is the best one on the test rows.
    """
    shown = {name: label for name, label in METRICS.items() if name not in ("auroc", *left_out)}
    lines = []
    for target in targets:
        threshold = "hindsight" if "@" in target else "same"
        rows = compared(
            study, **where, positives=positives, target=target, chosen_on="both", threshold=threshold, against="auroc"
        )  # fmt: skip
        if len(rows):
            entries = [entry(selected(rows, selected_by=metric)) for metric in shown]
            lines.append([TARGETS[target], *entries, n_groups(rows)])
    return markdown_table(["target metric", *shown.values(), "*data sets*"], lines)


# The page `choosing` has F1 by all selection metrics, and these two target metrics by AP and log loss.
ON_CHOOSING = ("net:odds", "net:sqrt")
WITHOUT_THESE = tuple(target for target in TARGETS if target not in ("f1", *ON_CHOOSING))
OTHER_METRICS = ("average_precision", "log_loss")


def today_by_target() -> str:
    return by_target(NATURAL, TODAY, FEWEST, targets=WITHOUT_THESE)


def today_by_other_metrics() -> str:
    return by_target(NATURAL, TODAY, FEWEST, OTHER_METRICS, ON_CHOOSING)


def today_on_all_rows() -> str:
    return by_target(NATURAL, TODAY, WHOLE)


def thinned_by_target() -> str:
    return by_target(THINNED, THINNED_TO_10, FEWEST, targets=WITHOUT_THESE)


def thinned_by_other_metrics() -> str:
    return by_target(THINNED, THINNED_TO_10, FEWEST, OTHER_METRICS, ("f1", *ON_CHOOSING))


def thinned_with_most_positives() -> str:
    return by_target(THINNED, THINNED_TO_10, MOST)


def f1_with_ten_positives() -> str:
    """Return F1 if ten positives select the model, by the way to set the threshold."""
    rows = compared(NATURAL, **TODAY, target="f1", positives=FEWEST, chosen_on="one", against="reference")
    thresholds = ("same", "other", "bayes", "share")
    lines = []
    for metric in [name for name in METRICS if name != "the target itself"]:
        of_metric = selected(rows, selected_by=metric)
        cells = [entry(selected(of_metric, threshold=threshold)) for threshold in thresholds]
        lines.append([METRICS[metric], *([REFERENCE_WORDS] if metric == "auroc" else cells[:1]), *cells[1:]])
    heads_of_ways = [f"threshold from {THRESHOLDS[threshold]}" for threshold in thresholds]
    return markdown_table(["selected by", *heads_of_ways], lines)


def ways_to_set_the_threshold() -> str:
    """Return the change of F1 by each way to use labelled rows.

    The numbers that are also in the first table of the page `choosing` have the intervals of that table.
    """
    numbers = numbers_of_positives(NATURAL, "today")
    rows = compared(NATURAL, **TODAY, target="f1")
    in_first_table = selected(
        rows, chosen_on="both", against="reference", selected_by="auroc", positives=FEWEST
    )
    lines = []
    for (chosen_on, threshold, against), words in CONTRASTS.items():
        of_contrast = selected(rows, chosen_on=chosen_on, threshold=threshold, against=against)
        for metric in ("auroc", "average_precision", "log_loss", "mcc", "f1"):
            entries = [entry(selected(of_contrast, selected_by=metric, positives=n)) for n in numbers]
            if metric == "auroc" and threshold in ("crossed", "bayes", "share"):
                row = selected(in_first_table, threshold=threshold)
                entries[numbers.index(FEWEST)] = entry(row, low="joint_low", high="joint_high")
            lines.append([words if metric == "auroc" else "", METRICS[metric], *entries])
    counts = [n_groups(selected(rows, positives=n)) for n in numbers]
    return markdown_table(
        ["comparison", "selected by", *heads(numbers)], [*lines, ["*data sets*", "", *counts]]
    )


def _numbers_of_both_studies() -> list[int]:
    numbers = {*numbers_of_positives(NATURAL, "today"), *numbers_of_positives(THINNED, "older")}
    return sorted(numbers - {WHOLE})


def models(candidates: str, prevalence: float) -> str:
    """Return the words for a set of models and the share of positives."""
    thinned = f", positives thinned to {100 * prevalence:g} %" if prevalence else ""
    return f"{SETS[candidates]}{thinned}"


def gain_of_ap_beside_auroc() -> str:
    """Return how much more AP's model gains by a threshold from other rows than AUROC's model."""
    numbers = _numbers_of_both_studies()
    thinned = [(THINNED, {"candidates": "older", "prevalence": share}) for share in (0.01, 0.03, 0.1)]
    lines = []
    for study, where in [(NATURAL, TODAY), *thinned]:
        for target in ("f1", "f2", "net:odds"):
            rows = compared(
                study, **where, target=target, selected_by="average_precision", against="gain of auroc"
            )
            cells = [selected(rows, positives=n) for n in numbers]
            if len(rows):
                counts = "; ".join(n_groups(cell) for cell in cells if len(cell))
                lines.append([TARGETS[target], models(**where), *map(entry, cells), counts])
    return markdown_table(["target metric", "models", *heads(numbers), "*data sets*"], lines)


def stopping() -> str:
    """Return by how much the F1 is higher if a metric selects the number of rounds of boosting."""
    rows = compared(
        NATURAL, candidates="rounds", target="f1", prevalence=0, chosen_on="both", threshold="same"
    )  # fmt: skip
    fixed = ("100 rounds", "300 rounds", "last round")
    lines = []
    for metric in ("log_loss", "auroc", "average_precision", "f1", "patience 20", "patience 50"):
        words = METRICS.get(metric) or f"log loss, with a patience of {metric.split()[1]} rounds"
        of_metric = selected(rows, selected_by=metric)
        lines.append([words, *(entry(selected(of_metric, against=against)) for against in fixed)])
    than = ["100 rounds", "300 rounds", "the last round"]
    return markdown_table(
        ["the round is selected by", *(f"higher than after {words}" for words in than)], lines
    )


def rules() -> str:
    """Return the verdicts on the rules of few_thinned, and the difference of each setting."""
    table = rows_of(THINNED, "few_positives_rules", population="unshared")
    settings = list(table[["prevalence", "positives"]].drop_duplicates().itertuples(index=False, name=None))
    lines = []
    for rule in table["rule"].unique():
        rows = selected(table, rule=rule)
        verdict = VERDICTS[rows["rule_verdict"].iloc[0]].lower()
        if verdict == "confirmed" and (rows["verdict"] == "too few groups").any():
            verdict += " where it could be judged"
        cells = []
        for prevalence, positives in settings:
            row = selected(rows, prevalence=prevalence, positives=positives)
            of_setting = row["verdict"].iloc[0]
            difference = "" if of_setting == "too few groups" else f"{entry(row, 'estimate')}, "
            cells.append(f"{difference}{VERDICTS[of_setting].lower()}, n = {n_groups(row)}")
        lines.append([RULES[rule], verdict, *cells])
    heads_of_settings = [
        f"{100 * prevalence:g} %, {positives} positives" for prevalence, positives in settings
    ]
    return markdown_table(["rule", "verdict", *heads_of_settings], lines)


def by_data_sets_and_models() -> str:
    """Return F1 of four ways minus that of the reference, by models and data sets."""
    ways = {
        "AP, the same rows": ("average_precision", "same"),
        "AUROC, calibrated training rows": ("auroc", "bayes"),
        "log loss, the same rows": ("log_loss", "same"),
        "log loss, calibrated training rows": ("log_loss", "bayes"),
    }
    lines = []
    for candidates in ("today", "with_old"):
        for outcomes in ("all", "without cuts", "without doubtful"):
            if (candidates, outcomes) == ("today", "all"):
                continue  # This is the first table of the page `choosing`.
            rows = compared(
                NATURAL, candidates=candidates, outcomes=outcomes, prevalence=0, positives=FEWEST, target="f1",
                chosen_on="both", against="reference",
            )  # fmt: skip
            entries = [
                entry(selected(rows, selected_by=metric, threshold=threshold))
                for metric, threshold in ways.values()
            ]
            lines.append([SETS[candidates], outcomes, *entries, n_groups(rows)])
    return markdown_table(["models", "data sets", *ways, "*number of data sets*"], lines)


def entry(
    rows: pd.DataFrame, estimate: str = "difference", low: str = "low", high: str = "high", *, digits: int = 1
) -> str:
    """Return the estimate of the single row with its interval, in points, or a dash if there is none.

    The estimate has a sign. It is in italics if the interval is within half a point of 0. It is in bold if it is
    not, and the interval does not contain 0.

    >>> entry(pd.DataFrame({"difference": [0.0083], "low": [-0.0071], "high": [0.0224]}))
    '+0.8 (-0.7 to 2.2)'
    >>> entry(pd.DataFrame({"difference": [0.0083], "low": [0.0021], "high": [0.0224]}), digits=2)
    '**+0.83** (0.21 to 2.24)'
    >>> entry(pd.DataFrame({"difference": [0.0023], "low": [0.0001], "high": [0.0045]}))
    '*+0.2* (0.0 to 0.4)'
    """
    if rows.empty or rows[estimate].isna().all():
        return "–"
    row = rows.iloc[0]
    number, ends = points(row[estimate], digits, "+"), (row[low], row[high])
    if within_margin(*ends):
        number = f"*{number}*"
    elif not row[low] <= 0 <= row[high]:
        number = f"**{number}**"
    return f"{number} ({points(row[low], digits)} to {points(row[high], digits)})"


def points(value: float, digits: int, sign: str = "") -> str:
    hundredths = round(100 * value, digits) or 0.0
    return f"{hundredths:{sign}.{digits}f}" if hundredths else f"{hundredths:.{digits}f}"


def within_margin(low: float, high: float) -> bool:
    """Return whether an interval lies within half a point of 0, so that the difference does not matter."""
    return low >= -MARGIN and high <= MARGIN


def in_words(low: float, high: float) -> str:
    """Return what an interval says of a difference.

    >>> [in_words(*ends) for ends in ((-0.004, 0.005), (0.001, 0.004), (0.001, 0.02), (-0.02, -0.001), (-0.004, 0.02))]
    ['no difference that matters', 'no difference that matters (above 0)', 'better', 'worse', 'cannot tell']
    """
    sign = "above" if low > 0 else "below" if high < 0 else ""
    if within_margin(low, high):
        return "no difference that matters" + (f" ({sign} 0)" if sign else "")
    return {"above": "better", "below": "worse", "": "cannot tell"}[sign]
