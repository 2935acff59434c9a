"""The command `aucstudy fetch` says on standard error how many tasks are done."""

import re

from aucstudy.commands import fetch
from aucstudy.config import STUDIES


def test_how_far_a_fetch_is_stands_on_stderr_line_by_line(run, tmp_path, monkeypatch):
    monkeypatch.setattr(fetch, "SECONDS_BETWEEN_LINES", 0)
    code, out, err = run("fetch", STUDIES / "files-example.yaml", "--directory", tmp_path)
    assert code == 0
    first, *rest = err.splitlines()
    assert first == "fetching 5 tasks from the source files"
    assert [re.sub(r"\d+ s$", "0 s", line) for line in rest] == [
        f"{i} of 5 tasks done, 0 s" for i in range(1, 6)
    ]
    assert out.startswith("5 tasks, 30 runs, ")
