"""The exact reference for every test of the metrics."""

import pytest

from conformance.exact import exact_areas as exactly


@pytest.fixture(scope="session")
def exact_areas():
    """Return the function of exact metrics, which gives a dict of floats.

    Its parameters are (y, s, w=None, prevalence=None, recall_range=(0, 1), clip=False).
    """
    return exactly
