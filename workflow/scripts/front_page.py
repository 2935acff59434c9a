"""The first page of the report."""

from pathlib import Path

from aucstudy.claims.verdicts import Evidence
from aucstudy.report.front_page import front_page
from aucstudy.stages.job import job
from aucstudy.store.tables import write_whole

with job(snakemake.log[0]):  # noqa: F821
    given, params = snakemake.input, snakemake.params  # noqa: F821
    results = Path("results", params.study)
    evidence = Evidence(results / "tables", params.source)
    page = front_page(
        evidence,
        params.study,
        results / "figures",
        [Path(folder) for folder in given.told],
        [Path(table) for table in given.tables],
        beside={name: Path(folder) for name, folder in params.beside.items()},
        results=Path("results"),
        audited=params.audited,
    )
    write_whole(snakemake.output[0], lambda path: path.write_text(page, encoding="utf-8"))  # noqa: F821
