"""On a processor whose AVX-512 makes numpy's sort slow, commands switch it off before numpy is imported."""

import json
import os
import platform
import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from types import SimpleNamespace

import pytest

from aucstudy.jobs import environment

CORE = """processor\t: {number}
vendor_id\t: {vendor}
cpu family\t: {family}
model\t\t: 17
model name\t: {name}
flags\t\t: fpu sse2 avx avx2 {flags}
bugs\t\t: sysret_ss_attrs null_seg spectre_v1

"""
ZEN_4 = {"vendor": "AuthenticAMD", "family": 25, "name": "AMD EPYC 9R14", "flags": "avx512f avx512dq"}
WHEEL = "Tag: cp311-cp311-manylinux_2_27_x86_64\nTag: cp311-cp311-manylinux_2_28_x86_64\n"

# Runs a command and prints the variable when numpy's import begins.
RUN = """
import json, os, sys
from pathlib import Path
from aucstudy.commands.main import main
from aucstudy.jobs import environment

class Watch:
    def find_spec(self, name, *_):
        if name == "numpy":
            print("at import:", json.dumps(os.environ.get("NPY_DISABLE_CPU_FEATURES")), file=sys.stderr)

environment.PROCESSOR = Path(sys.argv[1])
sys.meta_path.insert(0, Watch())
sys.exit(main(sys.argv[2:]))
"""


def cpuinfo(**facts):
    return "".join(CORE.format(number=number, **ZEN_4 | facts) for number in range(2))


@pytest.mark.parametrize(
    ("facts", "slow"),
    [
        ({}, True),
        ({"flags": "avx512dq avx512f"}, True),
        ({"name": "AMD EPYC 7763 (Zen 3, the same family)", "flags": "vaes"}, False),
        ({"name": "AMD Ryzen 9 9950X (Zen 5)", "family": 26}, False),
        ({"name": "Intel(R) Xeon(R) Platinum 8480+", "vendor": "GenuineIntel", "family": 6}, False),
        ({"vendor": "GenuineIntel"}, False),
        ({"flags": "avx512fp16"}, False),
    ],
)
def test_only_amds_family_25_with_avx_512_sorts_slowly_with_it(facts, slow):
    assert environment.sorts_slowly(cpuinfo(**facts)) is slow


def test_a_text_without_these_facts_tells_of_no_slow_processor():
    assert not environment.sorts_slowly("")
    assert not environment.sorts_slowly("processor : 0\nBogoMIPS : 50.00\nFeatures : fp asimd\n")


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """Return a function that calls `sort_quickly` on a made machine and returns the variable."""

    def variable(info=cpuinfo(), version="2.4.6", wheel=WHEEL, **variables):  # noqa: B008
        processor = tmp_path / "cpuinfo"
        processor.write_text(info)
        monkeypatch.setattr(environment, "PROCESSOR", processor)
        monkeypatch.setattr(environment, "sys", SimpleNamespace(modules={}))
        monkeypatch.setattr(environment, "os", SimpleNamespace(environ=dict(variables)))
        numpy = SimpleNamespace(version=version, read_text=lambda name: wheel)
        monkeypatch.setattr(environment, "distribution", lambda name: numpy)
        environment.sort_quickly()
        return environment.os.environ.get(environment.WITHOUT)

    return variable


@pytest.mark.parametrize(
    ("version", "names"),
    [
        ("2.1.0", "AVX512_SKX AVX512_ICL"),
        ("2.3.5", "AVX512_SKX AVX512_ICL"),
        ("2.4.0", "X86_V4 AVX512_ICL"),
        ("2.10.0rc1", "X86_V4 AVX512_ICL"),
        ("3.0.0", "X86_V4 AVX512_ICL"),
    ],
)
def test_instructions_have_the_names_that_this_numpy_knows(machine, version, names):
    assert machine(version=version) == names


def test_another_processor_is_left_alone(machine):
    assert machine(cpuinfo(family=26)) is None


def test_the_choice_of_a_user_is_kept(machine):
    assert machine(NPY_DISABLE_CPU_FEATURES="AVX2") == "AVX2"
    assert machine(NPY_DISABLE_CPU_FEATURES="") == ""
    # numpy is not imported if both variables are set.
    assert machine(NPY_ENABLE_CPU_FEATURES="AVX512_ICL") is None


def test_a_numpy_that_was_compiled_elsewhere_than_for_every_linux_may_need_avx_512(machine):
    assert machine(wheel="Tag: cp311-cp311-linux_x86_64\n") is None
    assert machine(wheel=None) is None
    assert machine(wheel="Tag: cp311-cp311-musllinux_1_2_x86_64\n")


def test_it_is_too_late_if_numpy_is_imported_already(machine):
    machine(cpuinfo(family=26))
    environment.PROCESSOR.write_text(cpuinfo())
    environment.sys.modules["numpy"] = None
    environment.sort_quickly()
    assert environment.os.environ == {}
    del environment.sys.modules["numpy"]
    environment.sort_quickly()
    assert environment.os.environ == {environment.WITHOUT: "X86_V4 AVX512_ICL"}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="numpy has these names on x86 only")
def test_the_installed_numpy_is_imported_with_these_names_without_a_warning():
    names = environment._instructions_of_sort()
    for value, code in ((names, 0), ("NO_SUCH_NAME", 1)):
        run = [sys.executable, "-W", "error::ImportWarning", "-c", "import numpy"]
        assert (
            subprocess.run(run, env={**os.environ, environment.WITHOUT: value}, check=False).returncode
            == code
        )


def test_without_numpy_or_the_file_nothing_is_set(machine, monkeypatch, tmp_path):
    machine(cpuinfo(family=26))

    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(environment, "distribution", missing)
    environment.PROCESSOR.write_text(cpuinfo())
    environment.sort_quickly()
    monkeypatch.setattr(environment, "PROCESSOR", tmp_path / "no such file")
    environment.sort_quickly()
    assert environment.os.environ == {}


@pytest.mark.parametrize(
    "command",
    [
        ["score", "scores.csv", "--label", "y"],
        ["audit", "scores.csv", "--label", "y"],
        ["curves", "scores.csv", "--label", "y", "--score", "a"],
    ],
)
def test_a_command_sets_the_variable_before_numpy_is_imported(tmp_path, command):
    (tmp_path / "cpuinfo").write_text(cpuinfo())
    rows = "".join(f"{k % 2},{k % 7},{k % 5}\n" for k in range(40))
    (tmp_path / "scores.csv").write_text("y,a,b\n" + rows)
    plain = {key: value for key, value in os.environ.items() if not key.startswith("NPY_")}
    run = subprocess.run(
        [sys.executable, "-c", RUN, "cpuinfo", *command],
        cwd=tmp_path, env=plain, capture_output=True, text=True, check=True,
    )  # fmt: skip
    (line,) = (line for line in run.stderr.splitlines() if line.startswith("at import: "))
    names = json.loads(line.removeprefix("at import: "))
    assert names == (environment._instructions_of_sort() or None)
    assert "RuntimeError" not in run.stderr
