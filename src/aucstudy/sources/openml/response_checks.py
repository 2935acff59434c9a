"""Is a body what was asked for, and all of it? The server's status does not tell."""

import re

from aucstudy.sources.openml.transport import Fault

_DATA = re.compile(rb"^[ \t]*@data\b", re.IGNORECASE | re.MULTILINE)
_FIRST_KEYWORD = re.compile(rb"\A(?:\xef\xbb\xbf)?(?:\s*%[^\n\r]*[\n\r])*\s*@relation\b", re.IGNORECASE)


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


def is_xml_error(body: bytes) -> bool:
    """Whether a body is an error of the API."""
    return body.lstrip().startswith(b"<oml:error")


def error_code(body: bytes) -> int | None:
    """The code of an error of the API, None where the body is none.

    >>> error_code(b"<oml:error><oml:code>512</oml:code></oml:error>")
    512
    """
    found = re.search(rb"<oml:code>\s*(\d+)", body) if is_xml_error(body) else None
    return int(found[1]) if found else None
