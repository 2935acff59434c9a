"""Areas and curves of the scores in a table: one that fits into memory, and Parquet parts of any size."""
