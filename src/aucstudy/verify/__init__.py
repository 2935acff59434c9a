"""Whether the tables of a study are the committed ones."""
