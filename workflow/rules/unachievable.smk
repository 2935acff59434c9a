# The unachievable region: figures 1-4 and tables 1-3 [Boyd et al. 2012], which need no data
rule boyd_tables:
    input:
        package("metrics", "published/boyd_tables.py", "published/verdicts.py"),
    output:
        table_1=report(
            f"{TABLES}/boyd_table_1.csv",
            caption="../report/boyd_table_1.rst",
            category="Unachievable region",
        ),
        table_2=report(
            f"{TABLES}/boyd_table_2.csv",
            caption="../report/boyd_table_2.rst",
            category="Unachievable region",
        ),
        table_3=report(
            f"{TABLES}/boyd_table_3.csv",
            caption="../report/boyd_table_3.rst",
            category="Unachievable region",
        ),
    log:
        f"{LOGS}/boyd_tables.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/boyd_tables.py"


rule unachievable_region:
    input:
        package("metrics", "figures/unachievable.py", "figures/style.py"),
    output:
        report(
            figure("minimum_curve")["png"],
            caption="../report/minimum_curve.rst",
            category="Unachievable region",
        ),
        report(
            figure("minimum_curves")["png"],
            caption="../report/minimum_curves.rst",
            category="Unachievable region",
        ),
        report(
            figure("minimum_area")["png"],
            caption="../report/minimum_area.rst",
            category="Unachievable region",
        ),
        report(
            figure("f1_contours")["png"], caption="../report/f1_contours.rst", category="Unachievable region"
        ),
        [figure(name)["svg"] for name in ("minimum_curve", "minimum_curves", "minimum_area", "f1_contours")],
    log:
        f"{LOGS}/unachievable_region.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/unachievable_region.py"


STUDY_TARGETS += [*rules.boyd_tables.output, *rules.unachievable_region.output]
