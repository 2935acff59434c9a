"""The SHA-256 of a file beside it, so that no damage goes unseen: that of `a.csv` stands in `a.csv.sha256`.

It is held against the bytes that are then parsed, so checking costs no second reading. A file without a digest,
written by hand or by other tools, is taken as it is. Nothing here imports more than the standard library: the
Snakefile reads tasks.csv too.
"""

import hashlib
import os
from pathlib import Path


def digest_path(path: Path | str) -> Path:
    """Where the digest of a file stands."""
    path = Path(path)
    return path.with_name(f"{path.name}.sha256")


def read_checked(path: Path | str) -> bytes:
    """The bytes of a file that are those of its digest, where it has one.

    Raises
    ------
    OSError
        There is no such file, or its digest is that of other bytes.
    """
    body = Path(path).read_bytes()
    digest = digest_path(path)
    # Bytes: a damaged digest need not be text. Not Path.exists, which raises where the name is too long.
    if os.path.exists(digest) and digest.read_bytes().split() != [hashlib.sha256(body).hexdigest().encode()]:
        raise OSError(f"its bytes are not those whose digest is in {digest.name}")
    return body
