"""The rule quotes its table, and says nothing where the table holds nothing."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from aucstudy.audit.decision import EVIDENCE, decide, evidence
from aucstudy.errors import InputError
from aucstudy.experiments.contract import page
from aucstudy.experiments.decision import DIRECTIONS, condensed
from aucstudy.experiments.decision_rule import evidence_at, preferences, safest_area

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "results" / "default" / "tables" / "decision.csv"
COLUMNS = " ".join(page("decision").front["tables"]["decision"]["columns"]).split()


def choices(excess, positives=(10, 30), prevalences=(0.1, 0.5), truth_model="fitted"):
    """A table of simulated choices; `excess` by (chooser, judge), else 0."""
    return pd.DataFrame(
        [
            {
                "positives": n, "prevalence": p, "truth_model": truth_model, "chooser": a, "judged_by": b,
                "excess_regret": excess.get((a, b), 0.0), "excess_mc_se": 0.001, "n_sets": 2, "draws": 5,
            }
            for n in positives
            for p in prevalences
            for a, b in DIRECTIONS
        ]
    )  # fmt: skip


def table_of(**tables):
    n = tables.pop("n", 6)
    names = [f"t{i}" for i in range(n)]
    sizes = pd.DataFrame({"positives": 20, "prevalence": 0.2}, index=pd.Index(names, name="task_id"))
    return condensed(tables, sizes).reindex(columns=COLUMNS)


def swaps(n, differs):
    return pd.DataFrame(
        {
            "task_id": [f"t{i}" for i in range(n)], "source_group": [f"g{i}" for i in range(n)], "first": "aupr",
            "second": "auroc", "p_best_differs": differs,
        }
    )  # fmt: skip


def test_a_cost_matters_only_where_two_errors_below_it_is_above_a_point():
    for cost, verdict in ((0.0119, "noise"), (0.0121, "matters")):
        table = table_of(simulated_choices=choices({("auroc", "aupr"): cost}))
        row = table[(table["first"] == "auroc") & (table["second"] == "aupr")].iloc[0]
        assert (row["verdict"], row["high"], row["n"]) == (verdict, pytest.approx(cost + 0.002), 10)


def test_the_largest_corner_of_a_band_is_its_cost():
    worse = choices({("auroc", "aupr"): 0.03}, prevalences=(0.1,))
    better = choices({("auroc", "aupr"): 0.001}, prevalences=(0.5,))
    table = table_of(simulated_choices=pd.concat([worse, better], ignore_index=True))
    assert table["estimate"].max() == 0.03


def test_a_band_without_all_its_corners_is_not_given():
    assert table_of(simulated_choices=choices({}, prevalences=(0.1, 0.4))).empty


def test_power_and_level_are_those_of_the_test_by_halves_in_their_best_and_worst_cell():
    rows = [
        (10, False, "halves", 0.2),
        (30, False, "halves", 0.1),
        (30, False, "bootstrap", 0.9),
        (30, True, "halves", 0.03),
    ]
    tested = pd.DataFrame(rows, columns=["positives", "is_null", "test", "p_real"])
    table = table_of(simulated_swaps=tested.assign(first="aupr", second="auroc", mc_se=0.02, tests=100))
    assert table.set_index("quantity")["estimate"].to_dict() == {"power": 0.2, "level": 0.03}


def test_few_source_groups_give_no_share():
    assert table_of(disagreement_tasks=swaps(4, 1.0)).empty
    row = table_of(disagreement_tasks=swaps(6, [1, 0, 0, 1, 0, 1])).iloc[0]
    assert (row["estimate"], row["n"], row["n_groups"], row["source"]) == (0.5, 6, 6, "disagreement_tasks")


def test_the_sentence_names_the_cost_and_the_area_that_loses_least():
    costs = {("auroc", "aupr"): 0.04, ("auprg", "aupr"): 0.005, ("aupr", "auroc"): 0.002}
    table = table_of(simulated_choices=choices(costs), disagreement_tasks=swaps(6, 1.0))
    said = decide(20, 0.2, None, table)
    assert "choosing by AUROC costs up to 4.2 points of AUPR (largest estimate 4.0)" in said
    assert "use AUPR: by the standard of the two others it costs less than 0.4 points" in said
    assert "the best models differ between AUPR and AUROC in 100 % (54 to 100)" in said
    assert safest_area(table[table["quantity"] == "cost"])[0] == "aupr"


def test_where_no_cost_matters_the_sentence_bounds_it():
    said = decide(20, 0.2, None, table_of(simulated_choices=choices({("auroc", "aupr"): 0.008})))
    assert "the largest is less than 1.0 points (AUPR, lost by choosing by AUROC)" in said
    assert "is not known: too few tasks" in said


@pytest.mark.parametrize(("n", "prevalence"), [(9, 0.2), (31, 0.2), (20, 0.09), (20, 0.51)])
def test_outside_of_the_evidence_there_is_no_number_but_the_range(n, prevalence):
    said = decide(n, prevalence, None, table_of(simulated_choices=choices({})))
    assert said.startswith(f"No rule: {n} positives")
    assert said.endswith("from 10 to 30 positives and prevalence 0.1 to 0.5.")


def test_without_simulations_there_is_no_rule():
    assert decide(20, 0.2, None, table_of()) == (
        "No rule: the study has no evidence on what a choice among areas costs."
    )


@pytest.mark.parametrize("numbers", [(0, 0.2, None), (np.nan, 0.2, None), (20, 1.0, None), (20, 0.2, -0.1)])
def test_numbers_that_no_data_have_are_refused(numbers):
    with pytest.raises(InputError, match="is wanted"):
        decide(*numbers, evidence())


def test_a_value_on_a_boundary_belongs_to_the_upper_band_and_the_last_end_to_the_last():
    table = evidence()
    for n, band in ((30, (30, 100)), (29, (10, 30)), (10_000, (1000, 10_000))):
        rows = evidence_at(table, "cost", n, 0.5)
        assert len(rows) == len(DIRECTIONS)
        assert set(zip(rows["positives_from"], rows["positives_to"], strict=True)) == {band}


def test_a_margin_chooses_the_bands_of_margins():
    assert "a lead of 0.02 to 1 in AUPR" in decide(50, 0.05, 0.1, evidence())
    assert "a lead of" not in decide(50, 0.05, None, evidence())


def test_every_number_of_the_evidence_has_a_source_an_interval_and_a_count():
    table = evidence()
    assert table[["source", "n", "low", "high", "counted"]].notna().all().all()
    assert ((table["low"] <= table["estimate"]) & (table["estimate"] <= table["high"])).all()


def test_a_preference_that_tasks_of_this_size_show_to_be_too_small_is_none():
    use = evidence().query("quantity == 'use'")
    clear, silent = preferences(use)
    assert len(clear) == 3
    assert "F2" not in silent
    small = clear.assign(low=-0.005, high=0.009)
    none, all_silent = preferences(use, small)
    assert none.empty
    assert "F2" in all_silent


def test_docs_choosing_is_made_from_the_evidence(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs" / "making")
    import choosing

    made = choosing.choosing_page(evidence(), pd.read_csv(choosing.PRIMARY))
    assert choosing.PAGE.read_text(encoding="utf-8") == made


def test_the_evidence_is_the_table_of_the_default_study():
    assert EVIDENCE.read_bytes() == TABLE.read_bytes()
