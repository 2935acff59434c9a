"""Speed and memory of `aucstudy.metrics` against its peers and against np.sort, in turns in one run."""

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import peers

from aucstudy.metrics import areas, areas_many
from aucstudy.store.files import write_whole
from aucstudy.store.tables import write_table

PREVALENCES = (0.5, 0.1, 0.001)
SLOW_PEERS_UP_TO = 1_000_000
PYPRG_UP_TO = 100_000


def run(out: Path, largest: int) -> None:
    """Write metrics_speed.csv, metrics_costs.csv and metrics_speed.png into `out`."""
    sizes = [n for n in (10**3, 10**4, 10**5, 10**6, 10**7) if n <= largest]
    speed = speed_table(sizes)
    costs = pd.concat([batch_table(), second_thread_table(min(largest, 10**6)), process_table(largest)])
    print(speed.to_string(index=False), costs.to_string(index=False), sep="\n\n")
    write_table(speed, out / "metrics_speed.csv")
    write_table(costs, out / "metrics_costs.csv")
    write_whole(out / "metrics_speed.png", lambda path: plot(speed, path))


def medians(
    calls: dict[str, Callable], repeats: int, clock: Callable = time.process_time
) -> dict[str, float]:
    """Median seconds of each call, taken in turns; CPU time, so that other jobs disturb less."""
    taken = {name: [] for name in calls}
    for call in calls.values():
        call()
    for _ in range(repeats):
        for name, call in calls.items():
            start = clock()
            call()
            taken[name].append(clock() - start)
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


def batch_table() -> pd.DataFrame:
    """30 models x 10 folds x 1000 rows in one call, against scikit-learn's 600 calls."""
    rng = np.random.default_rng(0)
    y = (rng.random(10_000) < 0.3).astype(int)
    scores, fold = rng.normal(size=(10_000, 30)) + y[:, None], np.repeat(np.arange(10), 1000)

    def one_by_one() -> None:
        for f in range(10):
            for model in range(30):
                peers.scikit_learn(y[fold == f], scores[fold == f, model])

    ours = medians({"ours": lambda: areas_many(y, scores, groups=fold)}, 21)["ours"]
    theirs = medians({"theirs": one_by_one}, 3)["theirs"]
    return costs(
        ("areas_many, 30 models x 10 folds x 1000 rows", ours * 1e3, "ms"),
        ("scikit-learn AUROC + AP, the same 300 rankings", theirs * 1e3, "ms"),
        ("scikit-learn / areas_many", theirs / ours, "ratio"),
    )


def second_thread_table(n: int) -> pd.DataFrame:
    """What sorting each class in a thread of its own would save (wall time)."""
    y, s = ranking(n, 0.5, False)
    positives, negatives = s[y == 1], s[y == 0]
    with ThreadPoolExecutor(2) as pool:
        seconds = medians(
            {
                "one": lambda: (np.sort(positives), np.sort(negatives)),
                "two": lambda: list(pool.map(np.sort, (positives, negatives))),
                "areas": lambda: areas(y, s),
            },
            15,
            time.perf_counter,
        )
    saved = (seconds["one"] - seconds["two"]) / seconds["areas"]
    return costs((f"share of areas' time that a second sorting thread saves, n = {n:.0e}", saved, "share"))


def process_table(largest: int) -> pd.DataFrame:
    """Import, first call and peak memory, each in a fresh process."""
    first = _in_process("first_call", 1000)
    memory = _in_process("memory", largest)
    return costs(
        ("import aucstudy.metrics", first["import"], "s"),
        ("first areas() of a process, compiled code cached", first["call"], "s"),
        (f"peak memory / input (int64 labels, float64 scores), n = {largest:.0e}", memory["ratio"], "ratio"),
        ("load average over the last minute", os.getloadavg()[0], "jobs"),
        (f"cores; {platform.machine()}; numpy {np.__version__}", os.cpu_count(), "count"),
    )


def costs(*rows: tuple[str, float, str]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["what", "value", "unit"]).round(4)


def _in_process(what: str, n: int) -> dict[str, float]:
    code = f"import json, metrics_probe; print(json.dumps(metrics_probe.{what}({n})))"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    for _ in range(2):  # the first run may have to compile
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
        )
    return json.loads(done.stdout)


def plot(speed: pd.DataFrame, path: Path) -> None:
    """Time over np.sort's, by number of rows."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    fig, panels = plt.subplots(1, len(PREVALENCES), figsize=(11, 3.8), sharey=True, layout="constrained")
    for ax, prevalence in zip(panels, PREVALENCES, strict=True):
        rows = speed[(speed["prevalence"] == prevalence) & (speed["scores"] == "continuous")]
        for column in [c for c in speed if c.endswith(" us") and c != "np.sort us"]:
            ratio = rows[column] / rows["np.sort us"]
            label = "aucstudy, all areas" if column == "areas us" else column.removesuffix(" us")
            ax.plot(rows["n"], ratio, marker="o", markersize=3, label=label)
        ax.axhline(1, color="0.6", linewidth=0.8)
        ax.set(xscale="log", yscale="log", xlabel="rows", title=f"prevalence {prevalence:g}")
    panels[0].set_ylabel("time / time of np.sort(scores)")
    panels[0].legend(fontsize="small")
    fig.savefig(path, dpi=150, format="png", metadata={"Software": None})
    plt.close(fig)
