"""Uncertainty of areas: samples and their halves, the spread of areas, intervals and comparisons."""
