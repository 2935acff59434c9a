"""The benchmark of the pages: the study that it runs is one, and has every table of the default study."""

from pathlib import Path

import pytest
import yaml

from aucstudy.config import load_config
from aucstudy.experiments.contract import studied

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)


def test_the_study_of_the_pages_is_valid_and_leaves_no_experiment_out(tmp_path):
    from page_opening import study_of_pages

    (tmp_path / "study.yaml").write_text(yaml.safe_dump(study_of_pages(12)))
    config = load_config(tmp_path / "study.yaml")
    assert config["study"] == "pages-12"
    # refitting needs rows, which its source does not have
    left_out = {one.name for one in studied(load_config())} - {one.name for one in studied(config)}
    assert left_out == {"downsampling.refitting"}


def test_a_page_is_opened_searched_and_sorted(tmp_path):
    from audit.made_page import big_page
    from browsing import CHROMEDRIVER, CHROMIUM
    from page_opening import measure_pages

    from aucstudy.store.files import write_text

    if not (CHROMIUM and CHROMEDRIVER):
        pytest.skip("no Chromium with its driver is installed; `.ci/run` installs both")
    write_text(tmp_path / "audit.html", big_page(20))
    table = measure_pages(20, {"audit": tmp_path / "audit.html"})
    assert list(table) == ["page", "tasks", "megabytes", "first_paint_s", "search_ms", "sort_ms"]
    assert table.iloc[0, :2].tolist() == ["audit", 20]
    assert (table.iloc[0, 2:] > 0).all()
