"""The browser that all tests share, the order in which tests begin, and the packages that some of them need."""

from importlib.metadata import metadata

import pytest
from browsing import chromium

from aucstudy.jobs.environment import keep_to_one_thread
from aucstudy.study_folder.packages import is_installed, missing_packages

# Tests run in as many processes as there are cores. More threads of BLAS and OpenMP would spin while they wait.
keep_to_one_thread()

EXTRAS = set(metadata("aucstudy").get_all("Provides-Extra"))


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items):
    for item in items:
        if "browser" in item.fixturenames:
            item.add_marker(pytest.mark.needs("selenium"))
    # The tiny study takes longest. If it began last, the other processes would wait for it.
    items.sort(key=lambda item: not item.nodeid.startswith("tests/workflow/test_study.py"))


def pytest_runtest_setup(item):
    names = dict.fromkeys(name for mark in item.iter_markers("needs") for name in mark.args)
    if missing := sorted({package for name in names for package in missing_of(name)}):
        pytest.skip(f"not installed, but by `make test-all`: {', '.join(missing)}")


def missing_of(name):
    """Return the packages of an extra that are not installed, or a package itself if it is not."""
    if name in EXTRAS:
        return missing_packages(name)
    return [] if is_installed(name) else [name]


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    driver = chromium(tmp_path_factory.mktemp("profile"))
    yield driver
    driver.quit()
