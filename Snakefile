# The door: the workflow stands where the catalog of Snakemake workflows looks for it.
include: "workflow/Snakefile"
