"""Work cut into batches that cost alike: of the tasks that a source fills, and of those that a job measures."""

from collections.abc import Mapping


def even_batches(costs: Mapping[str, float], batches: int) -> list[list[str]]:
    """Tasks in batches of even cost: each in turn, the costliest first, goes to the batch that has least so far.

    Examples
    --------
    >>> even_batches({"a": 5, "b": 4, "c": 3, "d": 3}, 2)
    [['a', 'd'], ['b', 'c']]
    """
    loads = [0.0] * batches
    placed: list[list[str]] = [[] for _ in loads]
    for name in sorted(costs, key=lambda name: (-costs[name], name)):
        lightest = loads.index(min(loads))
        loads[lightest] += costs[name]
        placed[lightest].append(name)
    return placed
