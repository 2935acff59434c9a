"""Numbers and words on few positives for the pages, from the tables of few_natural and few_thinned."""

import pandas as pd
from committed import Tables

from aucstudy.config import STUDIES, read_yaml
from aucstudy.experiments.compared import MARGIN
from aucstudy.study_folder.modules import import_file
from aucstudy.wording import selected

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


class FewPositives:
    """The tables on few positives, as the templates ask for them."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables

    def rows(self, study: str, table: str, **where: object) -> pd.DataFrame:
        return selected(self.tables(study, table), **where)

    def numbers(self, study: str, candidates: str) -> list[int]:
        """Return the numbers of positives per sample for which a study has results.

        The value for the whole validation set comes last.
        """
        found = set(self.rows(study, "few_positives_rows", candidates=candidates)["positives"])
        return sorted(found, key=lambda positives: (positives == few_positives.WHOLE, positives))

    def metrics(self) -> dict[str, str]:
        """Return the label of each selection metric. The target metric itself is one of them."""
        return {name: figures.LABELS[name] for name in few_positives.METRICS}

    def groups_of(self, study: str, **where: object) -> int:
        return self.rows(study, "few_positives_groups", **where)["source_group"].nunique()

    def setting(self, study: str, key: str) -> object:
        """Return a setting of the source of data from the file of a study."""
        return read_yaml(STUDIES / "few_positives" / f"{study}.yaml")["source_settings"][key]


def change(rows: pd.DataFrame, estimate: str = "difference", low: str = "low", high: str = "high") -> str:
    """Return the estimate of the single row with its interval, in points, or a dash if there is none.

    The estimate has a sign.

    >>> change(pd.DataFrame({"difference": [0.0083], "low": [-0.0071], "high": [0.0224]}))
    '+0.8 (-0.7 to 2.2)'
    """
    if rows.empty or rows[estimate].isna().all():
        return "–"
    row = rows.iloc[0]
    return f"{_tenth(row[estimate], '+')} ({_tenth(row[low])} to {_tenth(row[high])})"


def entry(rows: pd.DataFrame, estimate: str = "difference", low: str = "low", high: str = "high") -> str:
    """Return the text of `change` for a table: the estimate is in bold if its interval does not contain 0.

    >>> entry(pd.DataFrame({"difference": [0.0083], "low": [0.0021], "high": [0.0224]}))
    '**+0.8** (0.2 to 2.2)'
    """
    text = change(rows, estimate, low, high)
    if text == "–" or rows[low].iloc[0] <= 0 <= rows[high].iloc[0]:
        return text
    number, interval = text.split(" ", 1)
    return f"**{number}** {interval}"


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
