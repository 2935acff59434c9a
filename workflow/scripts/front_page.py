"""The first page of the report."""

from pathlib import Path

from aucstudy.claims.verdicts import Evidence
from aucstudy.report.front_page import front_page
from aucstudy.stages.job import job
from aucstudy.store.tables import write_whole

with job(snakemake.log[0]):  # noqa: F821
    params = snakemake.params  # noqa: F821
    results = Path("results", params.study)
    evidence = Evidence(results / "tables", params.source)
    told = snakemake.input.told  # noqa: F821
    page = front_page(evidence, params.study, results / "figures", [Path(folder) for folder in told])
    write_whole(snakemake.output[0], lambda path: path.write_text(page, encoding="utf-8"))  # noqa: F821
