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

# the call before which a process is killed, and how often it is made
MOMENTS = {
    "request": (requests.Session, "get", 27),
    "line": (transport, "write_whole", 27),
    "replace": (Path, "replace", 33),
}


def _kill_at(owner, name: str, count: int) -> None:
    """Kill this process before the `count`-th call."""
    call, moments = getattr(owner, name), iter(range(count))

    def counted(*args, **kwargs):
        if next(moments) == count - 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*args, **kwargs)

    setattr(owner, name, counted)


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("seed", range(6))
def test_a_killed_fetch_goes_on_where_it_was(store, fetched, tmp_path, moment, seed):
    owner, name, times = MOMENTS[moment]
    with OpenMLServer(world_from_store(store)) as server:
        clean = store_bytes(fetched(server, "clean"))
        asked = len(server.log.paths)
        child = os.fork()
        if child == 0:
            try:
                _kill_at(owner, name, random.Random(f"{moment} {seed}").randint(1, times))
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
