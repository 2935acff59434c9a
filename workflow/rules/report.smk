# Last stage: the report, and the captions of the figures for Snakemake's own report, which is made after the run.


rule pages:
    input:
        code(*planning.REPORTING),
        planning.files_that_judge(CLAIMS_FOLDERS),
        sorted({str(path_here(experiment.page)) for experiment in EXPERIMENTS.values()}),
        figures=figures_of(STUDIED, "png"),
        tables=[
            # Some experiments are only made for others to read, and their tables are shown too.
            *(table for table in dict.fromkeys([*TABLES_MADE, *tables_of(MADE)]) if table.endswith(".csv")),
            f"{TABLES}/claims.csv",
            f"{TABLES}/claims_values.csv",
        ],
        scores=f"{DATA}/scores.parquet",
    output:
        report=f"{RESULTS}/report.html",
        captions=directory(f"{DATA}/captions"),
    log:
        f"{LOGS}/pages.log",
    benchmark:
        f"{DATA}/benchmarks/pages.tsv"
    conda:
        "../../environment.yml"
    params:
        source=source_name(config),
        study=STUDY,
        weight=config["weight"],
        experiments=[experiment.name for experiment in STUDIED],
        folders=[str(path_here(folder)) for folder in CLAIMS_FOLDERS],
        failed=config["failed"],
    script:
        "../scripts/pages.py"
