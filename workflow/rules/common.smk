# What every rule file shares: the checked configuration, where things stand, and what a rule's code depends on.
import os
from pathlib import Path

from snakemake.exceptions import WorkflowError

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[name] = "1"
os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, [str(Path(workflow.basedir) / "src"), os.environ.get("PYTHONPATH")])
)

from aucstudy.config import check_config, read_yaml
from aucstudy.errors import InputError
from aucstudy.sources import fetch_batches

try:
    check_config(config, {str(path): read_yaml(path) for path in workflow.configfiles})
except InputError as error:
    raise WorkflowError(str(error)) from None

STUDY = config["study"]
DATA = f"data/{STUDY}"
TABLES = f"results/{STUDY}/tables"
FIGURES = f"results/{STUDY}/figures"
LOGS = f"results/{STUDY}/logs"
STUDY_TARGETS = []


wildcard_constraints:
    batch=r"\d+",


def package(*parts):
    """The package's files that a rule runs: Snakemake does not see an edited import, so they are its inputs."""
    shared = ["errors.py", "tables.py", "store.py", *parts]
    found = [Path("src/aucstudy") / part for part in shared]
    return [str(file) for part in found for file in ([part] if part.suffix else sorted(part.rglob("*.py")))]


def figure(name):
    """The two files of a figure: the PNG that the report shows and the SVG beside it."""
    return {"png": f"{FIGURES}/{name}.png", "svg": f"{FIGURES}/{name}.svg"}
