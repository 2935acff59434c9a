# Stage 4: the estimates of all experiments become the one table that claims, figures and pages read.


rule estimates:
    input:
        planning.ESTIMATING,
        parts=estimates_of(MADE),
    output:
        f"{TABLES}/estimates.csv",
    log:
        f"{LOGS}/estimates.log",
    benchmark:
        f"{DATA}/benchmarks/estimates.tsv"
    conda:
        "../../environment.yml"
    script:
        "../scripts/estimates.py"
