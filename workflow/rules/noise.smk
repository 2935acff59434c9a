# Is the disagreement more than noise? Halves of the test rows compared with halves.
rule noise:
    input:
        package("experiments", "metrics", "seeds.py"),
        f"{DATA}/predictions",
        f"{DATA}/scores.parquet",  # the score stage has read every file: a broken one is told once
        tasks=f"{DATA}/tasks.csv",
    output:
        shares=report(f"{TABLES}/noise.csv", caption="../report/noise.rst", category="More than noise?"),
        tasks=report(
            f"{TABLES}/noise_tasks.csv", caption="../report/noise_tasks.rst", category="More than noise?"
        ),
        swaps=report(
            f"{TABLES}/noise_swaps.csv", caption="../report/noise_swaps.rst", category="More than noise?"
        ),
    log:
        f"{LOGS}/noise.log",
    conda:
        "../../environment.yml"
    params:
        seed=config["seed"],
        splits=config["noise"]["splits"],
        bootstrap=config["disagreement"]["bootstrap"],
    script:
        "../scripts/noise.py"


rule noise_figures:
    input:
        package("figures"),
        shares=f"{TABLES}/noise.csv",
        swaps=f"{TABLES}/noise_swaps.csv",
    output:
        excess=report(
            figure("noise_halves")["png"], caption="../report/noise_halves.rst", category="More than noise?"
        ),
        excess_svg=figure("noise_halves")["svg"],
    log:
        f"{LOGS}/noise_figures.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/noise_figures.py"


if config["noise"]["enabled"]:
    STUDY_TARGETS += [*rules.noise.output, *rules.noise_figures.output]
