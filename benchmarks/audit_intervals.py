"""Compare intervals from influence functions with those from 10,000 full-size resamples.

Both are computed for the same made-up tables. For each metric, the ends of the two intervals of a difference
between two models are compared. Their distance is given in per cent of the width, with its Monte Carlo error.
The table also says whether the verdicts are equal.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from aucstudy.audit.noise import row_noise
from aucstudy.audit.rankings import Rankings
from aucstudy.metrics.registry import keys
from aucstudy.metrics.resamples import areas_of_order
from aucstudy.statistics.best import SUPPORT
from aucstudy.statistics.seeds import generator
from aucstudy.store.tables import write_table

AREAS = keys()

RESAMPLES = 10_000
# Positives, negatives, shift of the positives in standard deviations, decimals of the scores, and folds.
TABLES = (
    (1000, 1000, 1.0, None, 0),
    (1000, 9000, 1.0, None, 0),
    (1000, 9000, 2.0, 1, 5),
    (2000, 38_000, 1.5, None, 0),
    (8000, 1000, 1.0, 2, 0),
)


def made(positives: int, negatives: int, shift: float, decimals: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and the scores of two models."""
    rng = np.random.default_rng(1)
    n = positives + negatives
    y = np.arange(n) < positives
    scores = (
        0.7 * rng.normal(size=(n, 1))
        + 0.7 * rng.normal(size=(n, 2))
        + np.array([shift, shift + 0.05]) * y[:, None]
    )
    return y, scores if decimals is None else scores.round(decimals)


def run(out: Path, largest: int) -> None:
    """Write `audit_intervals.csv` into `out`; `largest` bounds the rows of the tables."""
    rows = []
    for positives, negatives, shift, decimals, n_folds in TABLES:
        if positives + negatives > largest:
            continue
        y, scores = made(positives, negatives, shift, decimals)
        folds = np.arange(len(y)) % n_folds if n_folds else None
        rankings = Rankings(y, scores)
        limit = row_noise(rankings, folds)
        drawn = resampled_areas(rankings, folds)
        facts = {"positives": positives, "negatives": negatives, "shift": shift, "folds": n_folds}
        facts["decimals"] = "all" if decimals is None else decimals
        rows += [facts | _compared(limit, drawn, k) for k in range(len(AREAS))]
        print(pd.DataFrame(rows[-len(AREAS) :]).to_string(), flush=True)
    write_table(pd.DataFrame(rows), out / "audit_intervals.csv")


def resampled_areas(rankings: Rankings, folds: np.ndarray | None) -> np.ndarray:
    """Return the metrics of rows drawn within each class of each fold, (RESAMPLES, m, 5)."""
    rng, y = generator(1, "audit", "resampled rows"), rankings.y_true
    stratum = y if folds is None else 2 * folds + y
    counts, areas = np.empty(len(y)), []
    for _ in range(RESAMPLES):
        for value in np.unique(stratum):
            inside = stratum == value
            counts[inside] = rng.multinomial(inside.sum(), np.full(inside.sum(), 1 / inside.sum()))
        areas.append(areas_of_order(rankings.order, counts))
    return np.stack(areas)


def _compared(limit, drawn: np.ndarray, k: int) -> dict[str, object]:
    near, differences = limit.difference(k, 1, 0), drawn[:, 1, k] - drawn[:, 0, k]
    low, high = np.percentile(differences, [2.5, 97.5])
    support, width = float(np.mean((differences > 0) + 0.5 * (differences == 0))), high - low
    # The error is that of a 2.5 % point of normal draws, in per cent of the distance between the two points.
    density = np.exp(-(1.96**2) / 2) / np.sqrt(2 * np.pi)
    error = 100 * np.sqrt(SUPPORT * (1 - SUPPORT) / RESAMPLES) / density / (2 * 1.96)
    return {
        "method": limit.method,
        "area": AREAS[k],
        "resamples": RESAMPLES,
        "low": round(low, 6),
        "high": round(high, 6),
        "low_off_percent": round(100 * (near.low - low) / width, 2),
        "high_off_percent": round(100 * (near.high - high) / width, 2),
        "monte_carlo_error_percent": round(error, 2),
        "support": round(support, 4),
        "support_of_limit": round(near.support, 4),
        "same_verdict": (support >= SUPPORT) == (near.support >= SUPPORT),
    }
