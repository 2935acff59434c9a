"""What the simulations say: when the choice matters, what the test of a swap can see, and what intervals cover."""

import pandas as pd

from aucstudy.area_names import AREA_LABELS, DISTINCT_AREAS, DISTINCT_PAIRS, PAIR_LABELS
from aucstudy.experiments.inputs import Figure, Study
from aucstudy.experiments.simulated_truth.figures import (
    CANDIDATE_LABELS,
    KIND_LABELS,
    TRUTH_LABELS,
    choices_figure,
    coverage_figure,
)
from aucstudy.experiments.simulated_truth.rules import (
    MARGIN,
    candidates_over_quantities,
    level_of_swaps,
    matters_from,
)

QUESTION = "Which area picks the truly best model, and from how many positives on does the choice among areas matter?"


def findings(study: Study) -> list[str]:
    """The rules of the room, applied to the tables."""
    choices, swaps = study.table("simulated_choices"), study.table("simulated_swaps")
    coverage, intervals = study.table("simulated_coverage"), study.table("interval_coverage")
    sentences = [_matters(choices, *pair) for pair in DISTINCT_PAIRS]
    sentences.append(_agreeing(choices))
    if len(swaps):
        sentences += [_level(swaps), _power(swaps), _rows(coverage)]
    return [*sentences, *_intervals(intervals)]


def _matters(choices: pd.DataFrame, first: str, second: str) -> str:
    """From how many positives on the choice between two areas matters, by truth model and prevalence."""
    table = matters_from(choices, [first, second], [first, second])
    texts = []
    for truth_model, rows in table[table["truth_model"] != "nested"].groupby("truth_model", sort=False):
        ways = []
        for _, row in rows.iterrows():
            never = pd.isna(row["matters_from"])
            begins = "at no number" if never else f"from {row['matters_from']:,.0f} on"
            loses = f"{AREA_LABELS[row['chooser']]} loses {row['excess_regret']:.3f} {AREA_LABELS[row['judged_by']]}"
            ways.append(f"{row['prevalence']:g} {begins} ({loses}, error {row['excess_mc_se']:.3f})")
        texts.append(f"on {TRUTH_LABELS[truth_model]}, at prevalence {', '.join(ways)}")
    return (
        f"Choosing by {AREA_LABELS[first]} or {AREA_LABELS[second]} costs more than {MARGIN:g} of true area by the "
        f"other's standard, from some number of positives up to {choices['positives'].max():,}: {'; '.join(texts)}. In "
        "brackets the cost at that number, else at the largest, with its Monte Carlo error."
    )


def _agreeing(choices: pd.DataFrame) -> str:
    """Which area picks best where all areas agree which model is best."""
    nested = choices[(choices["truth_model"] == "nested") & (choices["judged_by"] == "aupr")]
    texts = []
    for prevalence, cell in nested[nested["chooser"].isin(DISTINCT_AREAS)].groupby("prevalence"):
        chances = cell.pivot(index="positives", columns="chooser", values="p_picks_best")
        few = chances[chances.index <= 300].mean()
        words = [f"{AREA_LABELS[area]} {100 * few[area]:.0f} %" for area in DISTINCT_AREAS]
        texts.append(f"{prevalence:g}: {', '.join(words)}")
    error = nested.loc[nested["chooser"].isin(DISTINCT_AREAS), "mc_se"].max()
    return (
        "Where curves are nested, so that all areas agree which of eight models is best, noise alone decides: with up "
        f"to 300 positives (mean over the grid; Monte Carlo error of one number at most {100 * error:.0f} points) the "
        f"best is picked, by prevalence, {'; '.join(texts)}."
    )


def _level(swaps: pd.DataFrame) -> str:
    texts = []
    for models, row in level_of_swaps(swaps).groupby(["test", "models"], sort=False):
        worst = row.iloc[0]
        texts.append(
            f"{models[0]} with {'two' if models[1] == 2 else models[1]} models at most {100 * worst['p_real']:.0f} % "
            f"({100 * worst['mc_se']:.0f}; {worst['scenario']}, {AREA_LABELS[worst['first']]} and "
            f"{AREA_LABELS[worst['second']]}, {worst['positives']} positives, prevalence {worst['prevalence']:g}), "
            f"{'above' if worst['exceeds'] else 'within'} the level"
        )
    return (
        "Where no true swap exists, samples whose swap is called real, in the worst of the cells (Monte Carlo error): "
        f"{'; '.join(texts)}. With more than two models the same rows choose the pair and test it."
    )


def _power(swaps: pd.DataFrame) -> str:
    texts = []
    halves = swaps[~swaps["is_null"].astype(bool) & (swaps["test"] == "halves")]
    for first, second in DISTINCT_PAIRS:
        pair = halves[(halves["first"] == first) & (halves["second"] == second)]
        best = pair.loc[pair["p_real"].idxmax()]
        texts.append(
            f"{PAIR_LABELS[first, second]} at most {100 * best['p_real']:.0f} % "
            f"({100 * best['mc_se']:.0f}; {best['positives']} positives, prevalence {best['prevalence']:g}, true "
            f"margins {abs(best['margin_first']):.3f} and {abs(best['margin_second']):.3f})"
        )
    at_most = halves["positives"].max()
    return (
        "Of samples from two models that truly swap, the test by halves calls the swap real, in the best of the cells "
        f"with up to {at_most} positives: {'; '.join(texts)}. A swap that is not called real is no evidence against it."
    )


def _rows(coverage: pd.DataFrame) -> str:
    texts = []
    for positives, rows in coverage.groupby("positives"):
        rows = rows.groupby(["interval", "quantity"])["coverage"].mean().unstack()
        ways = [
            f"{name} {100 * row['area']:.0f} and {100 * row['difference']:.0f}"
            for name, row in rows.iterrows()
        ]
        texts.append(f"{positives} positives: {', '.join(ways)}")
    error = coverage["mc_se"].max()
    return (
        "Row-level 95 % intervals cover the true area of a model, and the difference of two, in this many percent of "
        f"the samples (mean over areas and prevalences; Monte Carlo error of a cell at most {100 * error:.1f}): "
        f"{'; '.join(texts)}."
    )


def _intervals(intervals: pd.DataFrame) -> list[str]:
    """The recommended interval over source groups beside the percentile interval, by kind of quantity."""
    table = candidates_over_quantities(intervals)
    sentences = []
    for kind, rows in table.groupby("kind", sort=False):
        taken = rows[rows["recommended"]].iloc[0]
        of_kind = intervals[intervals["kind"] == kind]
        by_groups = of_kind.pivot_table(index="n_groups", columns="candidate", values="coverage")
        by_groups = by_groups.sort_index(ascending=False)
        groups = ", ".join(map(str, by_groups.index))
        numbers = {
            name: ", ".join(f"{100 * share:.0f}" for share in by_groups[name])
            for name in ("percentile", taken["candidate"])
        }
        sentences.append(
            f"Intervals over source groups for {KIND_LABELS[kind]}: with {groups} groups the percentile interval "
            f"covers {numbers['percentile']} %, {CANDIDATE_LABELS[taken['candidate']]}, which the rule chooses, "
            f"{numbers[taken['candidate']]} % (lowest of all cells {100 * taken['lowest']:.0f} %, Monte Carlo error of "
            f"a cell at most {100 * of_kind['mc_se'].max():.1f}), at {taken['relative_width']:.2f} times the width."
        )
    return sentences


TABLES = {
    "simulated_choices": (
        "Models with known true areas: how often the model that an area (chooser) puts first in a sample is truly "
        "the best by an area (judged_by), its regret, and by how much that exceeds the regret of choosing by "
        "judged_by itself on the same samples; p_limit is the chance with unlimited rows; mc_se and the like are "
        "Monte Carlo standard errors. Eight models: nested and crossing binormal curves, and curves fitted to 17 tasks."
    ),
    "simulated_swaps": (
        "How often the test by halves (of the experiment noise) and by bootstrap (of the audit) calls a swap of best "
        "models real: its level where no swap is true (is_null), its power where one is; margins are true areas of "
        "the first model less the second's."
    ),
    "simulated_coverage": (
        "Coverage of row-level 95 % intervals of an area and of the difference of two models' areas, over all "
        "simulated pairs of models: percentile and basic bootstrap, and the spread of random halves; below and above "
        "are shares of intervals that miss the truth on that side."
    ),
    "interval_coverage": (
        "Coverage and width of candidate 95 % intervals over source groups, for the default study's quantities by "
        "task: groups of the real sizes from a hierarchical model fitted to the study, or whole groups drawn from "
        "it; relative_width is the mean width over the percentile interval's."
    ),
}


FIGURES = {
    "simulated_choices": Figure(
        lambda study: choices_figure(study.table("simulated_choices")),
        "How often each area picks the truly best of eight models, against the number of positives: by its own "
        "standard (solid, bars of two Monte Carlo standard errors) and by the standard of the two others (dotted, "
        "mean); nested and crossing binormal curves, and curves fitted to 17 real tasks; chance is one in eight.",
    ),
    "interval_coverage": Figure(
        lambda study: coverage_figure(study.table("interval_coverage")),
        "Coverage of 95 % intervals over source groups against the number of groups (mean over the quantities of a "
        "kind): groups of the study's sizes from a hierarchical model (top), whole groups drawn from the study "
        "(bottom).",
    ),
}
