# Stage 1: the source fills the task store, a batch of tasks a job.
FETCH_BATCHES = range(fetch_batches(config))


rule fetch:
    input:
        code(SOURCE, "aucstudy.sources"),
    output:
        directory(f"{DATA}/fetched/{{batch}}"),
    log:
        f"{LOGS}/fetch_{{batch}}.log",
    # what needs no task fills the time in which one job waits for another
    priority: 1
    conda:
        "../../environment.yml"
    resources:
        mem_mb=lambda wildcards, attempt: 1500 * attempt,
    params:
        study=STUDY,
        seed=config["seed"],
        source=FROM_HERE["source"],
        settings=settings_of(FROM_HERE),
        models_per_task=config["models_per_task"],
        min_flows=config["min_flows"],
        batches=len(FETCH_BATCHES),
        digests=USER_FILES,  # and no input: Snakemake would fill in {} and <> of their names, and doubts future dates
    script:
        "../scripts/fetch.py"


# a checkpoint: how many jobs measure the tasks depends on how large they are
checkpoint task_store:
    input:
        code("aucstudy.store.task_store"),
        parts=expand(f"{DATA}/fetched/{{batch}}", batch=FETCH_BATCHES),
    output:
        predictions=directory(f"{DATA}/predictions"),
        tasks=f"{DATA}/tasks.csv",
        runs=f"{DATA}/runs.csv",
    log:
        f"{LOGS}/task_store.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/task_store.py"
