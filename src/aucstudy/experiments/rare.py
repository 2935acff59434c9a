"""When positives are rare, which area should choose? Chosen on small samples, judged by what is wanted of held rows."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd

from aucstudy.area_names import EARLY, ITSELF, PROPER, RANDOM, REFERENCE
from aucstudy.experiments.inputs import Study, Task
from aucstudy.metrics.ranking import Order, order_of
from aucstudy.metrics.wants import AREAS, COST, F_BETA, NET, OnSamples, Want, number_of, on_samples, want_of
from aucstudy.sources.held_out import CROSSED, NATURAL, THINNED
from aucstudy.statistics.intervals import simultaneous_intervals, with_interval
from aucstudy.statistics.ranks import rounded
from aucstudy.statistics.seeds import generator

POOL, JUDGE = 0, 1  # the folds of a task
CHOOSERS = (*AREAS, EARLY, ITSELF, *PROPER, RANDOM)
ARMS = (THINNED, NATURAL, CROSSED)
BEST, SAMPLED = "best", "sample"
LEAST_FALSE_POSITIVES = 10 - 1e-9  # sums of weights over a weight: 10 may read 9.999999999999998
DECIMALS = 7  # of the rows by source group
CELL = ["trained", "prevalence", "positives", "n_models", "want", "threshold"]
QUANTITIES = ("difference", "regret", "best_third")
ENDS = {"difference_low": "low", "difference_high": "high"}
# groups that have all of these prevalences with all of these positives
PANELS = (((0.003, 0.01, 0.03, 0.1), (10,)), ((0.01, 0.03, 0.1), (10, 30)), ((0.03, 0.1), (10, 30, 100)))
OPEN, CLOSED, ALL = "two thirds", "closed third", "all"
FEWEST_GROUPS = {OPEN: 15, CLOSED: 10, ALL: 15}
WANT_LABELS = {
    "f1": "F1", "f2": "F2", "recall@.5": "recall at\nprecision .5", "recall@.9": "recall at\nprecision .9",
    "precision@P": "precision of\nthe first P", "precision@100": "precision of\nthe first 100",
    "net:1": "net benefit,\nFP undoes 1 TP", "net:sqrt": "net benefit,\nroot of the odds",
    "net:odds": "net benefit,\nodds", "net:odds^.25": "net benefit,\nodds^¼", "net:odds^.75": "net benefit,\nodds^¾",
    "cost:10": "cost, a miss\nis 10 alarms",
}  # fmt: skip


def of_task(
    task: Task,
    *,
    prevalences: Sequence[float],
    positives: Sequence[int],
    models: Sequence[int],
    wants: Sequence[str],
    draws: int,
    seed: int,
) -> dict[str, pd.DataFrame]:
    facts, predictions = task.facts, task.predictions
    pool, judge = (predictions.fold == fold for fold in (POOL, JUDGE))
    trained = facts["trained"]
    natural = [p for p in prevalences if p <= facts["prevalence"]]
    # samples and halves of the judge are the same however the models were trained
    names = facts["dataset_name"], facts["split"]
    order = order_of(predictions.y_true[pool], predictions.scores[pool])
    sizes = models if trained == THINNED else models[-1:]
    rows: list[dict] = []
    for prevalence in natural if trained == NATURAL else [facts["trained_at"]]:
        random = generator(seed, *names, "halves of the judge")
        truth = Judge(
            predictions.y_true[judge], predictions.scores[judge], prevalence, [*map(want_of, wants)], random
        )
        for k in positives:
            random = generator(seed, *names, f"{prevalence:g}", k, "rare")
            samples = drawn(
                predictions.y_true[pool], k, round(k * (1 - prevalence) / prevalence), draws, random
            )
            if samples is None:
                continue
            cell = {"trained": trained, "prevalence": prevalence, "positives": k}
            rated = Rated(
                predictions.y_true[pool], predictions.scores[pool], order, proper=trained == THINNED
            )
            rows += [{**cell, **row} for row in choices_on(samples, rated, truth, sizes, random)]
    frame = pd.DataFrame(rows)
    return {"rare_tasks": frame.assign(n_training_positive=facts["n_training_positive"])} if rows else {}


class Rated(NamedTuple):
    """The pool: (n,) labels, (n, m) scores and their order, and whether proper scores choose too."""

    y_true: np.ndarray
    scores: np.ndarray
    order: Order
    proper: bool


def choices_on(
    samples: np.ndarray, pool: Rated, truth: "Judge", sizes: Sequence[int], random: np.random.Generator
) -> Iterator[dict]:
    """What choices on (draws, n) samples of the pool are worth, a row a number of models and want."""
    wants = [*truth.wants, want_of(EARLY)]
    on_sample = on_samples(pool.order, pool.scores, samples, wants, of_rows=truth.n_rows)
    criteria = dict(zip(AREAS, on_sample.areas, strict=True)) | {EARLY: on_sample.worth[-1]}
    if pool.proper:
        criteria |= proper_scores(pool.y_true, pool.scores, samples)
    tie_order = random.permuted(np.tile(np.arange(len(pool.order.rows)), (len(samples), 1)), axis=1)
    worths = [*truth.worths(on_sample)]
    for n in sizes:
        yield from ({"n_models": n, **row} for row in judged_choices(worths, criteria, tie_order[:, :n]))


def drawn(
    y_true: np.ndarray, positives: int, negatives: int, draws: int, random: np.random.Generator
) -> np.ndarray | None:
    """(draws, n) samples of so many rows of each class, without replacement; None where there are fewer."""
    samples = np.zeros((draws, len(y_true)), dtype=np.uint8)
    for value, size in ((True, positives), (False, negatives)):
        rows = np.flatnonzero(y_true == value)
        if len(rows) < size:
            return None
        for sample in samples:
            sample[random.choice(rows, size, replace=False)] = 1
    return samples


def proper_scores(y_true: np.ndarray, scores: np.ndarray, samples: np.ndarray) -> dict[str, np.ndarray]:
    """Minus the (draws, m) Brier score and log loss on samples, where scores are probabilities."""
    if scores.min() < 0 or scores.max() > 1:
        return {}
    p_truth = np.where(y_true[:, None], scores, 1 - scores)
    gains = {"brier": -((1 - p_truth) ** 2), "log_loss": np.log(np.maximum(p_truth, np.finfo(float).eps))}
    return {name: samples.astype(float) @ gain / samples[0].sum() for name, gain in gains.items()}


class Judge:
    """The judging rows at one prevalence: all positives, and negatives that stand for several, `n_rows` in all.

    `worth` (2, wants, m) is that at each random half's best threshold; `false_positives` (wants,) is how many lie
    behind that of all rows, median of the models.
    """

    def __init__(
        self,
        y_true: np.ndarray,
        scores: np.ndarray,
        prevalence: float,
        wants: list[Want],
        random: np.random.Generator,
    ) -> None:
        self.wants, half = wants, np.zeros(len(y_true), dtype=int)
        for value in (True, False):
            rows = random.permutation(np.flatnonzero(y_true == value))
            half[rows[: len(rows) // 2]] = 1
        self.halves = np.array([half == 0, half == 1])
        self.above = [[_above(y_true[rows], column) for column in scores[rows].T] for rows in self.halves]
        self.n_rows = y_true.sum() / prevalence
        self.weight = (self.n_rows - y_true.sum()) / (~y_true).sum()
        halves_and_whole = np.array([*self.halves, half >= 0])
        weighting = {"negative_weight": self.weight, "of_rows": self.n_rows}
        measured = on_samples(order_of(y_true, scores), scores, halves_and_whole, wants, **weighting)
        self.worth = np.swapaxes(measured.worth[:, :2], 0, 1)
        self.false_positives = np.median(measured.false_positives[:, 2], axis=1)

    def worths(self, on_sample: OnSamples) -> Iterator["Worth"]:
        for w, want in enumerate(self.wants):
            behind = self.false_positives[w], on_sample.worth[w]
            best = np.broadcast_to(self.worth[:, None, w], (2, *on_sample.worth.shape[1:]))
            yield Worth(want.name, BEST, best, *behind)
            if want.kind in WITH_THRESHOLD:
                yield Worth(want.name, SAMPLED, self.worth_at(on_sample.thresholds[w], want), *behind)

    def worth_at(self, thresholds: np.ndarray, want: Want) -> np.ndarray:
        """(2, draws, m) worths on each half at (draws, m) thresholds, of a want WITH_THRESHOLD."""
        worths = np.empty((2, *thresholds.shape))
        for half, m in product((0, 1), range(thresholds.shape[1])):
            rising, true, false = self.above[half][m]
            below = np.searchsorted(rising, thresholds[:, m])
            rows = true[below], self.weight * false[below], true[0], self.weight * false[0]
            worths[half, :, m] = WITH_THRESHOLD[want.kind](*rows, number_of(want, *rows[2:]))
        return worths


# worths that a threshold of other rows has too, of the true and false positives above it, of all, and of the number
WITH_THRESHOLD = {
    F_BETA: lambda t, f, P, N, beta: (1 + beta**2) * t / (t + f + beta**2 * P),
    NET: lambda t, f, P, N, undone: (t - undone * f) / P,
    COST: lambda t, f, P, N, missed: 1 - (missed * (P - t) + f) / min(missed * P, N),
}


def _above(y_true: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rising scores, and the positives and negatives from each place on."""
    order = np.argsort(scores, kind="stable")
    remaining = [np.append(np.cumsum(mask[order][::-1])[::-1], 0) for mask in (y_true, ~y_true)]
    return scores[order], *remaining


class Worth(NamedTuple):
    """(2, draws, m) worths of a want on both halves of the judge, and (draws, m) those on the samples."""

    want: str
    threshold: str
    judged: np.ndarray
    false_positives: float
    sampled: np.ndarray


def judged_choices(
    worths: Sequence[Worth], criteria: Mapping[str, np.ndarray], shared: np.ndarray
) -> Iterator[dict]:
    """A row a want and threshold: each half of the judge names the best models, which the other half scores.

    `criteria` are (draws, m); `shared` are the (draws, n) models to choose from, of tied ones the first.
    """
    draws = np.arange(len(shared))
    picked = {name: _first_best(values, shared) for name, values in criteria.items()}
    for worth in worths:
        picked[ITSELF] = _first_best(worth.sampled, shared)
        worths_shared = np.take_along_axis(worth.judged, shared[None], axis=-1)
        falling = np.argsort(-rounded(worths_shared), axis=-1, kind="stable")
        best = np.take_along_axis(worths_shared[::-1], falling[..., :1], axis=-1).mean()
        first = np.zeros(worths_shared.shape, dtype=bool)
        np.put_along_axis(first, falling[..., : max(1, shared.shape[1] // 3)], True, axis=-1)
        means = {
            name: [each[:, draws, i].mean() for each in (worths_shared, first)] for name, i in picked.items()
        }
        means[RANDOM] = [worths_shared.mean(), first.mean()]
        row = {"want": worth.want, "threshold": worth.threshold, "false_positives": worth.false_positives}
        for name, (mean, third) in means.items():
            row |= {f"difference {name}": mean - means[REFERENCE][0], f"best_third {name}": third}
        yield row | {"regret": best - means[REFERENCE][0]}


def _first_best(values: np.ndarray, shared: np.ndarray) -> np.ndarray:
    """The place in `shared` of the best model of each draw."""
    values = rounded(np.where(np.isnan(values), -np.inf, values))
    return np.take_along_axis(values, shared, axis=-1).argmax(axis=-1)


def over_all(study: Study, *, bootstrap: int, rules: Sequence[Mapping], seed: int) -> dict[str, pd.DataFrame]:
    tasks = study.frames.get("rare_tasks")
    if tasks is None:
        return {}
    closed = study.tasks.groupby("source_group")["closed"].first()
    rows = rows_by_group(tasks, closed)
    groups = kept_groups(rows)
    return {
        "rare_groups": rows,
        "rare": chooser_table(rows),
        "rare_trends": trends_table(groups),
        "rare_rules": rules_table(groups, closed, rules, bootstrap, seed),
    }


def rows_by_group(tasks: pd.DataFrame, closed: pd.Series) -> pd.DataFrame:
    """Means over the splits of each source group, those with too few false positives in a row of their own.

    Every other table is made from these, rounded as they are.
    """
    tasks = tasks.assign(kept=(tasks["false_positives"] >= LEAST_FALSE_POSITIVES).astype(int))
    arms = dict.fromkeys([*ARMS, *sorted(tasks["trained"].unique())])
    order = {"trained": (*arms,), "threshold": (BEST, SAMPLED), "want": (*tasks["want"].unique(),)}
    for column, values in order.items():
        tasks[column] = pd.Categorical(tasks[column], values)
    by_group = tasks.groupby([*CELL, "source_group", "kept"], observed=True)
    differences = [f"difference {name}" for name in CHOOSERS if name != REFERENCE]
    thirds = [f"best_third {name}" for name in CHOOSERS]
    spread = by_group[differences].std().rename(columns=lambda name: name.replace("difference", "split_sd"))
    means = by_group[["n_training_positive", "false_positives", "regret", *differences, *thirds]].mean()
    rows = means.join(spread).join(by_group.size().rename("n_splits")).reset_index()
    rows = rows.assign(closed=rows["source_group"].map(closed).astype(int))
    numbers = rows.select_dtypes("float").columns
    rows = rows.astype(dict.fromkeys(order, str)).assign(**rows[numbers].round(DECIMALS))
    return rows.rename(columns=lambda name: name.replace(" ", "_"))


def column(quantity: str, chooser: str) -> str:
    """The column of the rows by source group.

    >>> column("difference", "the want itself")
    'difference_the_want_itself'
    """
    return f"{quantity}_{chooser}".replace(" ", "_")


def kept_groups(rows: pd.DataFrame) -> pd.DataFrame:
    """Differences, regrets and best thirds of every chooser, of the rows that are kept, by cell and group."""
    kept_rows = rows[rows["kept"] == 1].set_index([*CELL, "source_group"])
    columns = {f"difference {REFERENCE}": 0.0 * kept_rows["regret"]}
    for name in CHOOSERS:
        if name != REFERENCE:
            columns[f"difference {name}"] = kept_rows[column("difference", name)]
        columns[f"regret {name}"] = kept_rows["regret"] - columns[f"difference {name}"]
        columns[f"best_third {name}"] = kept_rows[column("best_third", name)]
    return pd.DataFrame(columns)


def chooser_table(rows: pd.DataFrame) -> pd.DataFrame:
    """A row for each cell and chooser, also where no group has enough data."""
    groups = kept_groups(rows)
    spreads = rows[rows["kept"] == 1].set_index([*CELL, "source_group"])
    by_cell = groups.groupby(CELL, sort=False).indices
    table_rows = []
    for key, cell in rows.groupby(CELL, sort=False):
        positions = by_cell.get(key, [])
        sizes = {
            "n_groups": len(positions),
            "n_too_few": cell["source_group"].nunique() - len(positions),
            "n_training_positive": np.median(np.repeat(cell["n_training_positive"], cell["n_splits"])),
        }
        numbers = groups.iloc[positions]
        for chooser in CHOOSERS:
            if cell[column("best_third", chooser)].isna().all():
                continue
            row = {**dict(zip(CELL, key, strict=True)), "chooser": chooser, **sizes}
            for quantity in QUANTITIES:
                row |= with_interval(quantity, numbers[f"{quantity} {chooser}"], np.arange(len(positions)))
            name = column("split_sd", chooser)
            spread = spreads[name].iloc[positions] if name in spreads else np.zeros(len(positions))
            table_rows.append(row | {"split_sd": np.sqrt((pd.Series(spread) ** 2).mean())})
    table = pd.DataFrame(table_rows).rename(columns=ENDS)
    thirds = [name for name in table if name.startswith("best_third")]
    return table.assign(**table[thirds].clip(0, 1))


def column_of(
    groups: pd.DataFrame, trained: str, n_models: int, want: str, threshold: str, column: str
) -> pd.DataFrame:
    """One column, by source group and by (prevalence, positives)."""
    try:
        cells = groups[column].xs((trained, n_models, want, threshold), level=[0, 3, 4, 5])
    except KeyError:
        return pd.DataFrame()
    return cells.unstack(["prevalence", "positives"])


def contrasts(cells: pd.DataFrame, prevalences: Sequence[float], positives: Sequence[int]) -> pd.DataFrame:
    """Rarest prevalence minus commonest, fewest positives minus most, of groups that have every cell."""
    cell_keys = [*product(prevalences, positives)]
    if set(cell_keys) - set(cells):
        return pd.DataFrame({"prevalence": [], "positives": []}, dtype=float)
    whole_cells = cells[cell_keys].dropna()

    def mean(axis: int, value: float) -> pd.Series:
        return whole_cells[[cell for cell in cell_keys if cell[axis] == value]].mean(axis=1)

    return pd.DataFrame(
        {
            "prevalence": mean(0, min(prevalences)) - mean(0, max(prevalences)),
            "positives": mean(1, min(positives)) - mean(1, max(positives)),
        }
    )


def trends_table(groups: pd.DataFrame) -> pd.DataFrame:
    rows = []
    if groups.empty:
        return pd.DataFrame()
    n_models = max(groups.index.get_level_values("n_models"))
    kinds = groups.reset_index()[["trained", "want", "threshold"]].drop_duplicates().itertuples(index=False)
    for (trained, want, threshold), chooser in product(kinds, CHOOSERS):
        if chooser == REFERENCE or f"difference {chooser}" not in groups:
            continue
        cells = column_of(groups, trained, n_models, want, threshold, f"difference {chooser}")
        for prevalences, positives in PANELS:
            differences = contrasts(cells, prevalences, positives)
            for quantity in differences if len(differences) else ():
                if quantity == "positives" and len(positives) == 1:
                    continue
                row = {
                    "trained": trained, "want": want, "threshold": threshold, "chooser": chooser,
                    "prevalences": " ".join(f"{p:g}" for p in prevalences),
                    "positives": " ".join(map(str, positives)), "quantity": quantity, "n_groups": len(differences),
                }  # fmt: skip
                rows.append(row | with_interval("difference", differences[quantity], differences.index))
    return pd.DataFrame(rows).rename(columns=ENDS)


def digest_of(rules: Sequence[Mapping]) -> str:
    return hashlib.sha256(json.dumps(list(rules), sort_keys=True).encode()).hexdigest()[:16]


def rules_table(
    groups: pd.DataFrame,
    closed: pd.Series,
    rules: Sequence[Mapping],
    resamples: int,
    seed: int,
    trained: str = THINNED,
) -> pd.DataFrame:
    """The verdict on each cell of each rule, and on the rule, by population; intervals hold for all cells at once.

    `trained` is how models were trained where a rule does not say it.
    """
    closed = closed.astype(bool)
    populations = {OPEN: closed.index[~closed], CLOSED: closed.index[closed], ALL: closed.index}
    rows: list[dict] = []
    for population, names in populations.items() if closed.any() else [(OPEN, closed.index)]:
        inside = groups[groups.index.get_level_values("source_group").isin(names)]
        cells = [row for rule in rules for row in _cells_of({"trained": trained, **rule}, inside)]
        judged_cells = [row for row in cells if len(row["values"]) >= FEWEST_GROUPS[population]]
        if judged_cells:
            matrix = pd.concat([row["values"] for row in judged_cells], axis=1)
            joint = simultaneous_intervals(matrix.to_numpy(), matrix.index.to_numpy(), resamples, seed)
            for i, row in enumerate(judged_cells):
                row |= {"estimate": joint.estimate[i], "low": joint.low[i], "high": joint.high[i]}
        for row in cells:
            row |= {"population": population, "n_groups": len(row["values"]), "digest": digest_of(rules)}
            enough = row["n_groups"] >= FEWEST_GROUPS[population]
            row["verdict"] = verdict(row) if enough else "too few groups"
        for rule in rules:
            rule_cells = [row for row in cells if row["rule"] == rule["name"]]
            for row in rule_cells:
                row["rule_verdict"] = together([row["verdict"] for row in rule_cells])
        rows += cells
    return pd.DataFrame([{key: value for key, value in row.items() if key != "values"} for row in rows])


def _cells_of(rule: Mapping, groups: pd.DataFrame) -> Iterator[dict]:
    """The cells that a rule speaks of, each with its values by source group."""
    n_models = rule.get("n_models") or groups.index.get_level_values("n_models").max()
    block = rule["trained"], n_models, rule["want"], rule.get("threshold", BEST)
    against, trend = rule.get("against", REFERENCE), rule.get("trend")
    first, second, random = (
        column_of(groups, *block, column)
        for column in (f"difference {rule['chooser']}", f"difference {against}", f"regret {RANDOM}")
    )
    low, high = (np.nan if end is None else end for end in rule["between"])
    common = {"rule": rule["name"], "says": rule["says"], "want": rule["want"], "chooser": rule["chooser"]}
    common |= {"against": against, "n_models": n_models, "quantity": trend or "difference", "within": np.nan}
    common |= dict.fromkeys(("prevalence", "positives", "estimate", "low", "high"), np.nan)
    common |= {"at_least": low, "at_most": high}
    if trend:
        values = contrasts(first - second, rule["prevalences"], rule["positives"])[trend]
        yield {**common, "values": values}
        return
    for cell in product(rule["prevalences"], rule["positives"]):
        values = (first[cell] - second[cell]).dropna() if cell in first else pd.Series(dtype=float)
        gap = random[cell].mean() if cell in random else np.nan
        within = gap / 10 if rule.get("alike") else np.nan
        yield {**common, "prevalence": cell[0], "positives": cell[1], "values": values, "within": within}


def verdict(row: Mapping) -> str:
    """Confirmed if the interval lies in the rule's range (alike: and in a tenth of the gap), contradicted if beside.

    >>> verdict({"low": -0.001, "high": 0.004, "at_least": -0.005, "at_most": 0.005, "within": 0.003})
    'open'
    """
    low, high, within = row["low"], row["high"], row["within"]
    # an end of the rule that is not there (NaN) is never passed; without an interval nothing is known
    if np.isnan(low) or np.isnan(high):
        return "open"
    if low > row["at_most"] or high < row["at_least"]:
        return "contradicted"
    outside = low < row["at_least"] or high > row["at_most"] or low < -within or high > within
    return "open" if outside else "confirmed"


def together(verdicts: Sequence[str]) -> str:
    """Contradicted if one cell is, confirmed if all that have groups enough are."""
    decided = {verdict for verdict in verdicts if verdict != "too few groups"}
    if not decided:
        return "too few groups"
    return "contradicted" if "contradicted" in decided else "open" if "open" in decided else "confirmed"
