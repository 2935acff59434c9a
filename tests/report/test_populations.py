"""The populations side by side say what each study's own tables say."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from aucstudy.report.populations.__main__ import write_populations
from aucstudy.report.populations.factors import JOINTLY, factors
from aucstudy.report.populations.numbers import GAP, PAPER, Population, overlap, side_by_side
from aucstudy.report.populations.page import populations_page

from aucstudy.errors import InputError
from aucstudy.store.tables import read_table, write_table

ROOT = Path(__file__).parents[2]
COMMITTED = ROOT / "results" / "populations" / "tables"
NAMES = ("populations", "populations_factors", "populations_rules", "populations_overlap")
PAIRS = [("aupr", "auprg"), ("aupr", "auroc"), ("auprg", "auroc")]


@pytest.fixture(scope="module")
def default():
    return Population("default", ROOT / "results" / "default" / "tables")


def made_study(folder, groups, *, positives, differs, tied=None):
    """A study whose tasks t0, t1, ... have these groups, numbers of positives and shares, for every pair of areas."""
    ids = [f"t{k}" if isinstance(k, int) else k for k in range(len(groups))]
    tasks = pd.DataFrame({"task_id": ids, "dataset_id": ids, "source_group": groups, "n_positive": positives})
    rows = [
        {"task_id": task, "source_group": group, "first": first, "second": second, "best_second": "x",
         "best_first": "x|y" if is_tied else "x", "p_best_differs": p, "p_top3_differs": p, "rank_correlation": 1 - p}
        for task, group, p, is_tied in zip(ids, groups, differs, tied or [False] * len(ids), strict=True)
        for first, second in PAIRS
    ]  # fmt: skip
    write_table(tasks, folder / "tasks.csv")
    write_table(pd.DataFrame(rows), folder / "disagreement_tasks.csv")
    return Population(folder.name, folder)


def test_the_shares_and_the_gap_closed_are_those_of_the_studys_own_tables(default):
    made = side_by_side([default]).query("study == 'default' and positives == 'all'")
    shares = read_table(default.tables / "disagreement.csv").query("ties == 'expected'")
    for top, quantity in ((1, "best model differs"), (3, "first three differ")):
        here, own = (
            frame.set_index(["first", "second"]).loc[PAIRS, ["estimate", "low", "high"]]
            for frame in (made[made["quantity"] == quantity], shares[shares["top"] == top])
        )
        np.testing.assert_allclose(here, own, atol=1e-11)
    moved = read_table(default.tables / "prevalence_shift.csv").query("ratio == '1:1' and area == 'aupr'")
    gap = made[made["quantity"] == GAP].set_index("first")["estimate"]
    np.testing.assert_allclose(gap, moved.set_index("estimator").loc[gap.index, "gap_closed"], atol=1e-9)


def test_many_minus_few_positives_is_the_test_of_the_prevalence_experiment(default):
    here = factors([default]).query("factor == 'positives' and quantity == 'best model differs'")
    own = read_table(default.tables / "prevalence.csv").query("positives == 'many minus few' and top == 1")
    ends = ["estimate", "low", "high"]
    np.testing.assert_allclose(here[ends], own[ends], atol=1e-9)


def test_strata_of_positives_hold_every_task_once(default):
    counts = side_by_side([default]).query("quantity == 'tied top' and first == 'aupr' and second == 'auprg'")
    by_stratum = counts.set_index("positives")["n_tasks"]
    assert by_stratum.drop("all").sum() == by_stratum["all"] == 60


def test_learners_are_compared_on_the_tasks_that_both_studies_have_and_tasks_by_new_groups(tmp_path):
    groups, new = [f"g{k}" for k in range(10)], [f"n{k}" for k in range(10)]
    first = made_study(tmp_path / "first", groups, positives=[30] * 10, differs=[0.2] * 10)
    again = made_study(
        tmp_path / "again", [*groups, *new], positives=[30] * 20, differs=[0.5] * 10 + [0.9] * 10
    )
    made = factors([first, again]).query("quantity == 'best model differs' and first == 'aupr'")
    made = made[(made["second"] == "auroc") & (made["positives"] == "all")].set_index("factor")
    alone = made[made["against"] != JOINTLY]
    assert alone.loc["learners", "estimate"] == pytest.approx(0.3)
    assert alone.loc["learners", "n_tasks"] == 10
    assert alone.loc["tasks", "estimate"] == pytest.approx(0.4)
    assert alone.loc["tasks", "against"] == "again, groups of first"


def test_factors_that_add_up_are_told_apart_when_all_are_held_fixed(tmp_path):
    rng = np.random.default_rng(1)
    groups, many, tied = [f"g{k}" for k in range(40)], rng.random(40) < 0.5, rng.random(40) < 0.3
    base = 0.5 - 0.2 * many - 0.1 * tied
    first = made_study(tmp_path / "first", groups, positives=50 + 100 * many, differs=base, tied=list(tied))
    other = made_study(
        tmp_path / "other", groups, positives=50 + 100 * many, differs=base + 0.15, tied=list(tied)
    )
    made = factors([first, other]).query("quantity == 'best model differs' and against == @JOINTLY")
    assert made.empty  # no new tasks: the model cannot tell them from the rest
    new = [f"n{k}" for k in range(40)]
    wider = made_study(
        tmp_path / "wider", [*groups, *new], positives=np.tile(50 + 100 * many, 2), tied=list(tied) * 2,
        differs=np.concatenate([base + 0.15, base + 0.15 + 0.05]),
    )  # fmt: skip
    made = factors([first, wider]).query("quantity == 'best model differs' and against == @JOINTLY")
    effects = made[made["second"] == "auprg"].set_index("factor")["estimate"]
    assert effects.to_dict() == pytest.approx(
        {"positives": -0.2, "ties": -0.1, "tasks": 0.05, "learners": 0.15}
    )


def test_a_source_group_that_stands_in_two_studies_is_counted_once(tmp_path):
    first = made_study(tmp_path / "first", ["a", "b"], positives=[30, 300], differs=[0, 1.0])
    second = made_study(tmp_path / "second", ["b", "c"], positives=[30, 30], differs=[0, 1.0])
    assert overlap([first, second])["groups_in_an_earlier_one"].tolist() == [0, 1]


def test_a_study_without_tables_is_named(tmp_path):
    with pytest.raises(
        InputError, match=r"nowhere/tables: no tasks.csv; wanted: the tables of a finished study"
    ):
        write_populations(tmp_path, ["nowhere"])
    assert not (tmp_path / "results").exists()


def test_two_studies_make_tables_figure_and_page(tmp_path):
    groups = [f"g{k}" for k in range(12)]
    for name in ("one", "two"):
        folder = tmp_path / "results" / name / "tables"
        made_study(folder, groups, positives=[20, 100, 300] * 4, differs=[0, 1, 0.5] * 4)
    write_populations(tmp_path, ["one", "two"])
    page = (tmp_path / "docs" / "populations.md").read_text()
    out = tmp_path / "results" / "populations"
    assert {path.stem for path in (out / "tables").iterdir()} == set(NAMES)
    assert (out / "figures" / "populations.svg").stat().st_size > 0
    assert f"| {PAPER} | all | 24 | 29 | 22 |" in page
    assert "learners | two | one | all | +0 (+0 to +0)" in page


def test_the_committed_page_and_table_are_those_of_the_committed_studies():
    tables = [read_table(COMMITTED / f"{name}.csv") for name in NAMES]
    assert populations_page(*tables) == (ROOT / "docs" / "populations.md").read_text(encoding="utf-8")
    studies = [Population(name, ROOT / "results" / name / "tables") for name in tables[3]["study"]]
    made = side_by_side(studies).replace("", np.nan)
    pd.testing.assert_frame_equal(made, tables[0], check_dtype=False, atol=1e-10)
