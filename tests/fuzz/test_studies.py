"""Studies that a stranger might bring end with a report, or with one line that says which input is wrong."""

import pytest

from fuzz.studies import never_too_few, outcome

FEW, MANY, AT_ONCE = 3, 300, 20
ENDED = []  # the ends of all studies tried in this session
# For these figures two models of any task are enough.
DRAWN_OF_ANY_TASK = {"answer", "convention_choices", "fold_skew", "multiverse_shares", "rank_heat_map"}
# These figures belong to experiments that fit learners and choose their tasks.
FITTED = {"refitting"}


def tried(case):
    study = outcome(case)
    ENDED.append(study.ended)
    return study.fault


@pytest.mark.parametrize("case", range(FEW))
def test_a_strangers_small_study_ends_with_a_report_or_one_line(case):
    assert tried(case) == ""


@pytest.mark.whole
@pytest.mark.parametrize("first", range(FEW, MANY, AT_ONCE))
def test_any_study_of_a_stranger_ends_with_a_report_or_one_line(first):
    cases = range(first, min(first + AT_ONCE, MANY))
    assert {case: fault for case in cases if (fault := tried(case))} == {}


@pytest.mark.whole
def test_too_little_data_reached_every_claim_and_every_other_figure():
    assert len(ENDED) >= MANY - FEW
    assert never_too_few(ENDED) == (set(), DRAWN_OF_ANY_TASK | FITTED)
