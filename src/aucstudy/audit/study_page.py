"""The page of a whole study, from payloads that are measured task by task."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from aucstudy.area_names import AREAS
from aucstudy.audit.noise import row_noise, verdict
from aucstudy.audit.page import SHOWN_FIRST, area_metrics, curves, page, task_entry
from aucstudy.audit.rankings import Rankings, winners_by_prevalence
from aucstudy.audit.text import rendered
from aucstudy.errors import InputError
from aucstudy.metrics.uncertainty.sample import Sample
from aucstudy.statistics.ranks import rank_correlation, rounded
from aucstudy.store.files import read_checked, write_with_digest
from aucstudy.store.task_store import Predictions, read_predictions


def least_agreeing(scores: pd.DataFrame, count: int) -> list[str]:
    """The tasks whose ranks by AUPR and AUPRG correlate least."""
    correlations = []
    for task_id, task_scores in scores.groupby("task_id"):
        correlation = rank_correlation(*rounded(task_scores[["aupr", "auprg"]].to_numpy().T))
        # an area that ties all models contradicts no ranking
        correlations.append((1.0 if np.isnan(correlation) else correlation, str(task_id)))
    return [task_id for _, task_id in sorted(correlations)[:count]]


def task_payload(
    predictions: Predictions, scores: pd.DataFrame, *, with_curves: bool, resamples: int, seed: int
) -> dict[str, object]:
    """One task in plain values; `entry` is named by its id, its models are numbered from 0."""
    y, s = predictions.y_true, predictions.scores
    run_scores = scores.set_index("run_id").loc[list(predictions.run_ids)]
    rankings = Rankings(y, s)
    noise = row_noise(rankings, predictions.folds, resamples=resamples, seed=seed)
    task_verdict = verdict(run_scores[list(AREAS)], noise)
    models = range(s.shape[1])
    entry = task_entry(
        predictions.task_id,
        models,
        run_scores[list(SHOWN_FIRST)],
        n=len(y),
        prevalence=float(y.mean()),
        verdict=task_verdict,
        drawn=curves(Sample(y, s), winners_by_prevalence(rankings, models)) if with_curves else None,
    )
    return {
        "task_id": predictions.task_id,
        "models": run_scores["flow_name"].tolist(),
        "verdict": task_verdict,
        "entry": entry,
    }


def task_payloads(
    store: Path | str,
    scores: pd.DataFrame,
    task_ids: Collection[str] | None = None,
    *,
    curve_tasks: int,
    resamples: int,
    seed: int,
) -> list[dict[str, object]]:
    """Of some tasks of a store, None for all; `scores` are of all tasks, in one aggregation."""
    curved, noise = set(least_agreeing(scores, curve_tasks)), {"resamples": resamples, "seed": seed}
    return [
        task_payload(read_predictions(store, task_id), task_scores, with_curves=task_id in curved, **noise)
        for task_id, task_scores in scores.groupby("task_id")
        if task_ids is None or task_id in task_ids
    ]


def write_payloads(payloads: Sequence[Mapping[str, Any]], path: Path | str) -> None:
    write_with_digest(path, json.dumps(list(payloads), separators=(",", ":"), allow_nan=False).encode())


def read_payloads(paths: Iterable[Path | str]) -> list[dict[str, object]]:
    payloads = []
    for path in paths:
        try:
            payloads += json.loads(read_checked(path))
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({error.strerror or error}); delete it") from None
        except ValueError as error:
            raise InputError(f"{path}: not JSON ({error}); delete it") from None
    return payloads


def study_page(study: str, tasks: pd.DataFrame, payloads: Iterable[Mapping[str, Any]]) -> str:
    payloads = sorted(payloads, key=lambda payload: payload["task_id"])
    titles = tasks.set_index("task_id")["dataset_name"]
    # with the task_id where another task has the same data set
    titles = titles.where(~titles.duplicated(keep=False), titles + " (" + titles.index + ")")
    names = sorted({name for payload in payloads for name in payload["models"]})
    index = {name: i for i, name in enumerate(names)}
    entries = [
        {
            **payload["entry"],
            "name": titles[payload["task_id"]],
            "models": [index[name] for name in payload["models"]],
        }
        for payload in payloads
    ]
    verdicts = Counter(payload["verdict"] for payload in payloads)
    n_drawn = sum("curves" in entry for entry in entries)
    text, sections = rendered(
        "study.j2", counts=verdicts, n_tasks=len(entries), n_models=len(names), n_drawn=n_drawn
    )
    return page(f"Study {study}", text.lead, sections, area_metrics(), names, entries)
