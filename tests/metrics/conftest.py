"""The exact reference for every test of the metrics."""

import pytest

from conformance.exact import exact_areas as exactly


@pytest.fixture(scope="session")
def exact_areas():
    """Function (y, s, w=None, prevalence=None, recall_range=(0, 1), clip=False) -> dict of floats."""
    return exactly
