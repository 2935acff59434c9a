# Do the areas pick the same models? [Flach & Kull 2015, section 4, figure 4]
rule disagreement:
    input:
        package("experiments"),
        scores=f"{DATA}/scores.parquet",
        tasks=f"{DATA}/tasks.csv",
    output:
        shares=report(
            f"{TABLES}/disagreement.csv",
            caption="../report/disagreement.rst",
            category="Disagreement",
        ),
        correlations=report(
            f"{TABLES}/disagreement_correlation.csv",
            caption="../report/disagreement_correlation.rst",
            category="Disagreement",
        ),
        tasks=report(
            f"{TABLES}/disagreement_tasks.csv",
            caption="../report/disagreement_tasks.rst",
            category="Disagreement",
        ),
        heat=f"{TABLES}/disagreement_ranks.csv",
    log:
        f"{LOGS}/disagreement.log",
    conda:
        "../../environment.yml"
    params:
        seed=config["seed"],
        aggregation=config["ranking"]["aggregation"],
        settings=config["disagreement"],
    script:
        "../scripts/disagreement.py"


rule disagreement_figures:
    input:
        package("figures"),
        scores=f"{DATA}/scores.parquet",
        tasks=f"{TABLES}/disagreement_tasks.csv",
        heat=f"{TABLES}/disagreement_ranks.csv",
    output:
        heat=report(
            figure("rank_heat_map")["png"],
            caption="../report/rank_heat_map.rst",
            category="Disagreement",
        ),
        heat_svg=figure("rank_heat_map")["svg"],
        quartiles=report(
            figure("quartile_tasks")["png"],
            caption="../report/quartile_tasks.rst",
            category="Disagreement",
        ),
        quartiles_svg=figure("quartile_tasks")["svg"],
    log:
        f"{LOGS}/disagreement_figures.log",
    conda:
        "../../environment.yml"
    params:
        aggregation=config["ranking"]["aggregation"],
        pinned=config["disagreement"]["quartile_tasks"],
    script:
        "../scripts/disagreement_figures.py"


if config["disagreement"]["enabled"]:
    STUDY_TARGETS += [*rules.disagreement.output, *rules.disagreement_figures.output]
