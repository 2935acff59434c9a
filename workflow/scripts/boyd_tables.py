"""Tables 1 to 3 of Boyd et al. 2012 and what their own numbers imply."""

from aucstudy.published.boyd_tables import table_1, table_2, table_3
from aucstudy.stages.job import job
from aucstudy.store.tables import write_table

with job(snakemake.log[0]):  # noqa: F821
    for table, path in zip((table_1(), table_2(), table_3()), snakemake.output, strict=True):  # noqa: F821
        write_table(table, path)
