# Shared by all stages: the checked configuration, where things stand, and what is made.
import os
import sys
from functools import partial
from pathlib import Path

from snakemake.exceptions import WorkflowError

# In a checkout the package stands in src/, otherwise it is the installed one. A job has one thread of BLAS and OpenMP.
HERE = Path(str(workflow.current_basedir)).parents[1]
SOURCES_OF_PYTHON = [str(HERE / "src")] * (HERE / "src").is_dir()
sys.path[:0] = SOURCES_OF_PYTHON
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
os.environ.update(dict.fromkeys(THREADS, "1"))
if SOURCES_OF_PYTHON:
    # what stood there before comes after; the lint takes a lookup for a variable that must be set
    environment = dict(os.environ)
    paths = [*SOURCES_OF_PYTHON, environment.get("PYTHONPATH")]
    os.environ.update(PYTHONPATH=os.pathsep.join(filter(None, paths)))

from aucstudy.config import check_config, completed, read_yaml
from aucstudy.errors import InputError
from aucstudy.experiments.contract import HERE as ROOMS
from aucstudy.experiments.contract import experiments, studied, tables_of_every_study
from aucstudy.sources import SOURCES, fetch_batches, input_files
from aucstudy.sources import papers_population
from aucstudy.stages.job import arithmetic_of_avx2
from aucstudy.stages.batches import audit_batches, audit_needs, experiment_batches, experiment_needs
from aucstudy.stages.dependencies import code_of, code_of_functions, paths_here

os.environ.update(arithmetic_of_avx2(os.environ))
# a study that another workflow includes as a module names what it changes, as a study file does
config.update(completed(config))

# a job's own process gets the configuration that was checked before it started
try:
    if workflow.is_main_process:
        check_config(config, {str(path): read_yaml(path) for path in workflow.configfiles})
    USER_FILES = input_files(config)
except InputError as error:
    raise WorkflowError(str(error)) from None

STUDY = config["study"]
DATA = f"data/{STUDY}"
TABLES = f"results/{STUDY}/tables"
FIGURES = f"results/{STUDY}/figures"
LOGS = f"results/{STUDY}/logs"
SOURCE_CONFIG = {"source": config["source"], config["source"]: config[config["source"]]}
EXPERIMENTS = experiments()
STUDIED = studied(config)
STUDY_FILES = {
    "tasks": "tasks.csv",
    "runs": "runs.csv",
    "scores": "scores.parquet",
    "predictions": "predictions",
}
PAGES = paths_here(ROOMS.glob("*.md"))
STUDY_TARGETS = []


wildcard_constraints:
    batch=r"\d+",


def code(*modules):
    """The package's files that a job runs: Snakemake does not see an edited import, so they are inputs."""
    return lambda wildcards: code_of(*modules)


def settings_of(experiment, *functions):
    """What functions of an experiment get of the configuration, by function."""
    return {name: experiment.values(name, config) for name in functions if experiment.has(name)}


def files_of(experiment, functions, *modules):
    """The files that functions of an experiment import, and those of further modules."""
    return lambda wildcards: [*code_of_functions(experiment.module, functions).files, *code_of(*modules)]


def digest_of(experiment, functions):
    """The digest of functions of an experiment: its file holds the figures too, which are no reason to measure again."""
    return lambda wildcards: code_of_functions(experiment.module, functions).digest


def caption(stem):
    """The caption of a table or figure."""
    return os.path.abspath(f"{DATA}/captions/{stem}.rst")


def tables_read(experiment):
    """The tables of other experiments that the tables of this one are made of."""
    made = [name for name in experiment.tables_where_made if EXPERIMENTS[name] in STUDIED]
    return [
        f"{TABLES}/{table}.csv"
        for name in (*experiment.tables_of, *made)
        for table in EXPERIMENTS[name].tables
    ]


def numbers_of(batches, *arguments):
    """The numbers of some batches; that of one where tasks.csv cannot be read: its job says so in one line."""
    try:
        return range(len(batches(*arguments, checkpoints.task_store.get().output.tasks)))
    except InputError:
        return range(1)


def measured_batches(experiment, wildcards):
    """The measured batches of an experiment: how many there are is known once the task store is."""
    numbers = numbers_of(experiment_batches, experiment, config)
    return [f"{DATA}/measured/{experiment.stem}/{batch}" for batch in numbers]


def audited_batches(wildcards):
    """The batches of the page's tasks: how many there are is known once the task store is."""
    return [f"{DATA}/audited/{batch}.json" for batch in numbers_of(audit_batches, config)]


def auditing_needs(wildcards, attempt):
    """What the job of a batch of the page's tasks asks a cluster for."""
    return audit_needs(config, f"{DATA}/tasks.csv", int(wildcards.batch), attempt)


def auditing_minutes(wildcards, attempt):
    return auditing_needs(wildcards, attempt).minutes


def auditing_megabytes(wildcards, attempt):
    return auditing_needs(wildcards, attempt).megabytes


def measuring_needs(experiment, wildcards, attempt):
    """What the job of a batch of an experiment asks a cluster for."""
    return experiment_needs(experiment, config, f"{DATA}/tasks.csv", int(wildcards.batch), attempt)


def measuring_minutes(experiment, wildcards, attempt):
    return measuring_needs(experiment, wildcards, attempt).minutes


def measuring_megabytes(experiment, wildcards, attempt):
    return measuring_needs(experiment, wildcards, attempt).megabytes
