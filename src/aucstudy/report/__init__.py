"""The first page of a report."""
