"""Tables of scores, and a page of finished metric values of the papers' size, made of random numbers."""

import numpy as np
import pandas as pd

from aucstudy.audit.page import page, task_entry
from aucstudy.reading.prediction_tables import ScoredTable

N_TASKS, N_MODELS = 886, 30
METRICS = [{"key": key, "label": key.upper()} for key in ("aupr", "auprg", "auroc")]


def made_table(y, *columns, names="abcdef"):
    """A table of some models' scores."""
    scores = np.asfortranarray(np.column_stack(columns))
    return ScoredTable(y, scores, tuple(names[: scores.shape[1]]), None, "yes", "no")


def random_table(seed=1, n=200, *, models=3, share=0.3, distance=1.0, names="abcdef"):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    return made_table(y, *(rng.normal(size=(models, n)) + distance * y), names=names)


def big_page() -> str:
    """886 tasks x 30 models."""
    rng = np.random.default_rng(0)
    names = [f"learner with a name {i}" for i in range(60)]
    tasks = []
    for number in range(N_TASKS):
        quality = rng.normal(size=N_MODELS)
        values = {
            metric["key"]: (0.8 + 0.05 * (quality + 0.3 * rng.normal(size=N_MODELS))).round(3)
            for metric in METRICS
        }
        models = rng.choice(60, N_MODELS, replace=False)
        tasks.append(task_entry(f"task {number}", models.tolist(), pd.DataFrame(values)))
    return page("Many tasks", "886 tasks.", {"Disagreement": ["One."]}, METRICS, names, tasks)
