# The page to look at: ranks, tasks, curves. One file that nothing is loaded into.
PAGE_PARTS = ("*.py", "page/*")


rule audit_page:
    input:
        package("metrics", "experiments", "scores.py", "seeds.py"),
        [path for part in PAGE_PARTS for path in Path("src/aucstudy/audit").glob(part) if path.is_file()],
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
