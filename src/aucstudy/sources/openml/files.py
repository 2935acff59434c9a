"""Fetching and reading a file of a server. A file that may be damaged is requested twice."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from requests import Response

from aucstudy.reading.arff import ArffError
from aucstudy.sources.openml.answers import cut_of
from aucstudy.sources.openml.transport import Session, Tries
from aucstudy.store.rejections import Reason

# These faults come from the uploader and never from a broken server, so the file is complete and is kept.
OF_THE_UPLOADER = {
    Reason.COLUMNS_MISSING, Reason.CLASSES_MISMATCH, Reason.CONFIDENCE_MISSING, Reason.SWAPPED_COLUMNS,
    Reason.ROWS_DUPLICATED, Reason.FOLDS_BROKEN,
}  # fmt: skip
Value = TypeVar("Value")


class Unusable(Exception):
    """A task or run that cannot be used."""

    def __init__(self, reason: Reason, detail: str = ""):
        super().__init__(f"{reason.value}: {detail}")
        self.reason, self.detail = reason, detail


@contextmanager
def readable(reason: Reason, prefix: str = "") -> Iterator[None]:
    try:
        yield
    except ArffError as error:
        raise Unusable(reason, f"{prefix}{error}") from None


def read_file(
    session: Session, url: str, read: Callable[[bytes], Value], md5: str = ""
) -> tuple[Response, Value | None]:
    """Return the answer and what `read` makes of the file. The latter is None if the status is not 200.

    A file may be damaged if it cannot be read, has another checksum than `md5`, or has no line break at its
    end. It is then requested a second time, unless it only has a fault of its uploader. A file that comes
    twice alike is complete, and a fault that it has is its own. A file that comes otherwise each time is an
    outage of the server, and is requested again. Complete files that can be read are kept in the session's
    cache, also those with a fault of their uploader.

    Raise Unusable if the file cannot be read, and NoAnswer if no two answers were alike.
    """
    earlier: bytes | None = None
    tries = Tries(session.adapter, url)
    while True:
        answer = session.get(url)
        if answer.status_code != 200:
            return answer, None
        body, value, error = answer.content, None, None
        actual = hashlib.md5(body, usedforsecurity=False).hexdigest() if md5 else ""
        cut = "" if answer.from_cache or (md5 and actual == md5) else cut_of(body)
        try:
            if actual != md5:
                raise Unusable(
                    Reason.TRUTH_UNAVAILABLE, f"data set: md5 {actual}, the description says {md5}"
                )
            value = read(body)
        except Unusable as unusable:
            error = Unusable(unusable.reason, f"{unusable.detail}{f'; {cut}' if cut else ''}")
        came_twice = body == earlier
        if (came_twice or not cut) and (error is None or error.reason in OF_THE_UPLOADER):
            if not answer.from_cache:
                session.keep(answer)
        elif not came_twice:
            if earlier is not None:
                tries.failed(f"{error or cut}, and the answer before was another one", 200)
            earlier = body
            continue
        if error:
            raise error
        return answer, value
