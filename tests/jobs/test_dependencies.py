"""What a job depends on follows from the imports: what it uses is there, what it does not use is not."""

import ast
import sys
from pathlib import Path

import pytest

from aucstudy.experiments.contract import experiments
from aucstudy.jobs import dependencies
from aucstudy.jobs.dependencies import code_digest, code_of, code_of_functions, importable

EXPERIMENTS = experiments()
MEASURED = {name: one for name, one in EXPERIMENTS.items() if one.has("of_task")}


def depends(on: str, files: list[str]) -> bool:
    return any(path.endswith(f"src/aucstudy/{on}") for path in files)


def files_of(name: str, *functions: str) -> list[str]:
    return code_of_functions(importable(EXPERIMENTS[name].file), *functions).files


@pytest.mark.parametrize("name", ["fold_skew", "noise", "downsampling", "downsampling.prevalence_shift"])
def test_what_draws_at_random_depends_on_the_seeds(name):
    assert depends("statistics/seeds.py", files_of(name, "of_task"))


@pytest.mark.parametrize("name", MEASURED)
def test_what_measures_depends_on_no_figure_and_on_no_page(name):
    files = [*code_of(importable(EXPERIMENTS[name].file)), *code_of("aucstudy.jobs.measuring")]
    assert not depends("wording.py", files)
    assert not any(path.endswith(".md") or "/figures/" in path for path in files)


@pytest.mark.parametrize("name", [name for name, one in EXPERIMENTS.items() if one.figures])
def test_what_draws_depends_on_the_look_and_on_its_room(name):
    experiment = EXPERIMENTS[name]
    files = code_of(importable(experiment.drawings))
    assert depends("figures/charts.py", files)
    assert depends("figures/aucstudy.mplstyle", files)
    assert depends(f"figures/{experiment.room}.py", files)


def test_an_experiment_depends_on_another_only_if_it_uses_its_code():
    assert depends("experiments/fold_cuts.py", code_of("aucstudy.experiments.fold_skew"))
    assert not depends("experiments/noise.py", code_of("aucstudy.experiments.fold_skew"))


def test_the_imports_in_the_text_of_each_module_are_those_that_python_sees():
    package = Path(dependencies.__file__).parents[1]
    for path in package.rglob("*.py"):
        module = ".".join(["aucstudy", *path.relative_to(package).with_suffix("").parts]).removesuffix(
            ".__init__"
        )
        nodes = list(ast.walk(ast.parse(path.read_text())))
        seen = {
            (dependencies._module_or_owner(node.module, alias.name), alias.name, alias.asname or alias.name)
            for node in nodes
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "aucstudy"
            for alias in node.names
        }
        assert set(dependencies._imports_of(module)) == seen, module
        plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
        assert not any(name.startswith("aucstudy") for name in plain), module


def test_a_display_is_no_reason_to_measure_again():
    assert not any("displays" in path for path in files_of("downsampling", "of_task", "over_all"))


ROOM = '''"""A room."""

from aucstudy_made.experiments.other import taken
from aucstudy_made import late

LIMIT = 3


def of_task(task):
    """Says what it does."""
    return taken(task, LIMIT)


def figure(study):
    return late.draw(study)
'''
OTHER = "FACTOR = 2\n\n\ndef taken(task, limit):\n    return task * FACTOR\n\n\ndef unused():\n    return 1\n"


@pytest.fixture
def made(tmp_path, monkeypatch):
    """A package of two rooms, and the code of functions of the first as it stands."""
    folder = tmp_path / "aucstudy_made"
    (folder / "experiments").mkdir(parents=True)
    for name, text in {
        "__init__.py": "", "late.py": "from pathlib import Path\nTEXT = Path(__file__).with_name('words.txt')\n",
        "words.txt": "words", "experiments/__init__.py": "", "experiments/room.py": ROOM, "experiments/other.py": OTHER,
    }.items():  # fmt: skip
        (folder / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("aucstudy.jobs.dependencies.PACKAGE", "aucstudy_made")
    monkeypatch.setattr("aucstudy.jobs.dependencies.ROOMS", "aucstudy_made.experiments.")

    def code(*functions):
        for cached in vars(dependencies).values():
            if hasattr(cached, "cache_clear"):
                cached.cache_clear()
        return code_of_functions("aucstudy_made.experiments.room", *functions)

    code.folder = folder / "experiments"
    yield code
    for name in [name for name in sys.modules if name.startswith("aucstudy_made")]:
        del sys.modules[name]


def names(code) -> set[str]:
    return {path.rpartition("/")[2] for path in code.files}


def test_functions_of_a_room_depend_on_what_they_reach(made):
    assert names(made("of_task")) == set()
    assert names(made("figure")) == {"late.py", "words.txt"}


@pytest.mark.parametrize(
    ("file", "before", "after", "changes"),
    [
        ("room.py", "LIMIT = 3", "LIMIT = 4", True),
        ("other.py", "FACTOR = 2", "FACTOR = 3", True),
        ("other.py", "return 1", "return 2", False),
        ("room.py", "late.draw(study)", "late.drawn(study)", False),
        ("room.py", "Says what it does.", "Says it.", False),
        ("room.py", "LIMIT = 3", "# three\nLIMIT  =  3", False),
    ],
)
def test_definitions_change_with_the_code_that_is_reached_alone(made, file, before, after, changes):
    before_change = made("of_task").definitions
    path = made.folder / file
    path.write_text(path.read_text().replace(before, after))
    assert (made("of_task").definitions != before_change) == changes


def test_one_digest_has_the_code_of_functions_and_that_of_the_files_they_import(made):
    def digest(*functions):
        code = made(*functions)  # forgets what was read before
        return code_digest(code.files, code.definitions)

    before = {name: digest(name) for name in ("of_task", "figure")}
    words = made.folder.parent / "words.txt"
    words.write_text("other words")
    assert digest("of_task") == before["of_task"]
    assert digest("figure") != before["figure"]


def test_the_template_of_the_front_page_counts():
    assert depends("report/front_page.html", code_of("aucstudy.report.front_page"))


def test_a_file_of_a_studys_folder_counts_with_those_that_it_imports_and_the_lists_that_it_may_read(tmp_path):
    for name, text in {
        "room.py": "from aucstudy.errors import InputError\nfrom . import part as p\nfrom .other import value\n",
        "part.py": "from pathlib import Path\n\nLIST = Path(__file__).with_name('list.csv')\n",
        "other.py": "from .room import value  # round in a circle\n",
        "beside.py": "from . import room\n",
        "list.csv": "a\n",
        "claims.csv": "id\n",
    }.items():
        (tmp_path / name).write_text(text)
    files = code_of(tmp_path / "room.py")
    assert {Path(file).name for file in files} == {"room.py", "part.py", "other.py", "list.csv", "errors.py"}
    assert {Path(file).name for file in code_of(tmp_path / "other.py")} > {"room.py", "other.py"}
