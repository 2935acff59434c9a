# A small file stands for all code of a subpackage, so that an edit there makes again what was made by it.
# Snakemake looks at the inputs of every waiting job all the time: a hundred files each would keep a processor busy.
rule code:
    input:
        lambda wildcards: planning.files_of_subpackage(wildcards.subpackage),
    output:
        f"{DATA}/code/{{subpackage}}.txt",
    log:
        f"{LOGS}/code_{{subpackage}}.log",
    # a moment's work that others wait for
    priority: 2
    localrule: True
    conda:
        "../../environment.yml"
    shell:
        "cksum {input:q} > {output:q} 2> {log:q}"
