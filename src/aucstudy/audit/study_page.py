"""The page of a whole study, from its task store and scores."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from aucstudy.area_names import AREAS
from aucstudy.audit.noise import resampled_areas
from aucstudy.audit.page import SHOWN_FIRST, area_metrics, page
from aucstudy.audit.payload import curves, task_entry, verdict
from aucstudy.statistics.ranks import average_ranks, rounded
from aucstudy.store.task_store import read_predictions, read_tasks

VERDICT_WORDS = {
    "agree": "the same model wins by AUROC, AUPR, AUPRG and AP",
    "tied": "only ties stand between the winners",
    "noise": "the winners differ, but not by more than noise",
    "real": "the winners differ by more than noise",
}


def study_page(
    study: str,
    store: Path | str,
    scores: pd.DataFrame,
    *,
    curve_tasks: int,
    resamples: int,
    seed: int,
    done: Callable[[str], None] = lambda task_id: None,
) -> str:
    """The page of a study.

    Parameters
    ----------
    scores : of one aggregation.
    curve_tasks : how many tasks the page holds the curves of: those whose ranks by AUPR and AUPRG agree least.
    resamples : of the rows of each task, for its noise verdict.
    done : is told each task when it is finished.
    """
    tasks = read_tasks(store).set_index("task_id")
    by_task = {str(task_id): part.set_index("run_id") for task_id, part in scores.groupby("task_id")}
    names = sorted(set(scores["flow_name"]))
    place = {name: i for i, name in enumerate(names)}
    shown = _task_names(tasks["dataset_name"])
    drawn = set(least_agreeing(by_task, curve_tasks))
    entries, verdicts = [], []
    for task_id, part in by_task.items():
        predictions = read_predictions(store, task_id)
        part = part.loc[list(predictions.run_ids)]
        y, s = predictions.y_true, predictions.scores
        draws = resampled_areas(y, s, predictions.folds, resamples=resamples, seed=seed)
        verdicts.append(verdict(part[list(AREAS)], draws))
        entries.append(
            task_entry(
                shown[task_id],
                [place[name] for name in part["flow_name"]],
                part[list(SHOWN_FIRST)],
                n=len(y),
                prevalence=float(y.mean()),
                noise=verdicts[-1],
                drawn=curves(y, s) if task_id in drawn else None,
            )
        )
        done(task_id)
    lead = (
        f"{len(entries)} tasks, {len(names)} models. The page holds the curves of the {len(drawn)} tasks "
        "whose ranks by AUPR and AUPRG agree least."
    )
    told = {"Winners": verdict_sentences(verdicts)}
    return page(f"Study {study}", lead, told, area_metrics(), names, entries)


def _task_names(data_sets: pd.Series) -> pd.Series:
    """Each task by the name of its data set, with the task_id where another task has the same."""
    several = data_sets.duplicated(keep=False)
    return data_sets.where(~several, data_sets + " (" + data_sets.index + ")")


def least_agreeing(by_task: dict[str, pd.DataFrame], count: int) -> list[str]:
    """The tasks with the lowest correlation of ranks by AUPR and AUPRG."""
    found = []
    for task_id, part in by_task.items():
        ranks = [average_ranks(rounded(part[metric].to_numpy())) for metric in ("aupr", "auprg")]
        constant = min(map(np.ptp, ranks)) == 0
        found.append((1.0 if constant else float(np.corrcoef(*ranks)[0, 1]), task_id))
    return [task_id for _, task_id in sorted(found)[:count]]


def verdict_sentences(verdicts: Sequence[str]) -> list[str]:
    """How many tasks got each verdict."""
    count = pd.Series(verdicts).value_counts()
    return [
        f"In {count[name]} of {len(verdicts)} tasks {words}."
        for name, words in VERDICT_WORDS.items()
        if name in count
    ]
