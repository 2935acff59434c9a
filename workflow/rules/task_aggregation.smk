# Which flow is best over many tasks? [Boyd et al. 2012, section 4.2, table 2]
rule task_aggregation:
    input:
        package("metrics", "experiments", "scores.py"),
        f"{DATA}/predictions",
        scores=f"{DATA}/scores.parquet",
        tasks=f"{DATA}/tasks.csv",
        runs=f"{DATA}/runs.csv",
    output:
        table=report(
            f"{TABLES}/task_aggregation.csv",
            caption="../report/task_aggregation_table.rst",
            category="Task aggregation",
        ),
        tasks=report(
            f"{TABLES}/task_aggregation_tasks.csv",
            caption="../report/task_aggregation_tasks.rst",
            category="Task aggregation",
        ),
    log:
        f"{LOGS}/task_aggregation.log",
    conda:
        "../../environment.yml"
    params:
        seed=config["seed"],
        settings=config["task_aggregation"],
    script:
        "../scripts/task_aggregation.py"


rule task_aggregation_figure:
    input:
        package("figures"),
        table=f"{TABLES}/task_aggregation.csv",
    output:
        png=report(
            figure("task_aggregation")["png"],
            caption="../report/task_aggregation.rst",
            category="Task aggregation",
        ),
        svg=figure("task_aggregation")["svg"],
    log:
        f"{LOGS}/task_aggregation_figure.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/task_aggregation_figure.py"


if config["task_aggregation"]["enabled"]:
    STUDY_TARGETS += [*rules.task_aggregation.output, *rules.task_aggregation_figure.output]
