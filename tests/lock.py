"""Write requirements.lock for `make lock`: one resolution of everything, in a section for each purpose.

The section of a purpose holds the packages that are not already in `core` or `study`. So these two
sections and one more make an environment.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements.lock"


def purposes(project: Mapping) -> dict[str, list[str]]:
    """Return uv's arguments for each section, in order. Extras that `study` does not hold come after it.

    >>> list(purposes({"study": ["aucstudy[plots]"], "plots": [], "weka": [], "docs": []}))
    ['core', 'study', 'weka', 'docs', 'test', 'whole']
    """
    extras = dict(project)
    waiting, of_study = ["study"], set()
    while waiting:
        extra = waiting.pop()
        of_study.add(extra)
        for entry in extras[extra]:
            if own := re.fullmatch(r"aucstudy\[(.+)\]", entry):
                waiting += own[1].split(",")
    study = ["--extra", "study", "--group", "build"]
    further = {extra: [*study, "--extra", extra] for extra in extras if extra not in of_study}
    groups = {"test": [*study, "--group", "dev"], "whole": [*study, "--group", "whole"]}
    return {"core": [], "study": study, **further, **groups}


def entries(lock: str) -> dict[str, str]:
    """Return the lines of each package of a lock. Markers may choose between several versions of a package.

    >>> entries("a==1 ; x\\n    --hash=b\\n# note\\na==2\\nc==1\\n")
    {'a': 'a==1 ; x\\n    --hash=b\\na==2\\n', 'c': 'c==1\\n'}
    """
    by_name: dict[str, str] = {}
    for entry in re.findall(r"(?m)^[a-z0-9].*\n(?:\s+--hash.*\n)*", lock):
        name = re.match(r"[a-z0-9._-]+", entry)[0]
        by_name[name] = by_name.get(name, "") + entry
    return by_name


def resolved(arguments: list[str], known: Path, *further: str) -> dict[str, str]:
    """Return the packages to which uv resolves pyproject.toml, at locked versions where they still fit."""
    with tempfile.TemporaryDirectory() as folder:
        lock = Path(folder) / "lock"
        shutil.copy(known, lock)
        uv = shutil.which("uv", path=f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin")
        always = ["--universal", "--python-version", "3.11", "--no-annotate", "--no-header", "--quiet"]
        command = [uv, "pip", "compile", *always, *further, *arguments, "pyproject.toml", "-o", lock]
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        return entries(lock.read_text())


def main() -> None:
    arguments_of = purposes(
        tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    )
    everything = [word for arguments in arguments_of.values() for word in arguments]
    packages = resolved(everything, LOCK, "--generate-hashes")
    text, before = "", set()
    with tempfile.NamedTemporaryFile("w") as whole:
        whole.write("".join(packages.values()))
        whole.flush()
        for purpose, arguments in arguments_of.items():
            names = sorted(resolved(arguments, Path(whole.name), "-c", whole.name).keys() - before)
            text += f"# [{purpose}]\n" + "".join(packages[name] for name in names)
            before |= set(names) if purpose in ("core", "study") else set()
    LOCK.write_text(text)


if __name__ == "__main__":
    main()
