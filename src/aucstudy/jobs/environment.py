"""The environment variables of each job, so that the results of a study have the same bytes on every machine.

Some of them are also set by commands, which are faster with them. The Snakefile imports this module,
and numpy may not be installed where it runs.
"""

import os
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, distribution
from itertools import takewhile
from pathlib import Path

# A job computes on one core, since the workflow runs several jobs at once.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
AVX2 = {"X86_V3", "AVX2"}  # numpy's new and old name for it
WIDER = ("X86_V4", "AVX512")
WITHOUT = "NPY_DISABLE_CPU_FEATURES"
PROCESSOR = Path("/proc/cpuinfo")
# Figures are drawn in memory, whatever a notebook or a user's own settings say.
DRAWING = {
    "MPLBACKEND": "Agg",
    "MATPLOTLIBRC": str(Path(__file__).parents[1] / "figures" / "aucstudy.mplstyle"),
}

# The variable is set if the message of a failed job is taken from the end of its log. The job then does not
# print it too. The text is the beginning of that message's line.
TAKES_LINES, LINE = "AUCSTUDY_TAKES_LINES", "aucstudy: "


def environment_of_jobs(environment: Mapping[str, str], source: Path) -> dict[str, str]:
    """Return the variables for one thread, for the arithmetic and the imports below, and for drawing."""
    return {
        **dict.fromkeys(THREADS, "1"),
        **arithmetic_of_avx2(environment),
        **DRAWING,
        **imports_of(environment, source),
    }


def imports_of(environment: Mapping[str, str], source: Path) -> dict[str, str]:
    """Return variables with which Python finds this package in a checkout's folder `source`, if it exists.

    With them, files of a working folder with the name of a Python module, such as random.py, are not
    imported.
    """
    variables = {"PYTHONSAFEPATH": "1"}
    if source.is_dir():
        variables["PYTHONPATH"] = os.pathsep.join(filter(None, [str(source), environment.get("PYTHONPATH")]))
    return variables


def arithmetic_of_avx2(environment: Mapping[str, str]) -> dict[str, str]:
    """Return variables with which OpenBLAS and numpy compute alike on every x86 processor that has AVX2.

    With AVX-512, sums are taken in another order, so that scores of fitted models differ. Variables that
    `environment` already sets are left out. There are none if numpy is not installed or the processor lacks
    AVX2.

    >>> arithmetic_of_avx2({"OPENBLAS_CORETYPE": "Zen", "NPY_DISABLE_CPU_FEATURES": ""})
    {}
    """
    try:
        import numpy as np
    except ModuleNotFoundError:
        return {}
    extensions = np.show_config(mode="dicts")["SIMD Extensions"]
    names = [*extensions.get("baseline", []), *extensions.get("found", [])]
    if not AVX2.intersection(names):
        return {}
    wider = " ".join(name for name in extensions.get("found", []) if name.startswith(WIDER))
    variables = {"OPENBLAS_CORETYPE": "Haswell", WITHOUT: wider}
    return {name: value for name, value in variables.items() if name not in environment}


def keep_to_one_thread() -> None:
    """Let BLAS compute on one thread, unless a variable already chooses their number.

    The audit computes its models side by side, one on each core. More threads of BLAS would spin while they wait, and
    the last digits of sums would depend on the number of cores. It has an effect only before numpy is imported.
    """
    if "numpy" not in sys.modules:
        for name in THREADS:
            os.environ.setdefault(name, "1")


def sort_quickly() -> None:
    """Let numpy sort without AVX-512 on a processor on which this is much faster.

    It has an effect only before numpy is imported. Where a variable already chooses numpy's instructions, it
    has none.
    """
    if "numpy" in sys.modules or {WITHOUT, "NPY_ENABLE_CPU_FEATURES"} & os.environ.keys():
        return
    try:
        with PROCESSOR.open(encoding="utf-8", errors="replace") as stream:
            cpuinfo = "".join(takewhile(str.strip, stream))  # up to the empty line before the second core
    except OSError:  # Only Linux has this file.
        return
    if sorts_slowly(cpuinfo) and (names := _instructions_of_sort()):
        os.environ[WITHOUT] = names


def sorts_slowly(cpuinfo: str) -> bool:
    """Return whether numpy's sort with AVX-512 is slow on the processor that `cpuinfo` describes.

    It is on AMD's processors of family 25 that have AVX-512 (Zen 4). There the sort takes about five times as
    long as without AVX-512 (numpy#32690, x86-simd-sort#6). `cpuinfo` is the part of /proc/cpuinfo on one core.

    >>> amd = "vendor_id : AuthenticAMD\\ncpu family : {}\\nflags : fpu avx2 {}\\n"
    >>> [sorts_slowly(amd.format(*facts)) for facts in ((25, "avx512f"), (25, ""), (26, "avx512f"))]
    [True, False, False]
    """
    facts = {}
    for line in cpuinfo.splitlines():
        name, _, value = line.partition(":")
        facts[name.strip()] = value.split()
    is_family = facts.get("vendor_id") == ["AuthenticAMD"] and facts.get("cpu family") == ["25"]
    return is_family and "avx512f" in facts.get("flags", [])


def _instructions_of_sort() -> str:
    """Return numpy's names for the AVX-512 of its sort, or "" if they cannot be switched off.

    numpy is not imported. If it was compiled on this machine, it may need these instructions, and then it
    refuses to be imported without them. A name that it does not know would be a warning.
    """
    try:
        numpy = distribution("numpy")
    except PackageNotFoundError:
        return ""
    tags = numpy.read_text("WHEEL") or ""
    if "-manylinux" not in tags and "-musllinux" not in tags:
        return ""
    release = tuple(int(number) for number in numpy.version.split(".")[:2])
    return "X86_V4 AVX512_ICL" if release >= (2, 4) else "AVX512_SKX AVX512_ICL"
