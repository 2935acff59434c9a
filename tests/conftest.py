"""What all tests share: the browser, and which tests come first."""

import pytest
from browsing import chromium


def pytest_collection_modifyitems(items):
    # the tiny study takes longest: begun last, it would be waited for
    items.sort(key=lambda item: not item.nodeid.startswith("tests/workflow/test_study.py"))


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    driver = chromium(tmp_path_factory.mktemp("profile"))
    yield driver
    driver.quit()
