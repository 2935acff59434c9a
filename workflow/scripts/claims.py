"""Compare the papers' numbers with the study's, and write the checksums of its tables.

The checksums are of all tables and of the store that they were made from.
"""

from pathlib import Path

from aucstudy.claims.claims import Rulebook, judge_claims
from aucstudy.claims.verdicts import Evidence
from aucstudy.experiments.contract import experiments_of
from aucstudy.jobs.job import job
from aucstudy.store.tables import write_table
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
        experiments=declared,
    )
    own_rulebooks = [Rulebook.of_folder(Path(folder)) for folder in params.folders]
    claims, values = judge_claims(evidence, own_rulebooks)
    write_table(values, out.values)
    write_table(claims, out.claims)
    write_checksums(
        map(Path, [*given.tables, out.claims, out.values]), Path(out.checksums), Path(given.store).parent
    )
