# Stage 1: the source fills the task store, a batch of tasks a job.
FETCH_BATCHES = range(fetch_batches(config))


rule fetch:
    input:
        package("seeds.py", "sources/__init__.py", f"sources/{config['source']}"),
    output:
        directory(f"{DATA}/fetched/{{batch}}"),
    log:
        f"{LOGS}/fetch_{{batch}}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1500,
    params:
        study=STUDY,
        seed=config["seed"],
        source=config["source"],
        settings=config[config["source"]],
        models_per_task=config["models_per_task"],
        min_flows=config["min_flows"],
        batches=len(FETCH_BATCHES),
    script:
        "../scripts/fetch.py"


rule task_store:
    input:
        package(),
        parts=expand(f"{DATA}/fetched/{{batch}}", batch=FETCH_BATCHES),
    output:
        f"{DATA}/tasks.csv",
        f"{DATA}/runs.csv",
        directory(f"{DATA}/predictions"),
    log:
        f"{LOGS}/task_store.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/task_store.py"
