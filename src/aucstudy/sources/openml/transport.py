"""Polite requests: one pace for all of them, retries where they help, and nothing asked for that is kept already.

The server's status does not tell whether an answer is what was asked for, and all of it: every body is looked at.
"""

import gzip
import hashlib
import json
import os
import re
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum, auto
from functools import cache
from pathlib import Path
from typing import NoReturn, TypeVar
from urllib.parse import quote, urlsplit

import requests
import urllib3
from requests.exceptions import InvalidProxyURL, InvalidSchema, InvalidURL, MissingSchema
from urllib3.util import Retry

from aucstudy import __version__
from aucstudy.errors import InputError
from aucstudy.sources.openml.settings import Manners
from aucstudy.store.files import write_whole, writing

Item = TypeVar("Item")
Result = TypeVar("Result")
LONGEST_WAIT = 600.0
CERTIFICATES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
SLOWEST = 20  # a body may take this many timeouts in all: a server that drips is a server that hangs
BROKEN_TRANSFER = (requests.RequestException, urllib3.exceptions.HTTPError, EOFError, OSError, zlib.error)
NO_ADDRESS = (InvalidSchema, InvalidURL, MissingSchema)
INDEX = "requests.jsonl"
KEYS = {"url", "status", "sha256"}
Fault = Callable[[bytes], str]
TRY_AGAIN = {408, 425, 429}
_OVERLOADED = re.compile(rb"<oml:code>\s*107\s*</oml:code>")
_API_ERROR = re.compile(rb"\A\s*<oml:error\b.*</oml:error>\s*\Z", re.DOTALL)
_DATA = re.compile(rb"^[ \t]*@data\b", re.IGNORECASE | re.MULTILINE)
_FIRST_KEYWORD = re.compile(rb"\A(?:\xef\xbb\xbf)?(?:\s*%[^\n\r]*[\n\r])*\s*@relation\b", re.IGNORECASE)


class NoAnswer(Exception):
    """A request got no answer, however often it was tried: that says nothing about what was asked for.

    Neither this nor `UnusableAnswer` is a ValueError, so that no reader of answers can take it for a faulty one.
    """


class ServerUnavailable(NoAnswer):
    """Too many requests in a row got no answer: it is no use to go on."""


class UnusableAnswer(Exception):
    """The server is well, and what it answers is not what was asked for."""


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
    fault : what is wrong with a body of status 200, "" where nothing is.
    api : an address of the API, whose errors are XML; otherwise a file.
    may_be_so : whether a body with a fault is believed when the same bytes come twice: a file that was uploaded
        incomplete, and not one that was cut short on its way.
    lasting : whether an unusable answer is kept, so that it is not asked for again.
    """

    url: str
    fault: Fault
    api: bool
    may_be_so: Callable[[bytes], bool] = _never
    lasting: bool = True

    def judge(self, status: int, body: bytes) -> tuple[Verdict, str]:
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
    name = root.encode()
    whole = re.compile(rb"\A\s*(?:<\?xml[^>]*>\s*)?<%s\b.*</%s>\s*\Z" % (name, name), re.DOTALL)

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
    return bool(_FIRST_KEYWORD.match(body) and _DATA.search(body.replace(b"\r", b"\n")))


def error_code(body: bytes) -> int | None:
    """The code of an error of the API, None where the body is none.

    >>> error_code(b"<oml:error><oml:code>512</oml:code></oml:error>")
    512
    """
    code = re.search(rb"<oml:code>\s*(\d+)", body) if body.lstrip().startswith(b"<oml:error") else None
    return int(code[1]) if code else None


@dataclass(frozen=True)
class Answer:
    url: str
    status: int
    body: bytes
    sha256: str


class RawStore:
    """Answers as they came, in a folder: `requests.jsonl`, a line a request, and each body gzipped in a file.

    The line is written before the body, the body is renamed into place: an answer is kept if and only if its file is
    there, whenever the process is killed.
    """

    def __init__(self, folder: Path | str):
        self.folder = Path(folder)
        self._lock = threading.Lock()
        self._lines = {line["url"]: line for line in self._read_index()}

    def __contains__(self, url: str) -> bool:
        return url in self._lines

    def get(self, url: str) -> Answer | None:
        """The kept answer to a request; None where there is none or its file is damaged."""
        line = self._lines.get(url)
        if line is None:
            return None
        try:
            body = gzip.decompress(self.path(url).read_bytes())
        except (OSError, EOFError, zlib.error):
            return None
        if hashlib.sha256(body).hexdigest() != line["sha256"]:
            return None
        return Answer(url, line["status"], body, line["sha256"])

    def keep(self, url: str, status: int, body: bytes, packed: bytes | None = None) -> Answer:
        """Keep an answer for good; `packed` is the body as the server gzipped it: packing is most of a fetch's work."""
        answer = Answer(url, status, body, hashlib.sha256(body).hexdigest())
        packed, path = packed or gzip.compress(body, compresslevel=6, mtime=0), self.path(url)
        self._append(url, {"status": status, "sha256": answer.sha256, "bytes": len(body)})
        write_whole(path, lambda temporary: temporary.write_bytes(packed))
        return answer

    def path(self, url: str) -> Path:
        """The file of the body: host and path of the address, shortened by a hash where it is long."""
        parts = urlsplit(url)
        name = quote(parts.path.strip("/") + (f"?{parts.query}" if parts.query else ""), safe="/,=.-_")
        short = name if len(name) <= 120 else f"{name[:60].rpartition('/')[0]}/{_digest(name)}"
        if ".." in short.split("/"):
            short = _digest(name)
        # The ending keeps apart a body and the folder of longer addresses: run/list and run/list/task/1.
        return self.folder / quote(parts.netloc, safe="") / f"{short}.gz"

    def _append(self, url: str, facts: dict[str, object]) -> None:
        line = {"url": url, "time": datetime.now(UTC).isoformat(timespec="seconds"), **facts}
        with self._lock, writing(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            # A leading line end closes a line that a killed process left torn.
            with (self.folder / INDEX).open("ab") as stream:
                stream.write(b"\n" + json.dumps(line).encode())
            self._lines[url] = line

    def _read_index(self) -> Iterator[dict]:
        try:
            lines = (self.folder / INDEX).read_bytes().split(b"\n")
        except FileNotFoundError:
            return
        except OSError as error:
            raise InputError(f"{self.folder}: cannot be read ({error.strerror or error})") from error
        for line in lines:
            try:
                entry = json.loads(line)
            except ValueError:
                continue  # blank, or torn when the process was killed: its body is not there either
            # Earlier versions also kept lines of requests without an answer, which have no sha256.
            if isinstance(entry, dict) and entry.keys() >= KEYS:
                yield entry


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class _Reply:
    """What came of one try: `packed` is the body as it came if gzipped, `wait` the seconds that the server asks for."""

    verdict: Verdict
    why: str
    status: int = 0
    body: bytes = b""
    packed: bytes | None = None
    wait: float = 0.0


class Transport:
    """GET requests whose final answers are kept in a raw store.

    Final are: success with a whole body, an error of the API, 4xx for a file. Tried again are: 5xx, 429 and the like,
    error 107 (database overloaded), broken transfers, and a body that is not what was asked for. The server answers an
    unknown address with a page of status 200, which is final, and a file while its database is down likewise, which is
    not: such a body counts only while `probe`, a request that a server in order answers, is answered.
    """

    sleep = staticmethod(time.sleep)
    clock = staticmethod(time.monotonic)

    def __init__(self, store: RawStore, manners: Manners, probe: Request):
        self.store, self.manners, self.probe = store, manners, probe
        self.n_requests = self.n_bytes = 0
        self.unanswered: set[str] = set()
        self._lock = threading.Lock()
        self._slots = threading.Semaphore(manners.connections)
        self._next_start = float("-inf")
        self._failures_in_a_row = 0
        self._session = requests.Session()
        adapter = requests.adapters.HTTPAdapter(pool_maxsize=manners.connections)
        self._session.mount("http://", adapter)
        self._session.mount("https://", adapter)
        self._session.headers.update({"User-Agent": f"aucstudy/{__version__}", "Accept-Encoding": "gzip"})
        # The environment is read once and not at each request; a .netrc not at all, since keys are never sent.
        self._session.trust_env = False
        self._session.verify = next(filter(None, map(os.environ.get, CERTIFICATES)), True)
        self._proxies = cache(_environment_proxies)

    def get(self, request: Request) -> Answer:
        """The answer to a request, kept or fresh.

        UnusableAnswer where the server answers with something else than what was asked for, now or at first; NoAnswer,
        of which nothing is kept, after all tries, and ServerUnavailable if it was one too many in a row.
        """
        kept = self.store.get(request.url)
        if kept is None:
            kept = self.store.keep(request.url, *self._try(request))
        verdict, why = request.judge(kept.status, kept.body)
        if verdict is not Verdict.GOOD and not request.believed(kept.status, kept.body):
            raise UnusableAnswer(_line(f"GET {request.url}: {why}"))
        return kept

    def each(self, function: Callable[[Item], Result], items: list[Item]) -> list[Result]:
        """`function` of each item, on as many threads as there may be connections, in the order of the items."""
        if self.manners.connections == 1 or len(items) < 2:
            return [function(item) for item in items]
        pool = ThreadPoolExecutor(self.manners.connections)
        try:
            return list(pool.map(function, items))
        finally:
            pool.shutdown(cancel_futures=True)

    def _try(self, request: Request) -> tuple[int, bytes, bytes | None]:
        """Status, body and, where it came gzipped, packed body of a final answer."""
        retry = Retry(
            total=self.manners.retries, backoff_factor=self.manners.backoff / 2, backoff_max=LONGEST_WAIT
        )
        always_answered, before, tries = request.lasting, b"", ""
        while True:
            reply = self._once(request, retry)
            same = reply.body == before and request.believed(reply.status, reply.body)
            if reply.verdict is Verdict.GOOD or same:
                return self._answered(request, reply)
            before = reply.body
            always_answered &= reply.verdict is not Verdict.NO_ANSWER
            if reply.verdict is Verdict.REFUSED:
                break
            try:
                retry = retry.increment("GET", request.url)
            except urllib3.exceptions.MaxRetryError:
                tries = f" ({self.manners.retries + 1} tries)"
                break
            self.sleep(max(reply.wait, retry.get_backoff_time()))
        # Asked once more after the probe: what was wrong before may have been the server's state then.
        if always_answered and self._once(self.probe, retry).verdict is Verdict.GOOD:
            reply = self._once(request, retry)
            if reply.verdict is not Verdict.NO_ANSWER:
                return self._answered(request, reply)
        self._give_up(request.url, reply.why + tries)

    def _once(self, request: Request, retry: Retry) -> _Reply:
        try:
            status, body, packed, wait = self._transfer(request.url, retry)
        except InvalidProxyURL as error:
            return _Reply(Verdict.NO_ANSWER, f"InvalidProxyURL: {error}")
        except NO_ADDRESS as error:
            raise UnusableAnswer(_line(f"GET {request.url}: cannot be asked ({error})")) from None
        except BROKEN_TRANSFER as error:
            return _Reply(Verdict.NO_ANSWER, f"{type(error).__name__}: {error}")
        return _Reply(*request.judge(status, body), status, body, packed, wait)

    def _transfer(self, url: str, retry: Retry) -> tuple[int, bytes, bytes | None, float]:
        """Status, body without its compression and with it, seconds that the server asks to wait."""
        with self._slots:
            self._keep_pace()
            deadline = self.clock() + SLOWEST * self.manners.timeout
            proxies = self._proxies("/".join(url.split("/")[:3]))
            asked = {"timeout": self.manners.timeout, "stream": True, "proxies": proxies}
            with self._session.get(url, **asked) as response:
                body = bytearray()
                # Unpacked here and not by the library, which takes a gzip stream that was cut short for whole.
                for chunk in response.raw.stream(1 << 16, decode_content=False):
                    body += chunk
                    if self.clock() > deadline:
                        raise requests.Timeout(f"no end after {SLOWEST * self.manners.timeout:g} s")
                with self._lock:
                    self.n_bytes += len(body)
                gzipped = body and response.headers.get("Content-Encoding", "").lower() == "gzip"
                try:
                    wait = retry.get_retry_after(response.raw) or 0.0
                except urllib3.exceptions.InvalidHeader:
                    wait = 0.0
                status = response.status_code
        packed = bytes(body)
        if gzipped:
            return status, gzip.decompress(packed), packed, min(wait, LONGEST_WAIT)
        return status, packed, None, min(wait, LONGEST_WAIT)

    def _keep_pace(self) -> None:
        with self._lock:
            now = self.clock()
            start = max(now, self._next_start)
            self._next_start = start + self.manners.pause
            self.n_requests += 1
        if start > now:
            self.sleep(start - now)

    def _answered(self, request: Request, reply: _Reply) -> tuple[int, bytes, bytes | None]:
        with self._lock:
            self._failures_in_a_row = 0
            self.unanswered.discard(request.url)
        return reply.status, reply.body, reply.packed

    def _give_up(self, url: str, why: str) -> NoReturn:
        line = _line(f"no answer to GET {url}: {why}")
        with self._lock:
            self.unanswered.add(url)
            self._failures_in_a_row += 1
            n = self._failures_in_a_row
        if n >= self.manners.max_failures_in_a_row:
            raise ServerUnavailable(f"{n} requests in a row failed, the last: {line}")
        if self.manners.unanswered == "reject":
            raise UnusableAnswer(line)
        raise NoAnswer(line)


def _environment_proxies(host: str) -> dict[str, str]:
    """The proxies that the environment names for a host with its scheme; none for what is no address."""
    try:
        return requests.utils.get_environ_proxies(host)
    except ValueError:
        return {}


def _line(text: str) -> str:
    return " ".join(text.split())[:500]
