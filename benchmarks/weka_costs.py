"""Measure what a fit of WEKA's flows costs, and how the costs grow with the data.

For each flow, one fold of ten is fitted on data sets of several sizes. Seconds are those of the processor,
for the whole Java process with its compiler and its garbage collector, so that other work on the machine
changes them little. A fit is given up after GIVEN_UP seconds, which then count as what it takes.

The committed table also has fits of `letter`, in which a run was stopped.

    python benchmarks/weka_costs.py           measures, into results/benchmarks/weka_costs.csv
    python benchmarks/weka_costs.py --fit     makes studies/weka/costs.csv of that table
"""

import argparse
import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from origin import write_measured
from scipy.optimize import lsq_linear

from aucstudy.config import STUDIES
from aucstudy.learners.cross_validation import FlowFailed, stratified_folds
from aucstudy.learners.datasets import at_most, load
from aucstudy.store.tables import write_table
from aucstudy.study_folder.modules import import_file

bridge, flows = (import_file(STUDIES / f"weka/{name}.py") for name in ("bridge", "flows"))
MEASURED = Path(__file__).parents[1] / "results" / "benchmarks" / "weka_costs.csv"
# The number of folds, of ten, on which a set is measured. Small sets have all ten: otherwise, little but
# Java's compiler would be measured.
SETS = {
    "iris": 10, "breast": 10, "sonar": 1, "vehicle": 1, "german": 1, "yeast1": 1, "titanic": 1, "segment": 1,
    "splice": 1, "phoneme": 1, "magic": 1, "spambase": 1, "optdigits": 1,
}  # fmt: skip
LARGEST = 3000  # rows
GIVEN_UP = 8.0  # seconds of the processor
SHORTEST = 0.005  # half of the resolution of the system's clock of a process


class Timed(bridge.Weka):
    """WEKA's bridge, which also counts the processor seconds of the last flow."""

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
    """Return a row for each data set and flow.

    It has rows, width, mean seconds of a fold, and whether one was given up.
    """
    rows = []
    with Timed() as weka:
        # The first set only warms up the Java machine.
        for name, n_folds in {"ecoli1": 1, **sets}.items():
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
    """Return a row for each flow: seconds at ROWS and WIDTH, and the powers of both."""
    rows = []
    for flow in flows.WEKA_FLOWS:
        own = table[table["flow"] == flow]
        powers = _powers(own[~own["given_up"]])
        # A fit that was given up is informative only where the others predict less time.
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
    """Fit the logarithms by least squares, with powers of 0 to 2.5.

    Fits of a second and more have the largest weight.
    """
    seconds = table["seconds"].clip(lower=SHORTEST).to_numpy()
    weights = np.sqrt(seconds.clip(0.02, 1))
    bounds = ([-np.inf, 0, 0], [np.inf, 2.5, 2.5])
    return lsq_linear(_logarithms(table) * weights[:, None], np.log(seconds) * weights, bounds=bounds).x


def main() -> None:
    """Measure the flows, or make the table of predictions from what was measured."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--fit", action="store_true", help="make the table of predictions of what was measured"
    )
    if parser.parse_args().fit:
        write_table(fitted(pd.read_csv(MEASURED)), flows.COSTS)
    else:
        write_measured(measured(SETS), MEASURED)


if __name__ == "__main__":
    main()
