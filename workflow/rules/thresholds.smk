# F-calibration at work: thresholds set on the other folds, judged on the held-out fold.
rule thresholds:
    input:
        package("experiments", "metrics"),
        f"{DATA}/predictions",
        f"{DATA}/scores.parquet",  # the score stage has read every file: a broken one is told once
        tasks=f"{DATA}/tasks.csv",
    output:
        counts=f"{DATA}/held_out_counts.parquet",
        reached=report(
            f"{TABLES}/thresholds.csv", caption="../report/thresholds.rst", category="F-calibration at work"
        ),
        tasks=f"{TABLES}/thresholds_tasks.csv",
    log:
        f"{LOGS}/thresholds.log",
    conda:
        "../../environment.yml"
    params:
        seed=config["seed"],
        bootstrap=config["disagreement"]["bootstrap"],
    script:
        "../scripts/thresholds.py"


rule thresholds_figures:
    input:
        package("figures"),
        reached=f"{TABLES}/thresholds.csv",
        tasks=f"{TABLES}/thresholds_tasks.csv",
    output:
        reached=report(
            figure("thresholds_reached")["png"],
            caption="../report/thresholds_reached.rst",
            category="F-calibration at work",
        ),
        reached_svg=figure("thresholds_reached")["svg"],
    log:
        f"{LOGS}/thresholds_figures.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/thresholds_figures.py"


if config["thresholds"]["enabled"]:
    STUDY_TARGETS += [*rules.thresholds.output, *rules.thresholds_figures.output]
