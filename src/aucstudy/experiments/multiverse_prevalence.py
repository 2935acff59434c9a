"""Disagreement by prevalence: across tasks, where it is confounded, and within tasks, where it is not."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from aucstudy.area_names import AREAS, DISTINCT_PAIRS, PAIR_LABELS
from aucstudy.experiments.disagreement import by_top, first_places_differ
from aucstudy.experiments.inputs import Study, Task
from aucstudy.figures import charts
from aucstudy.metrics.tied_groups import areas_of_groups, tied_groups
from aucstudy.statistics.intervals import estimated, over_tasks, statistic_interval
from aucstudy.statistics.ranks import rounded

SHARE = ["first", "second", "top"]
PREVALENCE_BINS = (0.0, 0.05, 0.1, 0.2, 0.35, 1.0)
POSITIVE_BINS = (1, 50, 100, np.inf)
MANY_POSITIVES = 100
# the share of one or two tasks says nothing: it is in the table and not drawn
FEWEST_DRAWN = 3


def of_task(task: Task, *, prevalences: Sequence[float], seed: int) -> dict[str, pd.DataFrame]:
    rows, rankings = [], tied_groups(task.predictions.y_true, task.predictions.scores)
    for prevalence in prevalences:
        areas = dict(zip(AREAS, rounded(areas_of_groups(rankings, prevalence=prevalence)).T, strict=True))
        rows += [(prevalence, *key, differs) for key, differs in first_places_differ(areas).items()]
    return {"moved": pd.DataFrame(rows, columns=["prevalence", *SHARE, "differs"])}


def over_all(study: Study, *, bootstrap: int, seed: int) -> dict[str, pd.DataFrame]:
    if "moved" not in study.frames:
        return {}
    by_task = study.table("disagreement_tasks")
    contrasts = by_top(by_task[by_task["second"] != "aucnpr"])
    contrasts = contrasts.merge(study.tasks[["task_id", "prevalence", "n_positive"]], on="task_id")
    moved_by_share = dict(iter(study.frames["moved"].groupby(SHARE)))

    def quantities(tasks: pd.DataFrame) -> Mapping[int, Mapping]:
        rows = [*_across(tasks), *_by_positives(tasks, bootstrap, seed)]
        for prevalence, at_prevalence in moved_by_share[tuple(tasks.iloc[0][SHARE])].groupby("prevalence"):
            share = _share(at_prevalence)
            rows.append(_row("within tasks", prevalence, prevalence, prevalence, "all", share))
        return dict(enumerate(rows))

    return {"prevalence": estimated(contrasts, SHARE, quantities)}


def _row(scope: str, prevalence: float, low: float, high: float, positives: str, share: Mapping) -> dict:
    bounds = {"prevalence": prevalence, "prevalence_low": low, "prevalence_high": high}
    return {"scope": scope, **bounds, "positives": positives, **share}


def _share(tasks: pd.DataFrame) -> dict[str, float]:
    return over_tasks(tasks["differs"], tasks["source_group"], exact=True)


def _across(tasks: pd.DataFrame) -> Iterator[dict]:
    for low, high in pairwise(PREVALENCE_BINS):
        strata = {"all": tasks[(tasks["prevalence"] >= low) & (tasks["prevalence"] < high)]}
        n_positive = strata["all"]["n_positive"]
        for lower, upper in pairwise(POSITIVE_BINS):
            name = f"{lower} and more" if np.isinf(upper) else f"{lower} to {upper - 1}"
            strata[name] = strata["all"][(n_positive >= lower) & (n_positive < upper)]
        for name, chosen in strata.items():
            if len(chosen):
                yield _row("across tasks", chosen["prevalence"].mean(), low, high, name, _share(chosen))


def by_positives_table(by_task: pd.DataFrame, resamples: int, seed: int) -> pd.DataFrame:
    """The rows of prevalence.csv by the number of positives, of disagreement_tasks.csv with `n_positive`."""
    contrasts = by_top(by_task[by_task["second"] != "aucnpr"])
    return estimated(contrasts, SHARE, lambda tasks: dict(enumerate(_by_positives(tasks, resamples, seed))))


def _by_positives(tasks: pd.DataFrame, resamples: int, seed: int) -> Iterator[dict]:
    """The share among tasks with few and with many positives, and the difference with its interval."""
    many_positives = (tasks["n_positive"] >= MANY_POSITIVES).to_numpy()
    if many_positives.all() or not many_positives.any():
        return
    groups, values = tasks["source_group"].to_numpy(), tasks["differs"].to_numpy(dtype=float)

    def difference(weights: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = [
                weights[:, group] @ values[group] / weights[:, group].sum(axis=1)
                for group in (many_positives, ~many_positives)
            ]
        return shares[0] - shares[1]

    sizes = {"n_tasks": len(values), "n_groups": len(set(groups))}
    shares = {
        f"fewer than {MANY_POSITIVES}": _share(tasks[~many_positives]),
        f"{MANY_POSITIVES} and more": _share(tasks[many_positives]),
        "many minus few": {**vars(statistic_interval(difference, groups, resamples, seed)), **sizes},
    }
    for positives, share in shares.items():
        yield _row("by positives", np.nan, 0.0, 1.0, positives, share)


def prevalence_shares(study: Study):
    table = study.table("prevalence")
    is_drawn = (table["scope"] == "within tasks") | (table["n_tasks"] >= FEWEST_DRAWN)
    best = table[(table["top"] == 1) & is_drawn]
    sizes = set(best.loc[best["scope"] == "across tasks", "positives"])
    classes = ["all", *sorted(sizes - {"all"}, key=lambda name: int(name.split()[0]))]
    looks = [
        {"color": colour, "marker": marker, "linestyle": "none"}
        for colour, marker, _ in zip(charts.SERIES_COLOURS, charts.SERIES_MARKERS, classes, strict=False)
    ]
    n_rows = 1 if len(classes) == 1 else 2  # the lower row has tasks by their numbers of positives
    figure, axes = charts.panels(n_rows, 3, height=2.65 if n_rows == 1 else 4.9, sharey="row", squeeze=False)
    for column, pair in zip(axes.T, DISTINCT_PAIRS, strict=True):
        above, below = column[0], column[-1]
        pair_rows = best[(best["first"] == pair[0]) & (best["second"] == pair[1])]
        within_tasks = pair_rows[pair_rows["scope"] == "within tasks"].sort_values("prevalence")
        band = 100 * within_tasks[["low", "high"]].to_numpy().T
        above.fill_between(within_tasks["prevalence"], *band, color="0.85", linewidth=0)
        above.plot(within_tasks["prevalence"], 100 * within_tasks["estimate"], color="0.4")
        for k, (positives, look) in enumerate(zip(classes, looks, strict=True)):
            rows = pair_rows[(pair_rows["scope"] == "across tasks") & (pair_rows["positives"] == positives)]
            bins = np.searchsorted(PREVALENCE_BINS, rows["prevalence_low"])
            axis, positions, x = (
                (below, bins, bins + 0.25 * (k - 2)) if k else (above, *[rows["prevalence"]] * 2)
            )
            charts.upwards(axis, x, rows, estimate="estimate", scale=100, **look)
            for i, (position, n_tasks) in enumerate(zip(positions, rows["n_tasks"], strict=True)):
                text = {"ha": "center", "va": "center", "fontsize": charts.NOTE, "color": look["color"]}
                # above, where bins lie near one another, at two heights
                axis.text(position, 109 + 11 * (k - 1 if k else i % 2), f"{n_tasks}", **text)
        above.set(title=PAIR_LABELS[pair], xscale="log", ylim=(-4, 128))
        above.set_xticks([0.01, 0.03, 0.1, 0.3], ["0.01", "0.03", "0.1", "0.3"])
        above.minorticks_off()
        if below is not above:
            below.set(xlim=(-0.6, len(PREVALENCE_BINS) - 1.4), ylim=(-4, 100 + 11 * len(classes)))
            names = [f"{low:g}-\n{high:g}" for low, high in pairwise(PREVALENCE_BINS)]
            below.set_xticks(range(len(names)), names)
        for axis in column:
            axis.set(xlabel="prevalence", yticks=range(0, 101, 20))
            axis.grid(True, axis="y")
    for axis in axes[:, 0]:
        axis.set_ylabel("another best model (% of tasks)")
    labels = ["tasks of that prevalence", *(f"with {positives} positives" for positives in classes[1:])]
    handles = [charts.line(label, **look) for label, look in zip(labels, looks, strict=True)]
    charts.legend_above(figure, [charts.line("same predictions, moved", color="0.4"), *handles], columns=3)
    return figure
