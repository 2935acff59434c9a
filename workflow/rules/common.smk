# What all stages share: the checked configuration, and the names of the folders.
import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

# In a checkout the package is the one in src/, otherwise it is the installed one.
SRC = Path(str(workflow.current_basedir)).parents[1] / "src"
sys.path[:0] = [str(SRC)] * SRC.is_dir()

try:
    from aucstudy.config import merged_config
    from aucstudy.errors import InputError
    from aucstudy.jobs import planning
    from aucstudy.jobs.environment import environment_of_jobs
    from aucstudy.sources import from_here, input_files
    from aucstudy.store.files import remove_parts
except ModuleNotFoundError as error:
    raise WorkflowError(
        f"{error.name} is not installed where Snakemake runs; expected: pip install 'aucstudy[study]', or from a "
        "checkout pip install '.[study]' (config/README.md)"
    ) from None

os.environ.update(environment_of_jobs(os.environ, SRC))
try:
    config.update(merged_config(config, workflow.configfiles, check=workflow.is_main_process))
    # Its paths below the working folder are relative to this folder. They become params, so that nothing is
    # fetched anew if a checkout was moved.
    FROM_HERE = from_here(config)
    USER_FILES = input_files(FROM_HERE)
    METRICS = planning.metrics_from_here(config["metrics"])
except InputError as error:
    raise WorkflowError(str(error)) from None

STUDY = config["study"]
DATA, RESULTS = f"data/{STUDY}", f"results/{STUDY}"
TABLES, FIGURES, LOGS = f"{RESULTS}/tables", f"{RESULTS}/figures", f"{RESULTS}/logs"
VERSIONS = planning.versions()
STUDY_TARGETS = []


wildcard_constraints:
    batch=r"\d+",


def code(*subpackages):
    """Return the files that stand for the code of these subpackages."""
    return expand(f"{DATA}/code/{{subpackage}}.txt", subpackage=subpackages)


def batches_of(pattern):
    """Return a function that lists the files of the batches that have tasks.

    Which batches have tasks is known once the task store is made.
    """
    return lambda wildcards: expand(
        pattern, batch=planning.batches_in(checkpoints.task_store.get().output.batches)
    )
