# Disagreement by prevalence: across tasks, and the same predictions moved to other prevalences.
rule prevalence:
    input:
        package("experiments", "metrics"),
        f"{DATA}/predictions",
        f"{DATA}/scores.parquet",  # the score stage has read every file: a broken one is told once
        tasks=f"{DATA}/tasks.csv",
        by_task=f"{TABLES}/disagreement_tasks.csv",
    output:
        shares=report(
            f"{TABLES}/prevalence.csv", caption="../report/prevalence.rst", category="By prevalence"
        ),
    log:
        f"{LOGS}/prevalence.log",
    conda:
        "../../environment.yml"
    params:
        seed=config["seed"],
        prevalences=config["prevalence"]["prevalences"],
        bootstrap=config["disagreement"]["bootstrap"],
    script:
        "../scripts/prevalence.py"


rule prevalence_figures:
    input:
        package("figures"),
        shares=f"{TABLES}/prevalence.csv",
    output:
        shares=report(
            figure("prevalence_shares")["png"],
            caption="../report/prevalence_shares.rst",
            category="By prevalence",
        ),
        shares_svg=figure("prevalence_shares")["svg"],
    log:
        f"{LOGS}/prevalence_figures.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/prevalence_figures.py"


if config["prevalence"]["enabled"]:
    STUDY_TARGETS += [*rules.prevalence.output, *rules.prevalence_figures.output]
