"""What do WEKA's flows cost? A fold of ten of each, on data sets of several sizes, and the powers of their growth.

Seconds are of the processor, of the whole Java process (with its compiler and its collector of garbage), so other
work on the machine changes them little. A fit is given up after GIVEN_UP seconds, which then stand for what it takes.

The committed table has fits of `letter` too, where a run was stopped.

    python benchmarks/weka_costs.py           measures, into results/benchmarks/weka_costs.csv
    python benchmarks/weka_costs.py --fit     makes studies/weka/costs.csv of that table
"""

import argparse
import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import lsq_linear

from aucstudy.config import STUDIES
from aucstudy.learners.cross_validation import FlowFailed, stratified_folds
from aucstudy.learners.datasets import at_most, load
from aucstudy.store.tables import write_table
from aucstudy.study_folder import import_file

bridge, flows = (import_file(STUDIES / f"weka/{name}.py") for name in ("bridge", "flows"))
MEASURED = Path(__file__).parents[1] / "results" / "benchmarks" / "weka_costs.csv"
# how many folds of ten each set is measured on: small sets on all, or little but Java's compiler would be measured
SETS = {
    "iris": 10, "breast": 10, "sonar": 1, "vehicle": 1, "german": 1, "yeast1": 1, "titanic": 1, "segment": 1,
    "splice": 1, "phoneme": 1, "magic": 1, "spambase": 1, "optdigits": 1,
}  # fmt: skip
LARGEST = 3000  # rows
GIVEN_UP = 8.0  # seconds of the processor
SHORTEST = 0.005  # half of what the system's clock of a process tells apart


class Timed(bridge.Weka):
    """The bridge, with the seconds of the processor that the last flow took."""

    seconds = 0.0

    def _answer(self, fold: int) -> np.ndarray | str:
        begun = self._spent() - self.seconds
        while not self._connection.poll(0.25):
            self.seconds = self._spent() - begun
            if self.seconds > GIVEN_UP * (fold + 1):
                self._end()
                raise FlowFailed("given up")
        answer = super()._answer(fold)
        self.seconds = self._spent() - begun
        return answer

    def _spent(self) -> float:
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measured(sets: dict[str, int]) -> pd.DataFrame:
    """A row a data set and flow: rows, width, mean seconds of a fold and whether one was given up."""
    rows = []
    with Timed() as weka:
        for name, n_folds in {"ecoli1": 1, **sets}.items():  # the first one only warms the Java machine up
            data = at_most(load(name), LARGEST, seed=1)
            weka.load(data, stratified_folds(data, 10, seed=1)[:n_folds])
            for flow in flows.WEKA_FLOWS.values():
                weka.seconds, given_up = 0.0, False
                try:
                    weka.fold_scores(flow)
                except FlowFailed as failure:
                    given_up = str(failure) == "given up"
                rows.append(
                    (flow.name, name, len(data.target), flows.width(data), weka.seconds / n_folds, given_up)
                )
            print(name, file=sys.stderr)
    table = pd.DataFrame(rows, columns=["flow", "data", "rows", "width", "seconds", "given_up"])
    return table[table["data"] != "ecoli1"]


def fitted(table: pd.DataFrame) -> pd.DataFrame:
    """A row a flow: seconds at ROWS and WIDTH and the powers of both."""
    rows = []
    for flow in flows.WEKA_FLOWS:
        own = table[table["flow"] == flow]
        powers = _powers(own[~own["given_up"]])
        # a fit that was given up tells something only where the others promise less
        promised = np.exp(_logarithms(own) @ powers)
        powers = _powers(own[~own["given_up"] | (promised < own["seconds"])])
        rows.append((flow, np.exp(powers[0]), *powers[1:]))
    fit = pd.DataFrame(rows, columns=["flow", "seconds", "rows_power", "width_power"])
    return fit.round({"seconds": 4, "rows_power": 2, "width_power": 2})


def _logarithms(table: pd.DataFrame) -> np.ndarray:
    return np.column_stack(
        [np.ones(len(table)), np.log(table["rows"] / flows.ROWS), np.log(table["width"] / flows.WIDTH)]
    )


def _powers(table: pd.DataFrame) -> np.ndarray:
    """Least squares of the logarithms, where fits of a second and more weigh most, with powers of 0 to 2.5."""
    seconds = table["seconds"].clip(lower=SHORTEST).to_numpy()
    weights = np.sqrt(seconds.clip(0.02, 1))
    bounds = ([-np.inf, 0, 0], [np.inf, 2.5, 2.5])
    return lsq_linear(_logarithms(table) * weights[:, None], np.log(seconds) * weights, bounds=bounds).x


def main() -> None:
    """Measure, or make the table of predictions."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--fit", action="store_true", help="make the table of predictions of what was measured"
    )
    if parser.parse_args().fit:
        write_table(fitted(pd.read_csv(MEASURED)), flows.COSTS)
    else:
        write_table(measured(SETS), MEASURED)


if __name__ == "__main__":
    main()
