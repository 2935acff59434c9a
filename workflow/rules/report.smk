# Last stage: what the report shows beside the figures: each table on a page of its own, the answer and the first page.
from aucstudy.report.other_studies import read_beside, studies_beside
from aucstudy.report.side_by_side import TABLE as SIDE_BY_SIDE

# the other studies of this checkout, told of in a sentence each
BESIDE = studies_beside(Path("results"), STUDY)
SHOWN_TABLES = {
    "tasks": ("../report/tasks.rst", "Data"),
    "rejections": ("../report/rejections.rst", "Data"),
    "claims": ("../report/claims.rst", "Claims"),
    "claims_values": ("../report/claims_values.rst", "Claims"),
    **{
        table: (caption(experiment.name, f"table-{table}"), experiment.category)
        for experiment in STUDY_EXPERIMENTS
        for table in experiment.tables
    },
}


rule table_pages:
    input:
        code("aucstudy.report.table_page"),
        tables=[f"{TABLES}/{table}.csv" for table in SHOWN_TABLES],
    output:
        pages=[
            report(
                f"{DATA}/shown/{table}.html",
                caption=text,
                category=category,
                labels={"shown": f"table {table}"},
            )
            for table, (text, category) in SHOWN_TABLES.items()
        ],
    log:
        f"{LOGS}/table_pages.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/table_pages.py"


STUDY_TARGETS += rules.table_pages.output


rule answer_figure:
    input:
        code("aucstudy.report.answer_figure"),
        [target for target in STUDY_TARGETS if target.startswith(f"{TABLES}/")],
    output:
        report(
            f"{FIGURES}/answer.png",
            caption="../report/answer.rst",
            category="Answer",
            labels={"shown": "figure answer"},
        ),
        f"{FIGURES}/answer.svg",
    log:
        f"{LOGS}/answer_figure.log",
    conda:
        "../../environment.yml"
    params:
        source=config["source"],
        study=STUDY,
    script:
        "../scripts/answer_figure.py"


STUDY_TARGETS += rules.answer_figure.output


rule front_page:
    input:
        code("aucstudy.report.front_page"),
        read_beside(BESIDE),
        [path for path in [str(Path("results") / SIDE_BY_SIDE)] if os.path.exists(path)],
        [target for target in STUDY_TARGETS if target.endswith(".png")],
        tables=[f"{TABLES}/{table}.csv" for table in SHOWN_TABLES],
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
        beside={name: str(folder) for name, folder in BESIDE.items()},
        audited=config["audit"]["enabled"],
    script:
        "../scripts/front_page.py"


STUDY_TARGETS += rules.front_page.output
