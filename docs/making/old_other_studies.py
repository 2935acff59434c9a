"""What the other studies of a checkout found, in sentences that stand beside a study's own."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
from aucstudy.presentation.phrases import listed
from aucstudy.report.answer import ANSWERED_FROM, answer, best_model_shares, shares_in_words
from aucstudy.report.ledger import ARITHMETIC, items_by_claim, verdict_words

from aucstudy.area_names import AREA_LABELS
from aucstudy.claims.confirmation import population_of
from aucstudy.claims.verdicts import Evidence
from aucstudy.published.boyd_tables import table_3
from aucstudy.published.values import published_values

# a study of one task tells of its models, not of disagreement between tasks
READ = ("tasks", "disagreement", "refitting_table_3", "variance")
ALONE = ("learner seed", "split", "test rows")
DOWNSAMPLED = {"aupr": "AUCPR in table 3", "aucnpr": "AUCNPR in table 3"}


def studies_beside(results: Path, study: str) -> dict[str, Path]:
    """The folders of tables of all other studies with committed results, by name."""
    folders = sorted(results.glob("*/tables"))
    return {
        folder.parent.name: folder
        for folder in folders
        if folder.parent.name != study and (folder / "tasks.csv").exists()
    }


def read_beside(folders: Mapping[str, Path]) -> list[Path]:
    """The tables that `told_beside` and `answers_beside` read."""
    names = dict.fromkeys((*READ, *ANSWERED_FROM))
    files = [folder / f"{name}.csv" for folder in folders.values() for name in names]
    return [file for file in files if file.exists()]


def told_beside(folders: Mapping[str, Path]) -> dict[str, str]:
    """A sentence or two for each other study that measured what can be set beside this one."""
    sentences = {name: study_in_words(Evidence(folder, "")) for name, folder in folders.items()}
    return {name: words for name, words in sentences.items() if words}


def many_tasks(folders: Mapping[str, Path]) -> dict[str, Evidence]:
    """The studies of many tasks that measured disagreement."""
    studies = {name: Evidence(folder, "") for name, folder in folders.items()}
    return {
        name: evidence
        for name, evidence in studies.items()
        if evidence.table("disagreement") is not None and len(evidence.table("tasks")) > 1
    }


def kind_of(evidence: Evidence) -> str:
    """How many tasks a study has, and whether its data or learners are new."""
    return f"{len(evidence.table('tasks'))} tasks, {population_of(evidence).what}"


def answers_beside(studies: Mapping[str, Evidence]) -> dict[str, dict[str, str]]:
    """By question the short answer of each of `many_tasks`, to go on after a colon."""
    answers: dict[str, dict[str, str]] = {}
    for name, evidence in studies.items():
        for part in answer(evidence):
            answers.setdefault(part.question, {})[name] = f"{part.short[0].lower()}{part.short[1:]}"
    return answers


def verdicts_beside(studies: Mapping[str, Evidence]) -> dict[str, dict[str, str]]:
    """By claim the verdict of each of `many_tasks`, of those claims that data are needed for."""
    verdicts: dict[str, dict[str, str]] = {}
    for name, evidence in studies.items():
        items = items_by_claim(evidence)
        for row in evidence.table("claims").itertuples():
            if row.verdict not in ARITHMETIC:
                verdicts.setdefault(row.id, {})[name] = verdict_words(row.verdict, items[row.id])
    return verdicts


def study_in_words(evidence: Evidence) -> str:
    """What a study found: the shares of disagreement, what redrawing one thing alone changes, or on the task of table
    3 the range of its models."""
    tasks, shares, models, variance = (evidence.table(name) for name in READ)
    if shares is not None and len(tasks) > 1:
        pairs = shares_in_words(best_model_shares(shares))
        return f"{len(tasks)} tasks; the best models differ between {pairs} of them."
    if variance is not None and not variance.empty:
        return redrawn(variance)
    if models is not None and len(tasks) == 1:
        return spread_on_table_3(tasks, models)
    return ""


def redrawn(variance: pd.DataFrame) -> str:
    """How often an area disagrees with itself when one thing alone is drawn anew, the range of the areas.

    Parameters
    ----------
    variance : variance.csv.
    """
    rows = variance[(variance["quantity"] == "differs from itself")].set_index("factor")["estimate"]
    seed, split, test = (rows.loc[factor] for factor in ALONE)
    return (
        "Chance alone changes best models too: the same area picks another one "
        f"{_of_pairs(seed)} of pairs of fits that differ in the learners' seed only, {_of_pairs(split)} with another "
        f"split into folds and {_of_pairs(test)} with other test rows."
    )


def _of_pairs(shares: pd.Series) -> str:
    return f"in {100 * shares.min():.0f} to {100 * shares.max():.0f} %"


def spread_on_table_3(tasks: pd.DataFrame, models: pd.DataFrame) -> str:
    """Standard deviations over the ratios of Boyd et al.'s table 3 and the original areas: the range of all models
    and the paper's own number, whether it lies inside or not.

    Parameters
    ----------
    tasks : one row of tasks.csv.
    models : refitting_table_3.csv, a row for each flow and ratio.
    """
    task, n_models = tasks.iloc[0], models["flow_name"].nunique()
    n_ratios = models["ratio"].nunique()
    printed = published_values().set_index(["id", "item"])["value"]
    spreads = [
        f"for {AREA_LABELS[area]} "
        + _against(models.groupby("flow_name")[f"{area}_downsampled"].std(ddof=1), float(printed["B-tab3-var", item]))
        for area, item in DOWNSAMPLED.items()
    ]  # fmt: skip
    original = models[models["ratio"] == "original"].set_index("flow_name")["aupr_original"]
    rows = table_3()
    paper = float(
        rows.loc[(rows["test_set"] == "original") & (rows["negatives_per_positive"] == 24), "aucpr"].iloc[0]
    )
    return (
        f"Boyd et al.'s own data, other learners: the task of their table 3 ({task['n_positive']:,} of "
        f"{task['n_rows']:,} pairs are positive), with {n_models} learners; the paper's, SAYU, is not available. By "
        f"learner the standard deviation over the {n_ratios} ratios is {listed(spreads)}; on the original test set "
        f"AUPR itself is {_against(original, paper)}."
    )


def _against(values: Sequence[float], published: float) -> str:
    low, high = min(values), max(values)
    where = "inside" if low <= published <= high else "outside"
    return f"{low:.3f} to {high:.3f} (the paper's {published:.3f} lies {where})"
