"""The browser that all tests share, and the order in which tests begin."""

import pytest
from browsing import chromium


def pytest_collection_modifyitems(items):
    # The tiny study takes longest. If it began last, the other processes would wait for it.
    items.sort(key=lambda item: not item.nodeid.startswith("tests/workflow/test_study.py"))


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    driver = chromium(tmp_path_factory.mktemp("profile"))
    yield driver
    driver.quit()
