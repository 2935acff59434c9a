"""The work of the workflow's jobs."""
