# One name, several numbers: the conventions in use for "area under the PR curve" as rivals.
rule conventions:
    input:
        package("metrics", "experiments"),
        f"{DATA}/predictions",
        tasks=f"{DATA}/tasks.csv",
    output:
        shares=report(
            f"{TABLES}/conventions.csv",
            caption="../report/conventions.rst",
            category="Conventions",
        ),
        tasks=report(
            f"{TABLES}/conventions_tasks.csv",
            caption="../report/conventions_tasks.rst",
            category="Conventions",
        ),
    log:
        f"{LOGS}/conventions.log",
    conda:
        "../../environment.yml"
    params:
        seed=config["seed"],
        settings=config["conventions"],
    script:
        "../scripts/conventions.py"


rule conventions_figure:
    input:
        package("figures"),
        shares=f"{TABLES}/conventions.csv",
        tasks=f"{TABLES}/conventions_tasks.csv",
    output:
        png=report(
            figure("convention_choices")["png"],
            caption="../report/convention_choices.rst",
            category="Conventions",
        ),
        svg=figure("convention_choices")["svg"],
    log:
        f"{LOGS}/conventions_figure.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/conventions_figure.py"


if config["conventions"]["enabled"]:
    STUDY_TARGETS += [*rules.conventions.output, *rules.conventions_figure.output]
