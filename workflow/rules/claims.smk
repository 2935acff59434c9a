# Last stage: the papers' numbers beside ours, the tables' checksums, and the first page of the report.
rule claims:
    input:
        code("aucstudy.claims.claims"),
        [target for target in STUDY_TARGETS if target.endswith(".csv")],
    output:
        claims=report(f"{TABLES}/claims.csv", caption="../report/claims.rst", category="Claims"),
        values=report(
            f"{TABLES}/claims_values.csv",
            caption="../report/claims_values.rst",
            category="Claims",
        ),
    log:
        f"{LOGS}/claims.log",
    conda:
        "../../environment.yml"
    params:
        source=config["source"],
        same_population=papers_population(config),
    script:
        "../scripts/claims.py"


STUDY_TARGETS += rules.claims.output


rule checksums:
    input:
        code("aucstudy.stages.checksums"),
        f"{DATA}/predictions",
        f"{DATA}/runs.csv",
        store=f"{DATA}/tasks.csv",
        tables=[target for target in STUDY_TARGETS if target.startswith(f"{TABLES}/")],
    output:
        f"results/{STUDY}/SHA256SUMS",
    log:
        f"{LOGS}/checksums.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/checksums.py"


STUDY_TARGETS += rules.checksums.output


rule front_page:
    input:
        code("aucstudy.report.front_page"),
        [target for target in STUDY_TARGETS if target.endswith(".png")],
        tables=[f"{TABLES}/{name}.csv" for name in ("claims", "claims_values", "tasks", "rejections")],
        told=[f"{DATA}/told/{experiment.name}" for experiment in STUDY_EXPERIMENTS],
    output:
        f"{DATA}/front_page.html",
    log:
        f"{LOGS}/front_page.log",
    conda:
        "../../environment.yml"
    params:
        source=config["source"],
        study=STUDY,
    script:
        "../scripts/front_page.py"


STUDY_TARGETS += rules.front_page.output
