"""Measure what a fetch costs the client.

`python benchmarks/fetch_speed.py --tasks 886` fetches 886 x 30 runs from the test server, without pauses, and
writes results/benchmarks/fetch_speed.csv. The server runs in a process of its own, so that its time is not
counted. The client has one core. For each share of faults, a new process fetches everything into an empty
folder. The benchmark checks what the fetch must have done, and a failure ends it.
"""

import multiprocessing
import os
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path

import pandas as pd
from made_studies import options_of_tasks
from origin import write_measured

from aucstudy.store.rejections import read_rejections
from aucstudy.store.task_store import Batch, read_runs

SHARES = (0.0, 0.02)


def fetch(line: Connection, url: str, folder: Path, n_tasks: int, n_models: int) -> None:
    """Fetch in this process, on one core, and send the time and the memory that it took."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    os.environ["OPENML_CACHE_DIR"] = os.environ["XDG_CONFIG_HOME"] = str(folder / "home")
    # The import takes 2 seconds however many runs are fetched, so that its time is not measured.
    import openml  # noqa: F401

    from aucstudy.sources.openml import fetch as fetch_openml

    rss: list[float] = []
    settings = {"server": url, "pause": 0, "backoff": 0, "tasks_per_list": 1}
    start, cpu = time.perf_counter(), time.process_time()
    fetch_openml(
        Batch(
            folder / "fetched" / "0", settings, models_per_task=n_models, min_flows=n_models, seed=1,
            progress=lambda task_id: rss.append(memory("VmRSS")),
        )
    )  # fmt: skip
    line.send(
        {
            "seconds": time.perf_counter() - start,
            "cpu_seconds": time.process_time() - cpu,
            "peak_mb": memory("VmHWM"),
            "quarter_mb": rss[n_tasks // 4],
            "end_mb": rss[-1],
        }
    )


def memory(kind: str) -> float:
    """Return the memory of this process in MB: VmRSS is what it holds now, VmHWM its peak."""
    return int(re.search(rf"{kind}:\s+(\d+) kB", Path("/proc/self/status").read_text())[1]) / 1000


def fetched(n_tasks: int, n_models: int, share: float, folder: Path) -> dict[str, object]:
    """Run one fetch and return its row of the table.

    Raises
    ------
    AssertionError
        The store is not whole, the rejected runs are not those of no use, a run is neither stored nor
        rejected, or a good answer was requested again.
    """
    from fetch_server import serve

    spawn = multiprocessing.get_context("spawn")
    (ours, servers), (own, clients) = spawn.Pipe(), spawn.Pipe()
    server = spawn.Process(target=serve, args=(servers, n_tasks, n_models, share), daemon=True)
    server.start()
    client = spawn.Process(target=fetch, args=(clients, ours.recv(), folder, n_tasks, n_models))
    client.start()
    # If this process kept its copy of the connection open, it would wait on after the end of the client.
    clients.close()
    took = own.recv()
    client.join()
    ours.send("stop")
    asked = ours.recv()
    store = folder / "fetched" / "0"
    runs = set(read_runs(store)["run_id"].astype(int))
    rejected = {int(row.run_id) for row in read_rejections(store / "rejections.csv") if row.run_id}
    assert len(runs) == n_tasks * n_models, f"{len(runs)} runs"
    assert rejected == asked["broken"], f"rejected {rejected ^ asked['broken']}"
    assert runs | rejected == asked["runs"], "a run was asked for and is nowhere"
    assert not asked["twice"], f"asked again: {asked['twice'][:5]}"
    kept = sum(path.stat().st_size for path in (folder / "raw").rglob("*.gz"))
    stored = sum(path.stat().st_size for path in store.rglob("*.parquet"))
    n_runs = len(asked["runs"])
    return {
        "tasks": n_tasks,
        "models": n_models,
        "share of faults": share,
        "runs asked for": n_runs,
        "runs rejected": len(rejected),
        "requests": asked["asked"],
        "faults": asked["faults"],
        "seconds": took["seconds"],
        "client cpu seconds": took["cpu_seconds"],
        "client ms a run": 1000 * took["cpu_seconds"] / n_runs,
        "peak MB": took["peak_mb"],
        "MB at a quarter": took["quarter_mb"],
        "MB at the end": took["end_mb"],
        "raw kB a run": kept / 1000 / n_runs,
        "store kB a run": stored / 1000 / len(runs),
    }


def main(given: Sequence[str] | None = None) -> int:
    """Fetch with each share of faults and write the table."""
    arguments = options_of_tasks(__doc__, 4, 886).parse_args(given)
    rows = []
    for share in SHARES:
        with tempfile.TemporaryDirectory(prefix="aucstudy-fetch-") as folder:
            rows.append(fetched(arguments.tasks, arguments.models, share, Path(folder)))
    command = f"python benchmarks/fetch_speed.py --tasks {arguments.tasks} --models {arguments.models}"
    table = pd.DataFrame(rows).round(3).assign(command=command)
    arguments.out.mkdir(parents=True, exist_ok=True)
    write_measured(table, arguments.out / "fetch_speed.csv")
    print(table.T.to_string(header=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
