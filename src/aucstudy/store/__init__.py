"""The task store, scores and tables on disk: read, write, check."""
