"""The tables of `few_positives.md`: rows by source group, and the estimates that are computed from them."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from aucstudy.experiments.compared import MARGIN
from aucstudy.statistics.intervals import joint_limits

from .natural_data import naturals

# The rows that select a model are one sample of a pair (ONE) or both samples (BOTH). The threshold is set on
# the same rows (SAME), on the other sample (OTHER), on both samples by cross-fitting (CROSSED), on the test
# rows (HINDSIGHT), or on the training rows, from calibrated scores (BAYES) or from the share of positives
# (SHARE).
ONE, BOTH = "one", "both"
SAME, OTHER, CROSSED, HINDSIGHT, BAYES, SHARE = "same", "other", "crossed", "hindsight", "bayes", "share"
WHOLE = 0  # in the column `positives`: halves of the whole validation set
POOLED = 0.0  # in the column `prevalence`: all bands together
REFERENCE, ITSELF, RANDOM = "auroc", "the target itself", "random"
METRICS = (
    "auroc", "average_precision", "aupr", "auprg", "log_loss", "brier", "mcc", "f1", ITSELF,
)  # fmt: skip
# The last round of boosting can also be fixed beforehand (None is the last round of all), or boosting can
# stop once log loss has not fallen for so many rounds.
FIXED: Mapping[str, int | None] = {"100 rounds": 100, "300 rounds": 300, "last round": None}
PATIENCE = {"patience 20": 20, "patience 50": 50}
SELECTED_BY = (*METRICS, *FIXED, *PATIENCE, RANDOM)

FEWEST_GROUPS = 15  # of a setting, by default
# A count may be a sum of weights divided by a weight, so that 10 may come out as 9.999999999999998.
LEAST_FALSE_POSITIVES = 10 - 1e-9
DECIMALS = 7  # of the rows by source group
TABLE_DECIMALS = 6
CELL = ["candidates", "prevalence", "positives", "chosen_on", "target", "threshold"]
MARKS = ("cut", "doubtful", "shared")
# Each set of outcomes has all source groups but those with the mark. Naturally rare outcomes can be cuts of a
# number, or doubtful. A study of other data sets can share source groups with them.
OUTCOMES = {"all": None, "without cuts": "cut", "without doubtful": "doubtful", "without shared": "shared"}
# A contrast is what the first way to use the labelled rows gains over the second.
CONTRASTS = {
    "other - same": ((ONE, OTHER), (ONE, SAME)),
    "whole - split": ((BOTH, SAME), (ONE, OTHER)),
    "crossed - split": ((BOTH, CROSSED), (ONE, OTHER)),
    "crossed - whole": ((BOTH, CROSSED), (BOTH, SAME)),
    "bayes - whole": ((BOTH, BAYES), (BOTH, SAME)),
    "share - whole": ((BOTH, SHARE), (BOTH, SAME)),
    "hindsight - whole": ((BOTH, HINDSIGHT), (BOTH, SAME)),
}
UNSHARED, SHARED, EVERY = "unshared", "shared", "all"
CONFIRMED, CONTRADICTED, OPEN, TOO_FEW = "confirmed", "contradicted", "open", "too few groups"


def column(quantity: str, name: str) -> str:
    """Return the name of a column of the rows by source group.

    >>> column("value", "the target itself")
    'value_the_target_itself'
    """
    return f"{quantity}_{name}".replace(" ", "_")


VALUES = [column("value", name) for name in SELECTED_BY]


def all_tables(
    tasks: pd.DataFrame,
    in_bands: bool,
    fewest_groups: int,
    resamples: int,
    rules: Sequence[Mapping],
    seed: int,
) -> dict[str, pd.DataFrame]:
    rows = rows_by_group(tasks)
    cells = Cells(rows, in_bands, fewest_groups)
    limits = Limits(resamples, seed)
    return {
        "few_positives_groups": rows,
        "few_positives": values_table(cells, limits),
        "few_positives_rows": contrasts_table(cells, limits),
        "few_positives_stopping": stopping_table(cells, limits),
        "few_positives_rules": rules_table(rows, rules, fewest_groups, limits),
    }


def rows_by_group(tasks: pd.DataFrame) -> pd.DataFrame:
    """Return means over the splits of each source group, from which all other tables are made.

    The rounds of boosting are also averaged over the libraries. Splits with too few false positives have a
    row of their own, in which `kept` is 0.
    """
    tasks = tasks.assign(kept=(tasks["false_positives"] >= LEAST_FALSE_POSITIVES).astype(int))
    order = {key: [*dict.fromkeys(tasks[key])] for key in ("candidates", "chosen_on", "target", "threshold")}
    for key, values in order.items():
        tasks[key] = pd.Categorical(tasks[key], values)
    by_group = tasks.groupby([*CELL, "source_group", "kept"], observed=True)
    means = by_group[["n_training_positive", "false_positives", *VALUES]].mean()
    spread = by_group[[column("value", REFERENCE), column("value", "average_precision")]].std()
    spread.columns = [column("split_sd", REFERENCE), column("split_sd", "average_precision")]
    rows = means.join(spread).join(by_group.size().rename("n_splits")).reset_index()
    data_sets = tasks.groupby("source_group")["task_id"].first().str.partition(".")[0]
    rows = rows.astype(dict.fromkeys(order, str)).assign(**marks_of(rows["source_group"], data_sets))
    numbers = rows.select_dtypes("float").columns
    return rows.assign(**rows[numbers].round(DECIMALS))


def marks_of(source_groups: pd.Series, data_sets: pd.Series) -> dict[str, pd.Series]:
    """Return the marks of each row, which are 0 or 1.

    `cut` is 1 if the outcome says whether a number is above some limit. `doubtful` is 1 if natural.csv has a
    doubt about the outcome. `shared` is 1 if natural.csv has an outcome of the same source group. `data_sets`
    are the names of the data sets by source group. Names that are not in natural.csv are neither cut nor
    doubtful.
    """
    outcomes, names = naturals(), source_groups.map(data_sets)
    values = {
        "cut": names.map({name: row.is_cut for name, row in outcomes.items()}),
        "doubtful": names.map({name: bool(row.doubt) for name, row in outcomes.items()}),
        "shared": source_groups.isin({row.source_group for row in outcomes.values()}),
    }
    return {mark: values[mark].eq(True).astype(int) for mark in MARKS}


class Limits(NamedTuple):
    """How simultaneous intervals are computed, for all tables and rules alike.

    They are computed from maxima of studentised means over resampled source groups.
    """

    resamples: int
    seed: int

    def of(self, columns: Mapping[object, pd.Series]) -> pd.DataFrame:
        """Return `estimate`, `low` and `high` of each column of values by source group.

        The intervals are simultaneous for all columns.
        """
        values = pd.DataFrame(columns)
        joint = joint_limits(values.to_numpy(), self.resamples, self.seed)
        numbers = {"estimate": joint.estimate, "low": joint.low, "high": joint.high}
        return pd.DataFrame(numbers, index=[*columns]).round(TABLE_DECIMALS)


class Cells:
    """The values by source group in the settings of a study."""

    def __init__(self, rows: pd.DataFrame, in_bands: bool, fewest_groups: int) -> None:
        kept = rows[rows["kept"] == 1]
        # A source group is in one band only, so it counts once in the setting of all bands together.
        parts = [kept, *[kept.assign(prevalence=POOLED)] * in_bands]
        self.rows, self.fewest_groups = pd.concat(parts, ignore_index=True), fewest_groups
        self.in_bands = in_bands

    def families(self) -> Iterator[tuple[str, str, pd.DataFrame]]:
        """Yield the rows of each set of candidates and target metric, which have simultaneous intervals."""
        for (candidates, target), rows in self.rows.groupby(["candidates", "target"], sort=False):
            yield candidates, target, rows

    def without(self, rows: pd.DataFrame, mark: str) -> pd.DataFrame:
        """Return the rows of the source groups without a mark.

        For `shared`, these are the rows of each prevalence. For other marks, they are the rows of all bands
        together.
        """
        of_all_bands = rows["prevalence"] == POOLED
        return rows[(rows[mark] == 0) & (~of_all_bands if mark == "shared" else of_all_bands)]

    def of(self, rows: pd.DataFrame, *keys: str) -> Iterator[tuple[dict, pd.DataFrame]]:
        """Yield the key and the rows of each setting that has enough source groups."""
        for key, cell in rows.groupby([*keys], sort=False):
            if cell["source_group"].nunique() >= self.fewest_groups:
                yield dict(zip(keys, key, strict=True)), cell


def values_table(cells: Cells, limits: Limits) -> pd.DataFrame:
    """Return the target metric of the model that each metric selects.

    `gain` is this value minus that of a random model, and `difference` is this value minus that of AUROC's
    model.
    """
    keys = ("prevalence", "positives", "chosen_on", "threshold")
    blocks = []
    for candidates, target, rows in cells.families():
        for outcomes, mark in OUTCOMES.items():
            of_outcomes = rows if mark is None else cells.without(rows, mark)
            gains, differences, facts = {}, {}, []
            for cell, cell_rows in cells.of(of_outcomes, *keys):
                values = cell_rows.set_index("source_group")
                random, reference = (values[column("value", name)] for name in (RANDOM, REFERENCE))
                for name in SELECTED_BY:
                    own = values[column("value", name)].dropna()
                    if len(own) < cells.fewest_groups:
                        continue
                    key = len(facts)
                    gains[key], differences[key] = own - random, own - reference
                    facts.append({
                        "candidates": candidates, "outcomes": outcomes, "target": target, **cell, "selected_by": name,
                        "n_training_positive": values["n_training_positive"].median(), "n_groups": len(own),
                        "value": round(own.mean(), TABLE_DECIMALS),
                    })  # fmt: skip
            if facts:
                blocks.append(_with_limits(facts, limits, gain=gains, difference=differences))
    return _joined(blocks)


def contrasts_table(cells: Cells, limits: Limits) -> pd.DataFrame:
    """Return what one way to use the labelled rows gains over another, for each selection metric.

    `beside_auroc` is the gain minus the gain for AUROC.
    """
    blocks = []
    for candidates, target, rows in cells.families():
        gains, beside, facts = {}, {}, []
        for cell, cell_rows in cells.of(rows, "prevalence", "positives"):
            by_way = {
                key: way.set_index("source_group")
                for key, way in cell_rows.groupby(["chosen_on", "threshold"])
            }
            for contrast, (first, second) in CONTRASTS.items():
                if not {first, second} <= by_way.keys():
                    continue
                steps = by_way[first][VALUES] - by_way[second][VALUES]
                for name in SELECTED_BY:
                    step = steps[column("value", name)].dropna()
                    if len(step) >= cells.fewest_groups:
                        key = len(facts)
                        gains[key], beside[key] = step, step - steps[column("value", REFERENCE)]
                        facts.append({
                            "candidates": candidates, "target": target, **cell, "contrast": contrast,
                            "selected_by": name, "n_groups": len(step),
                        })  # fmt: skip
        if facts:
            blocks.append(_with_limits(facts, limits, difference=gains, beside_auroc=beside))
    return _joined(blocks)


def stopping_table(cells: Cells, limits: Limits) -> pd.DataFrame:
    """Return what a metric or patience that selects the last round of boosting gains over a fixed round."""
    blocks = []
    for _, target, rows in cells.families():
        differences, facts = {}, []
        for cell, cell_rows in cells.of(rows[rows["chosen_on"] == BOTH], "prevalence", "threshold"):
            values = cell_rows.set_index("source_group")
            for name in (*METRICS, *PATIENCE):
                for against in FIXED:
                    difference = (values[column("value", name)] - values[column("value", against)]).dropna()
                    if len(difference) >= cells.fewest_groups:
                        differences[len(facts)] = difference
                        facts.append({
                            "target": target, **cell, "selected_by": name, "against": against,
                            "n_groups": len(difference),
                        })  # fmt: skip
        if facts:
            blocks.append(_with_limits(facts, limits, difference=differences))
    return _joined(blocks)


def _with_limits(
    facts: Sequence[Mapping], limits: Limits, **estimates: Mapping[int, pd.Series]
) -> pd.DataFrame:
    """Return a row for each of `facts`, with the estimates of each name and simultaneous intervals.

    `estimates` have, for each name, the values by source group under the number of the row. The ends of the
    interval of `difference` are called `low` and `high`. Those of other names have the name in front, as in
    `gain_low`.
    """
    parts = [pd.DataFrame(facts)]
    for name, values in estimates.items():
        start = "" if name == "difference" else f"{name}_"
        columns = {"estimate": name, "low": f"{start}low", "high": f"{start}high"}
        parts.append(limits.of(values).rename(columns=columns))
    return pd.concat(parts, axis=1)


def _joined(blocks: Sequence[pd.DataFrame]) -> pd.DataFrame:
    return pd.concat(blocks, ignore_index=True) if blocks else pd.DataFrame()


def digest_of(rules: Sequence[Mapping]) -> str:
    return hashlib.sha256(json.dumps(list(rules), sort_keys=True).encode()).hexdigest()[:16]


def rules_table(
    rows: pd.DataFrame, rules: Sequence[Mapping], fewest_groups: int, limits: Limits
) -> pd.DataFrame:
    """Return the verdicts on each rule and on its settings, by population.

    The source groups that have no outcome in natural.csv test the rules. The verdicts for the others, and for
    all, are only descriptive.
    """
    kept, made = rows[rows["kept"] == 1], []
    populations = {UNSHARED: kept["shared"] == 0, SHARED: kept["shared"] == 1, EVERY: kept["shared"] >= 0}
    for population, is_member in populations.items():
        cells = [cell for rule in rules for cell in cells_of_rule(rule, kept[is_member])]
        values = {i: cell.pop("values") for i, cell in enumerate(cells)}
        enough = {i: column for i, column in values.items() if len(column) >= fewest_groups}
        joint = limits.of(enough) if enough else pd.DataFrame(columns=["estimate", "low", "high"])
        for i, cell in enumerate(cells):
            numbers = dict.fromkeys(("estimate", "low", "high"), np.nan)
            if i in enough:
                numbers = joint.loc[i, ["estimate", "low", "high"]].to_dict()
            told = verdict(numbers["low"], numbers["high"], cell) if i in enough else TOO_FEW
            facts = {"population": population, "n_groups": len(values[i]), "digest": digest_of(rules)}
            made.append({**facts, **cell, **numbers, "verdict": told})
    table = pd.DataFrame(made)
    if made:
        table["rule_verdict"] = table.groupby(["population", "rule"])["verdict"].transform(together)
    return table


def cells_of_rule(rule: Mapping, rows: pd.DataFrame) -> Iterator[dict]:
    """Yield the settings of a rule, each with its `values` by source group.

    A value is the rule's sum of terms. Source groups that lack a term are left out. A rule that names no set
    of candidates is about the first one.
    """
    named = rule.get("candidates", next(iter(rows["candidates"]), None))
    rows = rows[rows["candidates"] == named]
    ends = {
        f"{verdict}_{end}": np.nan if number is None else number
        for verdict in (CONFIRMED, CONTRADICTED)
        for end, number in zip(("from", "to"), rule[verdict], strict=True)
    }
    for prevalence, positives in rule["cells"]:
        is_cell = (rows["prevalence"] == prevalence) & (rows["positives"] == positives)
        cell = rows[is_cell & (rows["target"] == rule["target"])]
        values = pd.Series(0.0, cell["source_group"].unique())
        for term in rule["sum"]:
            way = cell[(cell["chosen_on"] == term["chosen_on"]) & (cell["threshold"] == term["threshold"])]
            values += term["times"] * way.set_index("source_group")[column("value", term["selected_by"])]
        yield {
            "rule": rule["name"], "says": rule["says"], "target": rule["target"], "prevalence": prevalence,
            "positives": positives, **ends, "values": values.dropna(),
        }  # fmt: skip


def verdict(low: float, high: float, rule: Mapping) -> str:
    """Return the verdict on a rule in one setting.

    The rule is contradicted, or else confirmed, if the whole interval lies in the range that the rule gives
    for this. Otherwise the verdict is `open`, which means inconclusive. NaN is no end of a range.

    >>> ends = {"confirmed_from": 0.0, "confirmed_to": np.nan, "contradicted_from": np.nan, "contradicted_to": 0.005}
    >>> [verdict(low, high, ends) for low, high in ((0.001, 0.02), (-0.01, 0.004), (-0.01, 0.02), (0.001, 0.004))]
    ['confirmed', 'contradicted', 'open', 'contradicted']
    """
    for word in (CONTRADICTED, CONFIRMED):
        if not (low < rule[f"{word}_from"] or high > rule[f"{word}_to"]):
            return word
    return OPEN


def together(verdicts: Iterable[str]) -> str:
    """Return the verdict on a rule from its verdicts in all settings.

    One setting is enough to contradict it. All settings that have enough source groups must confirm it.
    """
    return next((word for word in (CONTRADICTED, OPEN, CONFIRMED) if word in set(verdicts)), TOO_FEW)


def matters(low: float, high: float) -> str:
    """Return whether a difference is half a point or more, or less, by its interval.

    If the interval allows both, the answer is `open`.

    >>> matters(0.006, 0.02), matters(-0.001, 0.004), matters(-0.001, 0.02)
    ('half a point or more', 'less than half a point', 'open')
    """
    if max(-low, high) <= MARGIN:
        return "less than half a point"
    return "half a point or more" if low >= MARGIN or high <= -MARGIN else "open"
