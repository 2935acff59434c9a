# The page to look at: ranks, tasks, curves. Its tasks are measured in batches; the page is one file that loads nothing.
AUDITED = (audit_passes(config),)


rule audit_tasks:
    input:
        code("aucstudy.audit.study_page"),
        f"{DATA}/predictions",
        scores=f"{DATA}/scores.parquet",
        tasks=f"{DATA}/tasks.csv",
    output:
        f"{DATA}/audited/{{batch}}.json",
    log:
        f"{LOGS}/audit_tasks_{{batch}}.log",
    conda:
        "../../environment.yml"
    resources:
        **needs_of(*AUDITED),
    params:
        tasks=tasks_of(*AUDITED),
        seed=config["seed"],
        aggregation=config["ranking"]["aggregation"],
        settings=config["audit"],
    script:
        "../scripts/audit_tasks.py"


rule audit_page:
    input:
        code("aucstudy.audit.study_page"),
        payloads=lambda wildcards: [f"{DATA}/audited/{batch}.json" for batch in numbers_of(*AUDITED)],
        tasks=f"{DATA}/tasks.csv",
    output:
        f"results/{STUDY}/audit.html",
    log:
        f"{LOGS}/audit_page.log",
    conda:
        "../../environment.yml"
    params:
        study=STUDY,
    script:
        "../scripts/audit_page.py"


if config["audit"]["enabled"]:
    STUDY_TARGETS += rules.audit_page.output
