"""The exact reference for every test of the metrics."""

import pytest
from fuzz import exact


@pytest.fixture(scope="session")
def exact_areas():
    """Function (y, s, w=None, prevalence=None, recall_range=(0, 1), clip=False) -> dict of floats."""
    return exact.exact_areas
