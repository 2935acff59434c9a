"""What all tests share: the browser, and that no test is skipped in silence."""

import os

import pytest
from browsing import chromium

# With AUCSTUDY_SKIPS=refused, as .ci/run sets it, a skipped test fails the run, but for those of these files.
MAY_BE_SKIPPED = {
    "tests/jobs/test_job.py": "the processor has no AVX2, or the machine no /proc or /dev/full",
    "tests/faults/test_faults.py": "only root may mount the small disk",
}
REFUSED = os.environ.get("AUCSTUDY_SKIPS") == "refused"
skipped: list[str] = []


def pytest_collection_modifyitems(items):
    # the tiny study takes longest: begun last, it would be waited for
    items.sort(key=lambda item: not item.nodeid.startswith("tests/workflow/test_study.py"))


def pytest_runtest_logreport(report):
    if REFUSED and report.skipped and not hasattr(report, "wasxfail"):
        file = report.nodeid.split("::")[0]
        if file not in MAY_BE_SKIPPED:
            skipped.append(f"{report.nodeid}: {report.longrepr[-1]}")


def pytest_sessionfinish(session):
    if skipped and not hasattr(session.config, "workerinput"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter):
    if skipped:
        terminalreporter.section("skipped, and not on the list of tests/conftest.py")
        terminalreporter.write_line("\n".join(skipped))


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    driver = chromium(tmp_path_factory.mktemp("profile"))
    yield driver
    driver.quit()
