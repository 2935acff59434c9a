# What all stages share: the checked configuration, the names of the folders, and the files that a study makes.
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
    from aucstudy.experiments.contract import experiments_of, studied
    from aucstudy.jobs import planning
    from aucstudy.jobs.environment import environment_of_jobs
    from aucstudy.sources import brings_models, from_here, input_files
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
BATCHES = range(config["batches"]["measure"])
EXPERIMENTS = experiments_of(config)
STUDIED = studied(config)


wildcard_constraints:
    batch=r"\d+",


def code(*subpackages):
    """Return the files that stand for the code of these subpackages."""
    return expand(f"{DATA}/code/{{subpackage}}.txt", subpackage=subpackages)


def tables_of(experiments):
    return [f"{TABLES}/{file}" for experiment in experiments for file in experiment.files.values()]


def figures_of(experiments, kind):
    return [f"{FIGURES}/{figure}.{kind}" for experiment in experiments for figure in experiment.figures]


def estimates_of(experiments):
    """Return the files with the estimates of each experiment, which become one table."""
    return [
        f"{DATA}/estimates/{experiment.stem}.csv" for experiment in experiments if experiment.has_quantities
    ]


# Only OpenML records AUROCs of its own, with which those of the study can be compared.
SERVER_CHECK = {
    name: f"{TABLES}/{name}.csv"
    for name in ("server_check", "server_check_exceptions")
    if config["source"] == "openml"
}
# All tables that the stages before the claims make.
TABLES_MADE = [
    *SERVER_CHECK.values(),
    f"{TABLES}/tasks.csv",
    f"{TABLES}/rejections.csv",
    f"{TABLES}/estimates.csv",
    *tables_of(STUDIED),
]
