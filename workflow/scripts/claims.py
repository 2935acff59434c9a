"""Compare the papers' numbers with the study's, and write the checksums of its tables.

The checksums are of all tables and of the store that they were made from.
"""

from pathlib import Path

from aucstudy.claims.entries import entries
from aucstudy.claims.judge import judge_claims
from aucstudy.claims.verdicts import Evidence
from aucstudy.experiments.contract import experiments_of
from aucstudy.jobs.job import job
from aucstudy.jobs.process import end_process
from aucstudy.store.tables import write_table
from aucstudy.study_folder.files import CLAIMS
from aucstudy.verify import write_checksums

with job(snakemake.log[0]):  # noqa: F821
    given, out, params = snakemake.input, snakemake.output, snakemake.params  # noqa: F821
    declared = experiments_of(snakemake.config)  # noqa: F821
    evidence = Evidence(
        Path(out.claims).parent,
        params.source,
        params.same_population,
        params.failed,
        weight=params.weight,
        made=frozenset(params.made),
        declared=declared,
    )
    claims, values = judge_claims(
        evidence, entries(tuple(Path(folder) / CLAIMS for folder in params.folders))
    )
    write_table(values, out.values)
    write_table(claims, out.claims)
    write_checksums(
        map(Path, [*given.tables, out.claims, out.values]), Path(out.checksums), Path(given.store).parent
    )
end_process()
