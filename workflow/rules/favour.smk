# Does AUPR favour models with a lower expected F1? Do theorems hold, does averaging F1 mislead? [Flach & Kull 2015]
rule favour:
    input:
        package("experiments", "metrics", "seeds.py"),
        f"{DATA}/predictions",
        tasks=f"{DATA}/tasks.csv",
        counts=f"{DATA}/held_out_counts.parquet",
    output:
        favour=report(
            f"{TABLES}/favour.csv", caption="../report/favour.rst", category="Which choice is better?"
        ),
        tasks=f"{TABLES}/favour_tasks.csv",
        averages=report(
            f"{TABLES}/fold_averages.csv",
            caption="../report/fold_averages.rst",
            category="Which choice is better?",
        ),
        averages_tasks=f"{TABLES}/fold_averages_tasks.csv",
        theorems=report(
            f"{TABLES}/theorems.csv", caption="../report/theorems.rst", category="Which choice is better?"
        ),
    log:
        f"{LOGS}/favour.log",
    conda:
        "../../environment.yml"
    params:
        seed=config["seed"],
        bootstrap=config["disagreement"]["bootstrap"],
    script:
        "../scripts/favour.py"


rule favour_figures:
    input:
        package("figures"),
        favour=f"{TABLES}/favour.csv",
    output:
        choices=report(
            figure("favoured_choices")["png"],
            caption="../report/favoured_choices.rst",
            category="Which choice is better?",
        ),
        choices_svg=figure("favoured_choices")["svg"],
    log:
        f"{LOGS}/favour_figures.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/favour_figures.py"


if config["favour"]["enabled"]:
    STUDY_TARGETS += [*rules.favour.output, *rules.favour_figures.output]
