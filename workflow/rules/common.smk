# Shared by all stages: the checked configuration, where things stand, and what a job's code depends on.
import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

# the package is found beside the Snakefile, and a job has one thread of BLAS and OpenMP
SOURCE = str(Path(workflow.basedir) / "src")
sys.path.insert(0, SOURCE)
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
os.environ.update(
    dict.fromkeys(THREADS, "1"),
    PYTHONPATH=os.pathsep.join(filter(None, [SOURCE, os.environ.get("PYTHONPATH")])),
)

from aucstudy.config import check_config, read_yaml
from aucstudy.errors import InputError
from aucstudy.claims.verdicts import papers_population
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
    """The package's files that a job runs. Snakemake does not see an edited import, so they are inputs."""
    return sorted(map(str, Path("src/aucstudy").rglob("*.py")))


def figure(name):
    """The two files of a figure: the PNG that the report shows and the SVG beside it."""
    return {"png": f"{FIGURES}/{name}.png", "svg": f"{FIGURES}/{name}.svg"}
