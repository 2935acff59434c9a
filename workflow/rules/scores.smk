# Stage 2: the metrics of every model of every task, and a table of what was left out up to here.
rule score:
    input:
        code(*planning.SCORING),
        planning.files_of_metrics(config["metrics"]),
        batch=f"{DATA}/batches/{{batch}}.csv",
    output:
        scores=f"{DATA}/scored/{{batch}}.parquet",
        rejections=f"{DATA}/scored/{{batch}}.csv",
    log:
        f"{LOGS}/score_{{batch}}.log",
    benchmark:
        f"{DATA}/benchmarks/score_{{batch}}.tsv"
    # Most tables wait for the scores.
    priority: 1
    conda:
        "../../environment.yml"
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
    params:
        metrics=METRICS,
        versions=VERSIONS,
    script:
        "../scripts/score.py"


rule scores:
    input:
        code(*planning.SCORING),
        scores=expand(f"{DATA}/scored/{{batch}}.parquet", batch=BATCHES),
        scored=expand(f"{DATA}/scored/{{batch}}.csv", batch=BATCHES),
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
    benchmark:
        f"{DATA}/benchmarks/scores.tsv"
    conda:
        "../../environment.yml"
    script:
        "../scripts/scores.py"
