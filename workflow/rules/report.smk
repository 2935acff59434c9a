# Last stage: the first page, each table on a page of its own, and the captions.
CATEGORIES = {
    **{name: facts["category"] for name, facts in tables_of_every_study().items()},
    **{table: experiment.category for experiment in STUDIED for table in experiment.tables},
}
SHOWN_TABLES = [path for path in STUDY_TARGETS if path.startswith(f"{TABLES}/") and path.endswith(".csv")]


rule pages:
    input:
        code("aucstudy.report.front_page", "aucstudy.report.table_page"),
        PAGES,
        figures=[target for target in STUDY_TARGETS if target.endswith(".png")],
        tables=SHOWN_TABLES,
    output:
        front=f"{DATA}/front_page.html",
        captions=directory(f"{DATA}/captions"),
        tables=[
            report(
                f"{DATA}/shown/{Path(table).stem}.html",
                caption=caption(f"table-{Path(table).stem}"),
                category=CATEGORIES[Path(table).stem],
                labels={"shown": f"table {Path(table).stem}"},
            )
            for table in SHOWN_TABLES
        ],
    log:
        f"{LOGS}/pages.log",
    conda:
        "../../environment.yml"
    params:
        source=source_name(config),
        study=STUDY,
        experiments=[experiment.name for experiment in STUDIED],
        failed=config["failed"],
    script:
        "../scripts/pages.py"


STUDY_TARGETS += rules.pages.output
