"""Models chosen on some rows and judged on others, on cases with known answers.

The tests are of cuts, ties, differences and verdicts.
"""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from measured import estimates, measured, predictions_of
from sklearn.metrics import f1_score, roc_auc_score

from aucstudy.estimates import SUBSETS
from aucstudy.experiments import selection
from aucstudy.experiments.inputs import Study
from aucstudy.experiments.selection import (
    AT_LEAST,
    RANKS,
    SPREADS,
    STRATA,
    differences,
    judging_folds,
    means_of_chosen,
    self_agreement,
    verdict,
    winners,
)
from aucstudy.figures import selection as drawings
from aucstudy.metrics import areas
from aucstudy.metrics.choosing import UTILITIES
from aucstudy.statistics.seeds import generator
from aucstudy.statistics.stratified import stratified_parts
from aucstudy.store.tables import write_table


def made_task(name="made", n=120, positives=40, models=5, seed=0, folds=6):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) < positives)
    fold = np.empty(n, dtype=int)
    for value in (True, False):
        rows = np.flatnonzero(y == value)
        fold[rows] = np.arange(len(rows)) % folds
    scores = np.round(rng.normal(size=(n, models)) + y[:, None] * np.linspace(0.5, 1.5, models), 1)
    scores[:, 1] = scores[:, 0]
    return dataclasses.replace(predictions_of(y, scores, name), fold=fold)


def test_the_utilities_of_a_choice_on_halves_are_what_scikit_learn_says_of_the_same_halves():
    task, splits = made_task(), 3
    row = measured(selection, [task], splits=splits)["selection_tasks"].set_index(["design", "selected_by"])
    y, scores = task.y_true, task.scores
    quarters = stratified_parts(y, task.folds, task.row_id, 4, splits, generator(1, "made", "selection"))
    auroc, f1 = [], []
    for quarter in quarters:
        for way in (0, 1):
            chooses, judges = quarter % 2 == way, quarter % 2 != way
            by_area = np.round([areas(y[chooses], s[chooses]).auprg for s in scores.T], 12)
            tied = np.flatnonzero(by_area == by_area.max())
            auroc.append(np.mean([roc_auc_score(y[judges], scores[judges, m]) for m in tied]))
            f1.append(np.mean([f1_at_the_best_threshold(y, scores[:, m], chooses, judges) for m in tied]))
    assert row.loc[("halves", "auprg"), "auroc"] == pytest.approx(np.mean(auroc), abs=1e-12)
    assert row.loc[("halves", "auprg"), "f1"] == pytest.approx(np.mean(f1), abs=1e-12)
    assert row.loc[("halves", "auprg"), "n_parts"] == 2 * splits


def f1_at_the_best_threshold(y, s, chooses, judges):
    candidates = np.unique(s[chooses])[::-1]
    best = int(np.argmax(np.round([f1_score(y[chooses], s[chooses] >= t) for t in candidates], 12)))
    lower = candidates[best + 1] if best + 1 < len(candidates) else candidates[best]
    return f1_score(y[judges], s[judges] >= (candidates[best] + lower) / 2)


def test_tied_choices_share_their_weight_and_a_random_choice_takes_every_model_alike():
    values = np.array([[0.3, 0.9, 0.9 + 1e-15, 0.1]])
    assert winners(values).tolist() == [[False, True, True, False]]
    utilities = np.array([[[1.0, 2.0, 4.0, np.nan]]])
    chosen = np.stack([winners(values), np.ones((1, 4), bool)])
    assert means_of_chosen(chosen, utilities).ravel() == pytest.approx([3, 7 / 3])


def test_self_agreement_breaks_ties_by_one_shared_order():
    first, second = np.array([[True, True, False]]), np.array([[False, True, True]])
    assert self_agreement(first, second).tolist() == [1 / 3]
    assert self_agreement(first, first).tolist() == [1]


def test_a_task_gives_the_same_numbers_whatever_other_tasks_are_in_its_batch(monkeypatch):
    tasks = [made_task("a", seed=1), made_task("b", seed=2)]
    together, alone = (measured(selection, some, splits=12)["selection_tasks"] for some in (tasks, tasks[1:]))
    kept = together[together["task_id"] == "b"].reset_index(drop=True)
    pd.testing.assert_frame_equal(kept, alone)
    monkeypatch.setattr("aucstudy.statistics.stratified.CELLS_AT_ONCE", 120 * 5)
    few_at_once = measured(selection, tasks[1:], splits=12)["selection_tasks"]
    assert set(few_at_once["n_parts"]) == set(alone["n_parts"])
    assert few_at_once.notna().equals(alone.notna())


def test_folds_are_pooled_until_a_judging_part_has_enough_rows_of_each_class():
    task = made_task(positives=14, folds=7)
    choosing, judging = judging_folds(task)
    assert len(judging) == 2
    assert (judging.sum(axis=0) == 1).all()
    assert (choosing == ~judging).all()
    assert (judging[:, task.y_true].sum(axis=1) >= AT_LEAST).all()
    for part in judging:
        assert all(len(set(part[task.fold == fold])) == 1 for fold in range(7))


def test_a_fold_of_one_repeat_is_judged_by_the_folds_of_that_repeat_only():
    one, repeat = made_task(folds=3), np.repeat([0, 1], 120)
    columns = {
        name: np.concatenate([getattr(one, name)] * 2) for name in ("row_id", "fold", "y_true", "scores")
    }
    choosing, judging = judging_folds(dataclasses.replace(one, **columns, repeat=repeat))
    assert len(judging) == 6
    for chooses, judges in zip(choosing, judging, strict=True):
        assert len(set(repeat[chooses | judges])) == 1
        assert (chooses | judges).sum() == 120


def test_a_task_with_too_few_positives_is_a_row_that_says_so(tmp_path):
    frames = measured(selection, [made_task(positives=7)], splits=10)
    assert set(frames) == {"selection_rejections"}
    rejected = frames["selection_rejections"].set_index("design")
    assert rejected["reason"].to_dict() == {"halves": "too_few_in_half", "folds": "too_few_folds"}
    assert rejected.loc["halves", "detail"] == "7 rows, expected 10"
    study = Study(tmp_path, tmp_path, {"selection_tasks": pd.DataFrame(), **frames})
    assert selection.over_all(study, seed=1) == {}


def chosen_frame(values, groups, prevalences):
    """Return the choices by selection metrics that each reach one number in all utilities of a task.

    The number is .01 higher in each further task.
    """
    spreads = dict.fromkeys(SPREADS, 0.1)
    rows = [
        {
            "task_id": f"t{k}",
            "source_group": group,
            "design": design,
            "selected_by": selected_by,
            "self_agreement": 0.5,
        }
        | {
            "prevalence": prevalences[k],
            "n_positive": 9,
            "n_models": 7,
            "margin": 0.1,
            "n_perfect": 0,
            **spreads,
        }
        | dict.fromkeys((*UTILITIES, *RANKS), value + 0.01 * k)
        for k, group in enumerate(groups)
        for design in ("halves", "quarters", "folds")
        for selected_by, value in values.items()
    ]
    return pd.DataFrame(rows)


VALUES = {
    "aupr": 0.5,
    "auprg": 0.6,
    "auroc": 0.55,
    "average_precision": 0.5,
    "f1": 0.4,
    "accuracy": 0.3,
    "random": 0,
}


def test_the_matrix_holds_the_differences_to_auroc_paired_by_task():
    chosen = chosen_frame(VALUES, "abcdefg", [0.05] * 3 + [0.1] + [0.3] * 3)
    table = estimates(selection, {"selection_tasks": chosen}, "gain")
    table = table[(table["kind"] == "mean") & (table["second"] == "auroc")]
    table = table.set_index(["setting", "subset", "first", "target"]).sort_index()
    for selected_by in ("aupr", "auprg", "random"):
        row = table.loc[("halves", "all", selected_by, "f1")]
        assert row["estimate"] == pytest.approx(VALUES[selected_by] - VALUES["auroc"])
        assert row["n_tasks"] == 7
    assert table.loc[("folds", "prevalence under 0.1", "f1", "f2"), "n_tasks"] == 3
    for subset in ("all", "prevalence under 0.1"):
        assert len(table.loc["halves"].loc[subset]) == 6 * len(UTILITIES)
    assert (differences(chosen, "halves", "auprg", "aupr")["f1"].round(12) == 0.1).all()


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        ([0.01, -0.02], [0.03, 0.04], "better"),
        ([-0.03, -0.04], [-0.01, 0.02], "worse"),
        ([-0.03, 0.01], [-0.01, 0.02], "undecided"),
        ([-0.03, -0.01], [0.01, 0.02], "undecided"),
        ([-0.004, -0.005], [0.002, 0.003], "too small to matter"),
        ([0.001, 0.0], [0.002, 0.003], "better, too small to matter"),
        ([0.0, np.nan], [0.0, np.nan], "undecided"),
    ],
)
def test_the_verdict_follows_the_rule_that_was_stated(low, high, said):
    assert verdict(low, high) == said


def test_every_task_is_in_one_stratum_but_positives_are_cut_twice_and_prevalence_from_a_tenth_stands_whole_too():
    models = pd.DataFrame(
        {
            "n_positive": [10, 50, 99, 100, 200, 201],
            "prevalence": [0.01, 0.1, 0.2, 0.3, 0.31, 0.5],
            "n_models": [3, 10, 11, 29, 30, 31],
            "margin": [0, 0.001, 0.01, 0.02, 0, 0.0],
            "n_perfect": [0, 0, 0, 0, 2, 0],
        }
    )
    times = {}
    words = {
        "positives": "positives",
        "prevalence": "prevalence",
        "models": "models",
        "margin": "margin in AUPR",
    }
    for subset in STRATA:
        kind = next((words[word] for word in words if word in subset), "margin in AUPR")
        times[kind] = times.get(kind, 0) + SUBSETS[subset](models).astype(int)
    assert {name: set(count) for name, count in times.items()} == {
        "positives": {2}, "prevalence": {1, 2}, "models": {1}, "margin in AUPR": {1},
    }  # fmt: skip


def over_all(folder, tasks):
    """Measure the tasks, write the tables of the experiment into the folder, and return the study."""
    frames = measured(selection, tasks, splits=10)
    table = estimates(selection, frames, weight=None)
    study = Study(folder, folder, frames, estimates=table.assign(experiment="selection"))
    for name, table in selection.over_all(study, seed=1).items():
        write_table(table, folder / f"{name}.csv")
    return study


def test_perfect_models_alone_leave_nothing_to_tell_apart(tmp_path):
    tasks = [made_task(f"t{k}", seed=k) for k in range(3)]
    tasks = [dataclasses.replace(task, scores=np.tile(1.0 * task.y_true, (5, 1)).T) for task in tasks]
    study = over_all(tmp_path, tasks)
    pair = {
        "first": "auprg",
        "second": "aupr",
        "setting": ["halves", "folds"],
        "target": ["f1", "expected_fg1"],
    }
    for quantity in ("gain", "first is better", "second is better"):
        assert (study.numbers("selection", quantity=quantity, **pair)["estimate"] == 0).all()
    assert study.numbers("selection", quantity="gain", kind="simultaneous", **pair)["low"].isna().all()
    assert set(study.table("selection_primary")["verdict"]) == {"undecided"}
    for draw in (drawings.selection_matrix, drawings.selection_strata):
        assert len(draw(study).axes) >= 2


def test_figures_are_drawn_of_measured_tasks(tmp_path):
    study = over_all(
        tmp_path, [made_task(f"t{k}", seed=k, positives=20 + 20 * (k % 2), n=240) for k in range(8)]
    )
    assert set(study.table("selection_primary")["design"]) == {"halves", "folds"}
    for draw in (drawings.selection_matrix, drawings.selection_strata):
        assert len(draw(study).axes) >= 2
