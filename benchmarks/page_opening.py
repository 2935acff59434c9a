"""How long a browser takes to open the audit page of 886 tasks, against the page of one task and the limit of 2 s."""

import shutil
import sys
import tempfile
from pathlib import Path

import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

LIMIT = 2000  # milliseconds
RUNS = 5


def run(out: Path, largest: int) -> None:
    """Write page_opening.csv: milliseconds until the page is ready, median of five, and the ratios."""
    from audit.made_page import big_page
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    from aucstudy.audit.page import write_page

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome")
    for flag in ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"):
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for n_tasks in (1, 886):
            path = Path(folder) / f"{n_tasks}.html"
            write_page(big_page(n_tasks), path)
            times = []
            for _ in range(RUNS):
                driver.get(path.as_uri())
                times.append(int(driver.find_element("tag name", "html").get_attribute("data-ready")))
            median = pd.Series(times).median()
            rows.append({"n_tasks": n_tasks, "megabytes": path.stat().st_size / 1e6, "milliseconds": median})
    driver.quit()
    table = pd.DataFrame(rows)
    table["of_limit"] = table["milliseconds"] / LIMIT
    table["of_one_task"] = table["milliseconds"] / table["milliseconds"].iloc[0]
    table.to_csv(out / "page_opening.csv", index=False, float_format="%.4g")
