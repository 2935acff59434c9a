"""The papers' numbers beside the study's."""

from pathlib import Path

from aucstudy.claims.claims import judge_claims
from aucstudy.claims.verdicts import Evidence
from aucstudy.stages.job import job
from aucstudy.store.tables import write_table

with job(snakemake.log[0]):  # noqa: F821
    out, params = snakemake.output, snakemake.params  # noqa: F821
    claims, values = judge_claims(Evidence(Path(out.claims).parent, params.source, params.same_population))
    write_table(values, out.values)
    write_table(claims, out.claims)
