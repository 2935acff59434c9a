# On OpenML only: our area under the ROC curve against the one that the server recorded for the same run.
rule server_check:
    input:
        package("sources/openml/crosscheck.py", "scores.py"),
        runs=f"{DATA}/runs.csv",
        scores=f"{DATA}/scores.parquet",
    output:
        summary=report(
            f"{TABLES}/server_check.csv",
            caption="../report/server_check.rst",
            category="Data",
        ),
        exceptions=report(
            f"{TABLES}/server_check_exceptions.csv",
            caption="../report/server_check_exceptions.rst",
            category="Data",
        ),
    log:
        f"{LOGS}/server_check.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/server_check.py"


if config["source"] == "openml":
    STUDY_TARGETS += rules.server_check.output
