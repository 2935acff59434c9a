"""What the jobs of the workflow do."""
