"""Metrics and curves of the scores in a table that fits into memory, or in Parquet parts of any size."""
