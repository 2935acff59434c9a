"""The README tells what the committed results say."""

import re
from pathlib import Path

import matplotlib

from aucstudy.claims.verdicts import Evidence
from aucstudy.report.readme import README, TABLES, claims_markdown, with_claims

ROOT = Path(__file__).parents[1]


def test_the_claims_table_is_that_of_the_committed_results():
    text = README.read_text(encoding="utf-8")
    assert with_claims(text, claims_markdown(Evidence(TABLES, "packaged"))) == text


def test_every_file_that_the_readme_shows_or_links_exists():
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", README.read_text(encoding="utf-8")):
        assert (ROOT / target).exists(), target


def test_the_example_of_the_metrics_module_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    matplotlib.use("Agg")
    example = re.search(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.S).group(1)
    exec(compile(example, "README.md", "exec"), {})
    assert (tmp_path / "curves.png").stat().st_size > 0
    assert "auprg=" in capsys.readouterr().out
