"""What a job depends on follows from the imports: what it uses is there, what it does not use is not."""

import pytest

from aucstudy.experiments.registry import EXPERIMENTS
from aucstudy.stages.dependencies import code_of

MEASURING = "aucstudy.stages.measuring"


def depends(on: str, *modules: str) -> bool:
    return any(path.endswith(f"src/aucstudy/{on}") for path in code_of(*modules))


@pytest.mark.parametrize("name", ["fold_skew", "noise", "downsampling", "prevalence_shift", "summary_curves"])
def test_what_draws_at_random_depends_on_the_seeds(name):
    assert depends("statistics/seeds.py", EXPERIMENTS[name].module("numbers"))


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_numbers_depend_on_no_figure_and_on_no_declaration(experiment):
    code = code_of(MEASURING, experiment.module("numbers"))
    assert not any("telling.py" in path or "presentation/" in path for path in code)
    assert not depends(f"experiments/{experiment.name}/__init__.py", MEASURING, experiment.module("numbers"))


def test_an_experiment_depends_on_another_only_if_it_uses_its_code():
    summary_curves = EXPERIMENTS["summary_curves"].module("numbers")
    assert depends("experiments/fold_skew/fold_cuts.py", summary_curves)
    assert not depends("experiments/noise/numbers.py", summary_curves)


def test_a_display_is_no_reason_to_measure_again():
    assert not depends("metrics/displays/roc.py", EXPERIMENTS["downsampling"].module("numbers"))


def test_imports_inside_functions_and_files_read_from_the_folder_count(tmp_path, monkeypatch):
    folder = tmp_path / "aucstudy_made"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "late.py").write_text(
        "from pathlib import Path\nTEXT = Path(__file__).with_name('words.txt')\n"
    )
    (folder / "words.txt").write_text("words")
    (folder / "start.py").write_text("def run():\n    from aucstudy_made import late\n    return late\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("aucstudy.stages.dependencies.PACKAGE", "aucstudy_made")
    names = {path.rpartition("/")[2] for path in code_of("aucstudy_made.start")}
    assert names == {"start.py", "late.py", "words.txt"}


def test_the_template_of_the_front_page_counts():
    assert depends("report/front_page.html", "aucstudy.report.front_page")
