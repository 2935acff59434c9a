# A small file stands for all code of a subpackage, so that an edit of this code reruns the jobs that use it.
# Snakemake looks at the inputs of every waiting job all the time. A hundred files of code for each job would
# keep a processor busy.
rule code:
    input:
        lambda wildcards: planning.files_of_subpackage(wildcards.subpackage),
    output:
        f"{DATA}/code/{{subpackage}}.txt",
    log:
        f"{LOGS}/code_{{subpackage}}.log",
    # Other jobs wait for this one, which takes only a moment.
    priority: 2
    localrule: True
    conda:
        "../../environment.yml"
    shell:
        "cksum {input:q} > {output:q} 2> {log:q}"
