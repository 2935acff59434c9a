"""The HTTP side of the test server: headers, compression and chunks like the real one, a log, and faults."""

import gzip
import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from math import inf

from openml_server.answering import HTML, TEXT, Reply, answer, error
from openml_server.world import World

Fault = Callable[[str, Reply], Reply]


def answers(status: int, body: bytes = b"", kind: str = HTML, **changes) -> Callable[[Reply], Reply]:
    """Return a change that puts another answer in place of the good one."""
    return lambda reply: Reply(status, kind, body, **changes)


def edited(pattern: bytes, text: bytes, count: int = 0) -> Callable[[Reply], Reply]:
    """Return a change that puts a text in place of the matches of a pattern in the good answer's body."""
    return lambda reply: replace(reply, body=re.sub(pattern, text, reply.body, count=count))


FAULTS: dict[str, Callable[[Reply], Reply]] = {
    "connection closed": lambda reply: replace(reply, cut="all"),
    "transfer cut": lambda reply: replace(reply, cut="transfer"),
    "gzip torn": lambda reply: replace(reply, cut="gzip"),
    "stalls": lambda reply: replace(reply, cut="stalls"),
    # The client reads 10 kB at a time. The end of a shorter body would come before the fault shows.
    "gzip is plain": lambda reply: replace(reply, cut="plain", body=reply.body.ljust(50_000)),
    "drips": lambda reply: replace(reply, cut="drips"),
    "content cut": lambda reply: replace(reply, body=reply.body[: len(reply.body) // 2]),
    "last line cut": edited(rb".{4}\Z", b""),
    "503": answers(503, b"<html>nginx</html>"),
    "504": answers(504, b"<html>nginx</html>"),
    "500, empty": answers(500),
    "107": lambda reply: error(107, "Database connection error. "),
    "no results": lambda reply: error(512, "No results"),
    "text with 200": answers(200, b"Unable to connect to the database.\n", TEXT),
    "page with 200": answers(200, b"<html><body>Page Not Found</body></html>"),
}


def failing(fault: str | Callable[[Reply], Reply], where: str = "", times: float = inf) -> Fault:
    """Return a fault of the paths in which the pattern `where` matches, for `times` requests of each.

    The fault is given by its name in `FAULTS` or as a function.
    """
    seen: Counter[str] = Counter()

    def change(path: str, reply: Reply) -> Reply:
        seen[path] += 1
        fails = re.search(where, path) and seen[path] <= times
        return (FAULTS[fault] if isinstance(fault, str) else fault)(reply) if fails else reply

    return change


class OpenMLServer(AbstractContextManager):
    """A server on a free port of 127.0.0.1. `url` is its API's address, `paths` the paths of all requests,
    `agents` who made them.

    `fault` takes the path of each request and its good reply, and returns the reply that is sent.
    """

    def __init__(self, world: World, fault: Fault = lambda path, reply: reply):
        self.world, self.fault, self.paths, self.agents, self.port = world, fault, [], [], 0
        self.lock = threading.Lock()
        self.restart()
        self.host = f"http://127.0.0.1:{self.port}"
        self.url = f"{self.host}/api/v1/xml"

    def restart(self) -> None:
        """Listen on the port; after a stop, on the same port as before."""
        handler = type("Handler", (_Handler,), {"owner": self})
        self.http = ThreadingHTTPServer(("127.0.0.1", self.port), handler)
        self.http.daemon_threads, self.port, self.runs = True, self.http.server_address[1], True
        threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def stop(self) -> None:
        # Connections that are still open get no answer either.
        self.runs = False
        self.http.shutdown()
        self.http.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    owner: OpenMLServer

    def handle(self) -> None:
        with suppress(ConnectionError):  # The client may close it at any time.
            super().handle()

    def do_GET(self) -> None:
        owner = self.owner
        with owner.lock:
            owner.paths.append(self.path)
            owner.agents.append(self.headers["User-Agent"])
            reply = owner.fault(self.path, answer(owner.world, self.path, owner.host))
        zipped = reply.status == 200 and "gzip" in self.headers.get("Accept-Encoding", "")
        compressed = zipped and reply.cut != "plain"
        body = gzip.compress(reply.body, compresslevel=6, mtime=0) if compressed else reply.body
        body = body[: len(body) // 2] if reply.cut == "gzip" else body
        # Files are compressed while they are sent, so their length is not known before.
        chunked = zipped and "/download/" in self.path and reply.cut not in ("transfer", "drips", "stalls")
        self.close_connection = reply.cut in ("all", "transfer") or not owner.runs
        if reply.cut == "all" or not owner.runs:
            return
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.kind)
        self.send_header("Vary", "Accept-Encoding")
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if zipped:
            self.send_header("Content-Encoding", "gzip")
        self.send_header(
            *(("Transfer-Encoding", "chunked") if chunked else ("Content-Length", str(len(body))))
        )
        self.end_headers()
        message = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body) if chunked else body
        if reply.cut in ("drips", "stalls"):
            self._send_slowly(message, seconds=0.05 if reply.cut == "drips" else 60)
        else:
            self.wfile.write(message[: len(message) // 2] if reply.cut == "transfer" else message)

    def _send_slowly(self, message: bytes, seconds: float) -> None:
        """Send a byte at a time."""
        for byte in message:
            self.wfile.write(bytes([byte]))
            time.sleep(seconds)

    def log_message(self, *_: object) -> None:
        """Log nothing, so that standard error stays empty."""
