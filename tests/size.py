"""The size of the house: files, lines, words of docstrings, and words of English in string literals. `make size`."""

import ast
import re
import subprocess
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
TEXT = {".py", ".js", ".css", ".html", ".smk", ".md", ".j2", ".yaml", ".rst", ""}
FEWEST_WORDS = 4  # a literal of fewer is a name, a label or a key
# tests hold the house to these
LIMITS = {"files": 252, "words of English in Python": 5_300}
# and CONTRIBUTING.md says what these are for
BUDGET = {
    "lines of Python": 24_800,
    "lines with pages and templates": 28_700,
    "words of docstrings": 30_000,
}
DOCUMENTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)


def size(root: Path = ROOT) -> Counter[str]:
    """The counts of src, workflow and Snakefile, of the files that git knows."""
    listed = subprocess.run(
        ["git", "ls-files", "src", "workflow", "Snakefile"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    counts: Counter[str] = Counter()
    for path in (root / name for name in listed.stdout.split()):
        counts["files"] += 1
        text = path.read_text(encoding="utf-8") if path.suffix in TEXT else ""
        counts["lines with pages and templates"] += text.count("\n")
        if path.suffix == ".py":
            counts["lines of Python"] += text.count("\n")
            counts.update(words(ast.parse(text)))
    return counts


def words(tree: ast.Module) -> Counter[str]:
    """The words of docstrings and of English in one module.

    >>> words(ast.parse('"One line."\\nx = "no row is of this class"\\ny = "a label"'))
    Counter({'words of English in Python': 6, 'words of docstrings': 2})
    """
    counts: Counter[str] = Counter()
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) in docstrings:
                counts["words of docstrings"] += len(node.value.split())
            elif len(re.findall("[A-Za-z]{2,}", node.value)) >= FEWEST_WORDS and " " in node.value.strip():
                counts["words of English in Python"] += len(node.value.split())
    return counts


if __name__ == "__main__":
    counted = size()
    for kind, numbers in (("limit", LIMITS), ("budget", BUDGET)):
        for name, number in numbers.items():
            print(f"{name:32s} {counted[name]:8,d}   {kind} {number:8,d}")
