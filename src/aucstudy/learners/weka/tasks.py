"""A data set and flows of WEKA as a task of the store."""

from collections.abc import Sequence
from pathlib import Path

from aucstudy.learners.cross_validation import stratified_folds
from aucstudy.learners.datasets import DataSet
from aucstudy.learners.tasks import Filled, fill_task
from aucstudy.learners.weka.bridge import Weka
from aucstudy.learners.weka.costs import costs_on, too_costly
from aucstudy.learners.weka.flows import WekaFlow
from aucstudy.store.rejections import Reason, Rejection, Stage
from aucstudy.store.task_store import run_id


def fill_weka_task(
    weka: Weka,
    folder: Path,
    data: DataSet,
    flows: Sequence[WekaFlow],
    *,
    n_folds: int,
    flow_seconds: float | None,
    seed: int,
    **asked: object,
) -> Filled:
    """Draw, fit and score flows of WEKA on the folds that the other learners have, as `fill_task` does.

    Every flow that is predicted to take longer than `flow_seconds` for all folds is a rejection, drawn or not.

    Parameters
    ----------
    asked : what `fill_task` asks for besides.
    """
    costs = costs_on(data, flows, n_folds)
    costly = too_costly(costs, flow_seconds)
    rejections = [
        Rejection(
            data.name,
            run_id(data.name, name),
            Stage.FETCH,
            Reason.TOO_COSTLY,
            f"{name}: predicted {costs[name]:.0f} s, packaged.flow_seconds is {flow_seconds:g}",
        )
        for name in costly
    ]
    splits = stratified_folds(data, n_folds, seed)
    weka.load(data, splits)
    filled = fill_task(
        folder,
        data,
        splits,
        [flow for flow in flows if flow.name not in costly],
        seed=seed,
        scores_of=lambda flow, *_: weka.scores(flow),
        **asked,
    )
    return Filled(rejections=rejections) + filled
