"""Faults of a server and its network: each takes a good reply and says what goes over the line instead."""

import gzip
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from openml_server.answering import HTML, TEXT, XML, Reply
from openml_server.render import error


@dataclass
class Sent:
    """What goes over the line: a reply, headers beside the usual ones, and how the transfer goes wrong.

    `cut` is the share of the body that is sent: with a `length` announced that is whole (`honest` False) or that
    fits what is sent (`honest` True), when only the content can tell. `stall` answers only after the server stops;
    `drip` waits so many seconds after each byte, of the headers too.
    """

    reply: Reply | None
    headers: dict[str, str] = field(default_factory=dict)
    cut: float = 1.0
    honest: bool = False
    chunked: bool | None = None
    torn_gzip: bool = False
    stall: bool = False
    drip: float = 0.0


def _page(status: int, title: str, **headers: str) -> Callable[[Reply], Sent]:
    body = f"<html>\r\n<head><title>{title}</title></head>\r\n<body><hr><center>nginx</center><hr></body>\r\n"
    return lambda reply: Sent(Reply(status, "text/html", body.encode()), headers)


FAULTS: Mapping[str, Callable[[Reply], Sent]] = {
    "query_failed": lambda reply: Sent(Reply(412, XML, error(512, "No results"))),
    "gone_404": lambda reply: Sent(Reply(404, HTML, b"<html><body>404 Not Found</body></html>")),
    "no_content_204": lambda reply: Sent(Reply(204, HTML, b"")),
    "redirect_without_address": lambda reply: Sent(Reply(302, HTML, b"")),
    "redirect_to_no_address": lambda reply: Sent(Reply(302, HTML, b"", "http://[::1")),
    "redirect_to_no_port": lambda reply: Sent(Reply(302, HTML, b"", "http://127.0.0.1:99999/file.arff")),
    "redirect_to_no_name": lambda reply: Sent(Reply(302, HTML, b"", f"http://{'a' * 64}.org/file.arff")),
    "text_behind": lambda reply: Sent(
        replace(reply, body=reply.body + b"<br />\n<b>Warning</b>: mysqli::query()\n")
    ),
    "database_overloaded": lambda reply: Sent(Reply(412, XML, error(107, "Database connection error. "))),
    "nginx_502": _page(502, "502 Bad Gateway"),
    "nginx_503": _page(503, "503 Service Temporarily Unavailable"),
    "nginx_504": _page(504, "504 Gateway Time-out"),
    "retry_after": _page(503, "503 Service Temporarily Unavailable", **{"Retry-After": "7"}),
    "too_many_requests": _page(429, "429 Too Many Requests", **{"Retry-After": "3"}),
    "well_formed_html_500": lambda reply: Sent(Reply(500, HTML, b"<html><body>error</body></html>")),
    "empty_500": lambda reply: Sent(Reply(500, HTML, b"")),
    "page_with_status_200": lambda reply: Sent(Reply(200, HTML, b"<html><body>Page Not Found</body></html>")),
    "text_with_status_200": lambda reply: Sent(Reply(200, TEXT, b"Unable to connect to the database.\n")),
    "json_with_status_200": lambda reply: Sent(Reply(200, TEXT, b'{"error":"splits failed"}')),
    "empty_200": lambda reply: Sent(Reply(200, TEXT, b"")),
    "connection_closed": lambda reply: Sent(None),
    "body_cut": lambda reply: Sent(reply, cut=0.5, chunked=False),
    "chunks_cut": lambda reply: Sent(reply, cut=0.5, chunked=True),
    "gzip_torn": lambda reply: Sent(reply, cut=0.5, honest=True, torn_gzip=True),
    "content_cut": lambda reply: Sent(reply, cut=0.5, honest=True),
}


@dataclass
class Faults:
    """Which requests go wrong: the first `times` to a path that `where` picks, with faults drawn by a seed.

    Attributes
    ----------
    names : the faults to draw from.
    share : probability that a request goes wrong at all.
    where : only paths that hold this text.
    times : how often a path may go wrong before it is well.
    """

    names: tuple[str, ...] = ()
    share: float = 1.0
    where: str = ""
    times: int = 1
    seed: int = 0
    seen: dict[str, int] = field(default_factory=dict)
    well: list[str] = field(default_factory=list)

    def __call__(self, path: str, reply: Reply) -> Sent:
        """What is sent in place of a reply; `well` lists the paths that were answered as they should be."""
        rng = random.Random(f"{self.seed} {path} {self.seen.get(path, 0)}")
        wrong = self.names and self.where in path and self.seen.get(path, 0) < self.times
        if not wrong or rng.random() >= self.share:
            self.well.append(path)
            return Sent(reply)
        self.seen[path] = self.seen.get(path, 0) + 1
        return FAULTS[rng.choice(self.names)](reply)


@dataclass
class Outage:
    """All requests from number `first` on, counted from 0, go wrong by one fault; only `length` of them if given."""

    fault: str
    first: int
    length: float = float("inf")
    n: int = 0

    def __call__(self, path: str, reply: Reply) -> Sent:
        """What is sent in place of a reply."""
        self.n += 1
        wrong = self.first < self.n <= self.first + self.length
        return FAULTS[self.fault](reply) if wrong else Sent(reply)


def packed(body: bytes) -> bytes:
    """A body as the server compresses it."""
    return gzip.compress(body, compresslevel=6, mtime=0)
