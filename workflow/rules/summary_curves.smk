# A summary PR curve over folds: the second open question of Boyd et al. 2012
rule summary_curves:
    input:
        package("metrics", "experiments", "scores.py"),
        f"{DATA}/predictions",
        scores=f"{DATA}/scores.parquet",
        tasks=f"{DATA}/tasks.csv",
    output:
        table=report(
            f"{TABLES}/summary_curves.csv",
            caption="../report/summary_curves_table.rst",
            category="Fold skew",
        ),
        by_task=report(
            f"{TABLES}/summary_curves_tasks.csv",
            caption="../report/summary_curves_tasks.rst",
            category="Fold skew",
        ),
    log:
        f"{LOGS}/summary_curves.log",
    conda:
        "../../environment.yml"
    params:
        seed=config["seed"],
        settings=config["summary_curves"],
    script:
        "../scripts/summary_curves.py"


rule summary_curves_figure:
    input:
        package("figures"),
        table=f"{TABLES}/summary_curves.csv",
    output:
        png=report(
            figure("summary_curves")["png"], caption="../report/summary_curves.rst", category="Fold skew"
        ),
        svg=figure("summary_curves")["svg"],
    log:
        f"{LOGS}/summary_curves_figure.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/summary_curves_figure.py"


if config["summary_curves"]["enabled"]:
    STUDY_TARGETS += [*rules.summary_curves.output, *rules.summary_curves_figure.output]
