"""Tables and a page of the papers' size, made of random numbers."""

import numpy as np
import pandas as pd

from aucstudy.audit.page import SHOWN_FIRST, area_metrics, curves, page, task_entry
from aucstudy.audit.rankings import Rankings, winners_by_prevalence
from aucstudy.metrics.uncertainty.sample import Sample
from aucstudy.reading.prediction_tables import ScoredTable

N_TASKS, N_MODELS = 886, 30


def made_table(y, *columns, names="abcdef"):
    """A table of some models' scores."""
    scores = np.asfortranarray(np.column_stack(columns))
    return ScoredTable(y, scores, tuple(names[: scores.shape[1]]), None, "yes", "no")


def random_table(seed=1, n=200, *, models=3, share=0.3, distance=1.0, names="abcdef"):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    return made_table(y, *(rng.normal(size=(models, n)) + distance * y), names=names)


def big_page(n_tasks: int = N_TASKS) -> str:
    """886 tasks x 30 models, twelve with curves."""
    rng = np.random.default_rng(0)
    names = [f"learner with a name {i}" for i in range(60)]
    tasks = []
    for number in range(n_tasks):
        quality = rng.normal(size=N_MODELS)
        areas = {
            metric: (0.8 + 0.05 * (quality + 0.3 * rng.normal(size=N_MODELS))).round(3)
            for metric in SHOWN_FIRST
        }
        values = pd.DataFrame(areas)
        drawn = None
        if number < 12:
            y = rng.random(400) < 0.2
            scores = rng.normal(size=(400, N_MODELS)) + y[:, None] * quality
            drawn = curves(Sample(y, scores), winners_by_prevalence(Rankings(y, scores), range(N_MODELS)))
        models = rng.choice(60, N_MODELS, replace=False)
        facts = {"n": 400 + number, "prevalence": 0.2, "verdict": "noise", "drawn": drawn}
        tasks.append(task_entry(f"task {number}", models.tolist(), values, **facts))
    return page("A study", "886 tasks.", {"Winners": ["One."]}, area_metrics(), names, tasks)
