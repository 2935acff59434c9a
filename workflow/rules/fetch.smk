# Stage 1: the source fills the task store, a share of the tasks a job.
from aucstudy.sources import fetch_batches, settings_of

FETCH_BATCHES = range(fetch_batches(config))


rule fetch:
    input:
        # themselves, and no file that stands for them: a task store that was brought along is newer than they are
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
        digests=USER_FILES,  # and no input: Snakemake would fill in {} and <> of their names
    script:
        "../scripts/fetch.py"


# A checkpoint: which batches have tasks is known once they are fetched. A file of each says its tasks and the digests
# of their predictions; where it is written anew and says the same, Snakemake measures nothing again.
checkpoint task_store:
    input:
        code("store", "jobs"),
        fetched=expand(f"{DATA}/fetched/{{batch}}", batch=FETCH_BATCHES),
    output:
        predictions=directory(f"{DATA}/predictions"),
        batches=directory(f"{DATA}/batches"),
        tasks=f"{DATA}/tasks.csv",
        runs=f"{DATA}/runs.csv",
    log:
        f"{LOGS}/task_store.log",
    benchmark:
        f"{DATA}/benchmarks/task_store.tsv"
    conda:
        "../../environment.yml"
    params:
        batches=config["batches"]["measure"],
    script:
        "../scripts/task_store.py"
