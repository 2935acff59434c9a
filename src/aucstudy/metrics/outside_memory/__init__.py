"""Tables larger than memory: rows sorted in runs, a walk down them, and exact sums in which order does not matter."""
