"""Data sets and the learners that are fitted to them, by cross-validation."""
