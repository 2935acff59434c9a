"""The raw store: every answer of the server, kept as it came, so that it is never asked for twice."""

import gzip
import hashlib
import json
import threading
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote, urlsplit

from aucstudy.errors import InputError
from aucstudy.store.files import write_whole

INDEX = "requests.jsonl"
KEYS = {"url", "status", "sha256"}


@dataclass(frozen=True)
class Answer:
    """What the server said to one request: status, body, and the body's sha256."""

    url: str
    status: int
    body: bytes
    sha256: str


class RawStore:
    """Answers in a folder: `requests.jsonl`, a line a request with its time, and each body gzipped in a file.

    The line is written before the body, the body is renamed into place: an answer is kept if and only if its file
    is there, whenever the process is killed.
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
        """Keep an answer; it is there for good once this returns.

        Parameters
        ----------
        packed : the body as the server gzipped it, where it did; packing it again would be most of a fetch's work.
        """
        answer = Answer(url, status, body, hashlib.sha256(body).hexdigest())
        packed = packed or gzip.compress(body, compresslevel=6, mtime=0)
        self._append(url, {"status": status, "sha256": answer.sha256, "bytes": len(body)})
        write_whole(self.path(url), lambda temporary: temporary.write_bytes(packed))
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
        with self._lock:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                # A leading line end closes a line that a killed process left torn.
                with (self.folder / INDEX).open("ab") as stream:
                    stream.write(b"\n" + json.dumps(line).encode())
            except OSError as error:
                raise InputError(f"{self.folder}: cannot be written ({error.strerror or error})") from error
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
