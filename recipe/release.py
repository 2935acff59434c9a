"""Build what is released (`make dist`): the wheel, the source archive, and the tables as a data package.

The archives are checked, and the wheel is tried as a stranger would. `python recipe/release.py FOLDER` fills
a folder. With --digest, it prints only the digest of the committed tables, which CITATION.cff and
codemeta.json name.
"""

import argparse
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pandas as pd

from aucstudy import __version__
from aucstudy.config import shipped_experiments
from aucstudy.experiments.contract import shared_words, tables_of_every_study
from aucstudy.store.files import digest_of_files

ROOT = Path(__file__).parents[1]
TYPES = {"b": "boolean", "i": "integer", "u": "integer", "f": "number"}
EXAMPLE = ("diabetes-high.csv", "--label", "label", "--positive", "high", "--fold", "fold")


def committed_tables() -> list[Path]:
    """Return the paths of the committed tables of all studies, in the order of their names."""
    command = ["git", "ls-files", "-z", "--", "results/*/tables/*"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in sorted(listed.split("\0")) if name]


@cache
def documented() -> dict[str, tuple[str, Mapping[str, str]]]:
    """Return the caption and the columns of each table, by the table's name."""
    tables = {name: (facts["caption"], facts["columns"]) for name, facts in tables_of_every_study().items()}
    for experiment in shipped_experiments().values():
        for name, table in {**experiment.tables, **experiment.archives}.items():
            tables[name] = table.caption, table.columns
    return tables


def described(path: Path) -> dict[str, object]:
    """Return the resource of a table: its path, its caption, and its columns with their types."""
    name, study = path.name.split(".")[0], path.parents[1].name
    caption, columns = documented()[name]
    shared, kinds = shared_words()["columns"], pd.read_csv(path, low_memory=False).dtypes
    fields = [
        {
            "name": column,
            "type": TYPES.get(kind.kind, "string"),
            "description": columns.get(column) or shared.get(column, ""),
        }
        for column, kind in kinds.items()
    ]
    return {
        "name": f"{study}-{name}".lower().replace("_", "-"),
        "path": f"{study}/{name}.csv",
        "title": f"{name} of the study {study}",
        "description": caption,
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "schema": {"fields": fields, "missingValues": [""]},
    }


def write_data_package(tables: list[Path], out: Path) -> None:
    """Write an archive of datapackage.json (Data Package 2.0) and the tables.

    The same tables give the same bytes.
    """
    resources = {path: described(path) for path in tables}
    descriptor = {
        "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
        "name": "aucstudy-tables",
        "title": "Tables of aucstudy: which areas agree on the best model, and which of them to choose by",
        "version": __version__,
        "id": f"sha256:{digest_of_files(tables, ROOT)}",
        "licenses": [{"name": "MIT", "title": "MIT License"}],
        "resources": list(resources.values()),
    }
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in _files(descriptor, resources):
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)


def _files(descriptor: dict, resources: dict[Path, dict]) -> Iterator[tuple[str, bytes]]:
    yield "datapackage.json", json.dumps(descriptor, indent=1).encode()
    yield "LICENSE", (ROOT / "LICENSE").read_bytes()
    for path, resource in resources.items():
        content = path.read_bytes()
        yield resource["path"], gzip.decompress(content) if path.suffix == ".gz" else content


def try_wheel(wheel: Path) -> None:
    """Install the wheel with its extra `audit` in a fresh environment and audit the example that it brings."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        subprocess.run(
            [python, "-m", "pip", "install", "--quiet", f"{wheel}[audit]"], env=environment, check=True
        )
        code = "import aucstudy, pathlib; print(pathlib.Path(aucstudy.__file__).parent)"
        found = subprocess.run(
            [python, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, check=True
        )
        example = Path(found.stdout.strip()) / "shipped" / "studies" / "files-example"
        command = [python.parent / "aucstudy", "audit", *EXAMPLE, "--html", Path(folder) / "audit.html"]
        done = subprocess.run(
            command, cwd=example, env=environment, capture_output=True, text=True, check=True
        )
        if "AUROC" not in done.stdout or not (Path(folder) / "audit.html").stat().st_size:
            raise SystemExit(f"aucstudy: the audit of the example says nothing of AUROC:\n{done.stdout}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "dist")
    parser.add_argument(
        "--digest", action="store_true", help="print the digest of the committed tables alone"
    )
    arguments = parser.parse_args()
    if arguments.digest:
        print(digest_of_files(committed_tables(), ROOT))
        return
    shutil.rmtree(arguments.folder, ignore_errors=True)
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", arguments.folder, ROOT]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    archives = sorted(arguments.folder.iterdir())
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *archives], check=True)
    [wheel] = arguments.folder.glob("*.whl")
    try_wheel(wheel)
    write_data_package(committed_tables(), arguments.folder / f"aucstudy-tables-{__version__}.zip")
    print(*sorted(path.name for path in arguments.folder.iterdir()), sep="\n")


if __name__ == "__main__":
    main()
