# Folds of unequal skew [Boyd et al. 2012, section 4.1]
rule fold_skew:
    input:
        package("metrics", "experiments", "sources", "scores.py"),
        f"{DATA}/predictions",
        scores=f"{DATA}/scores.parquet",
        tasks=f"{DATA}/tasks.csv",
    output:
        table=report(f"{TABLES}/fold_skew.csv", caption="../report/fold_skew_table.rst", category="Fold skew"),
        averaging=report(
            f"{TABLES}/fold_skew_averaging.csv",
            caption="../report/fold_skew_averaging.rst",
            category="Fold skew",
        ),
        by_task=report(
            f"{TABLES}/fold_skew_tasks.csv", caption="../report/fold_skew_tasks.rst", category="Fold skew"
        ),
    log:
        f"{LOGS}/fold_skew.log",
    conda:
        "../../environment.yml"
    params:
        seed=config["seed"],
        settings=config["fold_skew"],
        source=config["source"],
        source_settings=config[config["source"]],
    script:
        "../scripts/fold_skew.py"


rule fold_skew_figure:
    input:
        package("figures"),
        table=f"{TABLES}/fold_skew.csv",
    output:
        png=report(figure("fold_skew")["png"], caption="../report/fold_skew.rst", category="Fold skew"),
        svg=figure("fold_skew")["svg"],
    log:
        f"{LOGS}/fold_skew_figure.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/fold_skew_figure.py"


if config["fold_skew"]["enabled"]:
    STUDY_TARGETS += [*rules.fold_skew.output, *rules.fold_skew_figure.output]
