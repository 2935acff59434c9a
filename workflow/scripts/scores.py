"""Write all scores into one table, and all that was left out so far into another.

If the source records AUROCs of its own, they are compared with those of the study.
"""

from pathlib import Path

from aucstudy.jobs.job import job
from aucstudy.jobs.process import end_process
from aucstudy.jobs.scoring import compare_with_server, with_flow_names
from aucstudy.store.measured import read_batches_of_scores, write_scores
from aucstudy.store.rejections import read_rejections, write_rejections
from aucstudy.store.tables import read_table, write_table
from aucstudy.store.task_store import read_runs

with job(snakemake.log[0]):  # noqa: F821
    given, out = snakemake.input, snakemake.output  # noqa: F821
    files = [*(Path(batch) / "rejections.csv" for batch in given.fetched), *given.scored]
    write_rejections(out.rejections, [row for file in files for row in read_rejections(file)])
    for table, copied in ((out.rejections, out.table_of_rejections), (given.tasks, out.table_of_tasks)):
        write_table(read_table(table), copied)
    runs = read_runs(Path(given.runs).parent)
    scores = with_flow_names(read_batches_of_scores(given.scores), runs)
    write_scores(scores, out.scores)
    if "server_check" in out.keys():  # noqa: SIM118, Snakemake's outputs are no mapping
        tables = compare_with_server(runs, scores)
        for table, path in zip(tables, (out.server_check, out.server_check_exceptions), strict=True):
            write_table(table, path)
end_process()
