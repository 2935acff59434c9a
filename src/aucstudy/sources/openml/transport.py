"""Polite requests: one pace for all of them, retries where they help, and nothing asked for that is kept already."""

import gzip
import os
import threading
import time
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import NoReturn, TypeVar

import requests
import urllib3
from urllib3.util import Retry

from aucstudy import __version__
from aucstudy.sources.openml.raw_store import Answer, RawStore
from aucstudy.sources.openml.response_checks import Request, Verdict

Item = TypeVar("Item")
Result = TypeVar("Result")
LONGEST_WAIT = 600.0
CERTIFICATES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
SLOWEST = 20  # a body may take this many timeouts in all: a server that drips is a server that hangs
BROKEN_TRANSFER = (requests.RequestException, urllib3.exceptions.HTTPError, EOFError, OSError, zlib.error)
NO_ADDRESS = (
    requests.exceptions.MissingSchema,
    requests.exceptions.InvalidSchema,
    requests.exceptions.InvalidURL,
)


class NoAnswer(Exception):
    """A request got no answer, however often it was tried: that says nothing about what was asked for.

    Neither this nor `UnusableAnswer` is a ValueError, so that no reader of answers can take it for a faulty one.
    """


class ServerUnavailable(NoAnswer):
    """Too many requests in a row got no answer: it is no use to go on."""


class UnusableAnswer(Exception):
    """The server is well, and what it answers to a request is not what was asked for."""


@dataclass(frozen=True)
class Manners:
    """How requests are made.

    Attributes
    ----------
    pause : seconds between the starts of two requests, over all connections.
    connections : how many requests may be under way at once.
    timeout : seconds without a byte after which a request has failed.
    retries, backoff : how often a failed request is repeated, at first after the pause, then after `backoff` seconds,
        which double each time; a longer `Retry-After` of the server counts instead.
    max_failures_in_a_row : so many requests without an answer, one after another, stop the fetch.
    unanswered : what a request without an answer means: `stop` = the task waits for it, and the fetch ends with an
        error; `reject` = the run or task is done without. It is asked again by the next fetch either way.
    """

    pause: float = 1.0
    connections: int = 1
    timeout: float = 60.0
    retries: int = 5
    backoff: float = 2.0
    max_failures_in_a_row: int = 5
    unanswered: str = "stop"


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

    Final are: success with a whole body, an error of the API, 4xx for a file. Tried again are: 5xx, 429 and the
    like, error 107 (database overloaded), broken transfers, and success with a body that is not what was asked
    for. The server answers an unknown address with a page of status 200, which is final, and in the same way a file
    while its database is down, which is not: a body of the wrong kind counts only while the server is seen to be
    well, which is why it needs `probe`, a request that a server in order answers.
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

        Raises
        ------
        UnusableAnswer
            The server answers with something else than what was asked for, now or when it was asked at first.
        NoAnswer
            No answer after all tries; nothing of it is kept.
        ServerUnavailable
            And it was the last straw.
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
            total=self.manners.retries,
            backoff_factor=self.manners.backoff / 2,
            backoff_max=LONGEST_WAIT,
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
        """One request and the verdict on its answer."""
        try:
            status, body, packed, wait = self._transfer(request.url, retry)
        except requests.exceptions.InvalidProxyURL as error:
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
            with self._session.get(
                url, timeout=self.manners.timeout, stream=True, proxies=proxies
            ) as response:
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
    """The proxies that the environment names for a host, given with its scheme; none for what is no address."""
    try:
        return requests.utils.get_environ_proxies(host)
    except ValueError:
        return {}


def _line(text: str) -> str:
    return " ".join(text.split())[:500]
