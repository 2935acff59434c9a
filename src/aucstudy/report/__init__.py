"""The first page of a report, and a page for each table."""
