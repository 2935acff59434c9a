# Figures 1, 2, 3 and 5 of Flach & Kull 2015; figure 4 stands with the disagreement.
rule running_example_figures:
    input:
        package("figures", "metrics", "experiments/running_example.py"),
    output:
        curves=report(
            figure("running_example_curves")["png"],
            caption="../report/running_example_curves.rst",
            category="Running example",
        ),
        curves_svg=figure("running_example_curves")["svg"],
        contours=report(
            figure("running_example_contours")["png"],
            caption="../report/running_example_contours.rst",
            category="Running example",
        ),
        contours_svg=figure("running_example_contours")["svg"],
        hulls=report(
            figure("running_example_hulls")["png"],
            caption="../report/running_example_hulls.rst",
            category="Running example",
        ),
        hulls_svg=figure("running_example_hulls")["svg"],
    log:
        f"{LOGS}/running_example_figures.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/running_example_figures.py"


rule flip_pair:
    input:
        package("experiments", "figures", "metrics", "scores.py"),
        f"{DATA}/predictions",
        scores=f"{DATA}/scores.parquet",
    output:
        pair=report(f"{TABLES}/flip_pair.csv", caption="../report/flip_pair.rst", category="Disagreement"),
        curves=report(
            figure("flip_pair_curves")["png"],
            caption="../report/flip_pair_curves.rst",
            category="Disagreement",
        ),
        curves_svg=figure("flip_pair_curves")["svg"],
    log:
        f"{LOGS}/flip_pair.log",
    conda:
        "../../environment.yml"
    params:
        aggregation=config["ranking"]["aggregation"],
        pinned=config["disagreement"]["flip_pair"],
    script:
        "../scripts/flip_pair.py"


if config["disagreement"]["enabled"]:
    STUDY_TARGETS += [*rules.running_example_figures.output, *rules.flip_pair.output]
