"""The tables of `few_positives.md`: rows by source group, and estimates with limits that are made of these alone."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from aucstudy.area_names import MARGIN
from aucstudy.statistics.intervals import joint_limits

from .natural_data import naturals

# rows that choose: one sample of a pair, or both; and rows that set the threshold: the same, the other sample of the
# pair, the shares that each sample finds for the other one's choice; the judge's own; calibrated scores of training
# rows, and their share of positives
ONE, BOTH = "one", "both"
SAME, OTHER, CROSSED, HINDSIGHT, BAYES, SHARE = "same", "other", "crossed", "hindsight", "bayes", "share"
WHOLE = 0  # in place of a number of positives: all rows of the validation set, cut in halves
POOLED = 0.0  # in place of a band of prevalence: all of them together
REFERENCE, ITSELF, RANDOM = "auroc", "the target itself", "random"
METRICS = (
    "auroc", "average_precision", "aupr", "auprg", "log_loss", "brier", "mcc", "f1", ITSELF,
)  # fmt: skip
# of rounds of boosting, also a number of rounds that is not chosen (None: the last one), and patience by log loss
FIXED: Mapping[str, int | None] = {"100 rounds": 100, "300 rounds": 300, "last round": None}
PATIENCE = {"patience 20": 20, "patience 50": 50}
SELECTED_BY = (*METRICS, *FIXED, *PATIENCE, RANDOM)

FEWEST_GROUPS = 15  # of a cell, where a study says nothing else
LEAST_FALSE_POSITIVES = 10 - 1e-9  # sums of weights over a weight: 10 may read 9.999999999999998
DECIMALS = 7  # of the rows by source group
TABLE_DECIMALS = 6
CELL = ["candidates", "prevalence", "positives", "chosen_on", "target", "threshold"]
MARKS = ("cut", "doubtful", "shared")
# source groups that a mean is taken over: without those that have the mark. Outcomes that are rare by nature may be cut
# or doubtful, and a study with other data sets may share source groups with them.
OUTCOMES = {"all": None, "without cuts": "cut", "without doubtful": "doubtful", "without shared": "shared"}
# what one way to spend labelled rows gains over another
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
    """The column of the rows by source group.

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
    """Means over the splits of each source group, and over libraries of boosting, of which all other tables are made.

    Splits with too few false positives are in a row of their own.
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
    """0 or 1: the outcome is a cut of a number, is doubtful; an outcome that is rare by nature has the source group.

    `data_sets` are their names by source group; those of `natural.csv` may be marked.
    """
    outcomes, names = naturals(), source_groups.map(data_sets)
    values = {
        "cut": names.map({name: row.is_cut for name, row in outcomes.items()}),
        "doubtful": names.map({name: bool(row.doubt) for name, row in outcomes.items()}),
        "shared": source_groups.isin({row.source_group for row in outcomes.values()}),
    }
    return {mark: values[mark].eq(True).astype(int) for mark in MARKS}


class Limits(NamedTuple):
    """How limits are made, of all tables and rules alike: studentised maxima over resampled source groups."""

    resamples: int
    seed: int

    def of(self, columns: Mapping[object, pd.Series]) -> pd.DataFrame:
        """Estimate, low and high of each column of values by source group; the limits hold for all columns at once."""
        values = pd.DataFrame(columns)
        joint = joint_limits(values.to_numpy(), self.resamples, self.seed)
        numbers = {"estimate": joint.estimate, "low": joint.low, "high": joint.high}
        return pd.DataFrame(numbers, index=[*columns]).round(TABLE_DECIMALS)


class Cells:
    """Values by source group in the cells of a study that have groups enough."""

    def __init__(self, rows: pd.DataFrame, in_bands: bool, fewest_groups: int) -> None:
        kept = rows[rows["kept"] == 1]
        # a source group is in one band, so that all bands together are a cell with each group once
        parts = [kept, *[kept.assign(prevalence=POOLED)] * in_bands]
        self.rows, self.fewest_groups = pd.concat(parts, ignore_index=True), fewest_groups
        self.in_bands = in_bands

    def families(self) -> Iterator[tuple[str, str, pd.DataFrame]]:
        """Rows of a set of candidates and a target metric: limits hold for all means of these at once."""
        for (candidates, target), rows in self.rows.groupby(["candidates", "target"], sort=False):
            yield candidates, target, rows

    def without(self, rows: pd.DataFrame, mark: str) -> pd.DataFrame:
        """Rows of the source groups without a mark: of all bands together, or for `shared` of each prevalence."""
        of_all_bands = rows["prevalence"] == POOLED
        return rows[(rows[mark] == 0) & (~of_all_bands if mark == "shared" else of_all_bands)]

    def of(self, rows: pd.DataFrame, *keys: str) -> Iterator[tuple[dict, pd.DataFrame]]:
        """The values by source group of each cell with groups enough."""
        for key, cell in rows.groupby([*keys], sort=False):
            if cell["source_group"].nunique() >= self.fewest_groups:
                yield dict(zip(keys, key, strict=True)), cell


def values_table(cells: Cells, limits: Limits) -> pd.DataFrame:
    """The value of each metric's choice, what it gains over a random model, and its difference to AUROC's choice."""
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
    """What a way to spend labelled rows gains over another, by selection metric, and how much more than for AUROC."""
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
    """What a metric, or patience, that says where boosting ends gains over numbers of rounds that nothing chose."""
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
    """A row for each of `facts`, with the estimates of each name and their joint limits.

    `estimates` have the values by source group under the number of the row. The limits of `difference` are called `low`
    and `high`, those of another name begin with it.
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
    """The verdict on each rule and its cells.

    The source groups that `natural` does not share test the rules; the others, and all, are described.
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
    """The cells of a rule, each with its (groups,) `values`: of groups that have all terms of the sum.

    A rule that names no set of candidates speaks of the first one.
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
    """Contradicted or confirmed where the limits lie between the rule's ends for that; NaN is no end.

    >>> ends = {"confirmed_from": 0.0, "confirmed_to": np.nan, "contradicted_from": np.nan, "contradicted_to": 0.005}
    >>> [verdict(low, high, ends) for low, high in ((0.001, 0.02), (-0.01, 0.004), (-0.01, 0.02), (0.001, 0.004))]
    ['confirmed', 'contradicted', 'open', 'contradicted']
    """
    for word in (CONTRADICTED, CONFIRMED):
        if not (low < rule[f"{word}_from"] or high > rule[f"{word}_to"]):
            return word
    return OPEN


def together(verdicts: Iterable[str]) -> str:
    """The verdict on a rule: contradicted by one cell, confirmed by all that have groups enough."""
    return next((word for word in (CONTRADICTED, OPEN, CONFIRMED) if word in set(verdicts)), TOO_FEW)


def matters(low: float, high: float) -> str:
    """Whether limits say that a difference is half a point or more, is less, or leave it open.

    >>> matters(0.006, 0.02), matters(-0.001, 0.004), matters(-0.001, 0.02)
    ('half a point or more', 'less than half a point', 'open')
    """
    if max(-low, high) <= MARGIN:
        return "less than half a point"
    return "half a point or more" if low >= MARGIN or high <= -MARGIN else "open"
