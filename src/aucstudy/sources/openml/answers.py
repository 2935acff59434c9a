"""Functions that check whether an answer of a server is complete and valid, and that read its XML."""

import html
import re
import xml.etree.ElementTree as ET

from aucstudy.errors import InputError

PREFIX = "{http://openml.org/openml}"
# The root element of an answer, by the beginning of its address. The first entry that fits counts.
ROOTS = {
    "task/list/": "tasks", "run/list/": "runs", "evaluation/list/": "evaluations",
    "estimationprocedure/list": "estimationprocedures", "study/": "study", "task/": "task", "run/": "run",
    "data/features/": "data_features", "data/": "data_set_description",
}  # fmt: skip
# The element that repeats the id at the end of the address, by the root element of the answer.
OWN_ID = {"run": "run_id", "task": "task_id", "data_set_description": "id"}
# The codes of an empty list of data sets, tasks, runs and evaluations. They also come if a query failed.
NO_RESULTS = {372, 482, 512, 542}
OVERLOADED = 107
NEEDS_A_KEY = {102, 103}
# Status codes of a working server that lacks a file or does not give it to us.
NOT_THERE = {401, 403, 404, 410}
_ERROR = re.compile(rb"\s*<oml:error\b.*<oml:code>\s*(\d+)\s*</oml:code>.*</oml:error>\s*", re.DOTALL)
_LEAF = re.compile(r"(<oml:(\w+)(?:\s[^>]*)?>)((?:[^<]|<(?!/?oml:))*)(</oml:\2>)")
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")
_PAGE = re.compile(r"/list/.*limit/")
_TASKS = re.compile(r"/list/.*/task(?:_id)?/([\d,]+)")
_DATA = re.compile(rb"^[ \t]*@data\b", re.IGNORECASE | re.MULTILINE)


class NotXml(ValueError):
    """A body that is no XML, even after its texts are repaired."""


def api_fault(url: str, path: str, status: int, body: bytes) -> str:
    """Return what is wrong with an answer of the API to `path`, or "" if nothing is.

    An error message of a working server is a valid answer. Raise InputError if the server needs an API key.
    """
    code = error_code(body) if status == 412 else None
    if status == 401 or code in NEEDS_A_KEY:
        raise InputError(f"{url}: the server needs an API key, and this project never sends one")
    if code == OVERLOADED:
        return "error 107, the database is overloaded"
    if code in NO_RESULTS and not _PAGE.search(path):
        return f"error {code}, no results"
    if code is not None:
        return ""
    if status != 200:
        return f"not an answer of the API: status {status}"
    root = next((root for start, root in ROOTS.items() if path.startswith(start)), "")
    try:
        element = parse_xml(body)
    except NotXml as error:
        return str(error)
    if element.tag != PREFIX + root:
        return f"no <oml:{root}>: {body[:60]!r}"
    return _other_fault(element, root, path)


def _other_fault(element: ET.Element, root: str, path: str) -> str:
    """Return why an answer is about something else or is an incomplete description, or "" if it is neither.

    Servers give such answers because they mix up their caches or their tables are locked.
    """
    number = path.rpartition("/")[2]
    if root in OWN_ID and (own_id := child(element, OWN_ID[root])) != number:
        return f"{OWN_ID[root]} is {own_id!r}, asked for was {number}"
    if asked := _TASKS.search(path):
        listed = {child(row, "task_id") for row in element} - {*asked[1].split(","), ""}
        return f"it lists task {min(listed)}, which was not asked for" if listed else ""
    texts = {e.get("name", e.tag): (e.text or "").strip() for e in element.iter()}
    kind = texts.get(f"{PREFIX}type")
    counts = texts.get("number_repeats") and texts.get("number_folds")
    if root == "task" and (not kind or (kind == "crossvalidation" and not counts)):
        return "a description without its estimation procedure"
    return "a data set without a column" if root == "data_features" and not len(element) else ""


def error_code(body: bytes) -> int | None:
    """Return the code of an error message of the API, or None if the body is no such message.

    >>> error_code(b"<oml:error><oml:code>512</oml:code></oml:error>")
    512
    """
    code = _ERROR.fullmatch(body)
    return int(code[1]) if code else None


def error_text(body: bytes) -> str:
    return f"{error_code(body)}: {child(parse_xml(body), 'message')}"


def parse_xml(body: bytes) -> ET.Element:
    """Return the root element of an answer. A bare `&` or `<` in its texts is repaired.

    The server does not escape what uploaders wrote, and openml-python fails on such a list or run
    (https://github.com/openml/openml-python/issues/986).

    >>> parse_xml(b'<oml:a xmlns:oml="http://openml.org/openml"><oml:b>R & D < C</oml:b></oml:a>')[0].text
    'R & D < C'
    """
    try:
        return ET.fromstring(body)
    except ET.ParseError:
        text = _NO_XML.sub("\ufffd", body.decode(errors="replace"))
    mended = _LEAF.sub(lambda m: m[1] + html.escape(html.unescape(m[3]), quote=False) + m[4], text)
    try:
        return ET.fromstring(mended)
    except ET.ParseError as error:
        raise NotXml(f"an answer that is no XML ({error}): {body[:60]!r}") from None


def child(element: ET.Element, name: str) -> str:
    return (element.findtext(PREFIX + name) or "").strip()


def number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def numbers(text: str) -> tuple[float, ...]:
    """Return the numbers of an array in an answer. Other text becomes NaN.

    >>> numbers("[0.5,?,1]")
    (0.5, nan, 1.0)
    """
    return tuple(map(number, text.strip().strip("[]").split(","))) if text.strip() else ()


def cut_of(body: bytes) -> str:
    """Return a message if the last line of an ARFF file has no line break at its end, else "".

    The last digits or further lines of such a file may be missing. If the file is complete after all, a
    second request gets the same bytes.
    """
    mark = _DATA.search(body.replace(b"\r", b"\n"))
    tail = body[mark.end() :].rstrip(b"\0") if mark else b""
    if not tail or tail.endswith((b"\n", b"\r")):
        return ""
    last_line = tail[max(tail.rfind(b"\n"), tail.rfind(b"\r")) + 1 :]
    return f"the last {'comment' if last_line.lstrip().startswith(b'%') else 'line'} has no end"
