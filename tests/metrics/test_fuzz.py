"""The fuzzer reaches every path and option, reports a wrong metric, and finds none in the package."""

import numpy as np
from fuzz import areas as fuzzing


def test_hundreds_of_random_rankings_agree_with_exact_fractions():
    assert not list(fuzzing.fuzz(cases=700, seed=1))


def test_the_cases_reach_every_path_and_option():
    rng = np.random.default_rng(2)
    cases = [fuzzing.draw(rng) for _ in range(500)]
    assert {case.kind for case in cases} == set(fuzzing.KINDS)
    for case in cases:
        if case.kind == "blocks":
            assert case.y.sum() > 256 + 1
    asked = np.array([case.prevalence for case in cases if case.prevalence])
    assert asked.min() < 1e-8
    assert asked.max() > 1 - 1e-8
    assert sum(case.clip for case in cases) > 50
    assert sum(case.recall_range != (0, 1) for case in cases) > 50
    assert sum(len(set(case.s)) < len(case.s) for case in cases) > 150


def test_a_wrong_area_is_reported_for_its_smallest_case(monkeypatch):
    """Only ties between the classes show the mistake."""
    right = fuzzing.areas

    def wrong(y, s, **options):
        got = right(y, s, **options)
        tied = np.intersect1d(s[y == 1], s[y == 0]).size
        return got._replace(auroc=got.auroc + 1e-11 * tied)

    monkeypatch.setattr(fuzzing, "areas", wrong)
    case, missing = next(fuzzing.fuzz(cases=100))
    assert len(case.y) == 2
    assert case.s[0] == case.s[1]
    assert missing == ["areas: auroc is 0.50000000001 instead of 0.5"]


def test_the_fuzzer_is_a_command(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["fuzz.areas", "--cases", "20", "--seed", "3"])
    assert fuzzing.main() == 0
    assert capsys.readouterr().out == "seed 3: 0 cases miss\n"
