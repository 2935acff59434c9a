# The page to look at: ranks, tasks, curves. One file that nothing is loaded into.
rule audit_page:
    input:
        code("aucstudy.audit.study_page"),
        f"{DATA}/predictions",
        scores=f"{DATA}/scores.parquet",
        tasks=f"{DATA}/tasks.csv",
    output:
        f"results/{STUDY}/audit.html",
    log:
        f"{LOGS}/audit_page.log",
    conda:
        "../../environment.yml"
    params:
        study=STUDY,
        seed=config["seed"],
        aggregation=config["ranking"]["aggregation"],
        settings=config["audit"],
    script:
        "../scripts/audit_page.py"


if config["audit"]["enabled"]:
    STUDY_TARGETS += rules.audit_page.output
