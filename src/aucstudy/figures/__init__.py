"""The drawings, a module an experiment, and their one look."""
