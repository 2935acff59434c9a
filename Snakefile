# Source -> task store -> scores -> experiments -> tables and figures -> claims -> report. One rule file a stage.
from snakemake.utils import min_version

min_version("9.10")


configfile: f"{workflow.basedir}/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/fetch.smk"
include: "workflow/rules/scores.smk"
include: "workflow/rules/experiments.smk"
include: "workflow/rules/audit.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/report.smk"


report: "workflow/report/workflow.rst"


# The committed results alone would look up to date in a fresh clone, where all files have the checkout's time:
# asking for the uncommitted store and scores too makes sure that the study is computed.
rule all:
    default_target: True
    input:
        f"{DATA}/tasks.csv",
        f"{DATA}/scores.parquet",
        STUDY_TARGETS,
