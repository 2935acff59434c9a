"""Random studies such as a stranger might bring, with all experiments, each run to its report.

They are run by the functions that the workflow's jobs call. By hand, with tests/ on the path,
`python -m fuzz.studies --seconds 60` tries as many as fit. A case is given by its number, so
`python -m fuzz.studies --case 12` tries case 12 again.
"""

import argparse
import re
import shutil
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from unittest.mock import patch

import numpy as np
import pandas as pd
from PIL import Image

from aucstudy import sources
from aucstudy.claims.judge import judge_claims
from aucstudy.claims.verdicts import Evidence, Verdict
from aucstudy.config import check_config, completed
from aucstudy.errors import InputError
from aucstudy.estimates import joined, read_estimates
from aucstudy.experiments.contract import Experiment, experiments, studied, why_empty
from aucstudy.figures import charts
from aucstudy.jobs.measuring import draw, make_tables, measure
from aucstudy.jobs.scoring import score_tasks, with_flow_names
from aucstudy.report.page import report_page
from aucstudy.statistics.intervals import FEWEST_GROUPS
from aucstudy.store.batches import write_batches
from aucstudy.store.measured import write_frames, write_scores
from aucstudy.store.rejections import read_rejections, write_rejections
from aucstudy.store.tables import read_table, write_table
from aucstudy.store.task_store import merge_stores, read_runs, read_tasks
from fuzz import numbers

STUDY = "strange"
_save = charts.save
MADE_ONCE = Path(tempfile.mkdtemp())
SMALL = {
    "disagreement": {"permutations": 2},
    "noise": {"splits": 20},
    "multiverse": {"redraws": 10},
    "selection": {"splits": 10},
    "downsampling": {
        "ratios": [1, 2],
        "draws": 2,
        "moved_draws": 2,
        "refitting": {"flows": ["naive_bayes"], "tasks": 1, "folds": 2, "training_draws": 1, "draws": 2},
    },
    "fold_skew": {"folds": 2, "spreads": [0.2], "draws": 2, "clusterings": 1},
    "task_aggregation": {"bootstrap": 100},
}  # fmt: skip


@dataclass(frozen=True)
class Design:
    """The prediction files of a stranger's study.

    Attributes
    ----------
    tasks, models, rows : the number of tasks, and of the models and the rows of each task.
    prevalence : the share of positives in a task, which has at least `fewest` of them.
    flows : whether a flow occurs in `all` tasks, in `one` task only, or in one of two `halves` of the tasks.
    scores : the kind of scores of all models. With `mixed` the models take the kinds in turn.
    folds : the number of folds, 0 if the files have none. With `split` all positives are in the first fold.
    alike : whether all tasks have the same data.
    groups : whether each task is a source group of its `own`, or all tasks are in `one` group or in `two`.
    """

    tasks: int
    models: int
    rows: int
    prevalence: float
    fewest: int
    flows: str
    scores: str
    folds: int
    split: bool
    alike: bool
    groups: str


LEVELS: Mapping[str, tuple] = {
    "tasks": (1, 2, 3, 12, 12, 40),
    "models": (1, 2, 2, 3, 3, 3, 30, 30),
    "rows": (20, 60, 200, 1000, 5000),
    "prevalence": (0.003, 0.03, 0.1, 0.3, 0.5, 0.8),
    "fewest": (0, 1, 2, 5, 10),
    "flows": ("all", "one", "halves"),
    "scores": ("real", "real", "hard", "constant", "tied", "perfect", "worst", "mixed"),
    "folds": (0, 1, 3, 10),
    "split": (False, False, True),
    "alike": (False, False, False, True),
    "groups": ("own", "own", "one", "two"),
}
QUICK = 20  # number of the first cases, which are small
# The limits are on the number of tasks and on tasks x models x rows.
LARGEST, LARGEST_OF_QUICK = (40, 500_000), (12, 5_000)
DATA_SETS = ("iris", "wine", "hayes-roth", "glass6", "heart", "sonar")
LEARNERS = ("naive_bayes", "knn_3", "decision_stump", "zero_r", "logistic")


def configuration(case: int, folder: Path) -> tuple[str, dict]:
    """Return a description of a case and its configuration; prediction files are written to `folder`."""
    dice = Random(case)
    if case % 20 == 13:
        block = {
            "datasets": dice.sample(DATA_SETS, dice.choice((1, 2, 4))),
            "folds": 2,
            "flows": list(LEARNERS),
        }
        return _configured(case, "packaged", block, models_per_task=dice.choice((2, 4)))
    design = design_of(dice, *(LARGEST if case >= QUICK else LARGEST_OF_QUICK))
    block = {"tasks": str(folder), "label": "label", "positive": "yes"}
    block |= {"groups": write_files(design, folder, case)} | ({"fold": "fold"} if design.folds else {})
    return str(design), _configured(case, "files", block)[1]


def _configured(case: int, source: str, block: Mapping[str, object], **keys: object) -> tuple[str, dict]:
    study = {
        "study": STUDY,
        "seed": case,
        "source": source,
        source: block,
        "models_per_task": 30,
        "min_flows": 2,
    }
    config = completed({**study, **SMALL, **keys})
    config |= {"experiments": list(experiments()), "batches": {"fetch": 1, "measure": 2}}
    check_config(config)
    return f"{source} {block}", config


def design_of(dice: Random, most_tasks: int, most_cells: int) -> Design:
    """Draw a design at random, but none that is larger than the limits and would take long."""
    while True:
        design = Design(**{name: dice.choice(levels) for name, levels in LEVELS.items()})
        if design.tasks <= most_tasks and design.tasks * design.models * design.rows <= most_cells:
            return design


def write_files(design: Design, folder: Path, seed: int) -> dict[str, str]:
    """Write one file for each task, as CSV or Parquet, and return the source group of each task."""
    rng = np.random.default_rng(seed)
    groups = {}
    for k in range(design.tasks):
        frame = _task(design, k, rng if not design.alike else np.random.default_rng(seed))
        name = f"task{k:02}"
        if len(frame) > 500:
            frame.to_parquet(folder / f"{name}.parquet")
        else:
            frame.to_csv(folder / f"{name}.csv", index=False)
        groups[name] = {"own": name, "one": "one", "two": f"half{k % 2}"}[design.groups]
    return groups


def _task(design: Design, k: int, rng: np.random.Generator) -> pd.DataFrame:
    n = design.rows
    n_positive = min(max(round(design.prevalence * n), design.fewest), n - 1)
    y = np.arange(n) < n_positive
    fold = np.arange(n) % max(design.folds, 1)
    if design.split:
        fold[y] = 0
    prefix = {"all": "", "one": f"of{k}_", "halves": f"half{k % 2}_"}[design.flows]
    columns = {"label": np.where(y, "yes", "no")}
    if design.folds:
        columns["fold"] = fold
    kinds = [kind for kind in dict.fromkeys(LEVELS["scores"]) if kind != "mixed"]
    for i in range(design.models):
        kind = kinds[i % len(kinds)] if design.scores == "mixed" else design.scores
        columns[f"{prefix}model{i:02}"] = _scores(kind, y, rng)
    frame = pd.DataFrame(columns)
    return frame.iloc[rng.permutation(n)]


def _scores(kind: str, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    real = rng.normal(y * rng.uniform(0.2, 2), 1)
    return {
        "real": real,
        "hard": (real > 0.5).astype(float),
        "constant": np.full(len(y), 0.5),
        "tied": np.round(real),
        "perfect": y + 0.1 * rng.random(len(y)),
        "worst": 0.1 * rng.random(len(y)) - y,
    }[kind]


@dataclass
class Ended:
    """The end of a study: the line that refused it, or its report and what is empty in it."""

    refused: str = ""
    verdicts: dict[str, str] = field(default_factory=dict)
    empty_figures: dict[str, str] = field(default_factory=dict)
    empty_tables: set[str] = field(default_factory=set)
    n_groups: int = 0
    page: str = ""


def run(config: Mapping, folder: Path) -> Ended:
    """Run a study from its fetch to its report, by the functions that the workflow's jobs call."""
    data, tables, figures = (folder / name for name in ("data", "results/tables", "results/figures"))
    for path in (data / "estimates", tables, figures):
        path.mkdir(parents=True)
    try:
        fetched = data / "fetched" / "0"
        sources.fetch(fetched, config, batch=0, progress=lambda task: None)
        merge_stores([fetched], data)
        write_batches(data, config["batches"]["measure"], data / "batches")
    except InputError as error:
        return Ended(refused=str(error))
    _score(config, fetched, data, tables)
    made = studied(config)
    for experiment in _in_order(made):
        if _same_in_every_study(experiment):
            _copied(experiment, config, tables, figures)
        else:
            _measure_and_gather(experiment, config, data, tables)
    for experiment in made:
        if experiment.figures and not _same_in_every_study(experiment):
            _draw(experiment, config, data, tables, figures)
    parts = [part for name in experiments() if (part := _estimates(data, name)).is_file()]
    write_table(joined(map(read_estimates, parts)), tables / "estimates.csv")
    claims, values = judge_claims(Evidence(tables, config["source"]))
    write_table(values, tables / "claims_values.csv")
    write_table(claims, tables / "claims.csv")
    shown = sorted(tables.glob("*.csv"))
    page = report_page(Evidence(tables, config["source"]), STUDY, figures, made, shown)
    why = {path.stem: charts.why_not_drawn(path) for path in figures.glob("*.png")}
    return Ended(
        verdicts=dict(zip(claims["id"], claims["verdict"], strict=True)),
        empty_figures={name: text for name, text in why.items() if text},
        n_groups=read_tasks(data)["source_group"].nunique(),
        empty_tables={path.stem for path in shown if len(read_table(path)) == 0},
        page=page,
    )


def _score(config: Mapping, fetched: Path, data: Path, tables: Path) -> None:
    scores, rejections = score_tasks(data, read_tasks(data)["task_id"])
    write_rejections(data / "rejections.csv", [*read_rejections(fetched / "rejections.csv"), *rejections])
    write_scores(with_flow_names(scores, read_runs(data)), data / "scores.parquet")
    for name in ("tasks", "rejections"):
        write_table(read_table(data / f"{name}.csv"), tables / f"{name}.csv")


def _in_order(made: list[Experiment]) -> Iterator[Experiment]:
    """Yield the experiments so that each comes after those whose frames and tables it reads."""
    known, waiting = experiments(), [experiment.name for experiment in made]
    done: set[str] = set()

    def with_needs(name: str) -> Iterator[Experiment]:
        if name not in done:
            done.add(name)
            experiment = known[name]
            where_made = [other for other in experiment.tables_where_made if other in waiting]
            for other in (*experiment.frames_of, *experiment.tables_of, *where_made):
                yield from with_needs(other)
            yield experiment

    for name in waiting:
        yield from with_needs(name)


def _measure_and_gather(experiment: Experiment, config: Mapping, data: Path, tables: Path) -> None:
    folders = []
    for batch in sorted((data / "batches").iterdir()) if experiment.has("of_task") else ():
        frames = measure(
            experiment,
            batch,
            settings=experiment.settings_of("measure", config),
            seed=config["seed"],
            source=config if experiment.rows else None,
            frames_of=[data / "measured" / name / batch.stem for name in experiment.frames_of],
        )
        folders.append(data / "measured" / experiment.name / batch.stem)
        write_frames(frames, folders[-1])
    if experiment.tables or experiment.has_quantities:
        make_tables(
            experiment,
            data,
            folders,
            tables,
            settings=experiment.settings_of("tables", config),
            seed=config["seed"],
            weight=config["weight"],
            estimates=_estimates(data, experiment.name) if experiment.has_quantities else None,
        )


def _estimates(data: Path, experiment: str) -> Path:
    """Return the file of an experiment's estimates."""
    return data / "estimates" / f"{experiment}.csv"


def _draw(experiment: Experiment, config: Mapping, data: Path, tables: Path, figures: Path) -> None:
    made = [name for name in experiments() if _estimates(data, name).is_file()]
    of_experiments = [name for name in (experiment.name, *experiment.tables_read(made)) if name in made]
    draw(
        experiment,
        experiments(),
        data,
        tables,
        figures,
        settings=experiment.settings_of("tables", config),
        weight=config["weight"],
        estimates=[_estimates(data, name) for name in of_experiments],
    )


def _saved(figure, files: Mapping[str, str]) -> None:
    """Save a figure as `charts.save` does, but as a PNG of one pixel, and raise if it shows no data.

    To draw all figures would take longer than everything else.
    """
    if isinstance(figure, str):
        _save(figure, files)
        return
    Image.new("1", (1, 1)).save(files["png"])
    if not any(map(_shows_data, figure.axes)):
        raise NothingShown(Path(files["png"]).stem)
    charts.pyplot().close(figure)


class NothingShown(Exception):
    """The error for a figure that shows no mark of any data."""


def _shows_data(axis) -> bool:
    """Whether a mark is drawn at finite data. Lines and bands across the whole axes do not count."""
    from matplotlib.collections import PathCollection

    marks = [line.get_xydata() for line in axis.lines if line.get_transform() == axis.transData]
    for drawn in axis.collections:
        dots = isinstance(drawn, PathCollection)
        marks += [drawn.get_offsets()] if dots else [path.vertices for path in drawn.get_paths()]
    bars = (patch for patch in axis.patches if patch.get_data_transform() == axis.transData)
    marks += [np.array([[bar.get_width(), bar.get_height()]]) for bar in bars]
    return any(np.isfinite(np.ma.filled(points, np.nan)).all(axis=1).any() for points in marks if len(points))


def _same_in_every_study(experiment: Experiment) -> bool:
    return not experiment.reads and not experiment.has("of_task")


def _copied(experiment: Experiment, config: Mapping, tables: Path, figures: Path) -> None:
    """Copy the tables and figures of an experiment that reads nothing of a study. They are made only once."""
    made = MADE_ONCE / experiment.stem
    if not made.exists():
        made.mkdir(parents=True)
        _measure_and_gather(experiment, config, made, made)
        _draw(experiment, config, made, made, made)
    for path in made.iterdir():
        shutil.copyfile(path, (tables if path.suffix == ".csv" else figures) / path.name)


@dataclass(frozen=True)
class Outcome:
    """The result of a case; `fault` says what is wrong with it and is empty if nothing is."""

    design: str
    ended: Ended
    fault: str = ""


def outcome(case: int) -> Outcome:
    design = ""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("error")
        files = Path(folder) / "files"
        files.mkdir()
        try:
            design, config = configuration(case, files)
            with patch.object(charts, "save", _saved):
                ended = run(config, Path(folder) / "study")
        except Exception:  # Any exception is a fault of the project.
            return Outcome(design, Ended(), traceback.format_exc())
    return Outcome(design, ended, fault_of(ended))


def fault_of(ended: Ended) -> str:
    if ended.refused:
        return (
            "" if "\n" not in ended.refused and len(ended.refused) < 500 else f"no one line: {ended.refused}"
        )
    shown = " ".join(
        re.sub(r"<style>.*?</style>|data:image[^\"]*|<[^>]*>", " ", ended.page, flags=re.S).split()
    )
    if odd := re.search(r".{0,80}\b(nan|inf|None)\b.{0,40}", shown):
        return f"the report says: {odd[0]}"
    if silent := [name for name in ended.empty_tables if why_empty(name) == Experiment.empty]:
        return f"nobody says why {min(silent)}.csv is empty"
    if ended.n_groups < FEWEST_GROUPS and (told := set(ended.verdicts.values()) - {Verdict.TOO_FEW_DATA}):
        return f"{ended.n_groups} source groups give a claim the verdict {min(told)}"
    return ""


def never_too_few(ended: Iterable[Ended]) -> tuple[set[str], set[str]]:
    """Return the claims and figures for which no study had too little data, and print how many are others.

    Figures that use no data of a study are left out.
    """
    reports = [study for study in ended if not study.refused]
    verdicts = [(claim, verdict) for study in reports for claim, verdict in study.verdicts.items()]
    claims = {claim for claim, _ in verdicts}
    figures = {
        figure
        for experiment in experiments().values()
        if not _same_in_every_study(experiment)
        for figure in experiment.figures
    }
    reached = {claim for claim, verdict in verdicts if verdict == Verdict.TOO_FEW_DATA}
    empty = {figure for study in reports for figure in study.empty_figures}
    print(
        f"of {len(reports)} reports: too little data for {len(reached)} of {len(claims)} claims "
        f"and {len(empty)} of {len(figures)} figures"
    )
    return claims - reached, figures - empty


def main() -> int:
    """Try cases for some seconds; return 1 if one of them is wrong."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--case", type=int, help="try this one alone")
    parser.add_argument("--from", dest="first", type=int, default=1000, help="the first case")
    arguments = parser.parse_args()
    seen, studies, wrong = Counter(), [], 0
    cases = numbers(arguments.first, seconds=arguments.seconds)
    for case in cases if arguments.case is None else [arguments.case]:
        result = outcome(case)
        studies.append(result.ended)
        seen["wrong" if result.fault else "refused" if result.ended.refused else "a report"] += 1
        if result.fault or arguments.case is not None:
            print(f"case {case}: {result.design}\n{result.ended.refused}{result.fault}", flush=True)
        wrong += bool(result.fault)
    print(", ".join(f"{times} {what}" for what, times in sorted(seen.items())))
    claims, figures = never_too_few(studies)
    print("never too few for", ", ".join(sorted(claims | figures)) or "none")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
