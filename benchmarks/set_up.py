"""What setting up and starting takes: environments made in fresh clones with an empty home, commands in pairs.

    python benchmarks/set_up.py environments --against COMMIT    # results/benchmarks/environments.csv; wants an index
    python benchmarks/set_up.py starts --against COMMIT          # results/benchmarks/starts.csv

`--against` is what came before. Of a machine that others use too, seconds of the processor and ratios of pairs say more
than seconds; `load` is how many processes wanted a processor.
"""

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd

from aucstudy.store.tables import write_table

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results" / "benchmarks"
FILE = "breast-cancer.csv", "--label", "label", "--positive", "malignant", "--score", "forest"
CORE = "python3 -m venv .venv && .venv/bin/pip install --quiet . && .venv/bin/python -c 'import aucstudy.metrics'"
# environment: commands one after the other in a fresh clone, and whether uv is there
ENVIRONMENTS = {
    "studies": (["make .venv/.ready"], (False, True)),
    "report": (["make .venv/.ready", "make study", "make study"], (False,)),
    "core": ([CORE], (False,)),
    "docs": (["make .venv/.ready .venv/.has-docs"], (False,)),
    "weka": (["make .venv/.ready .venv/.has-wide .venv/.has-weka"], (False,)),
    "everything": (["make environment"], (True,)),
}
STARTS = {"--help": ["--help"], "score, 500 rows": ["score", "500.csv", *FILE[1:]]}


def timed(command: Sequence[str], **options: object) -> tuple[float, float]:
    """Seconds of the clock and of the processor of one run of a command."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **options)
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def clone(folder: Path, commit: str) -> Path:
    subprocess.run(["git", "clone", "--quiet", ROOT, folder], check=True)
    subprocess.run(["git", "-C", folder, "checkout", "--quiet", commit], check=True)
    return folder


def environments(names: Sequence[str], against: str | None) -> Iterator[dict[str, object]]:
    uv = shutil.which("uv") or shutil.which("uv", path=Path(sys.executable).parent)
    path = os.pathsep.join(
        folder for folder in os.environ["PATH"].split(os.pathsep) if not (Path(folder) / "uv").exists()
    )
    wanted = [(name, "HEAD", with_uv) for name in names for with_uv in ENVIRONMENTS[name][1]]
    if against:
        wanted.insert(0, ("studies", against, False))
    for name, commit, with_uv in wanted:
        with tempfile.TemporaryDirectory() as temporary:
            (home := Path(temporary, "home")).mkdir()
            (tools := Path(temporary, "tools")).mkdir()
            if with_uv:
                (tools / "uv").symlink_to(uv)
            place = clone(Path(temporary, "clone"), commit)
            environment = {**os.environ, "HOME": str(home), "PATH": f"{tools}{os.pathsep}{path}"}
            environment.pop("PYTHONPATH", None)
            for command in ENVIRONMENTS[name][0]:
                seconds, processor = timed(["bash", "-c", command], cwd=place, env=environment)
                size = subprocess.run(
                    ["du", "-sm", place / ".venv"], capture_output=True, text=True, check=True
                )
                yield {
                    "environment": name,
                    "commit": commit,
                    "installer": "uv" if with_uv else "pip",
                    "megabytes": int(size.stdout.split()[0]),
                    "seconds": round(seconds, 1),
                    "processor_seconds": round(processor, 1),
                    "load": round(os.getloadavg()[0], 1),
                    "command": command,
                }


def starts(names: Sequence[str], against: str, pairs: int = 15) -> Iterator[dict[str, object]]:
    """Commands of this commit and of another in turn, in one environment, after a run of each that is not counted."""
    with tempfile.TemporaryDirectory() as temporary:
        table = (ROOT / "studies" / "files-example" / FILE[0]).read_text().splitlines(keepends=True)
        Path(temporary, "500.csv").write_text("".join(table[:501]))
        sources = {"now": ROOT / "src", "before": clone(Path(temporary, "before"), against) / "src"}
        for name in names:
            runs: Mapping[str, list[tuple[float, float]]] = {"now": [], "before": []}
            for _ in range(pairs + 1):
                for which, source in sources.items():
                    environment = {**os.environ, "PYTHONPATH": str(source)}
                    command = [sys.executable, "-m", "aucstudy", *STARTS[name]]
                    runs[which].append(timed(command, cwd=temporary, env=environment))
            middle = {
                which: [statistics.median(kind) for kind in zip(*of[1:], strict=True)]
                for which, of in runs.items()
            }
            ratios = [
                now[0] / before[0] for now, before in zip(runs["now"][1:], runs["before"][1:], strict=True)
            ]
            yield {
                "command": f"aucstudy {name}",
                "against": against,
                "pairs": pairs,
                "seconds": round(middle["now"][0], 3),
                "seconds_before": round(middle["before"][0], 3),
                "processor_seconds": round(middle["now"][1], 3),
                "processor_seconds_before": round(middle["before"][1], 3),
                "ratio": round(statistics.median(ratios), 3),
                "load": round(os.getloadavg()[0], 1),
            }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("environments", "starts"))
    parser.add_argument("--only", nargs="+", metavar="NAME", help="some of them")
    parser.add_argument("--against", metavar="COMMIT", help="what came before")
    arguments = parser.parse_args()
    known, measured = (ENVIRONMENTS, environments) if arguments.what == "environments" else (STARTS, starts)
    rows = []
    for row in measured(arguments.only or list(known), arguments.against):
        rows.append(row)
        print(row, flush=True)
    write_table(pd.DataFrame(rows), RESULTS / f"{arguments.what}.csv")


if __name__ == "__main__":
    main()
