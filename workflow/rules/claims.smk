# Stage 5: the papers' numbers beside those of the study, and the checksums of the tables.
from aucstudy.config import claims_folders
from aucstudy.experiments.contract import made_from
from aucstudy.sources import papers_population, source_name
from aucstudy.store.files import path_here

CLAIMS_FOLDERS = claims_folders(config)  # A study may bring claims of its own.


rule claims:
    input:
        code(*planning.JUDGING),
        planning.files_that_judge(CLAIMS_FOLDERS),
        f"{DATA}/predictions",
        f"{DATA}/runs.csv",
        store=f"{DATA}/tasks.csv",
        tables=TABLES_MADE,
    output:
        claims=f"{TABLES}/claims.csv",
        values=f"{TABLES}/claims_values.csv",
        checksums=f"{RESULTS}/SHA256SUMS",
    log:
        f"{LOGS}/claims.log",
    benchmark:
        f"{DATA}/benchmarks/claims.tsv"
    conda:
        "../../environment.yml"
    params:
        source=source_name(config),
        weight=config["weight"],
        folders=[str(path_here(folder)) for folder in CLAIMS_FOLDERS],
        same_population=papers_population(config),
        made=[experiment.name for experiment in MADE],
        failed={
            missing: name
            for name in config["failed"]
            for other in made_from(EXPERIMENTS, [name])
            for missing in (other.name, *other.tables)
        },
    script:
        "../scripts/claims.py"
