"""Do the bridge to WEKA and WEKA's own command line predict the same? Every flow on one fold of each ARFF file given.

The source distribution of python-weka-wrapper3 ships such files (tests/wekatests/data: anneal, diabetes, iris, ...).
A class of more than two values is made two, the largest against the rest. Flows that fail on both sides agree.

    pip download --no-binary :all: --no-deps python-weka-wrapper3==0.3.3 && tar xzf python_weka_wrapper3-0.3.3.tar.gz
    python benchmarks/weka_bridge.py python_weka_wrapper3-0.3.3/tests/wekatests/data/{anneal.ORIG,diabetes,iris}.arff
"""

import argparse
import tempfile
from pathlib import Path

import arff
import numpy as np
import pandas as pd

from aucstudy.errors import InputError
from aucstudy.learners.cross_validation import FlowFailed, Split, stratified_folds
from aucstudy.learners.datasets import DataSet, two_classes
from aucstudy.learners.weka.bridge import Weka, command_line_scores
from aucstudy.learners.weka.flows import WEKA_FLOWS, WekaFlow
from aucstudy.store.tables import write_table

RESULTS = Path(__file__).parents[1] / "results" / "benchmarks"
FOLDS = 3


def read_arff(path: Path) -> DataSet:
    """An ARFF file whose class is the last attribute."""
    with path.open() as stream:
        content = arff.load(stream)
    frame = pd.DataFrame(content["data"], columns=[name for name, _ in content["attributes"]])
    for name, kind in content["attributes"]:
        nominal = isinstance(kind, list)
        frame[name] = frame[name].astype(object if nominal else float).where(frame[name].notna(), np.nan)
    labels = frame.iloc[:, -1].to_numpy()
    target, positive, negative = two_classes(labels, "majority_vs_rest", path.stem)
    return DataSet(path.stem, path.stem, frame.iloc[:, :-1], target, positive, negative)


def compared(flow: WekaFlow, data: DataSet, split: Split, weka: Weka, folder: Path) -> dict[str, object]:
    """One row of the table: how far both are apart on the test rows of a fold."""
    try:
        (bridge,) = weka.fold_scores(flow)
        why = ""
    except FlowFailed as failure:
        bridge, why = None, f"bridge: {failure}"
    try:
        line = command_line_scores(flow, data, split, folder)
    except InputError as error:
        line, why = None, f"{why} command line: {error}".strip()
    both = bridge is not None and line is not None
    apart = np.abs(bridge - line) if both else np.array([np.nan])
    return {
        "data": data.name,
        "flow": flow.name,
        "rows": len(split.test),
        "distinct_scores": len(np.unique(line)) if both else 0,
        "rows_that_differ": int(np.count_nonzero(apart)) if both else -1,
        "largest_difference": float(apart.max()),
        "failure": why,
    }


def main() -> None:
    """Compare, say how many flows agree, and write results/benchmarks/weka_bridge.csv."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path, help="ARFF files whose class is the last attribute")
    parser.add_argument("--flows", nargs="+", choices=WEKA_FLOWS, default=list(WEKA_FLOWS), metavar="FLOW")
    parser.add_argument("--out", type=Path, default=RESULTS / "weka_bridge.csv")
    arguments = parser.parse_args()
    rows = []
    with Weka() as weka, tempfile.TemporaryDirectory() as folder:
        for file in arguments.files:
            data = read_arff(file)
            split = stratified_folds(data, FOLDS, seed=1)[0]
            weka.load(data, [split])
            for name in arguments.flows:
                rows.append(compared(WEKA_FLOWS[name], data, split, weka, Path(folder)))
                if rows[-1]["rows_that_differ"]:
                    print(rows[-1])
    table = pd.DataFrame(rows)
    write_table(table, arguments.out)
    print(f"{(table['rows_that_differ'] == 0).sum()} of {len(table)} are identical")


if __name__ == "__main__":
    main()
