"""Fetching the description of one task and the true class of each row of its data set."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import pandas as pd
from requests_cache import enabled

from aucstudy.errors import InputError
from aucstudy.reading.arff import Arff
from aucstudy.reading.labels import same_labels
from aucstudy.sources.openml.files import Unusable, read_file, readable
from aucstudy.sources.openml.settings import Settings
from aucstudy.sources.openml.transport import Session
from aucstudy.store.files import PART, writing
from aucstudy.store.rejections import Reason


@dataclass(frozen=True)
class TaskFacts:
    task_id: str
    dataset_id: str
    dataset_name: str
    target: str
    procedure: str
    repeats: str
    folds: str
    classes: tuple[str, ...]
    file: str
    md5: str
    parquet: str


@contextmanager
def configured_openml(session: Session, settings: Settings) -> Iterator[None]:
    """Configure the package openml for this server, with a temporary cache in the session's folder.

    The package trusts cached files that a killed process left half-written
    (https://github.com/openml/openml-python/issues/1012), so each fetch begins with an empty cache.
    """
    # The import takes 2 seconds and makes folders in the user's home, so it is only done where it is needed.
    import openml

    # The version 0.16 has no server and no key in the dictionary of its configuration.
    config = openml.config
    names = ("server", "apikey", "retry_policy", "connection_n_retries")
    before = {name: getattr(config, name) for name in names} | {
        "cachedir": config.get_config_as_dict()["cachedir"]
    }
    # Otherwise the package asks another host with a client of its own.
    os.environ.setdefault("OPENML_SKIP_PARQUET", "true")
    with writing(session.folder):
        cache = tempfile.TemporaryDirectory(prefix=f".openml{PART}", dir=session.folder)
    with cache as folder:
        config.server, config.apikey = settings.server.rstrip("/"), ""
        config.set_root_cache_directory(folder)
        config.set_retry_policy("human", 1)  # The session itself tries again.
        try:
            yield
        finally:
            config.server, config.apikey = before["server"], before["apikey"]
            config.set_root_cache_directory(before["cachedir"])
            config.set_retry_policy(before["retry_policy"], int(before["connection_n_retries"]))


def described_task(session: Session, task_id: str) -> TaskFacts:
    """Return the facts of a task and its data set. Raise Unusable if one cannot be had or read."""
    import openml

    only_described = {
        "download_data": False, "download_qualities": False, "download_features_meta_data": True,
    }  # fmt: skip
    try:
        # The package sends requests by itself. With `enabled` they use the session's cache and adapter.
        through = enabled(backend=session.cache, session_factory=Session, adapter=session.adapter)
        with writing(session.folder), through:
            task = openml.tasks.get_task(int(task_id), download_splits=False, **only_described)
            data = openml.datasets.get_dataset(task.dataset_id, **only_described)
        procedure = task.estimation_procedure
        nominal = [f for f in data.features.values() if f.name == task.target_name and f.nominal_values]
        return TaskFacts(
            task_id=task_id,
            dataset_id=str(task.dataset_id),
            dataset_name=str(data.name),
            target=task.target_name,
            procedure=str(procedure["type"]),
            repeats=procedure["parameters"].get("number_repeats", ""),
            folds=procedure["parameters"].get("number_folds", ""),
            classes=tuple(map(str, nominal[0].nominal_values)) if nominal else (),
            file=data.url or "",
            md5=(data.md5_checksum or "").lower(),
            parquet=getattr(data, "_parquet_url", None) or "",
        )
    except openml.exceptions.OpenMLPrivateDatasetError as error:
        raise Unusable(Reason.FILE_PRIVATE, f"data set: {error}") from None
    except openml.exceptions.PyOpenMLError as error:
        raise Unusable(Reason.TRUTH_UNAVAILABLE, f"{type(error).__name__}: {error}") from None
    except InputError:
        # It is a ValueError, but not about the description.
        raise
    except (LookupError, ValueError, TypeError, AttributeError, NotImplementedError) as error:
        fault = f"a description that cannot be read ({type(error).__name__}: {error})"
        raise Unusable(Reason.TRUTH_UNAVAILABLE, fault) from None


def truth_of(session: Session, facts: TaskFacts) -> "Target":
    """Return the classes of the data set by row. The order of rows in its ARFF file defines their ids.

    If the server has no ARFF file, its Parquet file is read. That file should have the same order.
    """
    faults = []
    read_parquet = partial(read_parquet_target, name=facts.target, classes=facts.classes)
    files = (
        (facts.file, partial(read_target, name=facts.target), facts.md5),
        (facts.parquet, read_parquet, ""),
    )
    for url, read, md5 in files:
        if url:
            answer, target = read_file(session, url, read, md5)
            if target is not None:
                session.adapter.refusals.pop(facts.file, None)
                return target
            faults.append(f"status {answer.status_code} for the data set {url}")
    raise Unusable(Reason.TRUTH_UNAVAILABLE, "; ".join(faults) or "the data set has no file")


@dataclass(frozen=True)
class Target:
    """The classes as the data set declares them, and (n,) `codes` of rows into them, -1 where missing.

    Nothing says whether the rows of a Parquet file are those that the predictions are about. So each run is
    checked for the same counts of the classes.
    """

    classes: tuple[str, ...]
    codes: np.ndarray
    from_parquet: bool = False

    @cached_property
    def counts(self) -> np.ndarray:
        return np.bincount(self.codes[self.known], minlength=len(self.classes))

    @cached_property
    def known(self) -> np.ndarray:
        return self.codes >= 0

    def positive_and_negative(self) -> tuple[int, int]:
        """Return the indices of the positive class, which is the rarer one, and of the other class.

        If both are equally frequent, the one declared later is positive. Raise Unusable unless two classes
        occur.

        >>> Target(("yes", "no"), np.array([0, 1, 1])).positive_and_negative()
        (0, 1)
        >>> Target(("yes", "no"), np.array([0, 1])).positive_and_negative()
        (1, 0)
        """
        counts = self.counts
        present_classes = np.flatnonzero(counts)
        if len(present_classes) < 2:
            names = ", ".join(repr(self.classes[i]) for i in present_classes)
            raise Unusable(Reason.ONE_CLASS, f"of the target only {names or 'nothing'} occurs")
        if len(present_classes) > 2:
            raise Unusable(Reason.NOT_BINARY, f"{len(present_classes)} classes of the target occur")
        first, second = (int(i) for i in present_classes)
        return (first, second) if counts[first] < counts[second] else (second, first)


def read_target(body: bytes, name: str) -> Target:
    """Return the column `name` of an ARFF file. Raise Unusable if it is missing, damaged or not nominal."""
    with readable(Reason.TRUTH_UNAVAILABLE, "data set: "):
        file = Arff(body)
        column = file.index(name)
        if column is None:
            raise Unusable(Reason.TRUTH_UNAVAILABLE, f"the data set has no column {name!r}")
        labels = file.labels(column)
    classes = file.attributes[column]
    if classes.kind != "nominal":
        raise Unusable(Reason.NOT_BINARY, f"the target {name!r} is {classes.kind}, not nominal")
    return _target(classes.values, [str(value) for value in labels.categories], labels.codes)


def _target(
    classes: tuple[str, ...], values: list[str], codes: np.ndarray, from_parquet: bool = False
) -> Target:
    order = same_labels(values, classes)
    if None in order:
        detail = f"the target holds {values[order.index(None)]!r}, which it does not declare"
        raise Unusable(Reason.TRUTH_UNAVAILABLE, detail)
    return Target(classes, np.array([*order, -1], dtype=np.int64)[codes], from_parquet)


def read_parquet_target(body: bytes, name: str, classes: tuple[str, ...]) -> Target:
    """Return the column `name` of a Parquet file, which openml-python reads. Raise Unusable as `read_target`.

    The `classes` are those of the column if the file does not declare them.
    """
    import openml

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "dataset.pq")
        path.write_bytes(body)
        try:
            data = openml.OpenMLDataset("parquet", None, data_file=str(path), parquet_file=str(path))
            frame = data.get_data(include_row_id=True, include_ignore_attribute=True)[0]
        except Exception as error:  # The package raises this class itself.
            fault = f"data set: no Parquet file ({error.__cause__ or error})"
            raise Unusable(Reason.TRUTH_UNAVAILABLE, fault) from None
    if name not in frame:
        raise Unusable(Reason.TRUTH_UNAVAILABLE, f"the data set has no column {name!r}")
    labels = pd.Categorical(frame[name])
    if isinstance(frame[name].dtype, pd.CategoricalDtype):
        classes = tuple(map(str, labels.categories))
    return _target(classes, [str(value) for value in labels.categories], labels.codes, from_parquet=True)
