"""Studies that a stranger might bring end with a report, or with one line that says which input is wrong."""

import pytest

from fuzz.studies import QUICK, outcome

MANY = 60


@pytest.mark.parametrize("case", range(QUICK))
def test_a_strangers_small_study_ends_with_a_report_or_one_line(case):
    assert outcome(case).fault == ""


@pytest.mark.whole
@pytest.mark.parametrize("first", range(QUICK, MANY, 20))
def test_any_study_of_a_stranger_ends_with_a_report_or_one_line(first):
    faults = {case: made.fault for case in range(first, first + 20) if (made := outcome(case)).fault}
    assert faults == {}
