"""The variables of the environment that each job gets, so that a study has the same bytes on every machine.

The Snakefile asks, where numpy may not be installed.
"""

import os
from collections.abc import Mapping
from pathlib import Path

# one job computes on one core; the workflow runs several jobs at once
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
AVX2 = {"X86_V3", "AVX2"}  # what numpy calls it, new and old
WIDER = ("X86_V4", "AVX512")
# figures are drawn in memory, whatever a notebook or a user's own settings say
DRAWING = {
    "MPLBACKEND": "Agg",
    "MATPLOTLIBRC": str(Path(__file__).parents[1] / "figures" / "aucstudy.mplstyle"),
}

# Set where the line of a job that fails is taken from the end of its log: then the job does not print it too. And how
# that line begins.
TAKES_LINES, LINE = "AUCSTUDY_TAKES_LINES", "aucstudy: "


def environment_of_jobs(environment: Mapping[str, str], source: Path) -> dict[str, str]:
    """Variables of one thread, of the arithmetic and the imports below, and of drawing."""
    return {
        **dict.fromkeys(THREADS, "1"),
        **arithmetic_of_avx2(environment),
        **DRAWING,
        **imports_of(environment, source),
    }


def imports_of(environment: Mapping[str, str], source: Path) -> dict[str, str]:
    """Variables by which Python finds this package in the folder `source` of a checkout, if there is one.

    Files of a working folder that are called like a module of Python, such as random.py, are not imported.
    """
    variables = {"PYTHONSAFEPATH": "1"}
    if source.is_dir():
        variables["PYTHONPATH"] = os.pathsep.join(filter(None, [str(source), environment.get("PYTHONPATH")]))
    return variables


def arithmetic_of_avx2(environment: Mapping[str, str]) -> dict[str, str]:
    """Variables under which OpenBLAS and numpy compute alike on every x86 processor that has AVX2.

    With AVX-512 sums have another order, so that scores of fitted models differ. What `environment` sets is left. There
    are none where numpy is not installed.

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
