"""On OpenML only: our area under the ROC curve against the one that the server recorded, run by run."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from aucstudy.experiments.inputs import Study

# the server's own: values of different engines are taken for equal within it
TOLERANCE = 1e-4
COLUMNS = ("task_id", "run_id", "flow_name", "upload_time", "auroc", "server_auroc", "difference", "agrees")


def over_all(study: Study, *, seed: int) -> dict[str, pd.DataFrame]:
    """The comparison of all runs."""
    check = compare_with_server(study.runs, study.scores())
    return {"server_check": check.summary, "server_check_exceptions": check.exceptions}


@dataclass(frozen=True)
class ServerCheck:
    """The comparison, a row a run, and its sums.

    Attributes
    ----------
    table : task_id, run_id, flow_name, upload_time, auroc, server_auroc, difference (ours less theirs), agrees;
        runs without a recorded area have NaN there and `agrees` is None.
    n_compared, n_exceptions : runs with a recorded area, and those that do not agree with it.
    """

    table: pd.DataFrame
    n_compared: int
    n_exceptions: int

    @property
    def share(self) -> float:
        """Share of the compared runs that agree; NaN where none could be compared."""
        return 1 - self.n_exceptions / self.n_compared if self.n_compared else float("nan")

    @property
    def summary(self) -> pd.DataFrame:
        """One row: runs, those with a recorded area, those that agree, their share, the largest difference."""
        largest = self.table["difference"].abs().max()
        row = {
            "n_runs": len(self.table),
            "n_compared": self.n_compared,
            "n_agree": self.n_compared - self.n_exceptions,
            "share": self.share,
            "largest_difference": largest,
        }
        return pd.DataFrame([row])

    @property
    def exceptions(self) -> pd.DataFrame:
        """The runs that do not agree, the farthest first."""
        rows = self.table[self.table["agrees"].eq(False)]
        return rows.sort_values("difference", key=np.abs, ascending=False, kind="stable", ignore_index=True)


def compare_with_server(
    runs: pd.DataFrame, scores: pd.DataFrame, tolerance: float = TOLERANCE
) -> ServerCheck:
    """Compare the pooled area of each run with the recorded one.

    Parameters
    ----------
    runs : runs.csv of a task store, with `server_auroc` of the positive class.
    scores : the scores of its tasks; of them the rows of aggregation `pooled` count.
    tolerance : the largest difference that still agrees; old engines wrote 6 digits.

    Examples
    --------
    >>> runs = pd.DataFrame({"task_id": ["3", "3"], "run_id": ["1", "2"], "flow_name": ["a", "b"],
    ...                      "upload_time": ["2014", "2015"], "server_auroc": [0.75, float("nan")]})
    >>> scores = pd.DataFrame({"task_id": ["3", "3"], "run_id": ["1", "2"], "aggregation": "pooled",
    ...                        "auroc": [0.75003, 0.5]})
    >>> check = compare_with_server(runs, scores)
    >>> check.n_compared, check.n_exceptions, check.share
    (1, 0, 1.0)
    """
    pooled = scores.loc[scores["aggregation"] == "pooled", ["task_id", "run_id", "auroc"]]
    table = runs[["task_id", "run_id", "flow_name", "upload_time", "server_auroc"]].merge(
        pooled, on=["task_id", "run_id"], how="inner"
    )
    table["difference"] = table["auroc"] - table["server_auroc"]
    recorded = table["server_auroc"].notna()
    agrees = table["difference"].abs() <= tolerance
    table["agrees"] = agrees.astype(object).where(recorded, None)
    return ServerCheck(table[list(COLUMNS)], int(recorded.sum()), int((recorded & ~agrees).sum()))
