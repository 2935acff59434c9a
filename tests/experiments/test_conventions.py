"""The conventions experiment on rankings small enough to work out by hand."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from measured import estimates, measured, predictions_of

from aucstudy.claims.verdicts import Evidence
from aucstudy.experiments import conventions
from aucstudy.experiments.contract import experiments
from aucstudy.experiments.conventions import (
    ANY,
    COUNTED,
    convention_values,
)
from aucstudy.report.page import findings

Y = np.array([1, 1, 1, 0, 0, 0, 0, 0, 0, 0], dtype=bool)
CONSTANT = np.full(10, 0.5)
WEAK = np.array([0.5, 0.4, 0.1, 0.9, 0.8, 0.3, 0.3, 0.2, 0.05, 0.0])


def predictions(*models, y=Y):
    return predictions_of(y, np.column_stack(models), runs=[f"m{i}" for i in range(len(models))])


def compared(made, source_group):
    return measured(conventions, [made], {"t": source_group})["conventions_tasks"]


def test_a_constant_model_has_the_values_of_the_definitions():
    values = convention_values(predictions(CONSTANT)).iloc[0]
    assert values["exact"] == values["average_precision"] == pytest.approx(0.3)
    assert values["trapezoid"] == pytest.approx(0.65)
    assert values["left_dropped"] == 0
    assert values["tied_pairs"] == 1


def test_the_trapezoid_makes_a_constant_model_win_and_the_exact_area_does_not():
    by_rival = compared(predictions(CONSTANT, WEAK), "g").set_index("rival")
    assert by_rival.loc["trapezoid", "best_rival"] == "m0"
    assert by_rival.loc["trapezoid", ["best_exact", "p_best_differs"]].to_list() == ["m1", 1]
    assert by_rival.loc["average_precision", "p_best_differs"] == 0
    assert by_rival.loc[ANY, "p_best_differs"] == 1


def test_equal_models_never_disagree():
    found = compared(predictions(WEAK, WEAK, WEAK), "g")
    assert (found["p_best_differs"] == 0).all()
    assert found["p_top3_differs"].dropna().eq(0).all()


def test_any_is_at_least_the_largest_rival_and_at_most_their_sum():
    rng = np.random.default_rng(1)
    for _ in range(20):
        y = rng.random(40) < 0.3
        y[:2] = True, False
        found = compared(predictions(*rng.integers(0, 4, (5, 40)) / 4, y=y), "g").set_index("rival")
        rivals = found.loc[list(COUNTED), "p_best_differs"]
        assert rivals.max() - 1e-12 <= found.loc[ANY, "p_best_differs"] <= rivals.sum() + 1e-12


def test_shares_count_tasks_and_classes_hold_every_task_once():
    frames = []
    for i, models in enumerate([(CONSTANT, WEAK), (WEAK, WEAK), (WEAK, CONSTANT)]):
        frames.append(compared(predictions(*models), f"g{i}").assign(task_id=f"t{i}"))
    shares = estimates(conventions, {"conventions_tasks": pd.concat(frames)}, "differs")
    whole = shares[(shares["subset"] == "all") & (shares["at"] == 1)].set_index("second")
    assert whole.loc["trapezoid", "estimate"] == pytest.approx(2 / 3)
    assert 0 <= whole.loc["trapezoid", "low"] <= 2 / 3 <= whole.loc["trapezoid", "high"] <= 1
    by_ties = shares[shares["subset"].str.contains("tied pairs")]
    by_positives = shares[shares["subset"].str.contains("positives")]
    for of_classes in (by_ties, by_positives):
        assert (of_classes.groupby(["second", "at"])["n_tasks"].sum() == 3).all()


def test_the_excess_over_the_exact_area_is_told_even_where_no_winner_changes():
    by_task = compared(predictions(CONSTANT, CONSTANT), "g")
    frames = {"conventions_tasks": by_task}
    excess = conventions.over_all(SimpleNamespace(frames=frames), seed=1)["conventions_excess"].set_index(
        "rival"
    )
    mean = estimates(conventions, frames, "mean excess").set_index("first")["estimate"]
    assert (by_task["p_best_differs"] == 0).all()
    assert [mean["trapezoid"], *excess.loc["trapezoid", ["median", "largest"]]] == pytest.approx([0.35] * 3)
    assert mean["average_precision"] == pytest.approx(0, abs=1e-12)


def test_a_share_of_0_in_all_tasks_has_an_upper_bound():
    frames = [compared(predictions(WEAK, WEAK), f"g{i}") for i in range(4)]
    frames = [frame.assign(task_id=f"t{i}") for i, frame in enumerate(frames)]
    shares = estimates(conventions, {"conventions_tasks": pd.concat(frames)}, "differs")
    assert (shares["estimate"] == 0).all()
    assert (shares["high"] > 0.5).all()


def test_what_only_computer_vision_prefers_has_its_rows_and_does_not_count_for_any():
    y = np.array([0, 0, 1, 0, 1, 1, 0, 0, 1], dtype=bool)
    first = np.arange(9, 0, -1) / 10
    # The second model ranks the classes as 001010110.
    second = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.3, 0.4, 0.1, 0.2])
    found = compared(predictions(first, second, y=y), "g").set_index("rival")
    differs = found.index[found["p_best_differs"] == 1]
    assert set(differs) == {"envelope", "envelope_11", "envelope_101"}
    assert found.loc[ANY, "p_best_differs"] == 0


def test_the_finding_counts_rules_for_classification_and_tells_of_computer_vision_where_it_has_rows():
    frames = [compared(predictions(CONSTANT, WEAK), f"g{i}").assign(task_id=f"t{i}") for i in range(3)]
    table = estimates(conventions, {"conventions_tasks": pd.concat(frames)}).assign(experiment="conventions")

    def said_of(table):
        evidence = Evidence(Path(), "", weight="task", read={"estimates": table})
        return findings(experiments()["conventions"], evidence)

    said = said_of(table)
    assert "tasks, at least one of 9 other rules for AUPR picks a different best model" in said
    assert "AP from the envelope of precision. In " in said
    assert "of these tasks, this AP picks a different best model than the exact AUPR does." in said
    # Tables that were committed before these rules existed have no rows of them.
    is_vision = table["first"].str.startswith("envelope") | table["second"].str.startswith("envelope")
    assert "COCO" not in said_of(table[~is_vision])
