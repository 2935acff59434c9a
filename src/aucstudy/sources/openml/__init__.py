"""The source `openml`: binary tasks and cross-validated predictions of any OpenML server.

`fetch` fills a task store, `check` looks at the settings before anything starts, `plan` tells the cost, and
`compare_with_server` holds our areas against those the server recorded.
"""

from aucstudy.sources.openml.crosscheck import compare_with_server
from aucstudy.sources.openml.fetch import check, fetch
from aucstudy.sources.openml.plan import Plan, plan

__all__ = ["Plan", "check", "compare_with_server", "fetch", "plan"]
