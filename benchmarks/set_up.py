"""Measure what it takes to set up environments, in fresh clones with an empty home.

`python benchmarks/set_up.py --against COMMIT` writes results/benchmarks/environments.csv and needs a package
index. `--against` names an earlier commit to compare with. The column `load` is the machine's load average
over the last minute.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd
from made_studies import options, timed

from aucstudy.store.tables import write_table

ROOT = Path(__file__).parents[1]
CORE = "python3 -m venv .venv && .venv/bin/pip install --quiet . && .venv/bin/python -c 'import aucstudy.metrics'"
# For each environment: the commands that make it one after the other, and whether uv is there.
ENVIRONMENTS = {
    "studies": (["make .venv/.ready"], (False, True)),
    "report": (["make .venv/.ready", "make study", "make study"], (False,)),
    "core": ([CORE], (False,)),
    "docs": (["make .venv/.ready .venv/.has-docs"], (False,)),
    "weka": (["make .venv/.ready .venv/.has-wide .venv/.has-weka"], (False,)),
    "everything": (["make environment"], (True,)),
}


def clone(folder: Path, commit: str) -> Path:
    subprocess.run(["git", "clone", "--quiet", ROOT, folder], check=True)
    subprocess.run(["git", "-C", folder, "checkout", "--quiet", commit], check=True)
    return folder


def environments(names: Sequence[str], against: str | None) -> Iterator[dict[str, object]]:
    uv = shutil.which("uv") or shutil.which("uv", path=Path(sys.executable).parent)
    folders = os.environ["PATH"].split(os.pathsep)
    path = os.pathsep.join(folder for folder in folders if not (Path(folder) / "uv").exists())
    runs = [(name, "HEAD", with_uv) for name in names for with_uv in ENVIRONMENTS[name][1]]
    if against:
        runs.insert(0, ("studies", against, False))
    for name, commit, with_uv in runs:
        with tempfile.TemporaryDirectory() as temporary:
            (home := Path(temporary, "home")).mkdir()
            (tools := Path(temporary, "tools")).mkdir()
            if with_uv:
                (tools / "uv").symlink_to(uv)
            checkout = clone(Path(temporary, "clone"), commit)
            environment = {**os.environ, "HOME": str(home), "PATH": f"{tools}{os.pathsep}{path}"}
            environment.pop("PYTHONPATH", None)
            for command in ENVIRONMENTS[name][0]:
                cost = timed(["bash", "-c", command], cwd=checkout, env=environment)
                size = subprocess.run(
                    ["du", "-sm", checkout / ".venv"], capture_output=True, text=True, check=True
                )
                yield {
                    "environment": name,
                    "commit": commit,
                    "installer": "uv" if with_uv else "uv of the lock",
                    "megabytes": int(size.stdout.split()[0]),
                    "seconds": round(cost.seconds, 1),
                    "processor_seconds": round(cost.cpu_seconds, 1),
                    "load": round(os.getloadavg()[0], 1),
                    "command": command,
                }


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=ENVIRONMENTS, default=list(ENVIRONMENTS))
    parser.add_argument("--against", metavar="COMMIT", help="what came before")
    arguments = parser.parse_args()
    rows = []
    for row in environments(arguments.only, arguments.against):
        rows.append(row)
        print(row, flush=True)
    write_table(pd.DataFrame(rows), arguments.out / "environments.csv")


if __name__ == "__main__":
    main()
