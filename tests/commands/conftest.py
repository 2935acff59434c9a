"""Fixtures that call commands as functions and return what they print."""

import pytest

from aucstudy.commands.main import main


@pytest.fixture
def run(capsys):
    """Return a function that runs a command and returns its exit code, output and errors."""

    def call(*words: object) -> tuple[int, str, str]:
        code = main([*map(str, words)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.fixture
def refused(run):
    """Return a function that runs a command, checks that it prints only one line of error, and returns it."""

    def call(*words: object) -> str:
        code, out, err = run(*words)
        assert (code, out, err.count("\n")) == (1, "", 1)
        return err

    return call


@pytest.fixture
def misused(capsys):
    """Return a function that runs a command with wrong usage and returns its error message."""

    def call(*words: str) -> str:
        with pytest.raises(SystemExit) as error:
            main([*words])
        assert error.value.code == 2
        return capsys.readouterr().err

    return call
