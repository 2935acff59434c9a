"""Random files, names, arguments and configurations never end in a traceback; see `fuzz.commands` for more of them."""

import pytest
from fuzz.commands import fault, fuzz, outcome


@pytest.mark.parametrize("seed", range(4))
def test_every_command_ends_with_0_1_or_2_and_an_error_is_one_line(seed):
    number, faults = fuzz(cases=50, seed=seed)
    assert number == 50
    assert faults == []


@pytest.mark.parametrize(
    "words",
    [
        ["score", "absent.csv", "--label", "y"],
        ["run", "absent.yaml"],
        ["fetch", "absent.yaml"],
        ["audit"],
        ["nothing"],
    ],
)
def test_a_command_that_cannot_work_ends_with_1_or_2(words):
    result = outcome(words)
    assert result[0] in (1, 2)
    assert fault(*result) == ""


def test_the_fuzzer_sees_tracebacks_long_lines_second_lines_and_escapes():
    assert fault(0, "", "") == ""
    assert fault(70, "", "Traceback (most recent call last):\n")
    assert fault(1, "", "aucstudy: one\ntwo\n")
    assert fault(1, "", "aucstudy: \x1b[31m\n")
    assert fault(0, "", "aucstudy: note: " + "x" * 5000 + "\n")
    assert fault(0, "", "RuntimeWarning: divide by zero\n")
