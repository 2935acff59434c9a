"""Random designs of tasks and flows, many of which fall apart, against least squares on each connected part.

By hand, with tests/ on the path: `python -m fuzz.designs --cases 10000 --seed 7`.
"""

import argparse
import sys
from collections.abc import Iterator

import numpy as np

from aucstudy.experiments.task_aggregation import flow_means, largest_part

TOLERANCE = 1e-8


def draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """(tasks, flows) values with NaN, of blocks that share nothing, and (k, tasks) weights of resamples."""
    blocks = [rng.integers(1, 7, 2) for _ in range(rng.integers(1, 4))]
    shape = np.sum(blocks, axis=0)
    values = np.full(shape, np.nan)
    t = f = 0
    for tasks, flows in blocks:
        block = rng.random((tasks, flows))
        block[rng.random(block.shape) < rng.choice([0.0, 0.3, 0.7])] = np.nan
        block[np.arange(tasks), rng.integers(flows, size=tasks)] = 0.5  # a task has a flow
        values[t : t + tasks, f : f + flows] = block
        t, f = t + tasks, f + flows
    values = values[:, np.isfinite(values).any(axis=0)]
    return values, rng.integers(0, 3, (4, len(values))).astype(float)


def least_squares(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(flows,) the effects in the largest part, by an independent solver; NaN elsewhere."""
    weights = np.where(largest_part(np.isfinite(values), weights), weights, 0)
    task, flow = np.nonzero(np.isfinite(values) & (weights > 0)[:, None])
    design = np.zeros((len(task), sum(values.shape)))
    design[np.arange(len(task)), task] = design[np.arange(len(task)), len(values) + flow] = 1
    root = np.sqrt(weights[task])
    solved = np.linalg.lstsq(design * root[:, None], values[task, flow] * root, rcond=None)[0][len(values) :]
    effects = np.full(values.shape[1], np.nan)
    there = np.unique(flow)
    if len(there):
        effects[there] = solved[there] - solved[there].mean()
    return effects


def fuzz(cases: int, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The designs whose effects miss."""
    rng = np.random.default_rng(seed)
    for _ in range(cases):
        values, weights = draw(rng)
        want = np.array([least_squares(values, each) for each in weights])
        got = flow_means(values, weights)
        if not np.allclose(got, want, rtol=0, atol=TOLERANCE, equal_nan=True):
            yield values, weights


def main() -> int:
    """Print what misses; 1 if anything does."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000, help="how many")
    parser.add_argument("--seed", type=int, default=0, help="other seeds, other cases")
    arguments = parser.parse_args()
    missing = list(fuzz(arguments.cases, arguments.seed))
    print(*missing, f"seed {arguments.seed}: {len(missing)} cases miss", sep="\n")
    return int(bool(missing))


if __name__ == "__main__":
    sys.exit(main())
