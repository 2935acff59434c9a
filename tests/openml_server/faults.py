"""Faults of a server and its network: each takes a good reply and says what goes over the line instead."""

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import inf

from openml_server.answering import HTML, TEXT, Reply, error

Fault = Callable[[Reply], Reply]


def answers(status: int, body: bytes = b"", kind: str = HTML, **changes) -> Fault:
    """Another answer in place of the good one."""
    return lambda reply: Reply(status, kind, body, **changes)


def edited(pattern: bytes, text: bytes, count: int = 0) -> Fault:
    """The good answer with a text in place of what a pattern picks in its body."""
    return lambda reply: replace(reply, body=re.sub(pattern, text, reply.body, count=count))


def transferred(**changes) -> Fault:
    """The good answer, of which not all comes, or not at once."""
    return lambda reply: replace(reply, **changes)


NGINX = b"<html>\r\n<body><hr><center>nginx</center><hr></body>\r\n"
FAULTS: Mapping[str, Fault] = {
    "query_failed": lambda reply: error(512, "No results"),
    "gone_404": answers(404, b"<html><body>404 Not Found</body></html>"),
    "no_content_204": answers(204),
    "redirect_without_address": answers(302),
    "redirect_to_no_address": answers(302, location="http://[::1"),
    "redirect_to_no_port": answers(302, location="http://127.0.0.1:99999/file.arff"),
    "redirect_to_no_name": answers(302, location=f"http://{'a' * 64}.org/file.arff"),
    "text_behind": edited(rb"\Z", b"<br />\n<b>Warning</b>: mysqli::query()\n"),
    "database_overloaded": lambda reply: error(107, "Database connection error. "),
    "nginx_502": answers(502, NGINX),
    "nginx_503": answers(503, NGINX),
    "nginx_504": answers(504, NGINX),
    "retry_after": answers(503, retry_after=7),
    "too_many_requests": answers(429, retry_after=3),
    "well_formed_html_500": answers(500, b"<html><body>error</body></html>"),
    "empty_500": answers(500),
    "page_with_status_200": answers(200, b"<html><body>Page Not Found</body></html>"),
    "text_with_status_200": answers(200, b"Unable to connect to the database.\n", TEXT),
    "json_with_status_200": answers(200, b'{"error":"splits failed"}', TEXT),
    "empty_200": answers(200, b"", TEXT),
    "connection_closed": transferred(cut="all"),
    "body_cut": transferred(cut="transfer", chunked=False),
    "chunks_cut": transferred(cut="transfer", chunked=True),
    "gzip_torn": transferred(cut="gzip"),
    "content_cut": transferred(cut="content"),
}


@dataclass
class Faults:
    """Which requests go wrong, with faults drawn by a seed.

    Attributes
    ----------
    faults : those to draw from, by name or as functions.
    where : only paths in which this pattern matches; of these the first `spared` are well.
    share, times : probability that a request goes wrong, and how often a path may before it is well.
    first, length : from which request on, by number from 0 or a pattern of its path, and for how many.
    seen : how often each path went wrong; `well` lists the paths that were answered as they should be.
    """

    faults: tuple[str | Fault, ...] = ()
    where: str = ""
    times: float = 1
    share: float = 1.0
    seed: int = 0
    spared: int = 0
    first: int | str = 0
    length: float = inf
    n: int = 0
    seen: dict[str, int] = field(default_factory=dict)
    well: list[str] = field(default_factory=list)

    def __call__(self, path: str, reply: Reply) -> Reply:
        """What is sent in place of a reply."""
        if isinstance(self.first, str) and re.search(self.first, path):
            self.first = self.n
        self.n += 1
        begun = isinstance(self.first, int) and self.first < self.n <= self.first + self.length
        if begun and self.faults and re.search(self.where, path):
            times = self.seen.setdefault(path, 0)
            rng = random.Random(f"{self.seed} {path} {times}")
            if times < self.times and [*self.seen].index(path) >= self.spared and rng.random() < self.share:
                self.seen[path] = times + 1
                fault = rng.choice(self.faults)
                return FAULTS[fault](reply) if isinstance(fault, str) else fault(reply)
        self.well.append(path)
        return reply


def outage(fault: str, first: int | str, length: float = inf) -> Faults:
    """All requests from one on go wrong, or only `length` of them."""
    return Faults((fault,), times=inf, first=first, length=length)
