"""A new experiment takes one file, one line of the registry and one block of config.yaml."""

ROOM = '''"""How many models does each task have? An experiment for the test of the contract."""

import pandas as pd

from aucstudy.experiments.experiment import Experiment, whole
from aucstudy.experiments.inputs import Figure

EXPERIMENT = Experiment(
    name="toy",
    category="Toys",
    tables=("toy",),
    figures=("toy_models",),
    settings=(whole("times", 2, "so often each model counts", minimum=1),),
    measures=("times",),
)


def of_task(task, *, times, seed):
    return {"models": pd.DataFrame({"task_id": [task.task_id], "models": times * len(task.predictions.run_ids)})}


def over_all(study, *, seed):
    return {"toy": study.frames["models"]}


def draw(study):
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots()
    axis.bar(study.table("toy")["task_id"], study.table("toy")["models"])
    return figure


QUESTION = "How many models are there?"
TABLES = {"toy": "The models of each task."}
FIGURES = {"toy_models": Figure(draw, "The models of each task, drawn.")}


def findings(study):
    return [f"There are {study.table('toy')['models'].sum()} models, counted {EXPERIMENT.settings[0].default} times."]
'''


def test_a_toy_experiment_runs_to_its_table_figure_caption_and_finding(editable):
    folder = editable.folder
    (folder / "src/aucstudy/experiments/toy.py").write_text(ROOM)
    registry = folder / "src/aucstudy/experiments/registry.py"
    registry.write_text(
        registry.read_text().replace('    "disagreement",\n', '    "disagreement",\n    "toy",\n', 1)
    )
    config = folder / "config.yaml"
    block = (
        "\ntoy:\n  enabled: true # false leaves the experiment out\n  times: 3 # so often each model counts\n"
    )
    config.write_text(config.read_text() + block)
    study = editable.without_most_experiments("slim", also=("toy",))
    editable.run("aucstudy", "run", str(study))
    assert editable.tables()["toy.csv"] == b"task_id,models\nglass6,12\nhayes-roth,12\niris,12\nwine,12\n"
    assert {path.suffix for path in (folder / "results/tiny/figures").glob("toy_models.*")} == {
        ".png",
        ".svg",
    }
    assert "There are 48 models" in (folder / "data/tiny/front_page.html").read_text()
    report = (folder / "results/tiny/report.html").read_text()
    assert "The models of each task, drawn." in report
    assert "toy_models.png" in report
