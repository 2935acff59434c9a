"""Figure of F-calibration at work: what thresholds set on other folds reach on held-out folds."""

import matplotlib.pyplot as plt
import pandas as pd

from aucstudy.experiments.inputs import Figure, Study
from aucstudy.presentation.phrases import between, interval
from aucstudy.presentation.style import PAGE, nothing_drawn

RULE_LABELS = {
    "default": "default",
    "probability_half": "probability 1/2",
    "f_calibrated": "F-calibrated",
    "searched": "searched",
    "hindsight": "hindsight",
}
BETA_LOOK = {0.5: ("o", "#0072B2"), 1.0: ("s", "#D55E00"), 2.0: ("^", "#009E73")}


def thresholds_figure(reached: pd.DataFrame, tasks: pd.DataFrame) -> plt.Figure:
    """Mean F_beta by rule, and each task's F_beta against that of the searched threshold.

    Parameters
    ----------
    reached, tasks : the tables thresholds.csv and thresholds_tasks.csv.
    """
    if reached.empty:
        return nothing_drawn("No task has two folds: there is none to hold out.")
    figure, (means, each) = plt.subplots(1, 2, figsize=(PAGE, 3.2), width_ratios=[1.25, 1])
    rules = list(RULE_LABELS)[::-1]
    for k, (beta, (marker, colour)) in enumerate(BETA_LOOK.items()):
        rows = reached[(reached["beta"] == beta) & (reached["quantity"] == "f")].set_index("rule").loc[rules]
        y = [place + 0.2 * (1 - k) for place in range(len(rules))]
        means.hlines(y, rows["low"], rows["high"], color=colour, linewidth=1)
        means.plot(rows["estimate"], y, marker, color=colour, markersize=5, label=f"$\\beta$ = {beta:g}")
        wide = tasks[tasks["beta"] == beta].pivot(index="task_id", columns="rule", values="f")
        for rule, face in (("default", "none"), ("f_calibrated", colour)):
            look = {"marker": marker, "s": 14, "edgecolor": colour, "facecolor": face, "linewidth": 0.6}
            each.scatter(wide["searched"], wide[rule], **look)
    means.set(xlabel="$F_\\beta$ on held-out folds, mean over tasks", yticks=range(len(rules)))
    means.set_yticklabels([RULE_LABELS[rule] for rule in rules])
    means.grid(True, axis="x")
    means.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncol=3, handletextpad=0.2)
    each.plot([0, 1], [0, 1], color="0.3", linewidth=0.6, zorder=0)
    each.set(xlabel="$F_\\beta$, searched threshold", ylabel="$F_\\beta$, other threshold", aspect="equal")
    each.set(xlim=(0, 1.02), ylim=(0, 1.02))
    for face, label in (("0.3", "F-calibrated"), ("none", "default")):
        each.scatter([], [], s=14, edgecolor="0.3", facecolor=face, linewidth=0.6, label=label)
    each.legend(loc="upper left", handletextpad=0.2)
    return figure


QUESTION = "Does F-calibration spare the tuning?"


def findings(study: Study) -> list[str]:
    """What F-calibrated thresholds lose against a search, on held-out folds."""
    table = study.table("thresholds")
    if table.empty:
        return []
    sentences = []
    for beta, rows in table[table["rule"] == "f_calibrated"].groupby("beta"):
        rows = rows.set_index("quantity")
        searched, default, same = (
            rows.loc[name] for name in ("minus_searched", "minus_default", "same_as_searched")
        )
        sentences.append(
            f"F_{beta:g}: the F-calibrated threshold reaches {searched['estimate']:+.4f} "
            f"{interval(searched['low'], searched['high'], '+.4f')} against the searched one and "
            f"{default['estimate']:+.3f} against the default; in {100 * same['estimate']:.0f} % of the held-out "
            "folds it decides just as the searched one does."
        )
    cases, leads = study.table("thresholds_calibration"), study.table("thresholds_intervals")
    return sentences + _against_probabilities(cases) + _beta_intervals(leads)


def _against_probabilities(cases: pd.DataFrame) -> list[str]:
    """What PRG calibration gains over isotonic probabilities: as they are, with few rows, at other odds."""
    sentences = []
    names = {
        "isotonic_same": "isotonic probabilities cut at the same 1/(1 + beta^2)",
        "isotonic_plug_in": "isotonic probabilities cut at F*/(1 + beta^2)",
    }
    for against, name in names.items():
        rows = cases[(cases["against"] == against) & (cases["odds"] == 1) & (cases["rows"] == "all")]
        usual = "; ".join(f"beta {row['beta']:g} {between(row, 4)}" for _, row in rows.iterrows())
        rows = cases[cases["against"] == against]
        if len(rows):
            worst = rows.loc[rows["difference"].idxmin()]
            sentences.append(
                f"Against {name}, the F-calibrated threshold gains in F_beta: {usual}; at worst {between(worst, 4)} "
                f"(beta {worst['beta']:g}, {worst['rows']} calibration rows, odds times {worst['odds']:g})."
            )
    return sentences


def _beta_intervals(leads: pd.DataFrame) -> list[str]:
    """Whether a hull point leads its neighbours on new rows where its printed interval of beta says so."""
    return [
        f"At beta {row['beta']:g} the hull point printed as the best leads its {row['neighbour']} neighbour on "
        f"held-out folds by {between(row.rename({'lead': 'difference'}), 4)}; it is as good as both in "
        f"{100 * row['leads_both']:.0f} % of the folds."
        for _, row in leads.iterrows()
    ]


TABLES = {
    "thresholds": (
        "F-beta on held-out folds, mean over the models and then over the tasks, by the rule that set the "
        "threshold (f: F-beta of the summed counts of the folds; columns that begin with minus: difference to "
        "that rule; same_as_searched: share of folds with the very same counts as the searched threshold), with "
        "95 % intervals over source groups."
    ),
    "thresholds_calibration": (
        "F-beta on held-out folds at the F-calibrated threshold minus that of a rival (against: isotonic probabilities "
        "cut at 1/(1 + beta^2), isotonic_same, or at F*/(1 + beta^2), isotonic_plug_in; the F-calibrated threshold "
        "moved to the test rows' odds, prg_moved), by the number of calibration rows and by how many times the test "
        "rows' odds of a positive are those of the calibration rows; 95 % intervals over source groups."
    ),
    "thresholds_intervals": (
        "The hull point that the printed interval of beta calls the best, against its stricter and laxer neighbour on "
        "the hull, on held-out folds: lead in F-beta with its 95 % interval over source groups, and the share of "
        "folds in which it is at least as good as both."
    ),
    "thresholds_tasks": (
        "For each task, beta and rule: the F-beta reached on held-out folds, mean over models, and its "
        "differences to the other rules."
    ),
}


FIGURES = {
    "thresholds_reached": Figure(
        lambda study: thresholds_figure(study.table("thresholds"), study.table("thresholds_tasks")),
        "F-calibration at work, on folds that no threshold has seen. Left: mean F_beta by the rule that set the "
        "threshold on the other folds (default: the models own; probability 1/2: on ROC-hull calibrated "
        "probabilities; hindsight: the best single threshold on the test rows themselves), with 95 % intervals "
        "over source groups. Right: the PRG-calibrated (filled) and the default threshold (open) against the "
        "searched one, a mark a task.",
    ),
}
