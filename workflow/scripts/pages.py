"""Write the report, and the captions of figures for Snakemake's own report."""

from pathlib import Path

from aucstudy.claims.verdicts import Evidence
from aucstudy.experiments.contract import captions, experiments_of
from aucstudy.jobs.job import job
from aucstudy.jobs.process import end_process
from aucstudy.report.page import report_page, settings_shown
from aucstudy.store.files import new_folder, write_text
from aucstudy.store.measured import read_scores

with job(snakemake.log[0]):  # noqa: F821
    out, params = snakemake.output, snakemake.params  # noqa: F821
    tables, results = [Path(table) for table in snakemake.input.tables], Path("results", params.study)  # noqa: F821
    declared = experiments_of(snakemake.config)  # noqa: F821
    with new_folder(Path(out.captions)) as folder:
        for name, text in captions(declared).items():
            (folder / f"{name}.rst").write_text(text + "\n", encoding="utf-8")
    shown = [declared[name] for name in params.experiments]
    page = report_page(
        Evidence(results / "tables", params.source, weight=params.weight, declared=declared),
        params.study,
        results / "figures",
        shown,
        tables,
        failed=params.failed,
        scores=read_scores(snakemake.input.scores),  # noqa: F821
        folders=[Path(folder) for folder in params.folders],
        settings=settings_shown(snakemake.config, shown),  # noqa: F821
    )
    write_text(out.report, page)
end_process()
