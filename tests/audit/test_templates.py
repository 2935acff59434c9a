"""The templates say what Python decided: they compare no numbers."""

import re
from pathlib import Path

import pytest

import aucstudy.audit

TEMPLATES = sorted(Path(aucstudy.audit.__file__).parent.glob("*.j2"))
COMPARISON = re.compile(r"[<>]|[=!]=|\bsameas\b|\b[lg][te]\b")


def test_there_are_templates():
    assert [path.name for path in TEMPLATES] == [
        "analysis.j2",
        "column_findings.j2",
        "metric_tables.j2",
        "metric_words.j2",
    ]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_no_template_compares(path):
    code = re.findall(r"\{[{%].*?[%}]\}", path.read_text(encoding="utf-8"), re.DOTALL)
    assert [each for each in code if COMPARISON.search(each)] == []
