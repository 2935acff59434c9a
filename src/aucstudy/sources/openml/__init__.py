"""The source `openml`: binary tasks and cross-validated predictions of any OpenML server.

`fetch` fills a task store, `check` looks at the settings before anything starts and `plan` estimates the cost.
"""

from aucstudy.sources.openml.fetch import check, fetch
from aucstudy.sources.openml.plan import Plan, plan

__all__ = ["Plan", "check", "fetch", "plan"]
