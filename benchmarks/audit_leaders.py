"""How often the audit keeps the true best model as possibly best, and how many models it keeps.

Scores are binormal with correlation .5, at prevalence .1. In *equal*, all models are alike. In *stepped*, the
mean of each model's positives lies .05 above that of the model before. In *ahead*, one model lies .3 above
the others. Each model is compared with the leader, the model with the highest value. Three rules and a
reference exclude a model

* `bonferroni`: if the one-sided p-value of the comparison is below .05/(m - 1), or .025 if that is smaller;
* `maximum`: if it is below what the studentised maximum of all comparisons with that model asks for, .025 at
  most;
* `maximum or holm`: also if `compare` excludes it, two-sided at 5 %, after Holm's correction;
* `hsu`: by multiple comparisons with the best (Hsu 1984) on the same covariance, with Student's limits.

The rule of choice was written before any draw. Of the rules that keep the true best in 94 % of samples or
more in every setting, it takes the one with the smallest sets on average. Where Hsu's rule holds 94 %, sets
up to a tenth larger than Hsu's count as equally good. Where all models are equal, each is the best. For `f1`,
the spread is that of its values on random halves of the rows.

Settings have 200 draws. The two in which the chosen rule fell under 94 % (.931 and .935, five equal models)
were drawn again with another seed and 1,200 draws, and the table has these draws. The rows of AUROC are from
the test of its differences that the package had then, on the same draws. The present test has an eighth of the
squared effects of unseen rows in addition, so that it excludes fewer models.

`bound_holds` is the share of samples in which the leader falls short of the best by no more than the audit
states. `range_holds` concerns two models that are both kept. It is the share of samples in which the stated
range of positives that would separate them contains the true number.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from area_intervals_edges import truth
from origin import write_measured

from aucstudy.audit.noise import row_noise
from aucstudy.audit.rankings import Rankings
from aucstudy.metrics.registry import index, keys, ranking_keys
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

AREAS = keys()

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
    """Return which models multiple comparisons with the best keep, (m,)."""
    variance = covariance.diagonal()[:, None] + covariance.diagonal() - 2 * covariance
    apart = np.divide(value - value[:, None], np.sqrt(variance), where=variance > 1e-24, out=0 * variance)
    return apart.max(axis=1) < critical_values(covariance, df, MAXIMA)


def of_measure(values: pd.DataFrame, noise: AreaNoise, k: int) -> tuple[pd.DataFrame, dict[str, np.ndarray]]:
    """Return the audit's table of one metric, and the models that each rule keeps."""
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
    """Simulate one setting and return a row for each metric and rule."""
    shifts, rng = means(design, m), generator(seed, "audit leaders", design, m, positives)
    # The design "correlated" has shifted normal scores, too.
    true = np.array([truth("correlated", shift, 0.1) for shift in shifts])
    y, rows, apart = np.arange(10 * positives) < positives, [], []
    for draw in range(draws):
        normal = rng.standard_normal((10 * positives, m + 1)) * np.sqrt(0.5)
        scores = np.asfortranarray(normal[:, :1] + normal[:, 1:] + y[:, None] * shifts)
        rankings = Rankings(y, scores)
        areas = pd.DataFrame(rankings.values(), columns=list(AREAS))
        noise = row_noise(rankings, resamples=HALVES, seed=draw)
        values = target_values_of(TARGET, Sample(y, scores), draws=HALVES, seed=draw)
        measured = [(metric, areas[[metric]], noise, index(metric)) for metric in ranking_keys()]
        measured.append((TARGET, pd.DataFrame({TARGET: values.values}), values, 0))
        for metric, values, of_measures, k in measured:
            table, kept = of_measure(values, of_measures, k)
            order, best = table["model"].to_numpy(), (table["model"] == m - 1).to_numpy()
            bound = np.nan
            if metric != TARGET:
                short = true[:, index(metric)].max() - true[order[0], index(metric)]
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
            write_measured(table.round(4), out / "audit_leaders.csv")
