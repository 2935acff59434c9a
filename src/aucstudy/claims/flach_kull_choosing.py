"""The claims of Flach & Kull 2015 on what follows for practice: choosing, averaging over folds, thresholds."""

from decimal import Decimal

import pandas as pd

from aucstudy.claims.estimates import item_of, mean_over_tasks
from aucstudy.claims.verdicts import (
    Evidence,
    Finding,
    Item,
    Judge,
    Verdict,
    measured,
    not_available,
    shifted,
)

NO_DIFFERENCE = 0.01  # a difference of F that counts as none


def _off(experiment: str) -> Finding:
    return not_available(
        f"the experiment {experiment} is switched off in this study, or has no task it can work on"
    )


def auprg_minus_aupr(evidence: Evidence, utility: str, name: str) -> Item | None:
    """The utility of AUPRG's choice minus that of AUPR's on rows neither has seen; None if that was not measured."""
    table = evidence.table("selection_primary")
    if table is None:
        return None
    if "contrast" in table:  # "auprg minus aupr": its first and its last word
        words = table["contrast"].str.lower().str.split()
        table = table.assign(first=words.str[0], second=words.str[-1])
    rows = table[(table["first"] == "auprg") & (table["second"] == "aupr") & (table["utility"] == utility)]
    if "design" in rows:
        rows = rows[rows["design"] == "halves"]
    return None if rows.empty else item_of(name, rows.iloc[0], "difference")


def _better_choice(items: list[Item], note: str) -> Finding:
    """Supports if all gains are above 0; contradicts if one reaches 0 and excludes a gain that matters."""
    if all(item.low > 0 for item in items):
        return Finding(Verdict.SUPPORTS, items, note)
    against = any(item.low <= 0 and item.high < NO_DIFFERENCE for item in items)
    return Finding(Verdict.CONTRADICTS if against else Verdict.UNDECIDED, items, note)


def _select(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    names = {
        "AUPRG's choice minus AUPR's, F1": "f1",
        "AUPRG's choice minus AUPR's, E[FG1]": "expected_fg1",
    }
    items = [auprg_minus_aupr(evidence, utility, name) for name, utility in names.items()]
    if None in items:
        return _off("selection")
    return _better_choice(items, "models chosen on one half of the test rows and judged on the other")


def _favour(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    same_rows = _judged_on_the_same_rows(evidence.table("favour"))
    name = "AUPRG's choice minus AUPR's, E[FG1] on unseen rows"
    judge = auprg_minus_aupr(evidence, "expected_fg1", name)
    note = "the shares are of the tasks whose winners differ, and describe: E[FG1] of the same rows is nearly AUPRG"
    if judge is None:
        return Finding(
            Verdict.NOT_AVAILABLE, same_rows, f"the experiment selection is not in this study; {note}"
        )
    verdict = _better_choice([judge], note).verdict
    return Finding(verdict, [judge, *same_rows], note)


def _judged_on_the_same_rows(table: pd.DataFrame | None) -> list[Item]:
    if table is None or table.empty:
        return []
    pair = table[(table["first"] == "aupr") & (table["second"] == "auprg")].set_index(["judge", "quantity"])
    places = {
        "AUPR's winner has the lower E[FG1]": ("expected_fg1", "first_lower"),
        "AUPRG's winner has the lower E[FG1]": ("expected_fg1", "second_lower"),
        "AUPR's winner reaches the lower held-out F1": ("held_out_f1", "first_lower"),
        "AUPRG's winner reaches the lower held-out F1": ("held_out_f1", "second_lower"),
    }
    return [item_of(name, pair.loc[key], factor=100) for name, key in places.items()]


def _harmonic(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    table = evidence.table("fold_averages_tasks")
    if table is None or table.empty:
        return _off("favour")
    by_rule = dict(list(table[table["defined"]].groupby("rule")))
    if "f_calibrated" not in by_rule:
        return not_available("in no task has a model a true positive in every fold")
    averages = {"mean F1": "mean_f1", "mean F-Gain": "mean_fg1"}
    rules = {"default": "default", "f_calibrated": "calibrated"}
    items = []
    for rule, threshold in rules.items():
        for label, average in averages.items() if rule in by_rule else ():
            rows = _against_sums(by_rule[rule], average)
            name = f"{label} changes the winner, {threshold} threshold"
            items.append(mean_over_tasks(name, rows["p_differs"], rows["source_group"], 100))
    arithmetic_mean, gain = (_against_sums(by_rule["f_calibrated"], name) for name in averages.values())
    groups = gain["source_group"]
    more = mean_over_tasks(
        "difference, calibrated threshold", gain["p_differs"] - arithmetic_mean["p_differs"], groups, 100
    )
    every = _against_sums(table[table["rule"] == "f_calibrated"], "mean_fg1")
    infinite = mean_over_tasks(
        "models with a mean F-Gain of minus infinity, calibrated threshold",
        1 - every["finite_models"] / every["n_models"], every["source_group"], 100,
    )  # fmt: skip
    note = "against the winner by F1 of the folds' summed counts; an F1 of 0 in one fold makes mean F-Gain infinite"
    return measured([*items, more, infinite], [shifted(more, 0, -1)], note, groups.nunique())


def _against_sums(rows: pd.DataFrame, average: str) -> pd.DataFrame:
    return rows[(rows["first"] == average) & (rows["second"] == "f1_of_sums")].set_index("task_id")


def _no_tuning(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    table, cases = evidence.table("thresholds"), evidence.table("thresholds_calibration")
    if table is None or table.empty:
        return _off("thresholds")
    rows = table[(table["rule"] == "f_calibrated") & (table["quantity"] == "minus_searched")]
    items = [item_of(f"F-calibrated minus searched, beta={row['beta']:g}", row) for _, row in rows.iterrows()]
    if cases is None or cases.empty:
        return Finding(Verdict.NOT_AVAILABLE, items, "thresholds_calibration.csv is not in this study")
    plug_in, worst = cases[cases["against"] == "isotonic_plug_in"], []
    for beta, of_beta in plug_in.groupby("beta"):
        least = of_beta.loc[of_beta["low"].idxmin()]
        worst.append(
            item_of(f"against isotonic F*/(1+beta^2), worst case, beta={beta:g}", least, "difference")
        )
    usual = cases[(cases["against"] == "isotonic_same") & (cases["rows"] == "all") & (cases["odds"] == 1)]
    same = [
        item_of(f"against isotonic at 1/(1+beta^2), beta={row['beta']:g}", row, "difference")
        for _, row in usual.iterrows()
    ]
    margins = [shifted(item_of("", row, "difference"), -NO_DIFFERENCE) for _, row in plug_in.iterrows()]
    least = plug_in.loc[plug_in["low"].idxmin()]
    unmoved = plug_in[plug_in["odds"] == 1]
    note = (
        "the searched threshold is the same argmax and cannot judge; worst of the numbers of calibration rows and of "
        f"the test rows' odds: {least['rows']} rows, odds times {least['odds']:g} at beta {least['beta']:g}; at the "
        f"calibration rows' own odds between {unmoved['difference'].min():+.3f} and {unmoved['difference'].max():+.3f}"
    )
    return measured([*items, *worst, *same], margins, note, int(plug_in["n_groups"].max()))


def _beta_intervals(evidence: Evidence, printed: dict[str, Decimal]) -> Finding:
    table = evidence.table("thresholds_intervals")
    if table is None or table.empty:
        return _off("thresholds")
    items = [
        item_of(f"lead over the {row['neighbour']} neighbour, beta={row['beta']:g}", row, "lead")
        for _, row in table.iterrows()
    ]
    shares = ", ".join(
        f"{100 * rows['leads_both'].iloc[0]:.0f} % at beta {beta:g}" for beta, rows in table.groupby("beta")
    )
    note = f"on held-out folds the point is at least as good as both neighbours in {shares}"
    return measured(items, items, note, int(table["n_groups"].max()))


JUDGES: dict[str, Judge] = {
    "FK-favour": _favour,
    "FK-select": _select,
    "FK-harmonic": _harmonic,
    "FK-notune": _no_tuning,
    "FK-betas": _beta_intervals,
}
