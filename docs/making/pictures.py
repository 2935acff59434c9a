"""The picture of the page that an audit writes.

The audit is that of the command in README, so that the picture and README say the same.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

from committed import ROOT
from printed import printed

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
AUDIT = "aucstudy audit docs/predictions.csv --label churned --positive yes"
WIDTH, HEIGHT = 1100, 790  # size of what the picture shows, in pixels of the page


def browser() -> str | None:
    """Return the path of an installed Chromium, or None if there is none."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


def picture_of_audit(program: str, picture: Path) -> None:
    """Write the audit's page and take its picture, at 1.5 times the pixels of the page."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        printed(f"{AUDIT} --html {page}")
        taken = Path(folder) / "page.png"
        subprocess.run(
            [
                program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                f"--user-data-dir={folder}/profile", "--force-device-scale-factor=1.5", "--virtual-time-budget=10000",
                f"--window-size={WIDTH},{HEIGHT}", f"--screenshot={taken}", page.as_uri(),
            ],
            check=True, capture_output=True, timeout=120,
        )  # fmt: skip
        shutil.copyfile(taken, picture)


def take_pictures() -> None:
    """Take the pictures of docs/ again, or say that they stay as they are because no browser is installed."""
    program = browser()
    if program is None:
        print("no Chromium is installed, so docs/audit-page.png stays as it is")
        return
    picture_of_audit(program, ROOT / "docs" / "audit-page.png")
