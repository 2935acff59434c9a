"""Speed of `aucstudy.metrics` against its peers and against np.sort, in turns in one run."""

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import peers

from aucstudy.metrics import areas
from aucstudy.store.tables import write_table

PREVALENCES = (0.5, 0.1, 0.001)
SLOW_PEERS_UP_TO = 1_000_000
PYPRG_UP_TO = 100_000


def run(out: Path, largest: int) -> None:
    """Write metrics_speed.csv into `out`; `largest` bounds the rows."""
    speed = speed_table([n for n in (10**3, 10**4, 10**5, 10**6, 10**7) if n <= largest])
    print(speed.to_string(index=False))
    write_table(speed, out / "metrics_speed.csv")


def medians(calls: dict[str, Callable], repeats: int) -> dict[str, float]:
    """Median seconds of each call, taken in turns; CPU time, so that other jobs disturb less."""
    taken = {name: [] for name in calls}
    for call in calls.values():
        call()
    for _ in range(repeats):
        for name, call in calls.items():
            start = time.process_time()
            call()
            taken[name].append(time.process_time() - start)
    return {name: float(np.median(values)) for name, values in taken.items()}


def ranking(n: int, prevalence: float, tied: bool) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    y = (rng.random(n) < prevalence).astype(int)
    y[:2] = 0, 1
    s = rng.normal(size=n) + y
    return y, np.round(s, 2) if tied else s


def speed_table(sizes: list[int]) -> pd.DataFrame:
    """One row a size, prevalence and kind of scores: medians in microseconds and ratios to np.sort."""
    rows, others = [], peers.installed()
    for n in sizes:
        repeats = 101 if n <= 10**4 else 21 if n <= 10**5 else 9 if n <= 10**6 else 5
        for prevalence in PREVALENCES:
            for tied in (False, True):
                y, s = ranking(n, prevalence, tied)
                ours = {"areas": lambda y=y, s=s: areas(y, s), "sort": lambda s=s: np.sort(s)}
                seconds = medians(ours, repeats)
                row = {"n": n, "prevalence": prevalence, "scores": "tied" if tied else "continuous"}
                row |= {"np.sort us": seconds["sort"] * 1e6, "areas us": seconds["areas"] * 1e6}
                row["areas / np.sort"] = seconds["areas"] / seconds["sort"]
                for name, compute in others.items():
                    if n > (PYPRG_UP_TO if "pyprg" in name else SLOW_PEERS_UP_TO):
                        continue
                    calls = {name: lambda c=compute, y=y, s=s: c(y, s), "areas": ours["areas"]}
                    try:
                        peer = medians(calls, max(3, min(repeats // 5, 11)))
                    except (IndexError, ValueError) as error:  # pyprg fails on some rankings
                        print(f"{name}: fails at n = {n}, prevalence {prevalence:g} ({error})")
                        continue
                    row[f"{name} us"] = peer[name] * 1e6
                    row[f"{name} / areas"] = peer[name] / peer["areas"]
                rows.append(row)
    return pd.DataFrame(rows).round(3)
