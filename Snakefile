# The workflow is in the folder `workflow`, where the catalog of Snakemake workflows looks for it. A plain
# `include:` would not take over its default target.
workflow.include("workflow/Snakefile", overwrite_default_target=True)
