"""Compare the speed of `aucstudy.metrics` for one ranking with np.sort and with other packages.

Calls are taken in turns in one run. The times are medians of the processor's time, which other jobs disturb
less.
"""

import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from origin import write_measured

from aucstudy.metrics import areas

PREVALENCES = (0.5, 0.1, 0.001)
# The most rows that a peer gets. `LARGEST_OF_PEERS` is for those that are not named.
LARGEST = {"pyprg AUPRG": 100_000}
LARGEST_OF_PEERS = 1_000_000


def run(out: Path, largest: int) -> None:
    """Write metrics_speed.csv into `out`; `largest` bounds the rows."""
    table = speed_table([n for n in (10**3, 10**4, 10**5, 10**6, 10**7) if n <= largest])
    print(table.to_string(index=False))
    write_measured(table, out / "metrics_speed.csv")


def medians(calls: dict[str, Callable], repeats: int) -> dict[str, float]:
    """Return the median processor time of each call in microseconds."""
    taken = {name: [] for name in calls}
    for call in calls.values():
        call()
    for _ in range(repeats):
        for name, call in calls.items():
            start = time.process_time()
            call()
            taken[name].append(time.process_time() - start)
    return {name: 1e6 * float(np.median(values)) for name, values in taken.items()}


def ranking(n: int, prevalence: float, tied: bool) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    y = (rng.random(n) < prevalence).astype(int)
    y[:2] = 0, 1
    s = rng.normal(size=n) + y
    return y, np.round(s, 2) if tied else s


def speed_table(sizes: list[int]) -> pd.DataFrame:
    """Return a row for each size, prevalence and kind of scores.

    It has medians in microseconds, the ratio of `areas` to np.sort, and the ratio of each peer to `areas`.
    """
    rows, peers = [], installed_peers()
    for n in sizes:
        repeats = 101 if n <= 10**4 else 21 if n <= 10**5 else 9 if n <= 10**6 else 5
        for prevalence in PREVALENCES:
            for tied in (False, True):
                y, s = ranking(n, prevalence, tied)
                own = {"areas": lambda y=y, s=s: areas(y, s), "np.sort": lambda s=s: np.sort(s)}
                taken = medians(own, repeats)
                row = {"n": n, "prevalence": prevalence, "scores": "tied" if tied else "continuous"}
                row |= {"np.sort us": taken["np.sort"], "areas us": taken["areas"]}
                row["areas / np.sort"] = taken["areas"] / taken["np.sort"]
                for name, compute in peers.items():
                    if n > LARGEST.get(name, LARGEST_OF_PEERS):
                        continue
                    calls = {name: lambda c=compute, y=y, s=s: c(y, s), "areas": own["areas"]}
                    try:
                        taken = medians(calls, max(3, min(repeats // 5, 11)))
                    except (IndexError, ValueError) as error:  # pyprg fails on some rankings.
                        print(f"{name}: fails at n = {n}, prevalence {prevalence:g} ({error})")
                        continue
                    row |= {f"{name} us": taken[name], f"{name} / areas": taken[name] / taken["areas"]}
                rows.append(row)
    return pd.DataFrame(rows).round(3)


def installed_peers() -> dict[str, Callable]:
    """Return functions of (y, s) by name: scikit-learn's, and those of other packages that run."""
    peers = {"scikit-learn AUROC + AP": _scikit_learn}
    makers = {
        "pyprg AUPRG": _pyprg,
        "torchmetrics AUROC + AP": _torchmetrics,
        "polars-ds AUROC": _polars_ds,
    }
    for name, make in makers.items():
        try:
            compute = make()
            compute(np.array([0, 1, 1, 0]), np.array([0.1, 0.4, 0.3, 0.2]))
            peers[name] = compute
        except Exception as error:  # The others can still run.
            print(f"{name}: left out ({type(error).__name__}: {str(error).splitlines()[0][:80]})")
    return peers


def _scikit_learn(y: np.ndarray, s: np.ndarray) -> None:
    from sklearn.metrics import average_precision_score, roc_auc_score

    roc_auc_score(y, s), average_precision_score(y, s)


def _pyprg() -> Callable:
    names = {"int": int, "bool": bool, "float": float, "alen": lambda a: np.size(a) and len(np.atleast_1d(a))}
    for name, value in names.items():
        if name not in np.__dict__:
            setattr(np, name, value)  # pyprg uses names that numpy has dropped.
    from prg import prg

    def compute(y: np.ndarray, s: np.ndarray) -> None:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            prg.calc_auprg(prg.create_prg_curve(y, s))

    return compute


def _torchmetrics() -> Callable:
    import torch
    from torchmetrics.functional.classification import binary_auroc, binary_average_precision

    torch.set_num_threads(1)

    def compute(y: np.ndarray, s: np.ndarray) -> None:
        y, s = torch.from_numpy(y), torch.from_numpy(s)
        binary_auroc(s, y), binary_average_precision(s, y)

    return compute


def _polars_ds() -> Callable:
    import polars as pl
    import polars_ds as pds

    def compute(y: np.ndarray, s: np.ndarray) -> None:
        pl.DataFrame({"y": y.astype(bool), "s": s}).select(pds.query_roc_auc("y", "s"))

    return compute
