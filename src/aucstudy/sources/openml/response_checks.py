"""Is an answer what was asked for, and all of it? The server's status does not tell."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

Fault = Callable[[bytes], str]
TRY_AGAIN = {408, 425, 429}
_OVERLOADED = re.compile(rb"<oml:code>\s*107\s*</oml:code>")
_API_ERROR = re.compile(rb"\A\s*<oml:error\b.*</oml:error>\s*\Z", re.DOTALL)
_DATA = re.compile(rb"^[ \t]*@data\b", re.IGNORECASE | re.MULTILINE)
_FIRST_KEYWORD = re.compile(rb"\A(?:\xef\xbb\xbf)?(?:\s*%[^\n\r]*[\n\r])*\s*@relation\b", re.IGNORECASE)


class Verdict(Enum):
    """What to think of one reply of the server."""

    GOOD = auto()
    UNUSABLE = auto()  # answered, but not what was asked for; it may be better the next time
    REFUSED = auto()  # likewise, and hardly better the next time
    NO_ANSWER = auto()  # the server is busy, down or out of reach


def _never(body: bytes) -> bool:
    return False


@dataclass(frozen=True)
class Request:
    """A GET request, and what a good answer to it is.

    Attributes
    ----------
    url : the full address.
    fault : what is wrong with a body of status 200, "" where nothing is.
    api : an address of the API, whose errors are XML; otherwise a file.
    may_be_so : whether a body with a fault is to be believed when the same bytes come twice: a file that was
        uploaded incomplete, and not one that was cut short on its way.
    lasting : whether an unusable answer is kept, so that it is not asked for again.
    """

    url: str
    fault: Fault
    api: bool
    may_be_so: Callable[[bytes], bool] = _never
    lasting: bool = True

    def judge(self, status: int, body: bytes) -> tuple[Verdict, str]:
        """The verdict on an answer, and why it is not good."""
        if _OVERLOADED.search(body[:2000]):
            return Verdict.NO_ANSWER, "error 107, the database is overloaded"
        if status >= 500 or status in TRY_AGAIN:
            return Verdict.NO_ANSWER, f"status {status}"
        if status == 200:
            why = self.fault(body)
            return Verdict.UNUSABLE if why else Verdict.GOOD, why
        if self.api and not _API_ERROR.match(body):
            # 412 is the status of the API's own errors: this one lost its end on the way.
            if status == 412:
                return Verdict.UNUSABLE, f"no whole error: status 412, {body[:60]!r}"
            return Verdict.REFUSED, f"not an answer of the API: status {status}, {body[:60]!r}"
        return Verdict.GOOD, ""

    def believed(self, status: int, body: bytes) -> bool:
        """Whether an answer with a fault is taken as it is once it has come twice."""
        return status == 200 and self.may_be_so(body)


def xml_fault(root: str) -> Fault:
    """What keeps a body from being an XML answer with the given root element.

    >>> xml_fault("oml:run")(b"<oml:run xmlns:oml='http://openml.org/openml'> ... </oml:run>")
    ''
    """
    whole = re.compile(
        rb"\A\s*(?:<\?xml[^>]*>\s*)?<%s\b.*</%s>\s*\Z" % (root.encode(), root.encode()), re.DOTALL
    )

    def fault(body: bytes) -> str:
        return "" if whole.match(body) else f"status 200, but no whole <{root}>: {body[:60]!r}"

    return fault


def arff_fault(n_rows: int = 1) -> Fault:
    """What keeps a body from being an ARFF file of at least `n_rows` lines of data."""

    def fault(body: bytes) -> str:
        if not is_arff(body):
            return f"status 200, but no ARFF file: {body[:60]!r}"
        tail = body[_DATA.search(body.replace(b"\r", b"\n")).end() :].rstrip(b"\0")
        ended = tail.endswith((b"\n", b"\r"))
        lines = max(tail.count(b"\n"), tail.count(b"\r")) - ended
        if lines < n_rows:
            return f"{lines} lines of data, {n_rows} wanted"
        last = tail[max(tail.rfind(b"\n"), tail.rfind(b"\r")) + 1 :]
        # Its last digits may be missing; where they are not, the same bytes come again.
        return "" if ended or last.lstrip().startswith(b"%") else "the last line has no end"

    return fault


def is_arff(body: bytes) -> bool:
    """Whether a body is an ARFF file at least at its beginning."""
    return bool(_FIRST_KEYWORD.match(body) and _DATA.search(body.replace(b"\r", b"\n")))


def error_code(body: bytes) -> int | None:
    """The code of an error of the API, None where the body is none.

    >>> error_code(b"<oml:error><oml:code>512</oml:code></oml:error>")
    512
    """
    code = re.search(rb"<oml:code>\s*(\d+)", body) if body.lstrip().startswith(b"<oml:error") else None
    return int(code[1]) if code else None
