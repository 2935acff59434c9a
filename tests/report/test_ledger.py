"""The verdicts in words."""

import pytest
from aucstudy.report.ledger import verdict_words

from aucstudy.claims.verdicts import Verdict


def items(*published):
    return [{"published": f"{number:g}", "low": 10.0, "high": 20.0} for number in published]


@pytest.mark.parametrize(
    ("verdict", "published", "words"),
    [
        (Verdict.INSIDE, (10.0, 20.0), "published 10 and 20 inside our intervals"),
        (Verdict.BELOW, (15.0, 9.9), "published 15 inside, 9.9 below our intervals"),
        (Verdict.BOTH_SIDES, (3.0, 21.0, 15.0), "published 15 inside, 3 below, 21 above our intervals"),
    ],
)
def test_a_number_of_other_tasks_is_placed_by_each_interval(verdict, published, words):
    assert verdict_words(verdict, items(*published)) == f"other tasks: {words}"


def test_other_verdicts_need_no_numbers():
    assert verdict_words(Verdict.SUPPORTS, items(3.0)) == "supported"
    assert verdict_words("not available", []) == "not available"
