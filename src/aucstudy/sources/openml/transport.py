"""The session for all requests to a server, with one pace, retries, timeouts and a cache of valid answers.

Other answers are not kept, so the next fetch requests them again. The refusal of a working server is kept for
a day, so that a large fetch that is continued does not repeat thousands of such requests.
"""

import gzip
import json
import logging
import re
import ssl
import sys
import threading
import time
import zlib
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter
from requests.exceptions import ReadTimeout, RequestException, TooManyRedirects
from requests_cache import NEVER_EXPIRE, CachedResponse, CachedSession, FileCache, SerializerPipeline
from requests_cache.serializers import Stage
from tqdm import tqdm
from urllib3.exceptions import (
    ConnectTimeoutError,
    DecodeError,
    HTTPError,
    IncompleteRead,
    InvalidChunkLength,
    InvalidHeader,
    MaxRetryError,
    NameResolutionError,
    NewConnectionError,
    ReadTimeoutError,
)
from urllib3.util import Retry

from aucstudy import __version__
from aucstudy.errors import InputError
from aucstudy.sources.openml.answers import NO_RESULTS, NOT_THERE, api_fault, error_code
from aucstudy.sources.openml.settings import Settings
from aucstudy.store.files import alone, writing

API = "/api/v1/xml/"
UNREACHABLE = "cannot be reached:"
DAY, LONGEST_WAIT = timedelta(days=1), 600
FIRST_OUTAGE_WAIT = 60  # seconds
TRY_AGAIN = {408, 425, 429, *range(500, 600)}


def say(line: str) -> None:
    tqdm.write(f"openml: {line}", file=sys.stderr)


class NoAnswer(Exception):
    """A request got no valid answer. The `status` is that of the last answer, or 0 if there was none."""

    def __init__(self, why: str, status: int = 0):
        super().__init__(" ".join(why.split())[:500])
        self.status = status


@dataclass(frozen=True)
class Refusal:
    """An answer of a working server that does not give us a file or a description, and how long it is kept."""

    status: int
    until: datetime


class BrokenAnswer(RequestException):
    """An answer that began and did not come whole."""


class PoliteAdapter(HTTPAdapter):
    """Sends all requests at the pace of the settings, also those of the package openml."""

    def __init__(self, settings: Settings):
        super().__init__(pool_maxsize=settings.connections)
        # It would warn of each connection that an answer without end has held.
        logging.getLogger("urllib3.connectionpool").setLevel(logging.ERROR)
        self.settings, self.n_requests, self.seconds_of_last = settings, 0, 0.0
        # The refusals of the task that is being fetched, and the addresses of all.
        contact = f" ({settings.contact})" if settings.contact else ""
        self.agent = f"aucstudy/{__version__}{contact}"
        self.has_answered = False
        self.refusals: dict[str, Refusal] = {}
        self.refusals_seen: set[str] = set()
        self._lock, self._next_start = threading.Lock(), 0.0

    def hold(self, seconds: float) -> None:
        """Let no request start for some seconds, on any connection."""
        with self._lock:
            self._next_start = max(self._next_start, time.monotonic() + seconds)

    def send(self, request, **options):
        while (wait := self._wait_for_turn()) > 0:
            time.sleep(wait)
        request.headers["User-Agent"] = self.agent
        started = time.monotonic()
        try:
            return self._whole_answer(request, {**options, "timeout": self.settings.timeout})
        finally:
            self.seconds_of_last = time.monotonic() - started

    def _wait_for_turn(self) -> float:
        """Return the seconds until a request may start, or 0 if it starts now."""
        with self._lock:
            now = time.monotonic()
            if now < self._next_start:
                return self._next_start - now
            self._next_start = now + self.settings.pause
            self.n_requests += 1
            return 0.0

    def _whole_answer(self, request, options) -> requests.Response:
        """Return the answer with its body. Raise BrokenAnswer if it began and did not come whole.

        The timeout of a connection is about each single byte. So a thread waits for the answer, and is left
        alone if the answer is not whole within `answer_timeout`.
        """
        outcome: Future[requests.Response] = Future()
        answers: list[requests.Response] = []

        def wait() -> None:
            try:
                answers.append(super(PoliteAdapter, self).send(request, **options))
                answers[0].content  # noqa: B018  This reads the body.
                outcome.set_result(answers[0])
            except BaseException as error:
                outcome.set_exception(error)

        threading.Thread(target=wait, daemon=True).start()
        seconds = self.settings.answer_timeout
        try:
            return outcome.result(seconds)
        except TimeoutError:
            for answer in answers:
                with suppress(RuntimeError, ValueError, OSError):  # It may have come in this moment.
                    answer.raw.shutdown()
            raise (BrokenAnswer if answers else ReadTimeout)(f"not whole after {seconds:g} s") from None
        except RequestException as error:
            if answers:
                raise BrokenAnswer(fault_of(error, self.settings)) from None
            raise


class Tries:
    """The tries of one request. The number of repetitions and the waits before them are those of urllib3.

    If all tries of a round have failed, a server that has answered before gets some minutes before the next
    round, up to the setting `outage` in all.
    """

    def __init__(self, adapter: PoliteAdapter, url: str):
        self.adapter, self.url, self.settings = adapter, url, adapter.settings
        self.next_outage_wait, self.outage_left = FIRST_OUTAGE_WAIT, self.settings.outage
        self._start_round()

    def _start_round(self) -> None:
        self.retry = Retry(
            total=self.settings.retries, backoff_factor=self.settings.backoff / 2, backoff_max=LONGEST_WAIT,
            retry_after_max=LONGEST_WAIT,
        )  # fmt: skip

    def failed(self, fault: str, status: int = 0, retry_after: str | None = None) -> None:
        """Let all requests wait until the next try. Raise NoAnswer with the fault if that was the last one."""
        seconds = 0.0
        if retry_after is not None:
            with suppress(InvalidHeader, ValueError, OverflowError):
                seconds = self.retry.parse_retry_after(retry_after)
        try:
            self.retry = self.retry.increment("GET", self.url)
        except MaxRetryError:
            error = NoAnswer(_no_answer(self.url, fault), status)
            seconds = max(seconds, self._wait_of_outage(error))
        self.adapter.hold(seconds or self.retry.get_backoff_time())

    def _wait_of_outage(self, error: NoAnswer) -> float:
        """Return the seconds before the next round. Raise the error if there is none."""
        is_waited_for = self.settings.unanswered == "stop" or not error.status
        seconds = min(self.next_outage_wait, self.outage_left)
        if not (self.adapter.has_answered and is_waited_for and seconds > 0):
            raise error from None
        self.outage_left -= seconds
        self.next_outage_wait *= 2
        self._start_round()
        say(f"{error}; the next try is in {seconds:.0f} s")
        return seconds


class Session(CachedSession):
    """A session that reads answers from its cache or requests them. It raises NoAnswer if none is valid."""

    def __init__(self, backend: FileCache, adapter: PoliteAdapter, **options):
        super().__init__(
            backend=backend, expire_after=NEVER_EXPIRE, read_only=True,  # Only `keep` writes.
            allowable_codes=(200, 412, *NOT_THERE), stale_if_error=True, key_fn=_key, ignored_parameters=(),
            **options,
        )  # fmt: skip
        self.adapter, self.folder = adapter, backend.cache_dir
        self.adapters.update({"https://": adapter, "http://": adapter})
        # No key or password is ever sent, not even one of a .netrc file.
        self.auth = lambda request: request

    @classmethod
    @contextmanager
    def alone_in(cls, folder: Path, settings: Settings) -> Iterator["Session"]:
        """Yield a session whose cache is in a folder that no other fetch uses at this time.

        Two fetches would remove each other's temporary files, and ask the server at twice the pace.
        """
        with writing(folder):
            backend = FileCache(folder, serializer=_PACKED, extension="gz")
        with alone(folder, "fetch"):
            yield cls(backend, PoliteAdapter(settings))

    def send(self, request, **options):
        # The server may redirect its API to another scheme or host. The path of a file is "".
        path = request.url.partition(API)[2]
        tries, fault = Tries(self.adapter, request.url), ""
        while True:
            earlier_fault, status, retry_after = fault, 0, None
            try:
                answer = super().send(request, **options)
            except (RequestException, HTTPError, UnicodeError) as error:
                fault = fault_of(error, self.adapter.settings)
                status = 200 if isinstance(error, BrokenAnswer) else 0
            else:
                status = answer.status_code
                if answer.from_cache and status != 200 and self._asks_again(answer):
                    answer = super().send(request, force_refresh=True, **options)
                if answer.from_cache or answer.is_redirect:
                    self._note(answer, answer.expires)
                    return answer
                status = answer.status_code
                fault = _fault(request.url, path, answer)
                if not fault:
                    self.adapter.has_answered = True
                    # Only its reader knows if a file is complete, and "no results" may be a failed query.
                    if status != 200 if not path else error_code(answer.content) not in NO_RESULTS:
                        until = None if status == 200 else datetime.now(UTC) + DAY
                        self.keep(answer, until)
                        self._note(answer, until)
                    return answer
                if status in TRY_AGAIN:
                    retry_after = answer.headers.get("Retry-After")
                elif status == 200 and fault == earlier_fault and not self.adapter.has_answered:
                    # The server is none of OpenML.
                    raise NoAnswer(_no_answer(request.url, fault), status)
            tries.failed(fault, status, retry_after)

    def _asks_again(self, answer: requests.Response) -> bool:
        """Return whether a kept refusal is to be asked again. Each is asked again once in a fetch."""
        return self.adapter.settings.ask_again and answer.url not in self.adapter.refusals_seen

    def _note(self, answer: requests.Response, until: datetime | None) -> None:
        if until is not None:
            self.adapter.refusals_seen.add(answer.url)
            self.adapter.refusals[answer.url] = Refusal(answer.status_code, until)

    def keep(self, answer: requests.Response, expires: datetime | None = None) -> None:
        """Keep an answer in the cache, for ever if `expires` is None."""
        try:
            self.cache.save_response(answer, _key((*answer.history, answer)[0].request), expires)
        except KeyError as error:  # The backend turns an OSError into it.
            reason = getattr(error.__cause__, "strerror", None) or error.__cause__
            raise InputError(f"{self.folder}: cannot be written ({reason})") from None


def fault_of(error: Exception, settings: Settings) -> str:
    """Return what an error of the connection means, in plain words if it is a known one."""
    if isinstance(error, BrokenAnswer):
        return str(error)
    causes = [*_causes(error)]
    words = {
        NameResolutionError: f"{UNREACHABLE} its name is not resolved",
        ConnectionRefusedError: f"{UNREACHABLE} the connection is refused",
        ConnectTimeoutError: f"{UNREACHABLE} no connection in {settings.timeout:g} s",
        NewConnectionError: f"{UNREACHABLE} there is no network",
        ssl.SSLError: "its certificate is not accepted",
        TimeoutError: f"not a byte came in {settings.timeout:g} s",
        ReadTimeoutError: f"not a byte came in {settings.timeout:g} s",
        ConnectionError: "the connection was closed",
        IncompleteRead: "the answer was cut off",
        InvalidChunkLength: "the answer was cut off",
        DecodeError: "the answer is not compressed as it says",
        TooManyRedirects: "it redirects without end",
    }
    known = (text for kind, text in words.items() if any(isinstance(cause, kind) for cause in causes))
    return next(known, f"{type(error).__name__}: {error}")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Return an error and those that it was made of, which may go round in a circle."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        inner = [
            arg for arg in (*error.args, getattr(error, "reason", None)) if isinstance(arg, BaseException)
        ]
        error = inner[0] if inner else error.__cause__ or error.__context__


def _no_answer(url: str, fault: str) -> str:
    if fault.startswith(UNREACHABLE):
        return f"{urlsplit(url).netloc} {fault}"
    return f"no answer to GET {url}: {fault}"


def _fault(url: str, path: str, answer: requests.Response) -> str:
    """Return what is wrong with an answer, or "" if nothing is. The `path` of a file is ""."""
    status = answer.status_code
    if status in TRY_AGAIN or not path:
        fault = "" if status in (200, *NOT_THERE) else f"status {status}"
    else:
        fault = api_fault(url, path, status, answer.content)
    return f"{fault}, redirected to {answer.url}" if fault and answer.history else fault


def _key(request, **_) -> str:
    """Return the name of an answer's file, which is the readable end of its address and a digest of it."""
    return (
        f"{re.sub('[^A-Za-z0-9]+', '-', request.url)[-60:]}-{sha256(request.url.encode()).hexdigest()[:20]}"
    )


def _pack(answer: CachedResponse) -> bytes:
    """Return a line of JSON and the body as it came, gzipped.

    The checksum of gzip shows when an answer was cut off or changed on disk.
    """
    head = {name: getattr(answer, name) for name in ("url", "status_code", "encoding")}
    # Vary and ETag are left out, because they would make the cache request the answer again.
    headers = {
        name: answer.headers[name] for name in ("Content-Type", "Content-Encoding") if name in answer.headers
    }
    head |= {"headers": headers, "expires": answer.expires and answer.expires.isoformat()}
    return gzip.compress(json.dumps(head).encode() + b"\n" + answer.content, compresslevel=1, mtime=0)


def _unpack(packed: bytes) -> CachedResponse:
    try:
        head, _, body = gzip.decompress(packed).partition(b"\n")
    except (zlib.error, EOFError, OSError) as error:
        raise ValueError(str(error)) from None
    facts = json.loads(head)
    facts["expires"] = facts["expires"] and datetime.fromisoformat(facts["expires"])
    return CachedResponse(content=body, **facts)


_PACKED = SerializerPipeline([Stage(dumps=_pack, loads=_unpack)], name="packed", is_binary=True)
