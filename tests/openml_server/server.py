"""The HTTP side of the test server: headers, compression and chunks as the real one, a log, and faults on demand."""

import gzip
import threading
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from openml_server.answering import Reply, answer
from openml_server.faults import Faults
from openml_server.world import World


class OpenMLServer(AbstractContextManager):
    """A server on a free port of 127.0.0.1; `url` is its API, `paths` what it was asked, `most` how much at once.

    `before` is called with the path of each request before it is answered, for tests that want to act just then:
    to stop the server, for one, which can be started again on its port.
    """

    def __init__(self, world: World, faults: Faults | None = None, before=lambda path: None):
        self.world, self.faults, self.before = world, faults or Faults(), before
        self.paths: list[str] = []
        self.now = self.most = 0
        self.lock = threading.Lock()
        self._listen(0)
        self.port = self.http.server_address[1]
        self.host = f"http://127.0.0.1:{self.port}"
        self.url = f"{self.host}/api/v1/xml"

    def _listen(self, port: int) -> None:
        self.stopping = threading.Event()
        handler = type("Handler", (_Handler,), {"owner": self, "stopping": self.stopping})
        self.http = ThreadingHTTPServer(("127.0.0.1", port), handler)
        self.http.daemon_threads = True

    def __enter__(self) -> "OpenMLServer":
        threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Refuse connections and leave those that are open without an answer."""
        self.stopping.set()
        self.http.shutdown()
        self.http.server_close()

    def restart(self) -> None:
        """Listen again where it was, after a stop."""
        self._listen(self.port)
        self.__enter__()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    owner: OpenMLServer
    stopping: threading.Event

    def do_GET(self) -> None:
        owner = self.owner
        with owner.lock:
            owner.paths.append(self.path)
            owner.now += 1
            owner.most = max(owner.most, owner.now)
        try:
            owner.before(self.path)
            reply = answer(owner.world, self.path, owner.host)
            with owner.lock:
                reply = owner.faults(self.path, reply)
            if self.stopping.is_set() or reply.cut == "all":
                raise ConnectionResetError
            self._send(reply)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        finally:
            with owner.lock:
                owner.now -= 1

    def _send(self, reply: Reply) -> None:
        zipped = reply.status == 200 and "gzip" in self.headers.get("Accept-Encoding", "")
        body = _half(reply.body) if reply.cut == "content" else reply.body
        body = packed(body) if zipped else body
        body = _half(body) if reply.cut == "gzip" else body
        # Files are compressed while they are sent, so their length is not known before.
        chunked = reply.chunked if reply.chunked is not None else zipped and "/download/" in self.path
        self.send_response(reply.status)
        headers = {
            "Content-Type": reply.kind,
            "Content-Encoding": "gzip" if zipped else "",
            "Location": reply.location,
            "Retry-After": str(reply.retry_after or ""),
            "Transfer-Encoding": "chunked" if chunked else "",
            "Content-Length": "" if chunked else str(len(body)),
        }
        for name, value in headers.items():
            if value:
                self.send_header(name, value)
        if reply.drip:
            self._drip(b"".join(self._headers_buffer) + b"\r\n" + body, reply.drip)
            return
        self.end_headers()
        message = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body) if chunked else body
        if reply.cut == "transfer":
            message, self.close_connection = _half(message), True
        self.wfile.write(message)

    def _drip(self, message: bytes, pause: float) -> None:
        self._headers_buffer.clear()
        self.close_connection = True
        for i in range(len(message)):
            self.wfile.write(message[i : i + 1])
            if self.stopping.wait(pause):
                return

    def log_message(self, *_: object) -> None:
        """Nothing on stderr."""


def _half(body: bytes) -> bytes:
    return body[: len(body) // 2]


def packed(body: bytes) -> bytes:
    """A body as the server compresses it."""
    return gzip.compress(body, compresslevel=6, mtime=0)
