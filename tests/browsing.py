"""Functions that open a page in headless Chromium, read values from it, click and move the pointer."""

import shutil
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
CHROMEDRIVER = shutil.which("chromedriver") or shutil.which("chromium.chromedriver")
in_browser = pytest.mark.skipif(
    not (CHROMIUM and CHROMEDRIVER),
    reason="no Chromium with its driver is installed; `.ci/run` installs both",
)
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--window-size=1366,900",
)  # fmt: skip


def chromium(profile: Path):
    """Start a headless Chromium with a profile of its own that keeps its log and its network calls."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=Service(CHROMEDRIVER))


def opened(browser, path: Path, text: str):
    """Write a page to `path`, open it and return the browser."""
    path.write_text(text, encoding="utf-8")
    browser.get(path.as_uri())
    return browser


@contextmanager
def resized(browser, width, height, *, mobile=False):
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        yield
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def faults(browser):
    return [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


def script(browser, code, *arguments):
    return browser.execute_script(f"return {code}", *arguments)


def element(browser, selector):
    return browser.find_element("css selector", selector)


def pointer(browser, plot, x, y, kind):
    """Move the pointer to a place of a plot, or click there. The place is given in the units of the axes."""
    at = script(
        browser,
        "(() => { const p = document.getElementById(arguments[0]), a = p._fullLayout;"
        "const box = p.getBoundingClientRect();"
        "return [box.left + a.xaxis._offset + a.xaxis.d2p(arguments[1]),"
        "box.top + a.yaxis._offset + a.yaxis.d2p(arguments[2])]; }).apply(null, arguments)",
        plot, x, y,
    )  # fmt: skip
    events = ["mouseMoved"] if kind == "move" else ["mouseMoved", "mousePressed", "mouseReleased"]
    for event in events:
        button = {} if event == "mouseMoved" else {"button": "left", "clickCount": 1}
        browser.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": event, "x": at[0], "y": at[1], **button})


def until(browser, code, *arguments):
    """Wait until an expression on the page is true, at most ten seconds, and return its value."""
    end = time.monotonic() + 10
    while not (found := script(browser, code, *arguments)):
        assert time.monotonic() < end, f"never held: {code}"
    return found
