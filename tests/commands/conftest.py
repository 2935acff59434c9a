"""Commands as functions: what they return and print."""

import pytest

from aucstudy.commands.main import main


@pytest.fixture
def run(capsys):
    """A function that runs the command and returns exit code, output and errors."""

    def call(*words: object) -> tuple[int, str, str]:
        code = main([*map(str, words)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.fixture
def refused(run):
    """A function that returns the one line of a command that ends with 1 and prints nothing else."""

    def call(*words: object) -> str:
        code, out, err = run(*words)
        assert (code, out, err.count("\n")) == (1, "", 1)
        return err

    return call


@pytest.fixture
def misused(capsys):
    """A function that returns what a command of wrong usage says."""

    def call(*words: str) -> str:
        with pytest.raises(SystemExit) as error:
            main([*words])
        assert error.value.code == 2
        return capsys.readouterr().err

    return call
