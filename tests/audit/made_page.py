"""Make random tables of scores and of finished metric values, and read the tables of a page."""

import re

import numpy as np
import pandas as pd

from aucstudy.audit.metric_tables import MetricTable
from aucstudy.reading.prediction_tables import ScoredTable


def made_table(y, *columns, names="abcdef"):
    """Return a table of the scores of some models."""
    scores = np.asfortranarray(np.column_stack(columns))
    return ScoredTable(y, scores, tuple(names[: scores.shape[1]]), None, "yes", "no")


def random_table(seed=1, n=200, *, models=3, share=0.3, distance=1.0, names="abcdef"):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    return made_table(y, *(rng.normal(size=(models, n)) + distance * y), names=names)


def metric_table(n_tasks=20, n_models=5, metrics=("aupr", "auprg", "auroc"), seed=0):
    rng = np.random.default_rng(seed)
    tasks = np.repeat([f"task {number}" for number in range(n_tasks)], n_models).astype(object)
    models = np.tile([f"learner {number}" for number in range(n_models)], n_tasks).astype(object)
    quality = rng.normal(size=(tasks.size, 1))
    values = 0.8 + 0.05 * (quality + 0.3 * rng.normal(size=(tasks.size, len(metrics))))
    return MetricTable(tasks, models, pd.DataFrame(values.round(3), columns=list(metrics)))


def rows_of(text, table):
    """Return the texts in a table of the page, by row."""
    body = re.search(rf'<table id="{table}">(.*?)</table>', text, re.DOTALL)[1]
    cells = (re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in body.split("<tr")[1:])
    return [[re.sub("<[^>]+>", " ", cell).strip() for cell in row] for row in cells]


def normal_models(n, positives, *shifts, seed=0, shared=0.0):
    """Return labels, and scores of models a, b, ... whose positives lie so far above the negatives."""
    rng = np.random.default_rng(seed)
    y, common = np.arange(n) < positives, rng.normal(size=n)
    columns = [shared * common + (1 - shared**2) ** 0.5 * rng.normal(size=n) + shift * y for shift in shifts]
    return y, dict(zip("abcdefghijkl", columns, strict=False))


def close_models(n=5000):
    rng = np.random.default_rng(11)
    y = rng.random(n) < 0.3
    best = rng.normal(size=n) + rng.normal(size=n) + 1.5 * y
    return y, {"a": best, "b": best + 0.3 * rng.normal(size=n), "c": best + 2 * rng.normal(size=n)}
