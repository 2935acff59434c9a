# Test sets cut to a ratio of negatives to positives [Boyd et al. 2012, section 4.3, table 3]
rule downsampling:
    input:
        package("metrics", "experiments"),
        f"{DATA}/predictions",
        tasks=f"{DATA}/tasks.csv",
    output:
        table=report(
            f"{TABLES}/downsampling.csv", caption="../report/downsampling_table.rst", category="Downsampling"
        ),
        claims=report(
            f"{TABLES}/downsampling_claims.csv",
            caption="../report/downsampling_claims.rst",
            category="Downsampling",
        ),
    log:
        f"{LOGS}/downsampling.log",
    conda:
        "../../environment.yml"
    params:
        seed=config["seed"],
        settings=config["downsampling"],
    script:
        "../scripts/downsampling.py"


rule downsampling_figure:
    input:
        package("figures"),
        table=f"{TABLES}/downsampling.csv",
    output:
        png=report(
            figure("downsampling")["png"],
            caption="../report/downsampling.rst",
            category="Downsampling",
        ),
        svg=figure("downsampling")["svg"],
    log:
        f"{LOGS}/downsampling_figure.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/downsampling_figure.py"


if config["downsampling"]["enabled"]:
    STUDY_TARGETS += [*rules.downsampling.output, *rules.downsampling_figure.output]
