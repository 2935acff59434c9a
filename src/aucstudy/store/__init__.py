"""Reading, writing and checking the task store, the scores and the tables on disk."""
