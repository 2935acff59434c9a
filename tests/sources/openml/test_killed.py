"""A fetch that is killed goes on where it was: same bytes in the end, nothing kept is asked for again."""

import os
import random
import signal
from pathlib import Path
from urllib.parse import unquote

import pytest
import requests
from openml_server import OpenMLServer, world_from_store
from openml_server.stores import store_bytes

from aucstudy.sources.openml import transport

MOMENTS = ("request", "line", "replace")


def _kill_at(call, count: int):
    """`call`, but the process is killed at the `count`-th time, before it happens."""
    left = [count]

    def counted(*args, **kwargs):
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*args, **kwargs)

    return counted


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("seed", range(6))
def test_a_killed_fetch_goes_on_where_it_was(store, fetched, tmp_path, monkeypatch, moment, seed):
    count = random.Random(f"{moment} {seed}").randint(1, 33 if moment == "replace" else 27)
    with OpenMLServer(world_from_store(store)) as server:
        clean = store_bytes(fetched(server, "clean"))
        asked = len(server.log.paths)
        child = os.fork()
        if child == 0:
            try:
                place, name = {
                    "request": (requests.Session, "get"),
                    "line": (transport, "write_whole"),
                    "replace": (Path, "replace"),
                }[moment]
                monkeypatch.setattr(place, name, _kill_at(getattr(place, name), count))
                fetched(server, "killed")
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status)
        raw = transport.RawStore(tmp_path / "killed" / "raw")
        killed = server.log.paths[asked:]
        kept = {path for path in killed if raw.get(server.host + unquote(path))}
        n = len(server.log.paths)
        assert store_bytes(fetched(server, "killed")) == clean
    again = server.log.paths[n:]
    assert not kept & set(again)
    assert sorted(kept | set(again)) == sorted(set(server.log.paths[:asked]))
    assert len(kept) >= len(killed) - 1
