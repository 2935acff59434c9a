"""A file of a server and what a reader makes of it; one that may be damaged is asked for twice."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from requests import Response

from aucstudy.reading.arff import ArffError
from aucstudy.sources.openml.answers import cut_of
from aucstudy.sources.openml.transport import NoAnswer, Session
from aucstudy.store.rejections import Reason

# what an uploader did and no broken server does: such a file is whole, and is kept
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
    """The answer and what is read from it, None where the status is not 200; Unusable where it cannot be read.

    A file that does not read, has another checksum than `md5`, or whose last line has no end, is asked for again. One
    that comes twice alike and reads is whole. It is kept if it is whole, and either reads or is of no use as its
    uploader made it.
    """
    earlier: bytes | None = None
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
        is_whole = not cut or body == earlier
        if is_whole and (error is None or error.reason in OF_THE_UPLOADER):
            if not answer.from_cache:
                session.keep(answer)
        elif earlier is None:
            earlier = body
            continue
        elif error is None:
            raise NoAnswer(f"GET {url}: {cut}, and it was another one before", 200)
        if error:
            raise error
        return answer, value
