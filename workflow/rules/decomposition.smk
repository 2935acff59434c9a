# Why do AUPR and AUPRG disagree? The way from one to the other in steps.
rule decomposition:
    input:
        package("experiments", "metrics"),
        f"{DATA}/predictions",
        f"{DATA}/scores.parquet",  # the score stage has read every file: a broken one is told once
        tasks=f"{DATA}/tasks.csv",
    output:
        shares=report(
            f"{TABLES}/decomposition.csv",
            caption="../report/decomposition.rst",
            category="Why they disagree",
        ),
        swaps=report(
            f"{TABLES}/decomposition_swaps.csv",
            caption="../report/decomposition_swaps.rst",
            category="Why they disagree",
        ),
        tasks=f"{TABLES}/decomposition_tasks.csv",
    log:
        f"{LOGS}/decomposition.log",
    conda:
        "../../environment.yml"
    params:
        seed=config["seed"],
        bootstrap=config["disagreement"]["bootstrap"],
    script:
        "../scripts/decomposition.py"


rule decomposition_figures:
    input:
        package("figures"),
        shares=f"{TABLES}/decomposition.csv",
        swaps=f"{TABLES}/decomposition_swaps.csv",
    output:
        steps=report(
            figure("decomposition_steps")["png"],
            caption="../report/decomposition_steps.rst",
            category="Why they disagree",
        ),
        steps_svg=figure("decomposition_steps")["svg"],
    log:
        f"{LOGS}/decomposition_figures.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/decomposition_figures.py"


if config["decomposition"]["enabled"]:
    STUDY_TARGETS += [*rules.decomposition.output, *rules.decomposition_figures.output]
