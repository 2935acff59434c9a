"""Ranks and ties, estimates over tasks with intervals by source group, seeds."""
