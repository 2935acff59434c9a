"""The claims that bear on the answer, a line each; all of them stand in docs/claims.md."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import pandas as pd
from aucstudy.presentation.markdown import markdown_table
from aucstudy.report.ledger import items_by_claim, verdict_words
from aucstudy.report.wording import number, percent, points, with_zero

from aucstudy.claims.flach_kull import NO_DIFFERENCE
from aucstudy.claims.verdicts import Evidence

PAIRS = ("AUPR-AUPRG", "AUPR-AUROC", "AUPRG-AUROC")
IN_WORDS = "–"


class Key(NamedTuple):
    """A claim in short, the items whose numbers are shown, and in which form: `%`, `points` or `number`."""

    id: str
    claim: str
    items: Sequence[str]
    form: str
    # what fills the braces of the claim
    beside: Callable[[Evidence], str] | None = None


def _share(name: str, item: str) -> Callable[[Evidence], str]:
    """The share of an item of a claim, without its interval."""

    def told(evidence: Evidence) -> str:
        here = (
            evidence.table("claims_values").set_index(["id", "item"]).sort_index().loc[(name, item), "here"]
        )
        return "not known" if pd.isna(here) else f"{here:.0f} %"

    return told


def _without_shift(evidence: Evidence) -> str:
    """What FK-notune says where the odds of the test rows are those of the calibration rows."""
    table = evidence.table("thresholds_calibration")
    if table is None or table.empty:
        return "not known"
    rows = table[(table["against"] == "isotonic_plug_in") & (table["odds"] == 1)]
    least = rows.loc[rows["low"].idxmin()]
    holds = "holds" if least["low"] > -NO_DIFFERENCE else "does not hold"
    return f"{holds}, at worst {points(least, 'difference')}"


KEYS = (
    Key("FK-top1", "Tasks with another best model: AUPR and AUPRG, AUPR and AUROC, AUPRG and AUROC", PAIRS, "%"),
    Key("FK-top3", "Tasks with other first three models, the same pairs", PAIRS, "%"),
    Key("FK-corr", "Correlation of the ranks, the same pairs", PAIRS, "number"),
    Key("FK-alike", "AUPRG differs from AUPR as much as AUROC does (from the numbers of the first row: tasks with "
        "another best model, difference)",
        ("AUPR-AUROC minus AUPR-AUPRG",), "share points"),
    Key("FK-cause", "The arithmetic mean of precision turns the order (swaps it turns)",
        ("swaps that turn at harmonic precision",), "%"),
    Key("FK-favour", "AUPR favours models with a lower expected F1, judged on new rows (expected F-Gain of AUPRG's "
        "choice minus AUPR's; on the rows that chose it does so in {} of the swaps, nearly by construction)",
        ("AUPRG's choice minus AUPR's, E[FG1] on unseen rows",), "points",
        _share("FK-favour", "AUPR's winner has the lower E[FG1]")),
    Key("FK-select", "AUPRG selects better models (F1 of its choice minus AUPR's)",
        ("AUPRG's choice minus AUPR's, F1",), "points"),
    Key("FK-harmonic", "F-Gain may be averaged over folds, F1 may not (tasks where the mean changes the winner by "
        "pooled F1, F-Gain minus F1; mean F-Gain is minus infinity, for {} of the models, where a fold has F1 0)",
        ("difference, calibrated threshold",), "share points",
        _share("FK-harmonic", "models with a mean F-Gain of minus infinity, calibrated threshold")),
    Key("FK-notune", "Scores calibrated by PRG need no tuned threshold (F1, minus that of a plug-in threshold on "
        "isotonic probabilities; worst case, the odds of the test rows shifted; without shift the claim {})",
        ("against isotonic F*/(1+beta^2), worst case, beta=1",), "points", _without_shift),
    Key("FK-baseline", "With precision or recall below the prevalence a model loses against always-positive "
        "(a counterexample's F0.25, always-positive's)",
        ("F_0.25 of precision 1, recall .27 at pi = .3", "F_0.25 of always-positive at pi = .3"), "number"),
    Key("B-skew", "The least AUPR grows with prevalence (from 0.01 to 0.5)", ("rise of the minimum from pi=.01 to .5",),
        "number"),
    Key("B-tab3-var", "AUCNPR varies less than AUPR over ratios of negatives (their standard deviations in table 3)",
        ("AUCPR in table 3", "AUCNPR in table 3"), "number"),
    Key("B-tab3-var-here", "The same on our tasks (standard deviations of AUPR and of AUCNPR)",
        ("AUPR here", "AUCNPR here"), "number"),
    Key("B-tab3-trend", "In table 3 AUPR gains the more the nearer to 1:1 (but at 1:3 less than at 1:4)",
        ("difference at 1:3", "difference at 1:4"), "number"),
    Key("B-optimistic", "Test sets cut to 1:1 are too optimistic (AUPR gains)",
        ("AUPR, 1:1 minus original",), "points"),
    Key("B-folds", "Over folds a mean AUCNPR errs less than a mean AUPR, but errs (by how much less, error; in "
        "standard deviations of the models)",
        ("error with AUPR minus error with AUCNPR", "error with AUCNPR, skewed folds minus control"), "number"),
    Key("B-tasks", "Mean AUPR and mean AUCNPR over tasks choose other methods (share of resamples)",
        ("resamples in which the best flow differs",), "%"),
    Key("L-tools", "Tools' areas under the PR curve choose other models (tasks)",
        ("another best model by some rule",), "%"),
    Key("L-invariant", "Skew moves AUPR, not AUROC (moved by cutting to 1:1: AUROC, AUPR)",
        ("AUROC, 1:1 minus original", "AUPR, 1:1 minus original"), "points"),
    Key("L-calibrated", "Moved to one prevalence, AUPR no longer depends on it (bias from 1:1)",
        ("largest bias over the ratios",), "points"),
    Key("L-superior", "Where positives are rare AUPR suits retrieval of the top and nothing else (tasks of prevalence "
        "under 0.1, AUPR's choice minus AUROC's: recall at precision 0.9, F2)",
        ("AUPR's choice minus AUROC's, recall at precision .9", "AUPR's choice minus AUROC's, F2"), "points"),
    Key("L-informative", "Where positives are rare PR tells more models apart than ROC (pairs, PR minus ROC)",
        ("difference",), "share points"),
)  # fmt: skip


def key_table(evidence: Evidence, claims_page: str, beside: Mapping[str, Mapping[str, str]]) -> str:
    """A line a claim in Markdown: claim, published, here, verdict with its link into the page of all claims.

    Parameters
    ----------
    beside : by claim the verdicts of other studies, by their names; those that differ stand beside the verdict here.
    """
    values = evidence.table("claims_values")
    papers = values.groupby("id")["place"].first()
    values = values.set_index(["id", "item"]).sort_index()
    verdicts, items = evidence.table("claims").set_index("id")["verdict"], items_by_claim(evidence)
    lines = []
    for key in KEYS:
        verdict = verdict_words(verdicts[key.id], items[key.id])
        rows = [values.loc[(key.id, item)] for item in key.items]
        published = [f"{row['published']}".removesuffix(".0") for row in rows if row["published"]]
        unit = " %" if key.form == "%" else ""
        cells = [
            papers[key.id].split(",")[0],
            key.claim.format(key.beside(evidence)) if key.beside else key.claim,
            f"{', '.join(map(with_zero, published))}{unit}" if published else IN_WORDS,
            ", ".join(_here(row, key.form) for row in rows),
            f"[{verdict}]({claims_page}#{key.id.lower()})" + _elsewhere(verdict, beside.get(key.id, {})),
        ]
        lines.append(cells)
    return markdown_table(["paper", "claim", "published", "here (95 % interval)", "verdict"], lines)


def _elsewhere(here: str, beside: Mapping[str, str]) -> str:
    """The other verdicts in a row, each once, behind the studies that give it."""
    others = {
        words: [name for name, verdict in beside.items() if verdict == words] for words in beside.values()
    }
    return "".join(f"; *{'*, *'.join(names)}*: {words}" for words, names in others.items() if words != here)


def _here(row: pd.Series, form: str) -> str:
    if pd.isna(row["here"]):
        return IN_WORDS
    in_hundredths = row[["here", "low", "high"]].astype(float) / (100 if form in ("%", "share points") else 1)
    return {"%": percent, "number": number}.get(form, points)(in_hundredths, "here")
