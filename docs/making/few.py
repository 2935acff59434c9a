"""The tables on few positives that cog writes into pages, from the tables of few_natural and few_thinned.

An entry is a difference in points with its interval. It is in bold if the interval does not contain 0.
"""

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
# The keys are values of the column `contrast`. The values name the two ways to use labelled rows that it
# compares.
CONTRASTS = {
    "other - same": "a threshold from other rows instead of the same rows",
    "whole - split": "all rows for both steps instead of half for each",
    "crossed - whole": "a cross-fitted threshold instead of one from the same rows",
    "bayes - whole": "a threshold from calibrated training rows instead of the same rows",
    "share - whole": "a threshold from the share of training positives instead of the same rows",
    "hindsight - whole": "the best threshold in hindsight instead of one from the same rows",
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
# The models, the data sets and the prevalence of the main tables. The prevalence 0 stands for all data sets together.
TODAY = {"candidates": "today", "prevalence": 0}
ALL_OF_TODAY = {**TODAY, "outcomes": "all"}
THINNED_TO_10 = {"candidates": "older", "prevalence": 0.1}
FEWEST, MOST = 10, 100  # positives in each of the two samples of a pair
WHOLE = few_positives.WHOLE  # in place of a number of positives: the halves of the whole validation set
METRICS = {name: figures.LABELS[name] for name in few_positives.METRICS}


def rows_of(study: str, table: str, **where: object) -> pd.DataFrame:
    return selected(committed(study, table), **where)


def few_rows(study: str, **where: object) -> pd.DataFrame:
    """Return rows of the table that compares the models of two metrics."""
    return rows_of(study, "few_positives", **where)


def ways(study: str, **where: object) -> pd.DataFrame:
    """Return rows of the table that compares two ways to use labelled rows."""
    return rows_of(study, "few_positives_rows", **where)


def n_groups(rows: pd.DataFrame) -> str:
    """Return of how many data sets the rows are, or a dash if there are none."""
    return f"{rows['n_groups'].max():.0f}" if len(rows) else "–"


def numbers_of_positives(study: str, candidates: str) -> list[int]:
    """Return the numbers of positives per sample for which a study has results. WHOLE comes last."""
    numbers = set(ways(study, candidates=candidates)["positives"])
    return sorted(numbers, key=lambda positives: (positives == WHOLE, positives))


def heads(numbers: list[int]) -> list[str]:
    return ["whole validation set, in halves" if n == WHOLE else f"{n} + {n} positives" for n in numbers]


def auroc_over_ap() -> str:
    """Return how much better AUROC's model is than AP's model, by target metric and number of positives."""
    targets = {
        ("f1", "same"): "F1, threshold set on the rows that selected the model",
        ("f1", "other"): "F1, threshold set on other rows",
        ("f1", "crossed"): "F1, threshold set by cross-fitting",
        ("precision@P", "hindsight"):
            "precision among the highest scores (as many rows as there are positives)",
    }  # fmt: skip
    samples = {10: (10, "one"), 20: (10, "both"), 30: (30, "one"), 60: (30, "both")}
    lines = []
    for (target, threshold), words in targets.items():
        rows = few_rows(
            NATURAL, **ALL_OF_TODAY, target=target, threshold=threshold, selected_by="average_precision"
        )
        turned = rows.assign(difference=-rows["difference"], low=-rows["high"], high=-rows["low"])
        cells = [
            entry(selected(turned, positives=n, chosen_on=chosen_on)) for n, chosen_on in samples.values()
        ]
        lines.append([words, *cells])
    return markdown_table(["target metric on new data", *(f"{n} positives" for n in samples)], lines)


def by_target(
    study: str, where: dict[str, object], positives: int, *, target_itself: bool = True, codes: bool = True
) -> str:
    """Return the table of target metrics (rows) and selection metrics (columns), both steps on both samples.

    For a target with "@", the threshold is the best one on the test rows.
    """
    left_out = {"auroc"} if target_itself else {"auroc", "the target itself"}
    shown = {name: label for name, label in METRICS.items() if name not in left_out}
    lines = []
    for target, label in TARGETS.items():
        threshold = "hindsight" if "@" in target else "same"
        rows = few_rows(
            study, outcomes="all", **where, positives=positives, target=target, chosen_on="both",
            threshold=threshold,
        )  # fmt: skip
        if len(rows):
            entries = [entry(selected(rows, selected_by=metric)) for metric in shown]
            lines.append([label if codes else label.split(" (`")[0], *entries, n_groups(rows)])
    return markdown_table(["target metric", *shown.values(), "*data sets*"], lines)


def today_by_target(positives: int = FEWEST) -> str:
    return by_target(NATURAL, TODAY, positives)


def thinned_by_target(positives: int) -> str:
    return by_target(THINNED, THINNED_TO_10, positives)


def target_metrics_of_choosing() -> str:
    """Return the table of the page `choosing`, which leaves out the names of target metrics in code."""
    return by_target(NATURAL, TODAY, FEWEST, target_itself=False, codes=False)


def ap_on_other_data_sets() -> str:
    """Return F1 of AP's model minus that of AUROC's model, on all data sets and on others."""
    both = {
        "positives": FEWEST, "target": "f1", "chosen_on": "both", "threshold": "same",
        "selected_by": "average_precision",
    }  # fmt: skip
    thinned = {"candidates": "older", "outcomes": "without shared", **both}
    left_out = "other data sets, with positives left out until {} % of the rows are positive"
    rows = {
        "all data sets of `few_natural`": few_rows(NATURAL, **ALL_OF_TODAY, **both),
        "those whose outcome is not a number split into low and high values":
            few_rows(NATURAL, **TODAY, outcomes="without cuts", **both),
        left_out.format(3): few_rows(THINNED, prevalence=0.03, **thinned),
        left_out.format(10): few_rows(THINNED, prevalence=0.1, **thinned),
    }  # fmt: skip
    lines = [[words, entry(row), n_groups(row)] for words, row in rows.items()]
    return markdown_table(
        ["data sets", "F1 of AP's model minus that of AUROC's model", "*number of data sets*"], lines
    )


def f1_by_samples() -> str:
    """Return F1 by the rows that select the model and set its threshold."""
    rows = few_rows(NATURAL, **ALL_OF_TODAY, target="f1", positives=FEWEST)
    columns = {
        f"the same {2 * FEWEST} positives for both steps": selected(rows, chosen_on="both", threshold="same"),
        f"the same {FEWEST} positives for both steps": selected(rows, chosen_on="one", threshold="same"),
        f"{FEWEST} positives select, {FEWEST} others set the threshold":
            selected(rows, chosen_on="one", threshold="other"),
    }  # fmt: skip
    lines = [
        [METRICS[metric], *(entry(selected(column, selected_by=metric)) for column in columns.values())]
        for metric in ("log_loss", "average_precision", "mcc", "f1")
    ]
    return markdown_table(
        ["selected by", *columns], [*lines, ["*data sets*", *map(n_groups, columns.values())]]
    )


def comparisons_with_auroc() -> str:
    """Return the number of comparisons of AUROC with another selection metric, and how they end."""
    rows = few_rows(NATURAL, **ALL_OF_TODAY, chosen_on="both", positives=FEWEST)
    rows = rows[rows["selected_by"].isin(METRICS) & (rows["selected_by"] != "auroc")]
    # If the target metric is F1, selection by F1 and by the target itself are the same and count once.
    rows = rows[(rows["target"] != "f1") | (rows["selected_by"] != "f1")]
    thresholds = {
        "from the rows that selected the model, or the best in hindsight": ["same", "hindsight"],
        "cross-fitted or from training rows": ["crossed", "bayes", "share"],
    }
    lines = []
    for words, names in thresholds.items():
        judged = rows[rows["threshold"].isin(names)]
        counts = (len(judged), (judged["high"] < 0).sum(), (judged["low"] > 0).sum())
        lines.append([words, *map(str, counts)])
    better_or_worse = ["AUROC significantly better", "AUROC significantly worse"]
    return markdown_table(["threshold", "comparisons", *better_or_worse], lines)


def ways_to_set_the_threshold() -> str:
    """Return the change of F1 by each way to use labelled rows."""
    numbers = numbers_of_positives(NATURAL, "today")
    rows = ways(NATURAL, **TODAY, target="f1")
    lines = []
    for contrast, words in CONTRASTS.items():
        for metric in ("auroc", "average_precision", "log_loss", "mcc", "f1"):
            of_metric = selected(rows, contrast=contrast, selected_by=metric)
            entries = [entry(selected(of_metric, positives=n)) for n in numbers]
            lines.append([words if metric == "auroc" else "", METRICS[metric], *entries])
    counts = [n_groups(selected(rows, positives=n)) for n in numbers]
    return markdown_table(
        ["comparison", "selected by", *heads(numbers)], [*lines, ["*data sets*", "", *counts]]
    )


def _numbers_of_both_studies() -> list[int]:
    numbers = {*numbers_of_positives(NATURAL, "today"), *numbers_of_positives(THINNED, "older")}
    return sorted(numbers - {WHOLE})


def which_differences_matter() -> str:
    """Return whether the changes of F1 by three ways to use labelled rows matter."""
    numbers = [*_numbers_of_both_studies(), WHOLE]
    lines = []
    for contrast in ("other - same", "whole - split", "crossed - whole"):
        for study, where in ((NATURAL, TODAY), (THINNED, THINNED_TO_10)):
            rows = ways(study, **where, target="f1", contrast=contrast)
            for metric in ("auroc", "average_precision"):
                first = metric == "auroc"
                of_metric = selected(rows, selected_by=metric)
                lines.append(
                    [
                        CONTRASTS[contrast] if first and study == NATURAL else "",
                        models(**where) if first else "",
                        METRICS[metric],
                        *(matters(selected(of_metric, positives=n)) for n in numbers),
                    ]
                )
    return markdown_table(["comparison", "models", "selected by", *heads(numbers)], lines)


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
            rows = ways(
                study, **where, target=target, contrast="other - same", selected_by="average_precision"
            )
            cells = [selected(rows, positives=n) for n in numbers]
            if len(rows):
                beside = ("beside_auroc", "beside_auroc_low", "beside_auroc_high")
                entries = [entry(cell, *beside) for cell in cells]
                counts = "; ".join(n_groups(cell) for cell in cells if len(cell))
                lines.append([TARGETS[target], models(**where), *entries, counts])
    return markdown_table(["target metric", "models", *heads(numbers), "*data sets*"], lines)


def stopping() -> str:
    """Return by how much the F1 is higher if a metric selects the number of rounds of boosting."""
    rows = rows_of(NATURAL, "few_positives_stopping", target="f1", prevalence=0, threshold="same")
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
    """Return F1 of three metrics' models minus that of AUROC's model, by models and data sets."""
    lines = []
    for candidates in ("today", "with_old"):
        for outcomes in ("all", "without cuts", "without doubtful"):
            rows = few_rows(
                NATURAL, candidates=candidates, outcomes=outcomes, prevalence=0, positives=FEWEST, target="f1",
                chosen_on="both", threshold="same",
            )  # fmt: skip
            if len(rows):
                entries = [
                    entry(selected(rows, selected_by=metric))
                    for metric in ("average_precision", "log_loss", "mcc")
                ]
                lines.append([SETS[candidates], outcomes, *entries, n_groups(rows)])
    return markdown_table(["models", "data sets", "AP", "log loss", "MCC", "*number of data sets*"], lines)


def entry(rows: pd.DataFrame, estimate: str = "difference", low: str = "low", high: str = "high") -> str:
    """Return the estimate of the single row with its interval, in points, or a dash if there is none.

    The estimate has a sign. It is in bold if its interval does not contain 0.

    >>> entry(pd.DataFrame({"difference": [0.0083], "low": [-0.0071], "high": [0.0224]}))
    '+0.8 (-0.7 to 2.2)'
    >>> entry(pd.DataFrame({"difference": [0.0083], "low": [0.0021], "high": [0.0224]}))
    '**+0.8** (0.2 to 2.2)'
    """
    if rows.empty or rows[estimate].isna().all():
        return "–"
    row = rows.iloc[0]
    number = _tenth(row[estimate], "+")
    if not row[low] <= 0 <= row[high]:
        number = f"**{number}**"
    return f"{number} ({_tenth(row[low])} to {_tenth(row[high])})"


def _tenth(value: float, sign: str = "") -> str:
    rounded = round(100 * value, 1) or 0.0
    return f"{rounded:{sign}.1f}" if rounded else f"{rounded:.1f}"


def matters(rows: pd.DataFrame) -> str:
    """Say whether the difference in the single row matters, or return a dash if there is no row.

    It matters if its interval lies beyond half a point. It does not matter if the interval lies within half a
    point of 0. Otherwise it is inconclusive.

    >>> for low, high in ((0.006, 0.02), (-0.001, 0.004), (-0.001, 0.006)):
    ...     print(matters(pd.DataFrame({"low": [low], "high": [high]})))
    matters
    does not matter
    inconclusive
    """
    if rows.empty:
        return "–"
    low, high = rows["low"].iloc[0], rows["high"].iloc[0]
    if low > MARGIN or high < -MARGIN:
        return "matters"
    return "does not matter" if low >= -MARGIN and high <= MARGIN else "inconclusive"
