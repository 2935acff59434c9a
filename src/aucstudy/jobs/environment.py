"""The environment variables of each job, so that the results of a study have the same bytes on every machine.

The Snakefile imports this module, and numpy may not be installed where it runs.
"""

import os
from collections.abc import Mapping
from pathlib import Path

# A job computes on one core, since the workflow runs several jobs at once.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
AVX2 = {"X86_V3", "AVX2"}  # numpy's new and old name for it
WIDER = ("X86_V4", "AVX512")
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
    variables = {"OPENBLAS_CORETYPE": "Haswell", "NPY_DISABLE_CPU_FEATURES": wider}
    return {name: value for name, value in variables.items() if name not in environment}
