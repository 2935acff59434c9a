"""Files damaged at random are read as what they say, or refused in one line."""

from fuzz.files import KINDS, outcomes

CASES = 300


def test_damage_never_ends_in_another_exception_or_an_answer_that_no_one_else_reads():
    results = list(outcomes(iter(range(CASES))))
    assert [(seed, found) for seed, found in results if not found.right] == []
    for kind in KINDS:
        told = {found.told for _, found in results if found.kind == kind}
        assert {"refused", "same"} <= told, "the damage is neither too weak nor too strong to show anything"
