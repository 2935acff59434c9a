"""The report's first page: the question, the claims, the findings in sentences and the main figures."""
