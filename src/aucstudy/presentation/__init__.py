"""The one look of the study's figures, and how its sentences word numbers."""
