# The door: the workflow stands where the catalog of Snakemake workflows looks for it. A plain `include:` would leave its
# default target behind.
workflow.include("workflow/Snakefile", overwrite_default_target=True)
