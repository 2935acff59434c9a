"""Random rankings whose metrics, by every function that computes them, are compared with exact fractions.

The tests try some hundred cases. By hand, with tests/ on the path, cases are tried for ten minutes by
`python -m fuzz.areas --seconds 600 --seed 7`.
"""

import argparse
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from aucstudy.metrics import areas, areas_many
from aucstudy.metrics.kernel import order_of
from aucstudy.metrics.resamples import areas_of_order
from conformance.exact import exact_areas
from fuzz import numbers

AREAS = ("auroc", "aupr", "auprg", "aucnpr", "average_precision")
TOLERANCE = 1e-12  # relative to max(1, |value|), as the package promises
# The numbers are the probabilities of the kinds of cases.
KINDS = {"small": 0.55, "weighted": 0.252, "walked": 0.1, "rare": 0.08, "blocks": 0.01, "heaps": 0.008}
SIZES = (1.0, 2.0**-900, 2.0**-40, 2.0**60, 2.0**900)  # factors on all weights


@dataclass(frozen=True)
class Case:
    """One ranking with its options; `kind` says what is special about it."""

    kind: str
    y: np.ndarray
    s: np.ndarray
    w: np.ndarray | None
    prevalence: float | None
    recall_range: tuple[float, float]
    clip: bool

    def rows(self, kept: np.ndarray) -> "Case":
        """Return the case with only some of its rows."""
        return replace(self, y=self.y[kept], s=self.s[kept], w=None if self.w is None else self.w[kept])

    @property
    def defined(self) -> bool:
        """Whether both classes have a weight above 0."""
        w = np.ones(len(self.y)) if self.w is None else self.w
        return w[self.y == 1].sum() > 0 and w[self.y == 0].sum() > 0


def draw(rng: np.random.Generator) -> Case:
    """Draw a random case in which both classes have weight."""
    kind = str(rng.choice(list(KINDS), p=list(KINDS.values())))
    while True:
        y = _labels(kind, rng)
        w = None
        if kind == "walked":
            w = rng.integers(0, 4, len(y)).astype(float)
        elif kind == "weighted" or (kind == "blocks" and rng.random() < 0.3):
            w = _weights(len(y), rng)
        elif kind == "heaps":
            # The error of a plain sum of equal weights grows with the number of rows.
            w = rng.choice(rng.random(rng.integers(1, 4)), len(y))
        case = Case(
            kind,
            y,
            _scores(kind, y, rng),
            w,
            _prevalence(rng) if rng.random() < 0.5 else None,
            _recall_range(rng, w is not None) if rng.random() < 0.4 else (0.0, 1.0),
            bool(rng.random() < 0.4),
        )
        if case.defined:
            return case


def _labels(kind: str, rng: np.random.Generator) -> np.ndarray:
    if kind == "rare":
        n_positive = int(rng.integers(1, 4))
        y = np.repeat([1, 0], [n_positive, 64 * n_positive + int(rng.integers(0, 40))])
    elif kind == "blocks":
        # The sums over so many rows are compensated more than once.
        y = np.repeat([1, 0], rng.integers([270, 1], [520, 300]))
    elif kind == "heaps":
        y = np.arange(200_000) < 200_000 * rng.random()
    else:
        y = (rng.random(rng.integers(2, 16)) < rng.choice([0.2, 0.5, 0.8])).astype(int)
    return rng.permutation(y)


def _scores(kind: str, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    if kind == "heaps":
        return rng.integers(0, rng.integers(1, 4), len(y)).astype(float)
    shift = rng.choice([-3, 0, 1, 9]) * y
    if kind == "blocks" or rng.random() < 0.4:
        return rng.normal(size=len(y)) + shift
    tied = np.round(rng.normal(size=len(y)) + shift, int(rng.integers(0, 2)))
    if rng.random() < 0.2:
        tied[rng.integers(0, len(y), 2)] = np.inf, -np.inf
    return tied * rng.choice([1.0, 5e-324, 1e300])


def _weights(n: int, rng: np.random.Generator) -> np.ndarray:
    kinds = (
        rng.integers(0, 4, n),
        rng.random(n),
        10 ** rng.uniform(-9, 9, n),
        rng.choice([1e-9, 1.0, 1e9], n),
    )
    return kinds[rng.integers(len(kinds))] * rng.choice(SIZES, p=[0.6, 0.1, 0.1, 0.1, 0.1])


def _prevalence(rng: np.random.Generator) -> float:
    """Draw a prevalence from 1e-9 to 1 - 1e-9, equally often near either end."""
    odd = 10 ** rng.uniform(-9, np.log10(0.5))
    return float(odd if rng.random() < 0.5 else 1 - odd)


def _recall_range(rng: np.random.Generator, weighted: bool) -> tuple[float, float]:
    """Draw a range of any width for which an error of 1e-12 is promised; some begin at 0 or end at 1."""
    a = 0.0 if rng.random() < 0.2 else rng.random()
    b = 1.0 if rng.random() < 0.2 else a + (1 - a) * 10 ** rng.uniform(-3 if weighted else -15, 0)
    return (a, b) if a < b <= 1 else (0.25, 0.75)


def computed(case: Case) -> list[tuple[str, np.ndarray]]:
    """Return the five metrics of a case by each function that computes them, with the function's name."""
    options = {"prevalence": case.prevalence, "negative_gains": "clip" if case.clip else "signed"}
    options["recall_range"] = case.recall_range
    one = areas(case.y, case.s, sample_weight=case.w, **options)
    many = areas_many(case.y, case.s[:, None], sample_weight=case.w, **options)
    results = [("areas", np.array(one[:5])), ("areas_many", np.array(many[:5])[:, 0])]
    if case.w is None or case.kind in (
        "walked",
        "heaps",
    ):  # Other weights have any size and would have to be scaled first.
        order = order_of(case.y == 1, case.s[:, None])
        by_order = areas_of_order(
            order, case.w, prevalence=case.prevalence, recall_range=case.recall_range, clip=case.clip
        )
        results.append(("areas_of_order", by_order[0]))
    return results


def errors(case: Case) -> list[str]:
    """Return a line for each metric that misses its exact value."""
    w = None if case.w is None else case.w.tolist()
    options = (case.prevalence, case.recall_range, case.clip)
    exact = exact_areas(case.y.tolist(), case.s.tolist(), w, *options)
    return [
        f"{function}: {name} is {value!r} instead of {exact[name]!r}"
        for function, values in computed(case)
        for name, value in zip(AREAS, values.tolist(), strict=True)
        if not abs(value - exact[name]) <= TOLERANCE * max(1, abs(exact[name]))
    ]


def smallest(case: Case) -> Case:
    """Leave out rows as long as a metric still misses its value. A case of kind "heaps" stays as it is."""
    i = len(case.y) if case.kind == "heaps" else 0
    while i < len(case.y):
        fewer = case.rows(np.arange(len(case.y)) != i)
        if fewer.defined and errors(fewer):
            case = fewer
        else:
            i += 1
    return case


def fuzz(
    seconds: float | None = None, cases: int | None = None, seed: int = 0
) -> Iterator[tuple[Case, list[str]]]:
    """Yield each case in which a metric misses its exact value, with few rows, and the lines of `errors`.

    It stops after `seconds` or after `cases`; without either it goes on for ever.
    """
    rng = np.random.default_rng(seed)
    for _ in numbers(seconds=seconds, cases=cases):
        case = draw(rng)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            if errors(case):
                case = smallest(case)
                yield case, errors(case)


def main() -> int:
    """Print the cases in which a metric misses its exact value; return 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="how long to go on")
    parser.add_argument("--cases", type=int, help="or how many cases")
    parser.add_argument("--seed", type=int, default=0, help="other seeds, other cases")
    arguments = parser.parse_args()
    n_missing = 0
    for case, missing in fuzz(arguments.seconds, arguments.cases, arguments.seed):
        n_missing += 1
        print(case, *missing, sep="\n  ", flush=True)
    print(f"seed {arguments.seed}: {n_missing} cases miss")
    return int(n_missing > 0)


if __name__ == "__main__":
    sys.exit(main())
