"""Jobs round alike on every x86 processor with AVX2."""

import json
import subprocess
import sys

import numpy as np
import pytest

from aucstudy.jobs.environment import arithmetic_of_avx2

SHOWN = """
import json
import numpy as np
from threadpoolctl import threadpool_info
extensions = np.show_config(mode="dicts")["SIMD Extensions"]
print(json.dumps([[library["architecture"] for library in threadpool_info()], extensions.get("found", [])]))
"""


@pytest.fixture
def processor(monkeypatch):
    def has(baseline, more):
        extensions = {"baseline": baseline, "found": more} if more else {"baseline": baseline}
        monkeypatch.setattr(np, "show_config", lambda mode: {"SIMD Extensions": extensions})

    return has


@pytest.mark.parametrize(
    ("baseline", "more", "wider"),
    [
        (["X86_V2"], ["X86_V3", "X86_V4", "AVX512_ICL"], "X86_V4 AVX512_ICL"),
        (["SSE", "SSE2"], ["AVX2", "FMA3", "AVX512F", "AVX512_SKX"], "AVX512F AVX512_SKX"),
    ],
)
def test_wider_instructions_are_left_out_by_new_and_older_names(processor, baseline, more, wider):
    processor(baseline, more)
    variables = {"OPENBLAS_CORETYPE": "Haswell", "NPY_DISABLE_CPU_FEATURES": wider}
    assert arithmetic_of_avx2({}) == variables


@pytest.mark.parametrize("more", [[], ["ASIMDHP"], ["SSE41"]])
def test_other_processors_are_left_alone(processor, more):
    processor(["NEON"], more)
    assert arithmetic_of_avx2({}) == {}


def test_a_job_within_a_job_keeps_what_was_set(processor):
    # numpy no longer lists the features that it was told not to use.
    processor(["X86_V2"], ["X86_V3"])
    assert arithmetic_of_avx2({"OPENBLAS_CORETYPE": "Haswell", "NPY_DISABLE_CPU_FEATURES": "X86_V4"}) == {}


def test_the_libraries_follow():
    environment = arithmetic_of_avx2({})
    if not environment:
        pytest.skip("this processor is no x86 with AVX2, or its arithmetic was set already")
    run = subprocess.run(
        [sys.executable, "-c", SHOWN], env=environment, capture_output=True, text=True, check=True
    )
    architectures, extensions = json.loads(run.stdout)
    assert set(architectures) == {"Haswell"}
    assert not [name for name in extensions if name.startswith(("X86_V4", "AVX512"))]
    assert run.stderr == ""
