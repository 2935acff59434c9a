"""Weight of a study's report and how long a browser takes: `python benchmarks/page_opening.py 886`.

The report is that of a whole study on a made task store, with few rows a task and few random draws: neither shows in
its weight. It is opened five times, and a table of all tasks searched and sorted; what is written is the median.
"""

import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from made_studies import MODELS, make_study, options_of_studies, run_made, study_of

from aucstudy.config import REPOSITORY
from aucstudy.store.tables import write_table

sys.path.insert(0, str(REPOSITORY / "tests"))

RUNS = 5
SIZES = (60, 886)
ROWS = {"median_rows": 250, "spread": 0.3}
FEW_DRAWS = {
    "disagreement": {"permutations": 10},
    "downsampling": {"draws": 4, "moved_draws": 2, "bootstrap": 100},
    "fold_skew": {"draws": 2, "clusterings": 2},
    "task_aggregation": {"bootstrap": 100},
    "noise": {"splits": 20},
    "multiverse": {"redraws": 10},
    "batches": {"score": 1, "measure": 1},
}
# the report shows a table in a frame; until it is there
OPEN_TABLE = """
const [name, answer] = arguments, frame = document.createElement("iframe");
frame.style = "position: fixed; inset: 0; width: 100%; height: 100%; background: white";
frame.src = results[Object.keys(results).find((path) => path.endsWith(name))].data_uri;
frame.onload = () => answer(true);
document.body.append(frame);
"""
SEARCH = """
const box = document.getElementById("find");
box.value = arguments[0];
box.dispatchEvent(new Event("input"))"""
SORT = "document.querySelectorAll('thead th button')[1].click()"
# milliseconds until what was asked for is laid out
TIMED = "const from = performance.now(); %s; document.body.getBoundingClientRect(); return performance.now() - from;"
FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


def study_of_pages(n_tasks: int) -> dict[str, object]:
    """What the study overlays on config.yaml: every experiment, with few draws."""
    return study_of(f"pages-{n_tasks}", MODELS, **FEW_DRAWS)


def make_report(n_tasks: int, cores: int) -> Path:
    """Run the study, or what is left of it to run, and return its report."""
    study = study_of_pages(n_tasks)
    data, results = (REPOSITORY / folder / study["study"] for folder in ("data", "results"))
    if not (data / "study.yaml").exists():
        shutil.rmtree(data, ignore_errors=True)
        make_study(data, study, n_tasks, **ROWS)
    run_made(data, cores)
    return results / "report.html"


def measured(driver, report: Path) -> dict[str, float]:
    """What one opening of a report takes, in seconds and milliseconds."""
    from browsing import until

    driver.get(report.as_uri())
    first_paint = until(driver, FIRST_PAINT) / 1000
    driver.execute_async_script(OPEN_TABLE, "shown/disagreement_tasks.html")
    driver.switch_to.frame(driver.find_element("tag name", "iframe"))
    until(driver, "document.documentElement.dataset.ready")
    search = driver.execute_script(TIMED % SEARCH, "made-7")
    driver.execute_script(SEARCH, "")
    sort = driver.execute_script(TIMED % SORT)
    driver.switch_to.default_content()
    return {"first_paint_s": first_paint, "search_ms": search, "sort_ms": sort}


def measure_report(n_tasks: int, report: Path) -> dict[str, float]:
    """A row: tasks, megabytes, and the medians of first_paint_s, search_ms and sort_ms."""
    from browsing import chromium

    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
        chromium(Path(profile)) as driver,
    ):
        runs = [measured(driver, report) for _ in range(RUNS)]
    medians = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
    return {"tasks": n_tasks, "megabytes": report.stat().st_size / 1e6, **medians}


def run(out: Path, largest: int, sizes: Sequence[int] = SIZES, cores: int | None = None) -> None:
    """Write pages.csv."""
    rows = [measure_report(n_tasks, make_report(n_tasks, cores or os.cpu_count())) for n_tasks in sizes]
    decimals = {"megabytes": 2, "first_paint_s": 2, "search_ms": 1, "sort_ms": 1}
    table = pd.DataFrame(rows).round(decimals)
    write_table(table, out / "pages.csv")
    print(table.to_string(index=False))


def main(given: Sequence[str] | None = None) -> None:
    """The reports of studies of the sizes given on the command line."""
    arguments = options_of_studies(__doc__, SIZES).parse_args(given)
    arguments.out.mkdir(parents=True, exist_ok=True)
    run(arguments.out, 0, arguments.tasks, arguments.cores)


if __name__ == "__main__":
    main()
