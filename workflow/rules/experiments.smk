# Stage 3: two rules for each experiment. measure_<experiment> runs its `of_task` on a batch of the tasks.
# tables_<experiment> gathers all batches, makes the tables that the experiment's page names, and draws figures.
from aucstudy.experiments.contract import STUDY_FILES, with_what_they_read
from aucstudy.sources import has_rows, rows_config

STUDIED_NAMES = [experiment.name for experiment in STUDIED]
# The experiments that these read are made, too. A study need not list them.
MADE = [EXPERIMENTS[name] for name in with_what_they_read(EXPERIMENTS, STUDIED_NAMES, STUDIED_NAMES)]


def measured(experiment):
    return f"{DATA}/measured/{experiment.stem}/{{batch}}"


def rows_code(experiment):
    """Return the files of the code that makes the rows of tasks, if an experiment fits learners to them."""
    if not experiment.rows or not has_rows(config):
        return []
    return [*code(*planning.FETCHING), *planning.files_of_source(config["source"])]


def caption(figure):
    return os.path.abspath(f"{DATA}/captions/figure-{figure}.rst")


for experiment in MADE:
    if experiment.has("of_task"):

        rule:
            name:
                f"measure_{experiment.stem}"
            input:
                code(*planning.MEASURING),
                rows_code(experiment),
                planning.files_that_measure(experiment),
                batch=f"{DATA}/batches/{{batch}}.csv",
                frames=[measured(EXPERIMENTS[name]) for name in experiment.frames_of],
                # Which tasks are measured may depend on all tasks of the study.
                tasks=[f"{DATA}/tasks.csv"] * experiment.has("choose"),
            output:
                directory(measured(experiment)),
            log:
                f"{LOGS}/measure_{experiment.stem}_{{batch}}.log",
            benchmark:
                f"{DATA}/benchmarks/measure_{experiment.stem}_{{batch}}.tsv"
            # Experiments that fit learners take longest, so that they begin first.
            priority: int(experiment.rows == "needed")
            conda:
                "../../environment.yml"
            resources:
                mem_mb=lambda wildcards, attempt: 2000 * attempt,
                runtime=lambda wildcards, attempt: 30 * attempt,
            params:
                experiment=experiment.name,
                settings=experiment.settings_of("measure", {**config, "metrics": METRICS}),
                seed=config["seed"],
                rows=rows_config(FROM_HERE, USER_FILES) if experiment.rows else None,
                versions=VERSIONS,
            script:
                "../scripts/measure.py"


for experiment in MADE:
    if experiment.files or experiment.figures or experiment.has_quantities:

        rule:
            name:
                f"tables_{experiment.stem}"
            input:
                code(*planning.MEASURING),
                planning.files_that_tell(experiment),
                # An experiment gets the list of metrics if its page names this setting.
                planning.files_of_metrics(config["metrics"]) if "metrics" in experiment.settings else [],
                [f"{DATA}/{STUDY_FILES[kind]}" for kind in experiment.reads],
                tables_of(EXPERIMENTS[name] for name in experiment.tables_read(STUDIED_NAMES)),
                planning.ESTIMATING,
                estimates=estimates_of(EXPERIMENTS[name] for name in experiment.tables_read(STUDIED_NAMES)),
                measured=expand(measured(experiment), batch=BATCHES) if experiment.has("of_task") else [],
            output:
                tables_of([experiment]),
                figures_of([experiment], "svg"),
                *[
                    report(
                        f"{FIGURES}/{figure}.png",
                        caption=caption(figure),
                        category=experiment.category,
                        labels={"shown": f"figure {figure}"},
                    )
                    for figure in experiment.figures
                ],
                estimates=estimates_of([experiment]),
            log:
                f"{LOGS}/tables_{experiment.stem}.log",
            benchmark:
                f"{DATA}/benchmarks/tables_{experiment.stem}.tsv"
            conda:
                "../../environment.yml"
            resources:
                mem_mb=lambda wildcards, attempt: 2000 * attempt,
            params:
                experiment=experiment.name,
                study=STUDY,
                weight=config["weight"],
                brings_models=brings_models(config["source"]),
                settings=experiment.settings_of("tables", {**config, "metrics": METRICS}),
                columns=experiment.columns,
                seed=config["seed"],
                versions=VERSIONS,
            script:
                "../scripts/tables.py"
