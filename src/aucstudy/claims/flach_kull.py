"""The claims of Flach & Kull 2015 on how often areas disagree: the population, the shares, the two examples."""

from decimal import Decimal

import pandas as pd

from aucstudy.claims.estimates import item_of, mean_over_tasks, quantile_over_tasks, share_of_sums
from aucstudy.claims.verdicts import (
    Evidence,
    Finding,
    Item,
    Judge,
    Verdict,
    arithmetic,
    measured,
    not_available,
    replication,
    shifted,
    within,
)
from aucstudy.published.values import comes_out

SWITCHED_OFF = "the experiment disagreement is switched off in this study"
ALIKE = 5  # percentage points: what the paper's own 29 and 24 % differ by
FEWEST_SWAPS = 5
FIGURE_4_TASKS = {"lower quartile": "3872", "upper quartile": "3896"}
QUARTILES = {"lower quartile": 0.25, "upper quartile": 0.75}
FIGURE_5_RUNS = {"AdaBoost": "145651", "Logistic Regression": "267741"}
STEPS = {
    "swaps that turn at harmonic precision": "auprg",
    "swaps that turn at the scale of recall": "recall_gain",
    "swaps that turn at recall under the prevalence": "recall_above_prevalence",
}


def _population(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    tasks, shares = evidence.table("tasks"), evidence.table("disagreement_tasks")
    items = [Item("tasks", len(tasks)), Item("data sets", tasks["dataset_id"].nunique())]
    if shares is not None:
        models = shares.drop_duplicates("task_id")["n_models"]
        items += [Item("models per task", int(models.min())), Item("models plotted", models.sum())]
    note = f"source {evidence.source}; {tasks['source_group'].nunique()} source groups"
    if not evidence.same_population:
        return Finding(Verdict.NOT_AVAILABLE, items, f"the tasks were chosen otherwise; {note}")
    right = len(items) == len(printed) and all(item.here == printed[item.name] for item in items)
    return Finding(Verdict.REPRODUCED if right else Verdict.DIFFERS, items, note)


def _plotted(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    note = "25980 = 866 x 30: the paper does not say why"
    return arithmetic([Item("886 tasks of 30 models", 886 * 30)], printed, note)


def _differing_tops(top: int) -> Judge:
    def judge(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
        shares = evidence.table("disagreement")
        if shares is None:
            return not_available(SWITCHED_OFF)
        shares = shares[(shares["top"] == top) & (shares["ties"] == "expected")]
        items = [_of_pair(name, shares, 100) for name in printed]
        note = "ties broken by one shared random order of the models; strict and lenient in disagreement.csv"
        return replication(items, printed, same_population=evidence.same_population, scale=100, note=note)

    return judge


def _correlation(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    correlations = evidence.table("disagreement_correlation")
    if correlations is None:
        return not_available(SWITCHED_OFF)
    correlations = correlations[
        (correlations["scope"] == "across tasks") & (correlations["kind"] == "pearson_of_ranks")
    ]
    items = [_of_pair(name, correlations, 1) for name in printed]
    note = "Pearson of average ranks; Spearman and Kendall's tau-b in disagreement_correlation.csv"
    return replication(items, printed, same_population=evidence.same_population, scale=1, note=note)


def _of_pair(name: str, rows: pd.DataFrame, factor: float) -> Item:
    first, second = name.lower().split("-")
    row = rows[(rows["first"] == first) & (rows["second"] == second)].iloc[0]
    return item_of(name, row, factor=factor)


def _alike(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    by_task = evidence.table("disagreement_tasks")
    if by_task is None:
        return not_available(SWITCHED_OFF)
    with_roc, with_prg = (_pair(by_task, "aupr", second) for second in ("auroc", "auprg"))
    more = with_roc["p_best_differs"] - with_prg["p_best_differs"]
    item = mean_over_tasks("AUPR-AUROC minus AUPR-AUPRG", more, with_roc["source_group"], 100)
    note = f"percentage points, paired by task; alike within {ALIKE} points"
    return measured([item], [within(item, ALIKE)], note, with_roc["source_group"].nunique())


def _pair(by_task: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    return by_task[(by_task["first"] == first) & (by_task["second"] == second)].set_index("task_id")


def _quartiles(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    by_task = evidence.table("disagreement_tasks")
    if by_task is None:
        return not_available(SWITCHED_OFF)
    pair = _pair(by_task, "aupr", "auprg")
    if _has_figure_4(evidence, pair):
        items = [Item(name, pair["rank_correlation"][task]) for name, task in FIGURE_4_TASKS.items()]
        right = all(comes_out(printed[item.name], float(item.here)) for item in items)
        return Finding(Verdict.REPRODUCED if right else Verdict.DIFFERS, items, "tasks 3872 and 3896")
    known = pair[pair["rank_correlation"].notna()]
    items = [
        quantile_over_tasks(name, known["rank_correlation"], known["source_group"], quantile)
        for name, quantile in QUARTILES.items()
    ]
    note = f"quartiles over the {len(known)} tasks of this study"
    return replication(items, printed, same_population=False, scale=1, note=note)


def _has_figure_4(evidence: Evidence, pair: pd.DataFrame) -> bool:
    return evidence.same_population and set(FIGURE_4_TASKS.values()) <= set(pair.index)


def _quartiles_agree(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    by_task = evidence.table("disagreement_tasks")
    if by_task is None:
        return not_available(SWITCHED_OFF)
    pair = _pair(by_task, "aupr", "auprg")
    if not _has_figure_4(evidence, pair):
        return not_available("tasks 3872 and 3896 are not in this study")
    items = [
        Item(f"same best, {name}", 1 - pair["p_best_differs"][task]) for name, task in FIGURE_4_TASKS.items()
    ]
    agree = min(item.here for item in items) > 0.5
    return Finding(Verdict.SUPPORTS if agree else Verdict.CONTRADICTS, items, "1: the same best model")


def _figure_5(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    pair = evidence.table("flip_pair")
    if pair is None:
        return not_available(SWITCHED_OFF)
    pair = pair.set_index("run_id")
    if not set(FIGURE_5_RUNS.values()) <= set(pair.index):
        return not_available(
            "the paper's runs are not in this study; another pair, by rule, in flip_pair.csv"
        )
    items = [
        Item(f"{model} {area.upper()}", pair.loc[run, area])
        for model, run in FIGURE_5_RUNS.items()
        for area in ("aupr", "auprg")
    ]
    right = all(comes_out(printed[item.name], float(item.here)) for item in items)
    note = "the paper's own runs, to its digits"
    return Finding(Verdict.REPRODUCED if right else Verdict.DIFFERS, items, note)


def _cause(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    swaps = evidence.table("decomposition_swaps")
    if swaps is None:
        return not_available("the experiment decomposition is switched off in this study")
    groups, weight = swaps["source_group"], swaps["weight"]
    note = f"{weight.sum():.0f} tasks swap their best models, each with the step after which the order stays turned"
    if weight.sum() < FEWEST_SWAPS:
        return Finding(Verdict.TOO_FEW_DATA, note=note)
    items = [
        share_of_sums(name, weight * (swaps["flips_at"] == step), weight, groups, 100)
        for name, step in STEPS.items()
    ]
    return measured(items, [shifted(items[0], 50)], note, groups.nunique())


JUDGES: dict[str, Judge] = {
    "FK-pop": _population,
    "FK-pop-plotted": _plotted,
    "FK-top1": _differing_tops(1),
    "FK-top3": _differing_tops(3),
    "FK-corr": _correlation,
    "FK-alike": _alike,
    "FK-fig4r": _quartiles,
    "FK-fig4r-best": _quartiles_agree,
    "FK-fig5": _figure_5,
    "FK-cause": _cause,
}
