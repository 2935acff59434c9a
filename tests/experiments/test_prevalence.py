"""Disagreement by prevalence on cases with known answers."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from measured import measured, predictions_of

from aucstudy.experiments import multiverse_prevalence
from aucstudy.metrics import areas_many
from aucstudy.statistics.ranks import agreement, rounded


def made_task(seed, share=0.25):
    rng = np.random.default_rng(seed)
    y = np.arange(100) < 100 * share
    return predictions_of(y, rng.normal(size=(100, 6)) + 0.5 * y[:, None], f"t{seed}")


def test_moved_to_its_own_prevalence_a_task_disagrees_as_it_does():
    for seed in range(5):
        task = made_task(seed)
        own = areas_many(task.y_true, task.scores)
        moved = measured(multiverse_prevalence, [task], prevalences=[0.25])["moved"]
        found = moved.set_index(["first", "second", "top"])["differs"]
        for (first, second, top), differs in found.items():
            values = (rounded(getattr(own, area)) for area in (first, second))
            assert differs == pytest.approx(1 - agreement(*values, top))


def test_bins_hold_every_task_once_and_strata_share_a_bin_out():
    tasks = [made_task(k, share) for k, share in enumerate((0.04, 0.08, 0.15, 0.25, 0.4, 0.3))]
    facts = pd.DataFrame(
        {
            "task_id": [task.task_id for task in tasks],
            "prevalence": [task.y_true.mean() for task in tasks],
            "n_positive": [4, 8, 150, 25, 400, 60],
            "source_group": list("aabbcd"),
        }
    )
    groups = facts.set_index("task_id")["source_group"].to_dict()
    moved = measured(multiverse_prevalence, tasks, groups, prevalences=[0.1, 0.5])["moved"]
    own = moved[(moved["prevalence"] == 0.1) & (moved["top"] == 1)].drop(columns=["prevalence", "top"])
    by_task = own.rename(columns={"differs": "p_best_differs"}).assign(p_top3_differs=0.0)
    study = SimpleNamespace(table=lambda name: by_task, tasks=facts, frames={"moved": moved})
    table = multiverse_prevalence.over_all(study, bootstrap=100, seed=1)["prevalence"]
    across = table[(table["scope"] == "across tasks") & (table["top"] == 1) & (table["first"] == "auprg")]
    whole = across[across["positives"] == "all"]
    assert whole["n_tasks"].sum() == len(tasks)
    strata = across[across["positives"] != "all"].groupby("prevalence_low")["n_tasks"].sum()
    assert strata.tolist() == whole["n_tasks"].tolist()
    within = table[(table["scope"] == "within tasks")]
    assert (within["n_tasks"] == len(tasks)).all()
    by_positives = table[
        (table["scope"] == "by positives") & (table["top"] == 1) & (table["first"] == "auprg")
    ]
    few, many, difference = by_positives["estimate"]
    assert by_positives["n_tasks"].tolist() == [4, 2, 6]
    assert difference == pytest.approx(many - few)
    certain = table[table["estimate"].isin([0, 1]) & (table["scope"] != "by positives")]
    assert (certain["low"] < certain["high"]).all()
