# Test sets cut to a ratio of negatives to positives [Boyd et al. 2012, section 4.3, table 3]
rule downsampling:
    input:
        package("metrics", "experiments", "scores.py"),
        f"{DATA}/predictions",
        scores=f"{DATA}/scores.parquet",
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
            figure("downsampling")["png"], caption="../report/downsampling.rst", category="Downsampling"
        ),
        svg=figure("downsampling")["svg"],
    log:
        f"{LOGS}/downsampling_figure.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/downsampling_figure.py"


rule prevalence_shift:
    input:
        package("metrics", "experiments", "scores.py"),
        f"{DATA}/predictions",
        scores=f"{DATA}/scores.parquet",
        tasks=f"{DATA}/tasks.csv",
    output:
        table=report(
            f"{TABLES}/prevalence_shift.csv",
            caption="../report/prevalence_shift_table.rst",
            category="Downsampling",
        ),
        by_task=report(
            f"{TABLES}/prevalence_shift_tasks.csv",
            caption="../report/prevalence_shift_tasks.rst",
            category="Downsampling",
        ),
    log:
        f"{LOGS}/prevalence_shift.log",
    conda:
        "../../environment.yml"
    params:
        seed=config["seed"],
        settings=config["downsampling"],
    script:
        "../scripts/prevalence_shift.py"


rule prevalence_shift_figure:
    input:
        package("figures"),
        table=f"{TABLES}/prevalence_shift.csv",
        by_task=f"{TABLES}/prevalence_shift_tasks.csv",
    output:
        png=report(
            figure("prevalence_shift")["png"],
            caption="../report/prevalence_shift.rst",
            category="Downsampling",
        ),
        svg=figure("prevalence_shift")["svg"],
    log:
        f"{LOGS}/prevalence_shift_figure.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/prevalence_shift_figure.py"


if config["downsampling"]["enabled"]:
    STUDY_TARGETS += [*rules.downsampling.output, *rules.downsampling_figure.output]
    STUDY_TARGETS += [*rules.prevalence_shift.output, *rules.prevalence_shift_figure.output]
