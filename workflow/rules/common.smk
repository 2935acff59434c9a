# Shared by all stages: the checked configuration, where things stand, and what is made.
import os
import sys
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

from aucstudy.config import check_config, claims_folders, configured, read_yaml
from aucstudy.errors import InputError
from aucstudy.experiments.contract import (
    STUDY_FILES,
    experiments_of,
    made_from,
    studied,
    tables_of_every_study,
)
from aucstudy.experiments.contract import with_what_they_read as in_order_of_reading
from aucstudy.sources import even_batches, fetch_batches, from_here, input_files
from aucstudy.sources import papers_population, rows_config, settings_of, source_file, source_name
from aucstudy.jobs.job import arithmetic_of_avx2
from aucstudy.jobs.batches import cut, measuring_passes, needs
from aucstudy.jobs.dependencies import MEASURING, code_of, digest_of_stage, importable, paths_here
from aucstudy.study_folder import CLAIMS, JUDGES_OF_CLAIMS

os.environ.update(arithmetic_of_avx2(os.environ))
# a job's own process gets the configuration that was checked before it started
try:
    origins = {str(path): read_yaml(path) for path in workflow.configfiles}
    # a study that another workflow includes as a module names what it changes, as a study file does
    config.update(configured(config, origins))
    if workflow.is_main_process:
        check_config(config, origins)
    FROM_HERE = from_here(config)  # for params, so that nothing is fetched anew where a checkout was moved
    USER_FILES = input_files(FROM_HERE)
except InputError as error:
    raise WorkflowError(str(error)) from None

STUDY = config["study"]
DATA = f"data/{STUDY}"
TABLES = f"results/{STUDY}/tables"
FIGURES = f"results/{STUDY}/figures"
LOGS = f"results/{STUDY}/logs"
EXPERIMENTS = experiments_of(config)
SOURCE = importable(source_file(config["source"]))
STUDIED = studied(config)
STUDIED_NAMES = [experiment.name for experiment in STUDIED]
PAGES = paths_here({experiment.page for experiment in EXPERIMENTS.values()})
STUDY_TARGETS = []


wildcard_constraints:
    batch=r"\d+",


def with_what_they_read(names, made=()):
    return in_order_of_reading(EXPERIMENTS, names, made)


def code(*modules):
    """The package's files that a job runs: Snakemake does not see an edited import, so they are inputs."""
    return lambda wildcards: code_of(*modules)


def runs_of(stage, names):
    """What a job measures, gathers or draws experiments with, see `jobs.together.Run`."""

    def run(experiment):
        functions = {"measure": MEASURING, "gather": ("over_all",), "draw": tuple(experiment.figures)}[stage]
        with_rows = stage == "measure" and bool(experiment.rows)
        return {
            "code": digest_of_stage(experiment, stage, *[SOURCE] * with_rows),
            "settings": {name: experiment.values(name, config) for name in functions if experiment.has(name)},
            "seed": config["seed"],
            "rows": rows_config(FROM_HERE) if with_rows else None,
            "reads": [] if stage == "measure" else experiment.tables_read(STUDIED_NAMES),
        }

    return lambda wildcards: {name: run(EXPERIMENTS[name]) for name in names}


def level_of(name):
    """What the tables of an experiment are made of: nothing of the study, its scores, or what was measured."""
    experiment = EXPERIMENTS[name]
    read = map(level_of, experiment.tables_read(STUDIED_NAMES))
    return max([2 * experiment.has("of_task"), int(bool(experiment.reads)), *read])


def tables_of(names):
    """The tables of some experiments."""
    return [f"{TABLES}/{file}" for name in names for file in EXPERIMENTS[name].files.values()]


def figures_of(names, kind):
    return [f"{FIGURES}/{figure}.{kind}" for name in names for figure in EXPERIMENTS[name].figures]


def read_by(names):
    """What some experiments read: files of the study, and tables of others that are not made beside theirs."""
    files = [f"{DATA}/{STUDY_FILES[kind]}" for name in names for kind in EXPERIMENTS[name].reads]
    others = {other for name in names for other in EXPERIMENTS[name].tables_read(STUDIED_NAMES)}
    return sorted({*files, *tables_of(others.difference(names))})


def indexes_of(names):
    """The files that say where the frames of some experiments are, of each job that measures them."""
    return lambda wildcards: [
        f"{DATA}/measured/{unit}.{batch}.json"
        for unit, (measured, arguments) in UNITS.items()
        if not set(measured).isdisjoint(names)
        for batch in numbers_of(*arguments)
    ]


def caption(stem):
    """The caption of a table or figure."""
    return os.path.abspath(f"{DATA}/captions/{stem}.rst")


def numbers_of(*arguments):
    """The numbers of the jobs that tasks are cut into: how many there are is known once the task store is."""
    return range(len(cut(config, checkpoints.task_store.get().output.tasks, *arguments)))


def tasks_of(*arguments):
    """The tasks of a job."""

    def tasks(wildcards):
        jobs = cut(config, f"{DATA}/tasks.csv", *arguments)
        return dict(enumerate(jobs)).get(int(wildcards.batch), [])

    return tasks


def needs_of(passes, *arguments):
    """What a job that walks its tasks so often asks a cluster for."""

    def asked(wildcards, attempt):
        tasks = tasks_of(passes, *arguments)(wildcards)
        return needs(config, f"{DATA}/tasks.csv", passes, tasks, attempt)

    return {
        "runtime": lambda wildcards, attempt: asked(wildcards, attempt).minutes,
        "mem_mb": lambda wildcards, attempt: asked(wildcards, attempt).megabytes,
    }
