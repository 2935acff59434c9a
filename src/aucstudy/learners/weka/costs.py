"""What a flow of WEKA is predicted to cost on a data set: the caps and the batches of a study follow from it.

`costs.csv` beside this module has a row a flow, made by `benchmarks/weka_costs.py` from fits of single folds:
`seconds` of the processor for one fold of a data set of 1,000 rows and width 10, and the powers of rows and width that
it grows with. They hold Java's compiler, which all folds of a task share, so ten folds take about half of what is
predicted. Another table means other caps, so other flows are drawn: it is not measured again without need.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import pandas as pd

from aucstudy.learners.cross_validation import drawing_order
from aucstudy.learners.datasets import DataSet
from aucstudy.learners.weka.flows import WekaFlow

COSTS = Path(__file__).with_name("costs.csv")
ROWS, WIDTH = 1000, 10  # of the data set that `seconds` is for


@cache
def _costs() -> dict[str, tuple[float, float, float]]:
    table = pd.read_csv(COSTS)
    return {row.flow: (row.seconds, row.rows_power, row.width_power) for row in table.itertuples()}


def width(data: DataSet) -> int:
    """How many numbers a row has once each category is a number of its own."""
    return len(data.numeric) + sum(data.features[name].nunique() for name in data.categorical)


def predicted_seconds(flow: WekaFlow, n_rows: int, width: int, folds: int) -> float:
    """Seconds that a flow takes for all folds of a data set, on the machine that the costs were measured on.

    Examples
    --------
    >>> from aucstudy.learners.weka.flows import WEKA_FLOWS
    >>> network = WEKA_FLOWS["weka.MultilayerPerceptron"]
    >>> predicted_seconds(network, 1000, 60, 10) > 3 * predicted_seconds(network, 1000, 20, 10)
    True
    """
    seconds, rows_power, width_power = _costs()[flow.name]
    return folds * seconds * (n_rows / ROWS) ** rows_power * (width / WIDTH) ** width_power


def costs_on(data: DataSet, flows: Sequence[WekaFlow], folds: int) -> dict[str, float]:
    """Predicted seconds of each flow on a data set, by the flow's name."""
    n_rows, columns = len(data.target), width(data)
    return {flow.name: predicted_seconds(flow, n_rows, columns, folds) for flow in flows}


def task_seconds(
    data: DataSet,
    flows: Sequence[WekaFlow],
    *,
    folds: int,
    models: int,
    flow_seconds: float | None,
    seed: int,
) -> float:
    """Predicted seconds of a task: of those flows that are drawn for it, if none of them fails."""
    costs = costs_on(data, flows, folds)
    affordable = [flow for flow in flows if flow.name not in too_costly(costs, flow_seconds)]
    return sum(costs[flow.name] for flow in drawing_order(affordable, data.name, seed)[:models])


def too_costly(costs: Mapping[str, float], flow_seconds: float | None) -> list[str]:
    """The names of the flows that are predicted to take longer than `flow_seconds`; None: none is."""
    return [name for name, seconds in costs.items() if flow_seconds is not None and seconds > flow_seconds]
