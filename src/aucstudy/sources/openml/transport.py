"""Polite requests: one pace, retries where they help, and no request for what is kept already.

Every body is checked, since a status does not tell whether an answer is whole. A broken server, too, says "no results"
or "not found": such an answer is believed only if it comes twice, with a good answer to something else of its kind
between. Later fetches ask for it again until it is a day old.
"""

import fcntl
import gzip
import hashlib
import io
import json
import os
import re
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import Enum, auto
from functools import cache, cached_property
from pathlib import Path
from typing import NoReturn, TypeVar
from urllib.parse import quote, urljoin, urlsplit

import requests
import urllib3
from requests.exceptions import InvalidProxyURL, InvalidSchema, InvalidURL, MissingSchema
from urllib3.exceptions import LocationParseError
from urllib3.util import Retry

from aucstudy import __version__
from aucstudy.errors import InputError
from aucstudy.sources.openml.settings import Manners
from aucstudy.store.files import remove_temporary, write_whole, writing

Item = TypeVar("Item")
Result = TypeVar("Result")
LONGEST_WAIT = 600.0
CERTIFICATES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
SLOWEST = 20  # timeouts that an answer may take in all, and 2 more than its bytes take at the lowest rate:
LOWEST_RATE = 10_000  # bytes a second; a server that drips is a server that hangs
LARGEST, LARGEST_OF_API = 1 << 30, 1 << 28  # bytes of an answer, unpacked
REDIRECTS = 5
KNOWN_GOOD = 5  # so many good requests of a kind are remembered
MANY = 3  # so many files of one kind, and none comes: that is the folder
BROKEN_TRANSFER = (requests.RequestException, urllib3.exceptions.HTTPError, EOFError, OSError, zlib.error)
NO_ADDRESS = (InvalidSchema, InvalidURL, MissingSchema, LocationParseError)
FINAL = timedelta(days=1)  # an unusual answer that is the same for so long is asked for no more
INDEX = "requests.jsonl"
PARQUET = b"PAR1"
KEYS = {"url", "status", "sha256"}
Fault = Callable[[bytes], str]  # what is wrong with a body, "" for nothing
NOT_FOUND = 404
TRY_AGAIN = {408, 425, 429}
_OVERLOADED = re.compile(rb"<oml:code>\s*107\s*</oml:code>")
NO_RESULTS = {482, 512, 542}
WANTS_A_KEY = {102, 103}
NO_KEYS = "the server wants an API key, and this project never sends one"
_API_ERROR = re.compile(rb"\A\s*<oml:error\b.*</oml:error>\s*\Z", re.DOTALL)
_DATA = re.compile(rb"^[ \t]*@data\b", re.IGNORECASE | re.MULTILINE)
_FIRST_KEYWORD = re.compile(rb"\A(?:\xef\xbb\xbf)?(?:\s*%[^\n\r]*[\n\r])*\s*@relation\b", re.IGNORECASE)


class NoAnswer(Exception):
    """A request got no answer in all tries; `status` is of the last reply, or 0.

    No ValueError, like `UnusableAnswer`, so that no reader takes it for a faulty file.
    """

    def __init__(self, line: str, status: int = 0):
        super().__init__(line)
        self.status = status

    @property
    def answered(self) -> bool:
        """Whether a working server says that it does not have it."""
        return 0 < self.status < 500 and self.status not in TRY_AGAIN


class NotFound(NoAnswer):
    """A file was not found that may be had elsewhere."""


class ServerUnavailable(NoAnswer):
    """Too many requests in a row got no answer."""


class UnusableAnswer(Exception):
    """A working server answers something else."""


class Lasting(str):
    """A fault of the file and not of its transfer; it is kept once it has come twice."""


class Verdict(Enum):
    GOOD = auto()
    UNUSUAL = auto()  # answered, but not what was asked for: so it is, or the server is broken
    NO_ANSWER = auto()  # the server is busy, down or out of reach


@dataclass(frozen=True)
class Request:
    """A GET request, and what a good answer to it is.

    Attributes
    ----------
    fault : what is wrong with a body of status 200, "" for nothing.
    api : of the API, whose errors are XML, and not of a file.
    instead : for a list, one that always has rows; of a list only rows or an error are believed.
    at_end : whether the list has probably ended, so that no results are as good as rows.
    """

    url: str
    fault: Fault
    api: bool = False
    elsewhere: bool = False
    instead: "Request | None" = None
    at_end: bool = False

    @property
    def kind(self) -> str:
        """The same for addresses that are answered from one table or folder."""
        return re.split(r"/\d+(?=/|$)", self.url, maxsplit=1)[0]

    def judge(self, answer: "Answer", fault: Fault | None = None) -> "Answer":
        """The answer with its verdict; one that was believed keeps its reason."""
        verdict, why = self._by_status(answer.status, answer.body)
        if answer.status == 200 and verdict is Verdict.GOOD and (why := (fault or self.fault)(answer.body)):
            verdict = Verdict.UNUSUAL
        if verdict is Verdict.UNUSUAL and not isinstance(why, Lasting):
            why = answer.why or why
        return replace(answer, verdict=verdict, why=why)

    def _by_status(self, status: int, body: bytes) -> tuple[Verdict, str]:
        if _OVERLOADED.search(body[:2000]):
            return Verdict.NO_ANSWER, "error 107, the database is overloaded"
        if status >= 500 or status in TRY_AGAIN:
            return Verdict.NO_ANSWER, f"status {status}"
        if status == 200:
            return Verdict.GOOD, ""
        code = error_code(body) if self.api and _API_ERROR.match(body) else None
        no_keys = f" ({NO_KEYS})" if status == 401 or code in WANTS_A_KEY else ""
        if not self.api:
            return Verdict.UNUSUAL, f"status {status}{no_keys}"
        if code is not None:
            ended = self.at_end and code in NO_RESULTS
            return Verdict.GOOD if ended else Verdict.UNUSUAL, f"error {code}{no_keys}"
        return Verdict.UNUSUAL, f"not an answer of the API: status {status}{no_keys}, {body[:60]!r}"


def xml_fault(root: str) -> Fault:
    """The faults of answers that are to be whole XML with this root.

    >>> xml_fault("oml:run")(b"<oml:run xmlns:oml='http://openml.org/openml'> ... </oml:run>")
    ''
    """
    name = root.encode()
    pattern = re.compile(rb"\A\s*(?:<\?xml[^>]*>\s*)?<%s\b.*</%s>\s*\Z" % (name, name), re.DOTALL)

    def fault(body: bytes) -> str:
        return "" if pattern.match(body) else f"status 200, but no whole <{root}>: {body[:60]!r}"

    return fault


def arff_fault(body: bytes) -> str:
    if not is_arff(body):
        return f"status 200, but no ARFF file: {body[:60]!r}"
    tail = body[_DATA.search(body.replace(b"\r", b"\n")).end() :].rstrip(b"\0")
    if not tail.strip():
        return "no line of data"
    last_line = tail[max(tail.rfind(b"\n"), tail.rfind(b"\r")) + 1 :]
    kind = "comment" if last_line.lstrip().startswith(b"%") else "line"
    # Its last digits may be missing, or the lines behind it; where they are not, the same bytes come again.
    return Lasting(f"the last {kind} has no end") if last_line else ""


def parquet_fault(body: bytes) -> str:
    ends = body[:4], body[-4:]
    return "" if ends == (PARQUET, PARQUET) and len(body) > 12 else f"no whole Parquet file: {body[:60]!r}"


def is_arff(body: bytes) -> bool:
    return bool(_FIRST_KEYWORD.match(body) and _DATA.search(body.replace(b"\r", b"\n")))


def error_code(body: bytes) -> int | None:
    """The code of an error of the API, else None.

    >>> error_code(b"<oml:error><oml:code>512</oml:code></oml:error>")
    512
    """
    code = re.search(rb"<oml:code>\s*(\d+)", body) if body.lstrip().startswith(b"<oml:error") else None
    return int(code[1]) if code else None


@dataclass(frozen=True)
class Answer:
    """The answer to a request, out of the raw store or of one try.

    Attributes
    ----------
    since : the time of the first such answer, if it was unusual and believed; `final` after a day.
    packed : the body as it came gzipped.
    wait : the seconds that the server asks for.
    """

    url: str
    status: int = 0
    body: bytes = field(default=b"", repr=False)
    verdict: Verdict = Verdict.GOOD
    why: str = ""
    since: str = ""
    final: bool = False
    packed: bytes = field(default=b"", repr=False)
    wait: float = 0.0

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self.body).hexdigest()

    @property
    def lasts(self) -> bool:
        return self.verdict is Verdict.GOOD or isinstance(self.why, Lasting)

    @property
    def says(self) -> tuple[int, bytes | str | int | None]:
        """Equal for unusual answers that say the same; of a file all bytes count."""
        if self.status == 200 and is_arff(self.body):
            return 200, self.body
        return self.status, self.why if isinstance(self.why, Lasting) else error_code(self.body)


class RawStore:
    """Answers in a folder: `requests.jsonl`, a line a request, and a gzipped file for each body.

    The line comes first, the file whole or not at all: an answer is kept if and only if its file is there.
    """

    def __init__(self, folder: Path | str):
        self.folder = Path(folder)
        self._lock = threading.Lock()
        self._lines = {line["url"]: line for line in self._read_index()}

    def __contains__(self, url: str) -> bool:
        return url in self._lines and "since" not in self._lines[url]

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder for one fetch, and remove what killed ones left."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            index = (self.folder / INDEX).open("ab")
        except OSError:
            yield  # answers may be kept where nothing can be written; a fetch that has to write says so
            return
        with index:
            try:
                # the operating system's lock goes with the process that holds it, however that ends
                fcntl.flock(index, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InputError(f"{self.folder}: another fetch is at work here; wait for it") from None
            except OSError:
                pass  # a file system without locks
            remove_temporary(self.folder)
            yield

    def get(self, url: str) -> Answer | None:
        line = self._lines.get(url)
        if line is None:
            return None
        try:
            body = gzip.decompress(self.path(url).read_bytes())
        except (OSError, EOFError, zlib.error):
            return None
        if hashlib.sha256(body).hexdigest() != line["sha256"]:
            return None
        since = line.get("since", "")
        final = _lasted(since, line.get("time"))
        return Answer(url, line["status"], body, why=line.get("why", ""), since=since, final=final)

    def keep(self, answer: Answer) -> None:
        """Keep an answer, gzipped as it came: packing is most of a fetch's work."""
        packed = answer.packed or gzip.compress(answer.body, compresslevel=6, mtime=0)
        doubtful = {"why": answer.why, "since": answer.since} if answer.since else {}
        facts = {"status": answer.status, "sha256": answer.sha256, "bytes": len(answer.body)}
        self._append(answer.url, facts | doubtful)
        write_whole(self.path(answer.url), lambda temporary: temporary.write_bytes(packed))

    def path(self, url: str) -> Path:
        """The file of the body: host and path of the address, long ones hashed."""
        address = urlsplit(url)
        query = f"?{address.query}" if address.query else ""
        name = quote(address.path.strip("/") + query, safe="/,=.-_")
        file_name = name if len(name) <= 120 else f"{name[:60].rpartition('/')[0]}/{_digest(name)}"
        if ".." in file_name.split("/"):
            file_name = _digest(name)
        # The ending keeps apart a body and the folder of longer addresses: run/list and run/list/task/1.
        return self.folder / quote(address.netloc, safe="") / f"{file_name}.gz"

    def _append(self, url: str, facts: dict[str, object]) -> None:
        line = {"url": url, "time": _now(), **facts}
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


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _lasted(since: str, until: str) -> bool:
    try:
        return datetime.fromisoformat(until) - datetime.fromisoformat(since) >= FINAL
    except (TypeError, ValueError):  # a line that somebody edited
        return False


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class _Session(requests.Session):
    def get_redirect_target(self, resp: requests.Response) -> None:
        """None: `Transport` follows redirects, at the pace of all requests."""


class Transport:
    """GET requests whose good answers are kept in a raw store for good, and unusual ones if they are believed.

    Tried again are 5xx, 429 and the like, error 107 (database overloaded), broken transfers and unusual answers:
    errors, 204, 302 without an address, 4xx, another body. Unusual ones are believed if they come again after a good
    answer to a request of their kind, or else to `probe`; for files of which none has come, in the `last_round`.
    One of an earlier fetch is asked for once: it stands if it comes again, or if nothing does.
    """

    sleep = staticmethod(time.sleep)
    clock = staticmethod(time.monotonic)

    def __init__(self, store: RawStore, manners: Manners, probe: Request):
        self.store, self.manners, self.probe = store, manners, probe
        self.n_requests = self.n_bytes = 0
        self.unanswered: set[str] = set()
        self._believed: dict[str, Answer] = {}
        self._good: dict[str, list[tuple[int, Request]]] = {}
        self._doubted: dict[str, set[str]] = {}
        self.last_round = False
        self._turn = 0
        self._lock = threading.Lock()
        self._slots = threading.Semaphore(manners.connections)
        self._next_start = float("-inf")
        self._failures_in_a_row = 0
        self._session = _Session()
        adapter = requests.adapters.HTTPAdapter(pool_maxsize=manners.connections)
        self._session.mount("http://", adapter)
        self._session.mount("https://", adapter)
        self._session.headers.update({"User-Agent": f"aucstudy/{__version__}", "Accept-Encoding": "gzip"})
        # The environment is read once and not at each request; a .netrc not at all, since keys are never sent.
        self._session.trust_env = False
        self._session.verify = next(filter(None, map(os.environ.get, CERTIFICATES)), True)
        self._proxies = cache(self._environment_proxies)

    def get(self, request: Request, fault: Fault | None = None) -> Answer:
        """The answer to a request, kept or fresh; `fault` takes the place of the request's.

        UnusableAnswer where something else is answered; NoAnswer after all tries, ServerUnavailable after too many in
        a row.
        """
        stored = self.store.get(request.url)
        answer = stored and request.judge(stored, fault)
        if not (answer and (answer.final or answer.lasts)):
            believed = self._believed.get(request.url)
            earlier = answer if answer and answer.since else None
            answer = request.judge(believed, fault) if believed else self._asked(request, fault, earlier)
        if request.elsewhere and answer.status == NOT_FOUND:
            raise NotFound(answer.why, answer.status)
        if answer.verdict is Verdict.GOOD and answer.status == 200:
            self._remember(request, len(answer.body))
        if answer.lasts or (answer.status != 200 and (not request.api or error_code(answer.body))):
            return answer
        if request.api and _of_the_new_api(answer.body):
            why = "the answer is JSON, as of OpenML's new API (server-api, v2), which is not spoken here"
            raise InputError(f"{request.url}: {why}; wanted: openml.server: a v1 API, .../api/v1/xml")
        raise UnusableAnswer(_line(f"GET {request.url}: {answer.why}"))

    def each(self, function: Callable[[Item], Result], items: list[Item]) -> list[Result]:
        if self.manners.connections == 1 or len(items) < 2:
            return [function(item) for item in items]
        pool = ThreadPoolExecutor(self.manners.connections)
        try:
            return list(pool.map(function, items))
        finally:
            pool.shutdown(cancel_futures=True)

    def _asked(self, request: Request, fault: Fault | None, earlier: Answer | None) -> Answer:
        """A fresh answer, or that of an `earlier` fetch where the server does not answer."""
        if earlier is None:
            return self._try(request, fault, self._retry(self.manners.retries))
        try:
            if self._failures_in_a_row < self.manners.max_failures_in_a_row:
                return self._try(request, fault, self._retry(0), earlier)
        except NotFound:
            raise
        except (NoAnswer, UnusableAnswer):
            pass
        self.unanswered.add(request.url)
        self._believed[request.url] = earlier
        return request.judge(earlier, fault)

    def _retry(self, times: int) -> Retry:
        return Retry(total=times, backoff_factor=self.manners.backoff / 2, backoff_max=LONGEST_WAIT)

    def _try(
        self, request: Request, fault: Fault | None, retry: Retry, earlier: Answer | None = None
    ) -> Answer:
        last_words, n_tries = None, retry.total + 1
        while True:
            reply = self._once(request, retry, fault)
            is_unusual = reply.verdict is Verdict.UNUSUAL
            said_before = (last_words, earlier and earlier.says)
            if reply.verdict is Verdict.GOOD or (is_unusual and reply.says in said_before):
                return self._answered(reply, earlier)
            if request.elsewhere and reply.status == NOT_FOUND:
                raise NotFound(f"status {reply.status} for {request.url}", reply.status)
            why, wait, is_first, last_words = reply.why, reply.wait, last_words is None, None
            if is_unusual and (not request.instead or reply.status != 200 or isinstance(why, Lasting)):
                doubt = self._doubt(request, reply, retry)
                wait, last_words, why = 0.0, None if doubt else reply.says, f"{why}{doubt}"
                if is_first and last_words:
                    continue
            try:
                retry = retry.increment("GET", request.url)
            except urllib3.exceptions.MaxRetryError:
                break
            self.sleep(max(wait, retry.get_backoff_time()))
        self._give_up(request.url, f"{why} ({n_tries} tries)", reply.status)

    def _doubt(self, request: Request, reply: Answer, retry: Retry) -> str:
        """What speaks against an unusual answer: a request that was answered before is not now."""
        with self._lock:
            earlier = [good for _, good in self._good.get(request.kind, []) if good.url != request.url]
            probe = earlier[self._turn % len(earlier)] if earlier else request.instead or self.probe
            doubted = self._doubted.setdefault(request.kind, set())
            doubted.add(request.url)
            no_other_is_good = not (
                earlier or request.api or is_arff(reply.body) or self.manners.unanswered == "reject"
            )
            # A host of its own may be gone; a folder out of which nothing comes is away.
            if no_other_is_good and (not self.last_round or len(doubted) >= MANY):
                self.unanswered.add(request.url)
                why = f"no answer to GET {request.url}: {reply.why}, and no other file of its kind has come"
                raise NoAnswer(_line(why), reply.status)
        self.sleep(max(reply.wait, self.manners.backoff))
        if probe.url == request.url:
            return ""
        if self._once(probe, retry).verdict is Verdict.GOOD:
            return ""
        with self._lock:
            self._turn += 1  # it may be gone for good: another one the next time
        return f", and no good answer to {probe.url} either"

    def _remember(self, request: Request, size: int) -> None:
        """Keep the cheapest good requests of a kind, to ask again when one is in doubt."""
        with self._lock:
            good_requests = self._good.setdefault(request.kind, [])
            if all(good.url != request.url for _, good in good_requests):
                good_requests.append((size, request))
                good_requests.sort(key=lambda good: good[0])
                del good_requests[KNOWN_GOOD:]

    def _once(self, request: Request, retry: Retry, fault: Fault | None = None) -> Answer:
        try:
            answer = self._transfer(request.url, LARGEST_OF_API if request.api else LARGEST, retry)
        except InvalidProxyURL as error:
            return Answer(request.url, verdict=Verdict.NO_ANSWER, why=f"InvalidProxyURL: {error}")
        except NO_ADDRESS as error:
            raise UnusableAnswer(_line(f"GET {request.url}: cannot be asked ({error})")) from None
        except UnusableAnswer as error:
            return Answer(request.url, 200, verdict=Verdict.UNUSUAL, why=str(error))
        except BROKEN_TRANSFER as error:
            return Answer(request.url, verdict=Verdict.NO_ANSWER, why=f"{type(error).__name__}: {error}")
        return request.judge(answer, fault)

    def _transfer(self, url: str, largest: int, retry: Retry) -> Answer:
        target, to = url, None
        for _ in range(REDIRECTS + 1):
            with self._slots:
                self._keep_pace()
                try:
                    response, packed = self._exchange(target, largest)
                except NO_ADDRESS as error:
                    if not to or isinstance(error, InvalidProxyURL):
                        raise
                    raise UnusableAnswer(f"it redirects to {to[:80]!r}, which is no address") from None
            to = response.headers.get("Location")
            if not (response.is_redirect and to):
                break
            try:
                target = urljoin(target, to)
                address = urlsplit(target)
                has_address = address.scheme in ("http", "https") and address.hostname and address.port != 0
            except ValueError:
                has_address = None
            if not has_address:
                raise UnusableAnswer(f"it redirects to {to[:80]!r}, which is no address")
        else:
            raise UnusableAnswer(f"more than {REDIRECTS} redirects")
        with self._lock:
            self.n_bytes += len(packed)
        try:
            wait = min(retry.get_retry_after(response.raw) or 0.0, LONGEST_WAIT)
        except urllib3.exceptions.InvalidHeader:
            wait = 0.0
        if not packed or response.headers.get("Content-Encoding", "").lower() != "gzip":
            return Answer(url, response.status_code, packed, wait=wait)
        body = gzip.GzipFile(fileobj=io.BytesIO(packed)).read(largest + 1)
        _check_size(body, largest)
        return Answer(url, response.status_code, body, packed=packed, wait=wait)

    def _exchange(self, url: str, largest: int) -> tuple[requests.Response, bytes]:
        """The response and its body as it came.

        On a thread that is left when its time is up: no timeout of the library ends headers that drip.
        """
        proxies = self._proxies("/".join(url.split("/")[:3]))
        body, given_up, timeout = bytearray(), threading.Event(), self.manners.timeout
        options = {"timeout": timeout, "stream": True, "proxies": proxies, "allow_redirects": False}
        outcome: Future[requests.Response] = Future()

        def ask() -> None:
            try:
                with self._session.get(url, **options) as response:
                    # Unpacked later and not by the library, which takes a gzip stream that was cut short for whole.
                    while not given_up.is_set() and (
                        chunk := response.raw.read1(1 << 16, decode_content=False)
                    ):
                        body.extend(chunk)
                        _check_size(body, largest)
                outcome.set_result(response)
            except BaseException as error:
                outcome.set_exception(error)

        threading.Thread(target=ask, daemon=True).start()
        started = self.clock()
        while not outcome.done():
            seconds_allowed = min(2 * timeout + len(body) / LOWEST_RATE, SLOWEST * timeout)
            remaining = started + seconds_allowed - self.clock()
            if remaining <= 0:
                given_up.set()
                raise requests.Timeout(f"{len(body)} bytes and no end after {seconds_allowed:g} s")
            wait([outcome], remaining)
        return outcome.result(), bytes(body)

    @staticmethod
    def _environment_proxies(host: str) -> dict[str, str]:
        try:
            return requests.utils.get_environ_proxies(host)
        except ValueError:
            return {}

    def _keep_pace(self) -> None:
        with self._lock:
            now = self.clock()
            start = max(now, self._next_start)
            self._next_start = start + self.manners.pause
            self.n_requests += 1
        if start > now:
            self.sleep(start - now)

    def _answered(self, reply: Answer, earlier: Answer | None) -> Answer:
        with self._lock:
            self._failures_in_a_row = 0
            self.unanswered.discard(reply.url)
        if reply.lasts:
            self.store.keep(reply)
            return reply
        says_the_same = earlier and earlier.says == reply.says
        why, since = (earlier.why, earlier.since) if says_the_same else (reply.why, _now())
        believed = replace(reply, why=why, since=since)
        if not says_the_same or _lasted(since, _now()):
            # where it cannot be written it is asked for again, no more
            with suppress(InputError):
                self.store.keep(believed)
        self._believed[reply.url] = believed
        return reply

    def _give_up(self, url: str, why: str, status: int) -> NoReturn:
        line = _line(f"no answer to GET {url}: {why}")
        with self._lock:
            self.unanswered.add(url)
            self._failures_in_a_row += 1
            n = self._failures_in_a_row
        if n >= self.manners.max_failures_in_a_row:
            raise ServerUnavailable(f"{n} requests in a row failed, the last: {line}", status)
        if self.manners.unanswered == "reject":
            raise UnusableAnswer(line)
        raise NoAnswer(line, status)


def _of_the_new_api(body: bytes) -> bool:
    try:
        answer = json.loads(body)
    except ValueError:
        return False
    return isinstance(answer, list) or (isinstance(answer, dict) and "detail" in answer)


def _check_size(body: bytes | bytearray, largest: int) -> None:
    if len(body) > largest:
        raise UnusableAnswer(f"an answer of more than {largest:,} bytes")


def _line(text: str) -> str:
    return " ".join(text.split())[:500]
