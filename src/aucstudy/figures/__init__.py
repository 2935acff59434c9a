"""The figures: their one look, and what they are put together from."""
