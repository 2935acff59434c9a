"""The source `packaged`: real data sets out of installed packages, learners of scikit-learn, and no network."""

from aucstudy.sources.packaged.filling import fetch
from aucstudy.sources.packaged.settings import check, task_ids

__all__ = ["check", "fetch", "task_ids"]
