# Last stage: the papers' numbers beside ours, and the first page of the report.
rule claims:
    input:
        package("published", "experiments/running_example.py", "metrics"),
        [target for target in STUDY_TARGETS if str(target).endswith(".csv")],
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


rule front_page:
    input:
        package("report", "published/verdicts.py"),
        [target for target in STUDY_TARGETS if str(target).endswith((".csv", ".png"))],
        claims=rules.claims.output.claims,
        captions=list(Path("workflow/report").glob("*.rst")),
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
