"""Measure the memory that the lists of tasks with very many runs take.

`python benchmarks/list_memory.py --tasks 3 --runs 500000` reads the lists of runs and of evaluations of a group of
tasks from the test server, draws the runs of each task, and writes results/benchmarks/list_memory.csv. The server
runs in a process of its own. The benchmark fails if a run is not read, or if the peak is above the memory that the
rule `fetch` asks for.
"""

import multiprocessing
import sys
import tempfile
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path

import pandas as pd
from fetch_speed import memory
from made_studies import options
from origin import write_measured

from aucstudy.commands.arguments import whole_number

MB_OF_RULE = 2000
FLOWS = 1000
ROW = (
    "<oml:{0}><oml:run_id>{1}</oml:run_id><oml:uploader>1</oml:uploader><oml:task_id>{2}</oml:task_id>"
    "<oml:setup_id>{3}</oml:setup_id><oml:flow_id>{4}</oml:flow_id>"
    "<oml:upload_time>2014-04-06 23:30:{5:02d}</oml:upload_time>{6}</oml:{0}>"
)
EVALUATED = (
    "<oml:flow_name>weka.classifiers.meta.Bagging_{0}(1)</oml:flow_name><oml:evaluation_engine_id>1</oml:evaluation_engine_id>"
    "<oml:value>0.{1:06d}</oml:value><oml:array_data>[0.{1:06d},0.{1:06d}]</oml:array_data>"
)


def page(words: Sequence[str], n_runs: int) -> tuple[str, list[str]]:
    """Return the name of a list and the rows of one of its pages. `words` are those of the path."""
    kind, filters = words[0], dict(zip(words[2::2], words[3::2], strict=True))
    task_ids = filters["task"].split(",")
    start, limit = int(filters["offset"]), int(filters["limit"])
    rows = []
    for i in range(start, min(start + limit, n_runs * len(task_ids))):
        task_id, flow = int(task_ids[i // n_runs]), i % FLOWS
        area = EVALUATED.format(flow, i % n_runs) if kind == "evaluation" else ""
        rows.append(ROW.format(kind, task_id * n_runs + i % n_runs, task_id, i, flow, i % 60, area))
    return kind, rows


def serve(line: Connection, n_tasks: int, n_runs: int) -> None:
    sys.path.append(str(Path(__file__).parents[1] / "tests"))
    from openml_server import DataSet, OpenMLServer, TaskEntry, World
    from openml_server.answering import XML, Reply

    world = World({1: DataSet(1, "made", b"", 100, ("no", "yes"))})
    world.tasks = {i: TaskEntry(i, 1) for i in range(1, n_tasks + 1)}

    def answer(path: str, reply: Reply) -> Reply:
        words = path.removeprefix("/api/v1/xml/").split("/")
        if words[0] not in ("run", "evaluation"):
            return reply
        kind, rows = page(words, n_runs)
        body = f'<oml:{kind}s xmlns:oml="http://openml.org/openml">{"".join(rows)}</oml:{kind}s>'
        return Reply(200, XML, body.encode())

    with OpenMLServer(world, answer) as server:
        line.send(server.url)
        line.recv()


def read(line: Connection, url: str, folder: Path, n_tasks: int) -> None:
    from aucstudy.sources.openml.lists import Lists
    from aucstudy.sources.openml.selection import Selection
    from aucstudy.sources.openml.settings import Settings
    from aucstudy.sources.openml.transport import Session

    settings = Settings.read({"server": url, "pause": 0, "tasks_per_list": n_tasks})
    start, before = time.perf_counter(), memory("VmRSS")
    with Session.alone_in(folder, settings) as session:
        selection = Selection(Lists(session, url), settings, min_flows=30, seed=1)
        n_drawn = sum(sum(map(len, selection.slots(candidate))) for candidate in selection.candidates)
    facts = {"runs drawn from": n_drawn, "MB before": before, "peak MB": memory("VmHWM")}
    line.send(facts | {"seconds": time.perf_counter() - start})


def main(given: Sequence[str] | None = None) -> int:
    """Read the lists in a new process and write the table."""
    parser = options(__doc__)
    parser.add_argument("--tasks", type=whole_number(1, 100, "the number of tasks"), default=3)
    parser.add_argument("--runs", type=whole_number(1000, 10**7, "the runs of a task"), default=500_000)
    arguments = parser.parse_args(given)
    spawn = multiprocessing.get_context("spawn")
    (ours, servers), (own, clients) = spawn.Pipe(), spawn.Pipe()
    server = spawn.Process(target=serve, args=(servers, arguments.tasks, arguments.runs), daemon=True)
    server.start()
    with tempfile.TemporaryDirectory(prefix="aucstudy-lists-") as folder:
        client = spawn.Process(target=read, args=(clients, ours.recv(), Path(folder), arguments.tasks))
        client.start()
        clients.close()
        facts = own.recv()
        client.join()
    ours.send("stop")
    assert facts["runs drawn from"] == arguments.tasks * arguments.runs, facts
    assert facts["peak MB"] < MB_OF_RULE, facts
    command = f"python benchmarks/list_memory.py --tasks {arguments.tasks} --runs {arguments.runs}"
    table = pd.DataFrame([{"tasks": arguments.tasks, "runs of a task": arguments.runs} | facts]).round(1)
    arguments.out.mkdir(parents=True, exist_ok=True)
    write_measured(table.assign(command=command), arguments.out / "list_memory.csv")
    print(table.T.to_string(header=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
