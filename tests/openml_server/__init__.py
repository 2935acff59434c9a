"""An OpenML server for the tests. It speaks the v1 protocol on 127.0.0.1 and knows a few tasks and runs."""

from openml_server.server import FAULTS, OpenMLServer, answers, edited, failing
from openml_server.world import DataSet, Engine, RunEntry, TaskEntry, World, add_task, world_from_store

__all__ = [
    "FAULTS", "DataSet", "Engine", "OpenMLServer", "RunEntry", "TaskEntry", "World", "add_task", "answers", "edited",
    "failing", "world_from_store",
]  # fmt: skip
