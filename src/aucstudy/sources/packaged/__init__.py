"""The source `packaged`: data sets out of installed packages, flows of scikit-learn, no network."""

from aucstudy.sources.packaged.filling import fetch
from aucstudy.sources.packaged.settings import check, task_ids

__all__ = ["check", "fetch", "task_ids"]
