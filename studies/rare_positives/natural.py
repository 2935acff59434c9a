"""Which metric should select a model if positives are naturally rare and the learners are those of today?"""

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd

from aucstudy.experiments.inputs import Study, Task
from aucstudy.statistics.seeds import generator

from .held_out import NATURAL
from .rare import (
    choices_on,
    drawn,
    judge_of,
    kept_groups,
    pool_of,
    rows_by_group,
    rules_table,
    selected_by_table,
)
from .rare_surface import FEWEST_GROUPS, largest_cell, surface

POOLED = 0  # in the column `prevalence`: all bands together
ROUNDS = "rounds"  # in the column `trained`: the rounds of all boosting libraries
WHOLE = 0  # in the column `positives`: all validation rows


def of_task(
    task: Task,
    *,
    bands: Sequence[float],
    positives: Sequence[int],
    models: Sequence[int],
    targets: Sequence[str],
    draws: int,
    seed: int,
) -> dict[str, pd.DataFrame]:
    facts, pool, arms = task.facts, pool_of(task), [NATURAL]
    if facts["trained"] != NATURAL:
        # The last round of boosting is selected on all validation rows, not on samples of them.
        arms, positives = [facts["trained"], ROUNDS], [WHOLE]
    judge = judge_of(task, None, targets, seed)
    rows: list[dict] = []
    for k in positives:
        random = generator(seed, facts["dataset_name"], facts["split"], k, "natural")
        samples = samples_of(pool.y_true, k, draws, random)
        if samples is not None:
            sizes = models[-1:] if k == WHOLE else models
            choices = [*choices_on(samples, pool, judge, sizes, random, proper=True)]
            for trained, prevalence in product(arms, (band_of(facts["trained_at"], bands), POOLED)):
                cell = {"trained": trained, "prevalence": prevalence, "positives": k}
                rows += [{**cell, **row} for row in choices]
    n_training_positive = facts["n_training_positive"]
    return (
        {"natural_tasks": pd.DataFrame(rows).assign(n_training_positive=n_training_positive)} if rows else {}
    )


def band_of(share: float, bands: Sequence[float]) -> float:
    """Return the upper end of the band in which a share lies; a share above all bands is in the last one.

    >>> band_of(0.0151, (0.015, 0.05))
    0.05
    """
    return min((band for band in bands if share <= band), default=bands[-1])


def samples_of(
    y_true: np.ndarray, positives: int, draws: int, random: np.random.Generator
) -> np.ndarray | None:
    """Return samples at the prevalence of the rows, as `drawn` does; for WHOLE, one sample of all rows."""
    if positives == WHOLE:
        return np.ones((1, len(y_true)), dtype=np.uint8)
    return drawn(y_true, positives, y_true.mean(), draws, random)


def over_all(study: Study, *, bootstrap: int, rules: Sequence[Mapping], seed: int) -> dict[str, pd.DataFrame]:
    tasks = study.frames.get("natural_tasks")
    if tasks is None:
        return {}
    closed = study.tasks.groupby("source_group")["closed"].first()
    rows = rows_by_group(tasks, closed)
    tables = {
        "natural_groups": rows,
        "natural": selected_by_table(rows),
        "natural_rules": rules_table(kept_groups(rows), closed, rules, bootstrap, seed, trained=NATURAL),
    }
    shown_rows = rows[rows["trained"].isin((NATURAL, ROUNDS)) & (rows["n_models"] == rows["n_models"].max())]
    if largest_cell(shown_rows) >= FEWEST_GROUPS:
        tables["natural_surface"] = surface(shown_rows, bootstrap, seed)
    return tables
