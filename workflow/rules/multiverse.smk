# How sure are the shares? The same shares under every choice that the paper leaves open or the study made.
rule multiverse:
    input:
        package("experiments", "metrics", "scores.py", "seeds.py"),
        f"{DATA}/predictions",
        scores=f"{DATA}/scores.parquet",
        tasks=f"{DATA}/tasks.csv",
    output:
        shares=report(f"{TABLES}/multiverse.csv", caption="../report/multiverse.rst", category="How sure"),
    log:
        f"{LOGS}/multiverse.log",
    conda:
        "../../environment.yml"
    params:
        seed=config["seed"],
        aggregation=config["ranking"]["aggregation"],
        redraws=config["multiverse"]["redraws"],
        bootstrap=config["disagreement"]["bootstrap"],
    script:
        "../scripts/multiverse.py"


rule multiverse_figures:
    input:
        package("figures", "published"),
        shares=f"{TABLES}/multiverse.csv",
    output:
        choices=report(
            figure("multiverse_shares")["png"],
            caption="../report/multiverse_shares.rst",
            category="How sure",
        ),
        choices_svg=figure("multiverse_shares")["svg"],
    log:
        f"{LOGS}/multiverse_figures.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/multiverse_figures.py"


if config["multiverse"]["enabled"]:
    STUDY_TARGETS += [*rules.multiverse.output, *rules.multiverse_figures.output]
