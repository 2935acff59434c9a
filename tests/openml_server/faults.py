"""Faults of a server and its network: each takes a good reply and says what goes over the line instead."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from openml_server.answering import HTML, TEXT, XML, Reply, error


@dataclass
class Sent:
    """What goes over the line: a reply, the seconds of its header Retry-After, and how the transfer goes wrong.

    `cut` is the share of the body that is sent: with a `length` announced that is whole (`honest` False) or that
    fits what is sent (`honest` True), when only the content can tell. `drip` waits so many seconds after each byte,
    of the headers too.
    """

    reply: Reply | None
    retry_after: int = 0
    cut: float = 1.0
    honest: bool = False
    chunked: bool | None = None
    torn_gzip: bool = False
    drip: float = 0.0


def _answers(status: int, body: bytes = b"", kind: str = HTML, to: str = "", retry_after: int = 0):
    return lambda reply: Sent(Reply(status, kind, body, to), retry_after)


WARNING = b"<br />\n<b>Warning</b>: mysqli::query()\n"
FAULTS: Mapping[str, Callable[[Reply], Sent]] = {
    "query_failed": _answers(412, error(512, "No results"), XML),
    "gone_404": _answers(404, b"<html><body>404 Not Found</body></html>"),
    "no_content_204": _answers(204),
    "redirect_without_address": _answers(302),
    "redirect_to_no_address": _answers(302, to="http://[::1"),
    "redirect_to_no_port": _answers(302, to="http://127.0.0.1:99999/file.arff"),
    "redirect_to_no_name": _answers(302, to=f"http://{'a' * 64}.org/file.arff"),
    "text_behind": lambda reply: Sent(replace(reply, body=reply.body + WARNING)),
    "database_overloaded": _answers(412, error(107, "Database connection error. "), XML),
    "nginx_502": _answers(502, b"<html>\r\n<body><hr><center>nginx</center><hr></body>\r\n"),
    "nginx_503": _answers(503, b"<html>\r\n<body><hr><center>nginx</center><hr></body>\r\n"),
    "nginx_504": _answers(504, b"<html>\r\n<body><hr><center>nginx</center><hr></body>\r\n"),
    "retry_after": _answers(503, retry_after=7),
    "too_many_requests": _answers(429, retry_after=3),
    "well_formed_html_500": _answers(500, b"<html><body>error</body></html>"),
    "empty_500": _answers(500),
    "page_with_status_200": _answers(200, b"<html><body>Page Not Found</body></html>"),
    "text_with_status_200": _answers(200, b"Unable to connect to the database.\n", TEXT),
    "json_with_status_200": _answers(200, b'{"error":"splits failed"}', TEXT),
    "empty_200": _answers(200, b"", TEXT),
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
    times: float = 1
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
