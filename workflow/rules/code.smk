# A small file stands for all code of a room of this package, so that an edit there makes again what was made by it.
# Snakemake looks at the inputs of every waiting job all the time: a hundred files each would keep a processor busy.
rule code:
    input:
        lambda wildcards: planning.files_of_room(wildcards.room),
    output:
        f"{DATA}/code/{{room}}.txt",
    log:
        f"{LOGS}/code_{{room}}.log",
    # a moment's work that others wait for
    priority: 2
    localrule: True
    conda:
        "../../environment.yml"
    shell:
        "cksum {input:q} > {output:q} 2> {log:q}"
