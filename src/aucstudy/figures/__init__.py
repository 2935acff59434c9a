"""Figures: one module a family; each function takes tables and returns a matplotlib figure."""
