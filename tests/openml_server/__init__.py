"""An OpenML server for the tests: the v1 protocol on 127.0.0.1 over a small world of tasks and runs."""

from openml_server.faults import FAULTS, Faults, Sent, answers, edited, outage
from openml_server.from_store import world_from_store
from openml_server.server import OpenMLServer
from openml_server.world import DataSet, Engine, Feature, RunEntry, Suite, TaskEntry, World

__all__ = [
    "FAULTS", "DataSet", "Engine", "Faults", "Feature", "OpenMLServer", "RunEntry", "Sent", "Suite",
    "TaskEntry", "World", "answers", "edited", "outage", "world_from_store",
]  # fmt: skip
