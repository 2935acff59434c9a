"""Polite requests: one pace for all of them, retries where they help, and nothing asked for that is kept already."""

import gzip
import re
import threading
import time
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import requests
import urllib3
from urllib3.util import Retry

from aucstudy import __version__
from aucstudy.errors import InputError
from aucstudy.sources.openml.rawstore import GAVE_UP, Answer, RawStore

Fault = Callable[[bytes], str]
HOPELESS = "not an answer of the API"
Item, Result = TypeVar("Item"), TypeVar("Result")
TRY_AGAIN = {408, 425, 429}
OVERLOADED = re.compile(rb"<oml:code>\s*107\s*</oml:code>")
API_ERROR = re.compile(rb"\A\s*<oml:error\b.*</oml:error>\s*\Z", re.DOTALL)
LONGEST_WAIT = 600.0
SLOWEST = 20  # a body may take this many timeouts in all: a server that drips is a server that hangs


def _never(body: bytes) -> bool:
    return False


class GaveUp(Exception):
    """One request got no usable answer, however often it was tried."""


class ServerUnavailable(InputError):
    """Too many requests in a row got no answer: the fetch stops, and what was fetched is kept."""


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
    max_failures_in_a_row : so many requests given up one after another stop the fetch.
    """

    pause: float = 1.0
    connections: int = 1
    timeout: float = 60.0
    retries: int = 5
    backoff: float = 2.0
    max_failures_in_a_row: int = 5


class Transport:
    """GET requests whose final answers are kept in a raw store.

    Final are: success with a whole body, an error of the API, 4xx for a file. Tried again are: 5xx, 429 and the
    like, error 107 (database overloaded), broken transfers, and success with a body that is not what was asked
    for (the server answers an unknown address and a lost database with status 200).
    """

    sleep = staticmethod(time.sleep)
    clock = staticmethod(time.monotonic)

    def __init__(self, store: RawStore, manners: Manners):
        self.store, self.manners = store, manners
        self.n_requests = self.n_bytes = 0
        self._lock = threading.Lock()
        self._slots = threading.Semaphore(manners.connections)
        self._next_start = float("-inf")
        self._unanswered: list[tuple[str, str]] = []
        self._session = requests.Session()
        adapter = requests.adapters.HTTPAdapter(pool_maxsize=manners.connections)
        self._session.mount("http://", adapter)
        self._session.mount("https://", adapter)
        self._session.headers.update({"User-Agent": f"aucstudy/{__version__}", "Accept-Encoding": "gzip"})

    def get(
        self, url: str, fault: Fault, *, api: bool, may_be_so: Callable[[bytes], bool] = _never
    ) -> Answer:
        """The answer to a request, kept or fresh.

        Parameters
        ----------
        url : the full address.
        fault : what is wrong with a body of status 200, "" where nothing is.
        api : an address of the API, whose errors are XML; otherwise a file.
        may_be_so : whether a body with a fault is to be believed, and kept, when the same bytes come twice: a file
            that was uploaded incomplete, and not one that was cut short on its way.

        Raises
        ------
        GaveUp
            No usable answer after all tries, now or at an earlier run of the same fetch.
        ServerUnavailable
            And it was the last straw.
        """
        kept = self.store.get(url)
        if kept is None:
            status, body = self._try(url, fault, api, may_be_so)
            kept = self.store.keep(url, status, body)
        if kept.status == GAVE_UP:
            raise GaveUp(kept.note)
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

    def finish(self) -> None:
        """Remember what was given up last, once a fetch is through: its rerun asks for nothing."""
        self._answered()

    def _try(
        self, url: str, fault: Fault, api: bool, may_be_so: Callable[[bytes], bool]
    ) -> tuple[int, bytes]:
        retry = Retry(
            total=self.manners.retries,
            backoff_factor=self.manners.backoff / 2,
            backoff_max=LONGEST_WAIT,
        )
        before = b""
        while True:
            wait = 0.0
            try:
                status, body, wait = self._once(url, retry)
                why = _why_not(status, body, fault, api)
                final = not why or (status == 200 and body == before and may_be_so(body))
                before = body
            except (
                requests.RequestException,
                urllib3.exceptions.HTTPError,
                EOFError,
                OSError,
                zlib.error,
            ) as error:
                why, final = f"{type(error).__name__}: {error}", False
            if final:
                self._answered()
                return status, body
            if why.startswith(HOPELESS):
                self._give_up(url, why)
            try:
                retry = retry.increment("GET", url)
            except urllib3.exceptions.MaxRetryError:
                self._give_up(url, f"{why} ({self.manners.retries + 1} tries)")
            self.sleep(max(wait, retry.get_backoff_time()))

    def _once(self, url: str, retry: Retry) -> tuple[int, bytes, float]:
        """One request: status, body without its compression, seconds that the server asks to wait."""
        with self._slots:
            self._keep_pace()
            deadline = self.clock() + SLOWEST * self.manners.timeout
            with self._session.get(url, timeout=self.manners.timeout, stream=True) as response:
                body = bytearray()
                # Unpacked here and not by the library, which takes a gzip stream that was cut short for whole.
                for chunk in response.raw.stream(1 << 16, decode_content=False):
                    body += chunk
                    if self.clock() > deadline:
                        raise requests.Timeout(f"no end after {SLOWEST * self.manners.timeout:g} s")
                with self._lock:
                    self.n_bytes += len(body)
                packed = response.headers.get("Content-Encoding", "").lower() == "gzip"
                try:
                    wait = retry.get_retry_after(response.raw) or 0.0
                except urllib3.exceptions.InvalidHeader:
                    wait = 0.0
                status = response.status_code
        return status, gzip.decompress(body) if packed and body else bytes(body), min(wait, LONGEST_WAIT)

    def _keep_pace(self) -> None:
        with self._lock:
            now = self.clock()
            start = max(now, self._next_start)
            self._next_start = start + self.manners.pause
            self.n_requests += 1
        if start > now:
            self.sleep(start - now)

    def _answered(self) -> None:
        """The server is there: what it did not answer before stays unanswered."""
        with self._lock:
            unanswered, self._unanswered = self._unanswered, []
        for url, why in unanswered:
            self.store.give_up(url, why)

    def _give_up(self, url: str, why: str) -> None:
        told = " ".join(f"no answer to GET {url}: {why}".split())[:500]
        with self._lock:
            self._unanswered.append((url, told))
            n = len(self._unanswered)
        if n >= self.manners.max_failures_in_a_row:
            raise ServerUnavailable(
                f"{n} requests in a row failed, the last: {told}; what was fetched is kept in "
                f"{self.store.folder}, run the same command again to go on"
            )
        raise GaveUp(told)


def _why_not(status: int, body: bytes, fault: Fault, api: bool) -> str:
    """Why an answer is not final, "" if it is."""
    if OVERLOADED.search(body[:2000]):
        return "error 107, the database is overloaded"
    if status >= 500 or status in TRY_AGAIN:
        return f"status {status}"
    if status == 200:
        return fault(body)
    if api and not API_ERROR.match(body):
        # 412 is the status of the API's own errors: this one lost its end on the way.
        return f"{'no whole error' if status == 412 else HOPELESS}: status {status}, {body[:60]!r}"
    return ""
