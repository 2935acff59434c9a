"""Figure of F-calibration at work: what thresholds set on other folds reach on held-out folds."""

import matplotlib.pyplot as plt
import pandas as pd

from aucstudy.experiments.inputs import Figure, Study
from aucstudy.presentation.phrases import between, interval
from aucstudy.presentation.style import PAGE, SERIES_COLOURS, SERIES_MARKERS, nothing_drawn

RULE_LABELS = {
    "default": "default",
    "probability_half": "probability 1/2",
    "f_calibrated": "F-calibrated",
    "searched": "searched",
    "hindsight": "hindsight",
}
BETA_LOOK = dict(zip((0.5, 1.0, 2.0), zip(SERIES_MARKERS, SERIES_COLOURS, strict=True), strict=False))
RIVALS = {
    "isotonic_same": "F-calibrated minus isotonic, both cut at $1/(1+\\beta^2)$",
    "isotonic_plug_in": "F-calibrated minus isotonic, cut at $F^*/(1+\\beta^2)$",
}
# calibration rows and how many times the test rows' odds are those of the calibration rows
CONDITIONS = {("all", 1.0): "as they are", ("200", 1.0): "200\nrows", ("50", 1.0): "50\nrows",
              ("all", 0.25): "odds\n$\\times$ 1/4", ("all", 4.0): "odds\n$\\times$ 4"}  # fmt: skip


def thresholds_figure(reached: pd.DataFrame, tasks: pd.DataFrame, cases: pd.DataFrame) -> plt.Figure:
    """Mean F_beta by rule, each task's F_beta against the searched threshold's, and the gain on isotonic probabilities.

    Parameters
    ----------
    reached, tasks, cases : the tables thresholds.csv, thresholds_tasks.csv and thresholds_calibration.csv.
    """
    if reached.empty:
        return nothing_drawn("No task has two folds: there is none to hold out.")
    figure, ((means, each), rivals) = plt.subplots(2, 2, figsize=(PAGE, 5.4), height_ratios=[1.3, 1])
    rules = list(RULE_LABELS)[::-1]
    for k, (beta, (marker, colour)) in enumerate(BETA_LOOK.items()):
        rows = reached[(reached["beta"] == beta) & (reached["quantity"] == "f")].set_index("rule").loc[rules]
        y = [place + 0.2 * (1 - k) for place in range(len(rules))]
        means.hlines(y, rows["low"], rows["high"], color=colour, linewidth=1)
        means.plot(rows["estimate"], y, marker, color=colour, label=f"$\\beta$ = {beta:g}")
        wide = tasks[tasks["beta"] == beta].pivot(index="task_id", columns="rule", values="f")
        for rule, face in (("default", "none"), ("f_calibrated", colour)):
            look = {"marker": marker, "s": 12, "edgecolor": colour, "facecolor": face, "linewidth": 0.6}
            each.scatter(wide["searched"], wide[rule], **look)
        for axis, against in zip(rivals, RIVALS, strict=True):
            _gains(axis, cases[(cases["against"] == against) & (cases["beta"] == beta)], k, marker, colour)
    means.set(xlabel="$F_\\beta$ on held-out folds, mean over tasks", yticks=range(len(rules)))
    means.set_yticklabels([RULE_LABELS[rule] for rule in rules])
    means.grid(True, axis="x")
    means.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncol=3, handletextpad=0.2)
    each.plot([0, 1], [0, 1], color="0.3", linewidth=0.6, zorder=0)
    each.set(xlabel="$F_\\beta$, searched threshold", ylabel="$F_\\beta$, other threshold", aspect="equal")
    each.set(xlim=(0, 1.02), ylim=(0, 1.02))
    for face, label in (("0.3", "F-calibrated"), ("none", "default")):
        each.scatter([], [], s=12, edgecolor="0.3", facecolor=face, linewidth=0.6, label=label)
    each.legend(loc="upper left", handletextpad=0.2)
    for axis, title in zip(rivals, RIVALS.values(), strict=True):
        axis.axhline(0, color="0.3", linewidth=0.7)
        axis.set_xticks(range(len(CONDITIONS)), CONDITIONS.values())
        axis.set_title(title)
        axis.grid(True, axis="y")
    rivals[0].set_ylabel("difference of $F_\\beta$")
    return figure


def _gains(axis: plt.Axes, cases: pd.DataFrame, k: int, marker: str, colour: str) -> None:
    """Differences to one rival at one beta, with their intervals, by the conditions that are drawn."""
    rows = cases.set_index(["rows", "odds"])
    kept = [condition for condition in CONDITIONS if condition in rows.index]
    x = [list(CONDITIONS).index(condition) + 0.2 * (k - 1) for condition in kept]
    axis.vlines(x, rows.loc[kept, "low"], rows.loc[kept, "high"], color=colour, linewidth=1)
    axis.plot(x, rows.loc[kept, "difference"], marker, color=colour)


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
        lambda study: thresholds_figure(
            study.table("thresholds"), study.table("thresholds_tasks"), study.table("thresholds_calibration")
        ),
        "F-calibration at work, on folds that no threshold has seen. Top left: mean F_beta by the rule that set the "
        "threshold on the other folds (default: the models own; probability 1/2: on ROC-hull calibrated "
        "probabilities; hindsight: the best single threshold on the test rows themselves), with 95 % intervals over "
        "source groups; right: the PRG-calibrated (filled) and the default threshold (open) against the searched one, "
        "a mark a task. Bottom: what the F-calibrated threshold gains over isotonic probabilities cut at the same "
        "place (left) and where they should be cut for F_beta (right): as predicted, with few calibration rows, and "
        "with the odds of a positive in the test rows a quarter or four times those of the calibration rows.",
    ),
}
