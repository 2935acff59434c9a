# Stage 1: the source fills the task store. Each job fetches a share of the tasks.
from aucstudy.sources import fetch_batches, settings_of

FETCH_BATCHES = range(fetch_batches(config))


rule fetch:
    input:
        # These are the files of code themselves, which are older than a task store that was brought along. A
        # small file that stands for them would be made now, and so the tasks would be fetched again.
        [file for name in planning.FETCHING for file in planning.files_of_subpackage(name)],
        planning.files_of_source(config["source"]),
    output:
        directory(f"{DATA}/fetched/{{batch}}"),
    log:
        f"{LOGS}/fetch_{{batch}}.log",
    benchmark:
        f"{DATA}/benchmarks/fetch_{{batch}}.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
    params:
        study=STUDY,
        seed=config["seed"],
        source=FROM_HERE["source"],
        settings=settings_of(FROM_HERE),
        models_per_task=config["models_per_task"],
        min_flows=config["min_flows"],
        batches=len(FETCH_BATCHES),
        # These are no inputs, because Snakemake would replace {} and <> in their names.
        digests=USER_FILES,
    script:
        "../scripts/fetch.py"


# Each batch has a file of its tasks and of the digests of their predictions. The batch of a task follows from
# its id, so a batch may have no task.
rule task_store:
    input:
        code("store", "jobs"),
        fetched=expand(f"{DATA}/fetched/{{batch}}", batch=FETCH_BATCHES),
    output:
        predictions=directory(f"{DATA}/predictions"),
        batches=expand(f"{DATA}/batches/{{batch}}.csv", batch=BATCHES),
        tasks=f"{DATA}/tasks.csv",
        runs=f"{DATA}/runs.csv",
    log:
        f"{LOGS}/task_store.log",
    benchmark:
        f"{DATA}/benchmarks/task_store.tsv"
    conda:
        "../../environment.yml"
    params:
        batches=len(BATCHES),
    script:
        "../scripts/task_store.py"
