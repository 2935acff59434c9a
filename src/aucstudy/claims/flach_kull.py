"""The claims of Flach & Kull 2015, Precision-Recall-Gain curves: PR analysis done right."""

from decimal import Decimal

import pandas as pd

from aucstudy.claims.verdicts import Evidence, Finding, Item, Judge, not_available, replication

SWITCHED_OFF = "the experiment disagreement is switched off in this study"


def _population(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    tasks, shares = evidence.table("tasks"), evidence.table("disagreement_tasks")
    models = None if shares is None else shares.drop_duplicates("task_id")["n_models"]
    items = [
        Item("tasks", len(tasks)),
        Item("data sets", tasks["dataset_id"].nunique()),
        *(
            []
            if models is None
            else [Item("models per task", int(models.min())), Item("models plotted", models.sum())]
        ),
    ]
    note = f"source {evidence.source}; {tasks['source_group'].nunique()} source groups"
    return replication(items, printed, same_population=evidence.same_population, scale=1, note=note)


def _differing_tops(top: int) -> Judge:
    def judge(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
        shares = evidence.table("disagreement")
        if shares is None:
            return not_available(SWITCHED_OFF)
        shares = shares[(shares["top"] == top) & (shares["ties"] == "expected")]
        items = [_item(name, shares, 100) for name in printed]
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
    items = [_item(name, correlations, 1) for name in printed]
    note = "Pearson of average ranks; Spearman and Kendall's tau-b in disagreement_correlation.csv"
    return replication(items, printed, same_population=evidence.same_population, scale=1, note=note)


def _item(name: str, rows: pd.DataFrame, factor: float) -> Item:
    first, second = name.lower().split("-")
    row = rows[(rows["first"] == first) & (rows["second"] == second)].iloc[0]
    return Item(
        name, factor * row["estimate"], factor * row["low"], factor * row["high"], int(row["n_tasks"])
    )


JUDGES: dict[str, Judge] = {
    "FK-pop": _population,
    "FK-top1": _differing_tops(1),
    "FK-top3": _differing_tops(3),
    "FK-corr": _correlation,
}
