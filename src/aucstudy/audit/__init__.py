"""Auditing predictions of your own: how far the areas disagree on them, and why."""
