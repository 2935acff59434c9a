# Training sets cut to a ratio and the flows fitted again [Boyd et al. 2012, table 3, on many tasks]
from aucstudy.sources import has_rows


rule refitting:
    input:
        package("metrics", "experiments", "sources", "scores.py"),
        scores=f"{DATA}/scores.parquet",
        tasks=f"{DATA}/tasks.csv",
    output:
        table=report(
            f"{TABLES}/refitting.csv", caption="../report/refitting_table.rst", category="Downsampling"
        ),
        table_3=report(
            f"{TABLES}/refitting_table_3.csv",
            caption="../report/refitting_table_3.rst",
            category="Downsampling",
        ),
        by_task=report(
            f"{TABLES}/refitting_tasks.csv", caption="../report/refitting_tasks.rst", category="Downsampling"
        ),
    log:
        f"{LOGS}/refitting.log",
    conda:
        "../../environment.yml"
    params:
        seed=config["seed"],
        settings=config["refitting"],
        ratios=config["downsampling"]["ratios"],
        source=config["source"],
        source_settings=config[config["source"]],
    script:
        "../scripts/refitting.py"


rule refitting_figure:
    input:
        package("figures", "published/boyd_tables.py", "published/verdicts.py"),
        table=f"{TABLES}/refitting.csv",
        table_3=f"{TABLES}/refitting_table_3.csv",
    output:
        png=report(figure("refitting")["png"], caption="../report/refitting.rst", category="Downsampling"),
        svg=figure("refitting")["svg"],
    log:
        f"{LOGS}/refitting_figure.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/refitting_figure.py"


# only a source that has the rows of its tasks can fit learners again
if config["refitting"]["enabled"] and has_rows(config):
    STUDY_TARGETS += [*rules.refitting.output, *rules.refitting_figure.output]
