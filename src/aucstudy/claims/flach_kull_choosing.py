"""The claims of Flach & Kull 2015 on what follows for choosing: theorems, expected F1, calibration, examples."""

from decimal import Decimal

import pandas as pd

from aucstudy.claims.verdicts import (
    Evidence,
    Finding,
    Item,
    Judge,
    Verdict,
    arithmetic,
    direction,
    not_available,
    replication,
)
from aucstudy.experiments.running_example.numbers import running_example
from aucstudy.metrics.hulls import prg_hull, roc_hull
from aucstudy.published.values import comes_out

IDENTITY_TOLERANCE = 1e-9  # relative; float noise stays far below it
F_TOLERANCE = 0.01  # F_beta that not tuning may cost and still count as no loss
FIGURE_4_TASKS = {"lower quartile": "3872", "upper quartile": "3896"}
FIGURE_5_RUNS = {"AdaBoost": "145651", "Logistic Regression": "267741"}


def _off(experiment: str) -> Finding:
    return not_available(
        f"the experiment {experiment} is switched off in this study, or has no task it can work on"
    )


def _identity(*names: str) -> Judge:
    """`exact` if the identities hold on every model of the study but for float noise."""

    def judge(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
        table = evidence.table("theorems")
        if table is None:
            return _off("favour")
        rows = table.set_index("identity").loc[list(names)]
        items = [
            Item(name, row["largest_deviation"], n=int(row["n_models"])) for name, row in rows.iterrows()
        ]
        right = (rows["largest_deviation"] <= IDENTITY_TOLERANCE).all()
        note = (
            f"largest relative deviation over {rows['n_models'].max()} models: {'; '.join(rows['statement'])}"
        )
        return Finding(Verdict.EXACT if right else Verdict.DOES_NOT_COME_OUT, items, note)

    return judge


def _favour(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    table = evidence.table("favour")
    if table is None or table.empty:
        return _off("favour")
    pair = table[(table["first"] == "aupr") & (table["second"] == "auprg")].set_index(["judge", "quantity"])
    places = {
        "AUPR's winner has the lower E[FG1]": ("expected_fg1", "first_lower"),
        "AUPRG's winner has the lower E[FG1]": ("expected_fg1", "second_lower"),
        "AUPR's winner reaches the lower held-out F1": ("held_out_f1", "first_lower"),
        "AUPRG's winner reaches the lower held-out F1": ("held_out_f1", "second_lower"),
    }
    items = [_share(name, pair.loc[key]) for name, key in places.items()]
    gap = pair.loc[("held_out_f1", "gap")]
    note = (
        "of the tasks where the two pick different winners; judged by the sign of the first two shares' difference. "
        "E[FG1] is nearly an increasing function of AUPRG; in F1 on held-out folds AUPRG's winner differs from "
        f"AUPR's by {gap['estimate']:+.3f} ({gap['low']:+.3f} to {gap['high']:+.3f})"
    )
    return direction(items, _margin(pair), note)


def _margin(pair: pd.DataFrame) -> Item:
    """How much more often the first's choice is the worse; from the first's share where all tasks agree."""
    margin, lower = (pair.loc[("expected_fg1", name)] for name in ("first_minus_second_lower", "first_lower"))
    if margin["low"] == margin["high"]:
        return Item("margin", *(2 * lower[end] - 1 for end in ("estimate", "low", "high")))
    return _share("margin", margin)


def _share(name: str, row: pd.Series) -> Item:
    return Item(name, 100 * row["estimate"], 100 * row["low"], 100 * row["high"], round(row["n_tasks"]))


def _harmonic(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    table = evidence.table("fold_averages")
    if table is None or table.empty:
        return _off("favour")
    rows = table[(table["first"] == "mean_f1") & (table["second"] == "mean_fg1")].set_index("rule")
    names = {
        "default": "winner changes, default threshold",
        "f_calibrated": "winner changes, calibrated threshold",
    }
    items = [_share(name, rows.loc[rule]) for rule, name in names.items() if rule in rows.index]
    if not items:
        return not_available("in no task has a model a true positive in every fold")
    note = "judged at the calibrated threshold: does the winner change at all; other averages in fold_averages.csv"
    return direction(items, items[-1], note)


def _no_tuning(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    table = evidence.table("thresholds")
    if table is None or table.empty:
        return _off("thresholds")
    rows = table[(table["rule"] == "f_calibrated") & (table["quantity"] == "minus_searched")]
    items = [
        Item(f"F-calibrated minus searched, beta={row.beta:g}", row.estimate, row.low, row.high, row.n_tasks)
        for row in rows.itertuples()
    ]
    worst = min(items, key=lambda item: item.low)
    margin = Item("margin", *(value + F_TOLERANCE for value in (worst.here, worst.low, worst.high)))
    note = f"F_beta on held-out folds; holds if the worst interval stays above -{F_TOLERANCE}"
    return direction(items, margin, note)


def _figure_3(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    roc, prg = roc_hull(*running_example()), prg_hull(*running_example())
    # the first segment of the PRG hull leads to precision 1; the paper lists those after it
    lists = {"ROC hull": roc.probability, "PRG hull": prg.d[1:], "PRG hull, beta^2": 1 / prg.d[2:4] - 1}
    items = [Item(f"{name} {k}", float(v)) for name, values in lists.items() for k, v in enumerate(values, 1)]
    note = "on counts found by search, as the paper prints none: both lists come from one data set"
    return arithmetic(items, printed, note)


def _quartiles(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    by_task = evidence.table("disagreement_tasks")
    if by_task is None:
        return _off("disagreement")
    pair = _aupr_auprg(by_task)
    pinned = evidence.same_population and set(FIGURE_4_TASKS.values()) <= set(pair.index)
    quantiles = {"lower quartile": 0.25, "upper quartile": 0.75}
    items = [
        Item(
            name,
            pair["rank_correlation"][task] if pinned else pair["rank_correlation"].quantile(quantiles[name]),
        )
        for name, task in FIGURE_4_TASKS.items()
    ]
    note = "tasks 3872 and 3896" if pinned else f"quartiles over the {len(pair)} tasks of this study"
    return replication(items, printed, same_population=pinned, scale=1, note=note)


def _quartiles_agree(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    by_task = evidence.table("disagreement_tasks")
    if by_task is None:
        return _off("disagreement")
    pair = _aupr_auprg(by_task)
    if not (evidence.same_population and set(FIGURE_4_TASKS.values()) <= set(pair.index)):
        return not_available("tasks 3872 and 3896 are not in this study")
    items = [
        Item(f"same best, {name}", 1 - pair["p_best_differs"][task]) for name, task in FIGURE_4_TASKS.items()
    ]
    return direction(items, Item("margin", min(item.here for item in items) - 0.5), "1: the same best model")


def _aupr_auprg(by_task: pd.DataFrame) -> pd.DataFrame:
    return by_task[(by_task["first"] == "aupr") & (by_task["second"] == "auprg")].set_index("task_id")


def _figure_5(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    pair = evidence.table("flip_pair")
    if pair is None:
        return _off("disagreement")
    pair = pair.set_index("run_id")
    if not set(FIGURE_5_RUNS.values()) <= set(pair.index):
        return Finding(Verdict.OTHER_DATA, note="another pair here, chosen by rule: flip_pair.csv")
    items = [
        Item(f"{model} {area.upper()}", pair.loc[run, area])
        for model, run in FIGURE_5_RUNS.items()
        for area in ("aupr", "auprg")
    ]
    right = all(comes_out(printed[item.name], float(item.here)) for item in items)
    return Finding(
        Verdict.REPRODUCED if right else Verdict.DIFFERS, items, "the paper's own runs, to its digits"
    )


JUDGES: dict[str, Judge] = {
    "FK-T1": _identity("theorem 1"),
    "FK-T2": _identity("theorem 2"),
    "FK-T3": _identity("theorem 3"),
    "FK-T4": _identity("theorem 4"),
    "FK-Eacc": _identity("E[acc]", "E[1/F1]"),
    "FK-favour": _favour,
    "FK-harmonic": _harmonic,
    "FK-notune": _no_tuning,
    "FK-fig3": _figure_3,
    "FK-fig4r": _quartiles,
    "FK-fig4r-best": _quartiles_agree,
    "FK-fig5": _figure_5,
}
