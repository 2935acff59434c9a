"""Files that are damaged at random are read as what they say or refused with one line."""

from fuzz.files import KINDS, outcomes

CASES = 300


def test_damage_never_ends_in_another_exception_or_an_answer_that_no_one_else_reads():
    results = list(outcomes(iter(range(CASES))))
    assert [(seed, case) for seed, case in results if not case.right] == []
    for kind in KINDS:
        what = {case.what for _, case in results if case.kind == kind}
        assert {"refused", "same"} <= what, "the damage is neither too weak nor too strong to show anything"
