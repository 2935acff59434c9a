"""The bridge to WEKA: a data set as ARFF, the Java machine in another process, and the task in the store.

WEKA has the GNU General Public License 3. Nothing of it is in this repository: the extra `aucstudy[weka]`
installs it.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from aucstudy.errors import InputError
from aucstudy.learners.cross_validation import FlowFailed, Split, fill_task, refuse_nan, stratified_folds
from aucstudy.learners.datasets import DataSet
from aucstudy.store.rejections import Reason, Rejection, Stage
from aucstudy.store.task_store import Batch, Filled, run_id

from . import machine
from .flows import VERSION, WekaFlow, costs_on, too_costly

NEGATIVE, POSITIVE = 0, 1  # the places of the classes in the declaration of the class attribute
# The longest time for one fold, in seconds. Which flows are tried depends on predicted costs instead.
LONGEST_FIT = 900.0


def arff(data: DataSet, rows: np.ndarray | None = None) -> str:
    """Return the text of an ARFF file with (m,) rows of a data set, or with all of its rows.

    Numbers have all their digits, and the class is the last attribute. Text is nominal, with all values of
    the whole data set. An attribute without any value gets one, because learners of WEKA fail otherwise.

    >>> import pandas as pd
    >>> features = pd.DataFrame({"x1": [0.1, np.nan], "x2": ["it's", "b"]})
    >>> print(arff(DataSet("two", "two", features, np.array([True, False]), "yes", "no")))
    @relation 'two'
    @attribute 'x1' numeric
    @attribute 'x2' {'b','it\\'s'}
    @attribute 'class' {'no','yes'}
    @data
    0.1,'it\\'s','yes'
    ?,'b','no'
    <BLANKLINE>
    """
    header = [f"@relation {_quoted(data.name)}"]
    columns = []
    for name, values in data.features.items():
        is_nominal = values.dtype == object
        names = map(_quoted, sorted(values.dropna().unique()) or ["none"]) if is_nominal else ()
        kind = f"{{{','.join(names)}}}" if is_nominal else "numeric"
        header.append(f"@attribute {_quoted(name)} {kind}")
        cells = values.map(_quoted if is_nominal else repr, na_action="ignore").astype(object)
        columns.append(cells.where(values.notna(), "?"))
    labels = (data.negative_class, data.positive_class)
    header += [f"@attribute 'class' {{{','.join(map(_quoted, labels))}}}", "@data"]
    columns.append(np.where(data.target, *map(_quoted, reversed(labels))).astype(object))
    cells = np.column_stack(columns)
    lines = [",".join(row) for row in (cells if rows is None else cells[rows])]
    return "\n".join((*header, *lines, ""))


def _quoted(text: str) -> str:
    escaped = str(text).replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r")
    return f"'{escaped}'"


class Weka:
    """A Java machine with WEKA in a process of its own, to be used in a `with` statement.

    If a fold takes longer than `longest_fit` seconds, or ends the machine, its flow fails. The next flow gets
    a new machine.
    """

    def __init__(self, longest_fit: float = LONGEST_FIT) -> None:
        self.longest_fit = longest_fit
        self._process: subprocess.Popen | None = None
        self._connection: Connection | None = None
        self._request: tuple | None = None
        self._tests: list[np.ndarray] = []

    def __enter__(self) -> Self:
        self._home = tempfile.TemporaryDirectory(prefix="aucstudy-weka-")
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._end()
        self._home.cleanup()

    def load(self, data: DataSet, splits: Sequence[Split]) -> None:
        self._request = ("data", arff(data), [tuple(split) for split in splits])
        self._tests = [split.test for split in splits]
        if self._process is not None:
            try:
                self._read()
            except (EOFError, OSError):
                self._end()

    def scores(self, flow: WekaFlow) -> np.ndarray:
        scores = np.full(sum(map(len, self._tests)), np.nan)
        for test, answer in zip(self._tests, self.fold_scores(flow), strict=True):
            scores[test] = answer
        return scores

    def fold_scores(self, flow: WekaFlow) -> list[np.ndarray]:
        """Return the scores of each fold's test rows.

        FlowFailed if WEKA raises an error, returns NaN, ends, or takes too long.
        """
        if self._process is None or self._process.poll() is not None:
            self._end()
            self._start()
        self._connection.send(("fit", flow.scheme, flow.options, POSITIVE))
        # All answers are received before any is checked, so that the next request meets no old answer.
        answers = []
        while len(answers) < len(self._tests):
            answers.append(self._answer(len(answers)))
            if isinstance(answers[-1], str):
                raise FlowFailed(answers[-1])
        for fold, answer in enumerate(answers):
            refuse_nan(fold, answer)
        return answers

    def _answer(self, fold: int) -> np.ndarray | str:
        try:
            if self._connection.poll(self.longest_fit):
                return self._connection.recv()
        except (EOFError, OSError):
            code = self._process.wait()
            self._end()
            raise FlowFailed(f"fold {fold}: the Java machine ended with exit code {code}") from None
        self._end()
        raise FlowFailed(f"fold {fold}: longer than {self.longest_fit:g} s")

    def _start(self) -> None:
        self._connection, other_end = Pipe()
        paths = os.pathsep.join(filter(None, sys.path))
        log = Path(self._home.name) / "stderr"
        with log.open("wb") as stderr:
            self._process = subprocess.Popen(
                # With -P, the process does not import from the folder of the study.
                [sys.executable, "-P", machine.__file__, str(other_end.fileno()), self._home.name],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                pass_fds=[other_end.fileno()],
                env={**os.environ, "PYTHONPATH": paths, "WEKA_HOME": self._home.name},
                # An interrupt from the terminal must reach only this process, which ends the other one.
                start_new_session=True,
            )
        other_end.close()
        try:
            version = self._connection.recv()
            self._read()
        except (EOFError, OSError):
            self._end()
            why = (log.read_text(errors="replace").splitlines() or ["no reason was given"])[-1]
            raise InputError(f"WEKA's Java machine does not start: {why}") from None
        if version != VERSION:
            self._end()
            raise InputError(
                f"WEKA {version} is installed, {VERSION} is expected: pip install 'aucstudy[weka]'"
            )

    def _read(self) -> None:
        self._connection.send(self._request)
        self._connection.recv()

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process.stdin.close()
            self._connection.close()
            self._process = None


def fill_weka_task(
    weka: Weka,
    batch: Batch,
    flows: Sequence[WekaFlow],
    data: DataSet,
    *,
    n_folds: int,
    flow_seconds: float | None,
    **origin: str,
) -> Filled:
    """Fill a task as `fill_task` does, with flows of WEKA.

    A flow is rejected if it is predicted to take longer than `flow_seconds` for all folds.
    """
    costs = costs_on(data, flows, n_folds)
    costly = too_costly(costs, flow_seconds)
    rejections = [
        Rejection(
            data.name,
            run_id(data.name, name),
            Stage.FETCH,
            Reason.TOO_COSTLY,
            f"{name}: predicted {costs[name]:.0f} s, packaged.flow_seconds is {flow_seconds:g}",
        )
        for name in costly
    ]
    splits = stratified_folds(data, n_folds, batch.seed)
    weka.load(data, splits)
    usable_flows = [flow for flow in flows if flow.name not in costly]
    filled = fill_task(
        batch, data, splits, usable_flows, scores_of=lambda flow, *_: weka.scores(flow), **origin
    )
    return Filled(rejections=rejections) + filled
