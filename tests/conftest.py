"""The browser that all tests share, the order in which tests begin, and the packages that some of them need."""

from importlib.metadata import PackageNotFoundError, distribution

import pytest
from browsing import chromium


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items):
    for item in items:
        if "browser" in item.fixturenames:
            item.add_marker(pytest.mark.needs("selenium"))
    # The tiny study takes longest. If it began last, the other processes would wait for it.
    items.sort(key=lambda item: not item.nodeid.startswith("tests/workflow/test_study.py"))


def pytest_runtest_setup(item):
    packages = dict.fromkeys(name for mark in item.iter_markers("needs") for name in mark.args)
    if missing := [name for name in packages if not is_installed(name)]:
        pytest.skip(f"not installed, but by `make test-all`: {', '.join(missing)}")


def is_installed(package):
    try:
        distribution(package)
    except PackageNotFoundError:
        return False
    return True


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    driver = chromium(tmp_path_factory.mktemp("profile"))
    yield driver
    driver.quit()
