# Stage 2: the areas of every task and model, and what was left out on the way.
SCORE_BATCHES = range(config["batches"]["score"])


rule score:
    input:
        code("aucstudy.jobs.scoring"),
        f"{DATA}/predictions",
        tasks=f"{DATA}/tasks.csv",
        runs=f"{DATA}/runs.csv",
    output:
        scores=f"{DATA}/scored/{{batch}}.parquet",
        rejections=f"{DATA}/scored/{{batch}}.csv",
    log:
        f"{LOGS}/score_{{batch}}.log",
    conda:
        "../../environment.yml"
    params:
        batches=len(SCORE_BATCHES),
    script:
        "../scripts/score.py"


# OpenML alone records areas of its own to compare with
SERVER_CHECK = {
    name: f"{TABLES}/{name}.csv"
    for name in ("server_check", "server_check_exceptions")
    if config["source"] == "openml"
}


rule scores:
    input:
        code("aucstudy.store.measured", "aucstudy.store.task_store", "aucstudy.jobs.scoring"),
        scores=expand(f"{DATA}/scored/{{batch}}.parquet", batch=SCORE_BATCHES),
        scored=expand(f"{DATA}/scored/{{batch}}.csv", batch=SCORE_BATCHES),
        fetched=expand(f"{DATA}/fetched/{{batch}}", batch=FETCH_BATCHES),
        tasks=f"{DATA}/tasks.csv",
        runs=f"{DATA}/runs.csv",
    output:
        **SERVER_CHECK,
        scores=f"{DATA}/scores.parquet",
        rejections=f"{DATA}/rejections.csv",
        table_of_tasks=f"{TABLES}/tasks.csv",
        table_of_rejections=f"{TABLES}/rejections.csv",
    log:
        f"{LOGS}/scores.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/scores.py"


STUDY_TARGETS += rules.scores.output
