"""The progress bar of a stage counts predicted seconds, or tasks of equal cost, over all of its jobs."""

import pytest

from aucstudy.jobs import job
from aucstudy.jobs.job import shared_progress
from aucstudy.sources import work


class Bar:
    """A stand-in for the progress bar that records what a terminal would show."""

    def __init__(self, **settings):
        self.settings, self.n, self.initial, self.postfix = settings, 0, 0, ""

    def set_postfix_str(self, text, refresh):
        self.postfix = text

    def refresh(self):
        self.shown = (self.n, self.initial, self.postfix)

    def close(self):
        pass


@pytest.fixture
def bars(monkeypatch):
    made = []
    monkeypatch.setattr(job, "tqdm", lambda **settings: made.append(Bar(**settings)) or made[-1])
    return made


def test_tasks_that_take_unlike_long_count_by_their_predicted_seconds(tmp_path, bars):
    with shared_progress(tmp_path, "fetch", {"a": 30, "b": 10, "c": 2}) as done:
        done("a")
        assert bars[0].shown == (30, 0, "1 of 3 tasks")
    # The work of another job does not count towards the speed of this job.
    with shared_progress(tmp_path, "fetch", {"a": 30, "b": 10, "c": 2}) as done:
        assert bars[1].shown == (30, 30, "1 of 3 tasks")
        done("c")
    assert bars[1].shown == (32, 30, "2 of 3 tasks")
    assert (bars[1].settings["total"], bars[1].settings["unit"]) == (42, "s")


def test_tasks_of_one_cost_and_tasks_that_are_not_known_count_by_number(tmp_path, bars):
    for work_of_tasks, total in (({"a": 1, "b": 1}, 2), (None, None)):
        with shared_progress(tmp_path / str(total), "fetch", work_of_tasks) as done:
            done("a")
        assert bars[-1].shown == (1, 0, "")
        assert (bars[-1].settings["total"], bars[-1].settings["unit"]) == (total, "task")


def test_a_task_takes_what_its_flows_are_predicted_to():
    packaged = {"datasets": ["iris", "german"], "flows": "all", "folds": 10}
    config = {"source": "packaged", "packaged": packaged, "models_per_task": 30, "seed": 1}
    assert work(config) == {"iris": 6, "german": 11}
