"""The XML of lists and runs as plain rows; also where the server forgot to escape what a user typed."""

import html
import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass

from aucstudy.sources.openml.transport import UnusableAnswer

_PREFIX = "{http://openml.org/openml}"
_LEAF = re.compile(r"(<oml:(\w+)(?:\s[^>]*)?>)((?:[^<]|<(?!/?oml:))*)(</oml:\2>)")
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")


@dataclass(frozen=True)
class Evaluation:
    """One run as a list shows it: who, when, and the area under the ROC curve that the server recorded.

    `error` is what the uploader reported; `auroc` is NaN where the server recorded none; `per_class` has one area
    a class, in the order of the data set.
    """

    task_id: str
    run_id: str
    flow_id: str
    flow_name: str
    setup_id: str
    upload_time: str
    error: str = ""
    auroc: float = float("nan")
    per_class: tuple[float, ...] = ()


@dataclass(frozen=True)
class ListedTask:
    """One task as the list of tasks shows it; `n_rows` is that of the data set, NaN if unknown."""

    task_id: str
    dataset_id: str
    dataset_name: str
    procedure: str
    target: str
    n_rows: float


@dataclass(frozen=True)
class Run:
    """What the server says about one run; `file` is the address of the predictions, "" where there are none."""

    run_id: str
    task_id: str
    flow_id: str
    flow_name: str
    setup_id: str
    error: str
    file: str
    class_counts: tuple[float, ...]


def parse_xml(body: bytes) -> ET.Element:
    """The root of an answer; text that holds a bare `&` or `<` is mended, so that one user name costs no page.

    Raises
    ------
    UnusableAnswer
        It is no XML even then.

    Examples
    --------
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
        raise UnusableAnswer(f"an answer that is no XML: {error}") from None


def child(element: ET.Element, name: str) -> str:
    """The text of a child, without blanks around it; "" where there is none."""
    return (element.findtext(_PREFIX + name) or "").strip()


def numbers(text: str) -> tuple[float, ...]:
    """The numbers of an array in square brackets, NaN for what is none.

    >>> numbers("[0.5,?,1]")
    (0.5, nan, 1.0)
    """
    return tuple(map(number, text.strip().strip("[]").split(","))) if text.strip() else ()


def number(text: str) -> float:
    """A number, NaN where the text is none."""
    try:
        return float(text)
    except ValueError:
        return float("nan")


def has_ids(row: ET.Element) -> bool:
    """Whether the ids of a row are numbers, without which nothing can be asked about it."""
    wanted = ("task_id", "did") if row.tag.endswith("}task") else ("task_id", "run_id", "flow_id")
    return all(child(row, name).isdecimal() for name in wanted)


def listed_task(row: ET.Element) -> ListedTask:
    """A row of the list of tasks."""
    inputs = {e.get("name"): (e.text or "").strip() for e in row.iter(f"{_PREFIX}input")}
    qualities = {e.get("name"): number(e.text or "") for e in row.iter(f"{_PREFIX}quality")}
    return ListedTask(
        task_id=child(row, "task_id"),
        dataset_id=child(row, "did"),
        dataset_name=child(row, "name"),
        procedure=inputs.get("estimation_procedure", ""),
        target=inputs.get("target_feature", ""),
        n_rows=qualities.get("NumberOfInstances", float("nan")),
    )


def evaluation(row: ET.Element) -> Evaluation:
    """A row of the list of evaluations, or of runs: those have no value."""
    return Evaluation(
        **{
            name: child(row, name)
            for name in ("task_id", "run_id", "flow_id", "flow_name", "setup_id", "upload_time")
        },
        error=child(row, "error_message"),
        auroc=number(child(row, "value")),
        per_class=numbers(child(row, "array_data")),
    )


def run(root: ET.Element) -> Run:
    """The answer to `run/<id>`.

    Read here and not with the package's `get_run`, which drops `error`, `error_message` and the arrays, and raises
    for a run without predictions.
    """
    files = {child(e, "name"): child(e, "url") for e in root.iter(f"{_PREFIX}file")}
    counts = [
        child(e, "array_data")
        for e in root.iter(f"{_PREFIX}evaluation")
        if child(e, "name") == "number_of_instances" and e.get("fold") is None
    ]
    return Run(
        **{name: child(root, name) for name in ("run_id", "task_id", "flow_id", "flow_name", "setup_id")},
        error=child(root, "error") or child(root, "error_message"),
        file=files.get("predictions", ""),
        class_counts=numbers(counts[0]) if counts else (),
    )
