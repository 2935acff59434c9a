"""Fitted models round as the processor's widest instructions do: the jobs of a study use those that most have."""

from collections.abc import Mapping

import numpy as np

AVX2 = {"X86_V3", "AVX2"}  # what numpy calls it, new and old
WIDER = ("X86_V4", "AVX512")


def arithmetic_of_avx2(environment: Mapping[str, str]) -> dict[str, str]:
    """Variables under which OpenBLAS and numpy compute alike on every x86 processor that has AVX2.

    Without them a processor with AVX-512 adds in another order and takes other exponentials, and some scores of fitted
    models, then the tables that count them, differ from those of a processor without. What `environment` sets is left;
    on other processors nothing is set.

    Examples
    --------
    >>> arithmetic_of_avx2({"OPENBLAS_CORETYPE": "Zen", "NPY_DISABLE_CPU_FEATURES": ""})
    {}
    """
    extensions = np.show_config(mode="dicts")["SIMD Extensions"]
    names = [*extensions.get("baseline", []), *extensions.get("found", [])]
    if not AVX2.intersection(names):
        return {}
    wider = " ".join(name for name in extensions.get("found", []) if name.startswith(WIDER))
    wanted = {"OPENBLAS_CORETYPE": "Haswell", "NPY_DISABLE_CPU_FEATURES": wider}
    return {name: value for name, value in wanted.items() if name not in environment}
