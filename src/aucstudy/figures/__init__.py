"""The drawings, a module for each experiment and those that share its page, and their one look."""
