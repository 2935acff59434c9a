"""What docs/choosing.md says of few positives, from the tables of the studies few_natural and few_thinned."""

import pandas as pd
from committed import Tables

from aucstudy.area_names import MARGIN
from aucstudy.config import STUDIES, read_yaml
from aucstudy.study_folder.modules import import_file
from aucstudy.wording import selected

few_positives, figures = (
    import_file(STUDIES / "rare_positives" / f"{name}.py")
    for name in ("few_positives_tables", "few_positives_figures")
)
# the ways to spend labelled rows, as columns of contrasts
CONTRASTS = {
    "other - same": "one sample selects; the other one sets the threshold, instead of the same one",
    "whole - split": "all rows for both steps, instead of one sample to select and the other for the threshold",
    "crossed - whole": "all rows select; a cross-fitted threshold, instead of the same rows",
    "bayes - whole": "all rows select; a threshold from calibrated training rows, instead of the same rows",
    "share - whole": "all rows select; the share of positives in training, instead of the same rows",
    "hindsight - whole": "all rows select; the best threshold in hindsight, instead of the same rows",
}
TARGETS = {
    "f1": "F1", "f2": "F2", "net:odds": "true minus false positive rate (`net:odds`)",
    "net:sqrt": "net benefit, a false positive cancels √odds true positives (`net:sqrt`)",
    "net:1": "net benefit, a false positive cancels a true one (`net:1`)",
    "cost:10": "cost, a missed positive as bad as ten false alarms (`cost:10`)",
    "precision@P": "precision of the first P rows", "recall@.5": "recall at precision .5",
}  # fmt: skip
N_OLDER = read_yaml(STUDIES / "rare_positives" / "few_thinned.yaml")["models_per_task"]
SETS = {
    "today": "24 learners of today",
    "with_old": "15 learners of today and 9 of 2005",
    "older": f"{N_OLDER} learners of 2005",
}
VERDICTS = {
    "confirmed": "Confirmed",
    "contradicted": "Contradicted",
    "open": "Inconclusive",
    "too few groups": "Too few source groups to judge",
}


class FewPositives:
    def __init__(self, tables: Tables) -> None:
        self.tables = tables

    def rows(self, study: str, table: str, **where: object) -> pd.DataFrame:
        return selected(self.tables(study, table), **where)

    def numbers(self, study: str, candidates: str) -> list[int]:
        """The numbers of positives of a sample that a study has cells of, the whole validation set last."""
        found = set(self.rows(study, "few_positives_rows", candidates=candidates)["positives"])
        return sorted(found, key=lambda positives: (positives == few_positives.WHOLE, positives))

    def metrics(self) -> dict[str, str]:
        """The selection metrics and what they are called; F1 on the sample is the target itself where that is F1."""
        return {name: figures.LABELS[name] for name in few_positives.METRICS}

    def groups_of(self, study: str, **where: object) -> int:
        return self.rows(study, "few_positives_groups", **where)["source_group"].nunique()

    def setting(self, study: str, key: str) -> object:
        """What the study file says of the source."""
        return read_yaml(STUDIES / "rare_positives" / f"{study}.yaml")["source_settings"][key]


def change(rows: pd.DataFrame, estimate: str = "difference", low: str = "low", high: str = "high") -> str:
    """The one row's estimate with its limits, in points and with its sign; a dash where no row is.

    >>> change(pd.DataFrame({"difference": [0.0083], "low": [-0.0071], "high": [0.0224]}))
    '+0.8 (-0.7 to 2.2)'
    """
    if rows.empty or rows[estimate].isna().all():
        return "–"
    row = rows.iloc[0]
    return f"{_tenth(row[estimate], '+')} ({_tenth(row[low])} to {_tenth(row[high])})"


def _tenth(value: float, sign: str = "") -> str:
    rounded = round(100 * value, 1) or 0.0
    return f"{rounded:{sign}.1f}" if rounded else f"{rounded:.1f}"


def matters(rows: pd.DataFrame) -> str:
    """Whether the one row's interval lies beyond half a point, or within half a point of 0; a dash where no row is.

    >>> for low, high in ((0.006, 0.02), (-0.001, 0.004), (-0.001, 0.006)):
    ...     print(matters(pd.DataFrame({"low": [low], "high": [high]})))
    matters
    does not matter
    undecided
    """
    if rows.empty:
        return "–"
    low, high = rows["low"].iloc[0], rows["high"].iloc[0]
    if low > MARGIN or high < -MARGIN:
        return "matters"
    return "does not matter" if low >= -MARGIN and high <= MARGIN else "undecided"
