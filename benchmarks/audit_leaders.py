"""Which models the audit keeps as possibly best: how often the true best is among them, and how many they are.

Binormal scores, correlated .5, at prevalence .1. *equal*: all models are alike; *stepped*: the mean of each model's
positives is .05 above the one before; *ahead*: one is .3 above the others. Three rules and a reference:

* `bonferroni`: the comparison with the one in front has a one-sided p-value below .05/(m - 1), .025 at most;
* `maximum`: below what the studentised maximum of all comparisons with that model asks, .025 at most;
* `maximum or holm`: or `compare`, two-sided at 5 %, excludes it after Holm's correction;
* `hsu`: multiple comparisons with the best (Hsu 1984) on the same covariance, by Student's limits.

The rule of choice, written before any draw: of the rules that keep the true best in 94 % of samples or more in every
cell the one with the smallest sets on average; where Hsu holds 94 %, sets up to a tenth larger than Hsu's are as good.
Where all are equal each is the best. Of `f1` the halves are those of its values.

Cells have 200 draws; the two in which the chosen rule fell under 94 % (.931 and .935, five equal models) were drawn
again with another seed and 1,200 draws, and stand so in the table. Rows of AUROC are of the present test of its
differences, on the same draws.

`bound_holds`: the one in front falls short of the best by no more than is said. `range_holds`, of two models that are
both kept: the range of positives that would tell them apart holds the number that does.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from area_intervals_edges import truth

from aucstudy.area_names import AREAS
from aucstudy.audit.noise import RANKED, row_noise
from aucstudy.audit.rankings import Rankings
from aucstudy.metrics.uncertainty.sample import Sample
from aucstudy.statistics.best import (
    EXCLUDED,
    QUARTILE,
    SUPPORT,
    AreaNoise,
    compared_with_leader,
    critical_values,
    target_values_of,
)
from aucstudy.statistics.seeds import generator
from aucstudy.store.tables import write_table

MODELS = (2, 5, 10, 20, 30)
POSITIVES = (20, 100, 1000)
DESIGNS = ("equal", "stepped", "ahead")
DRAWS, HALVES, MAXIMA = 200, 200, 2000
AGAIN = (("equal", 5, 20), ("equal", 5, 1000))
TARGET = "f1"
RULES = ("bonferroni", "maximum", "maximum or holm", "hsu")
KEYS = ["design", "models", "positives", "measure", "rule"]


def means(design: str, m: int) -> list[float]:
    if design == "stepped":
        return [1 + 0.05 * i for i in range(m)]
    return [1.0] * (m - 1) + [1.3 if design == "ahead" else 1.0]


def hsu(value: np.ndarray, covariance: np.ndarray, df: float) -> np.ndarray:
    """(m,) which models multiple comparisons with the best keep."""
    variance = covariance.diagonal()[:, None] + covariance.diagonal() - 2 * covariance
    apart = np.divide(value - value[:, None], np.sqrt(variance), where=variance > 1e-24, out=0 * variance)
    return apart.max(axis=1) < critical_values(covariance, df, MAXIMA)


def of_measure(values: pd.DataFrame, noise: AreaNoise, k: int) -> tuple[pd.DataFrame, dict[str, np.ndarray]]:
    """What the audit says of a measure, and the models that each rule keeps."""
    table, m = compared_with_leader(values, noise, [k]), len(values)
    order = table["model"].to_numpy()
    p = 1 - noise.difference(k, order[0], order[1:]).support
    kept = {
        "bonferroni": np.append(True, p >= min(EXCLUDED / (m - 1), 1 - SUPPORT)),
        "maximum": (table["low"] <= 0).to_numpy(),
        "maximum or holm": table["may_be_best"].to_numpy(),
        "hsu": hsu(values.iloc[order, 0].to_numpy(), noise.covariance_of(k)[order][:, order], noise.df),
    }
    return table, kept


def cell(design: str, m: int, positives: int, draws: int, seed: int) -> pd.DataFrame:
    """A row a measure and rule."""
    shifts, rng = means(design, m), generator(seed, "audit leaders", design, m, positives)
    true = np.array([truth("correlated", shift, 0.1) for shift in shifts])  # of shifted normal scores
    y, rows, apart = np.arange(10 * positives) < positives, [], []
    for draw in range(draws):
        normal = rng.standard_normal((10 * positives, m + 1)) * np.sqrt(0.5)
        scores = np.asfortranarray(normal[:, :1] + normal[:, 1:] + y[:, None] * shifts)
        rankings = Rankings(y, scores)
        areas = pd.DataFrame(rankings.values(), columns=list(AREAS))
        noise = row_noise(rankings, resamples=HALVES, seed=draw)
        values = target_values_of(TARGET, Sample(y, scores), draws=HALVES, seed=draw)
        measured = [(metric, areas[[metric]], noise, AREAS.index(metric)) for metric in RANKED]
        measured.append((TARGET, pd.DataFrame({TARGET: values.values}), values, 0))
        for metric, values, of_measures, k in measured:
            table, kept = of_measure(values, of_measures, k)
            order, best = table["model"].to_numpy(), (table["model"] == m - 1).to_numpy()
            bound = np.nan
            if metric != TARGET:
                short = true[:, AREAS.index(metric)].max() - true[order[0], AREAS.index(metric)]
                said = max(0.0, -table["low"][table["may_be_best"]].min())
                bound = short <= said + 1e-9
            for rule, of_rule in kept.items():
                kept_share = of_rule.mean() if design == "equal" else float(of_rule[best].item())
                rows.append((metric, rule, kept_share, of_rule.sum(), float(bound)))
            if m == 2:
                of_next = table.iloc[1]
                ratio = np.sqrt(of_next["positives"] / of_next["positives_low"])
                sign = 1 if order[0] == m - 1 else -1
                apart.append(
                    (metric, sign * of_next["lead"], sign, QUARTILE / (ratio - 1), of_next["may_be_best"])
                )
    table = pd.DataFrame(rows, columns=[*KEYS[3:], "best_kept", "models_kept", "bound_holds"])
    table = table.groupby(KEYS[3:], sort=False).mean().reset_index()
    table.loc[table["rule"] != "maximum or holm", "bound_holds"] = np.nan
    table["range_holds"] = np.nan
    if apart:
        of_pair = pd.DataFrame(apart, columns=["measure", "lead", "sign", "seen", "open"]).dropna()
        for metric, of_metric in of_pair.groupby("measure"):
            expected = of_metric["lead"].mean() / of_metric["lead"].std() * of_metric["sign"]
            held = ((of_metric["seen"] - expected).abs() < QUARTILE)[of_metric["open"].astype(bool)].mean()
            table.loc[(table["measure"] == metric) & (table["rule"] == "maximum or holm"), "range_holds"] = (
                held
            )
    return table.assign(design=design, models=m, positives=positives, draws=draws)


def run(out: Path, largest: int) -> None:
    """Write `audit_leaders.csv` into `out`; `largest` bounds the rows of a sample."""
    tables = []
    for positives in POSITIVES:
        for m in MODELS:
            if 10 * positives > largest:
                continue
            for design in DESIGNS:
                again = (design, m, positives) in AGAIN
                tables.append(cell(design, m, positives, 1200 if again else DRAWS, 39 if again else 38))
            print(tables[-1].to_string(), flush=True)
            table = pd.concat(tables)[
                [*KEYS, "best_kept", "models_kept", "bound_holds", "range_holds", "draws"]
            ]
            write_table(table.round(4), out / "audit_leaders.csv")
