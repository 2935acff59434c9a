"""The drawings of the figures, in a module for each page of experiments, and their common look."""
