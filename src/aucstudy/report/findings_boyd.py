"""What the experiments on class skew say [Boyd et al. 2012], in sentences with numbers from the tables."""

from aucstudy.area_names import AREA_LABELS
from aucstudy.claims.verdicts import Evidence
from aucstudy.presentation.phrases import between

LABELS = {**AREA_LABELS, "auprg": "signed AUPRG", "auprg_clipped": "clipped AUPRG"}


def downsampling(evidence: Evidence) -> list[str]:
    """What cutting the negatives of the test set does to each area."""
    table = evidence.table("downsampling")
    if table is None:
        return []
    common = table[table["tasks"] == "common"]
    nearest = common["ratio"].iloc[0]
    tasks = int(common["n_tasks"].iloc[0])
    if not tasks:
        return ["No task is skewed enough for every ratio, so ratios cannot be compared on the same tasks."]
    moved = [
        f"{LABELS[row['area']]} by {between(row)}" for _, row in common[common["ratio"] == nearest].iterrows()
    ]
    told = [
        f"Cutting the test sets of {tasks} tasks to {nearest}, the models unchanged, moves {', '.join(moved)}."
    ]
    claims = evidence.table("downsampling_claims")
    spread = claims[claims["statistic"] == "SD over ratios"].set_index("area")["estimate"]
    told.append(
        f"Over the ratios a model's AUPR has a standard deviation of {spread['aupr']:.3f}, its AUCNPR one of "
        f"{spread['aucnpr']:.3f}."
    )
    return told


def prevalence_shift(evidence: Evidence) -> list[str]:
    """The first open question: can an area be moved between skews?"""
    table = evidence.table("prevalence_shift")
    if table is None or table.empty:
        return []
    rows = table.rename(columns={"bias": "difference"}).set_index(["ratio", "area", "estimator"])
    nearest, farthest = table["ratio"].iloc[0], table["ratio"].iloc[-1]
    told = []
    moved, corrected, plain = (
        rows.loc[(nearest, "aupr", estimator)] for estimator in ("moved", "corrected", "plain subsample")
    )
    told.append(
        f"Moving AUPR from {nearest} back to the original prevalence closes {100 * moved['gap_closed']:.0f} % of the "
        f"gap and stays biased by {between(moved, 3)}, with a standard deviation of {moved['sd']:.3f} over draws; "
        f"a plain subsample of the same size, which is not moved at all, is biased by {between(plain, 3)}."
    )
    told.append(
        f"The estimator corrected for few negatives closes {100 * corrected['gap_closed']:.0f} % and is biased by "
        f"{between(corrected, 3)}; its two bounds lie {corrected['bias_low']:+.3f} and "
        f"{corrected['bias_high']:+.3f} from the truth (root mean square error {corrected['rmse']:.3f}, moved "
        f"{moved['rmse']:.3f}). At {farthest} the bias is "
        f"{rows.loc[(farthest, 'aupr', 'corrected'), 'difference']:+.4f} corrected, "
        f"{rows.loc[(farthest, 'aupr', 'moved'), 'difference']:+.4f} moved. The bounds hold for any distribution; "
        "where the estimate lies between them rests on a rule that was chosen on these tasks, so its bias on others "
        "is still to be seen."
    )
    told.append(
        f"Moved AUPRG is biased by {between(rows.loc[(nearest, 'auprg', 'moved')], 3)}: precision gain is linear in "
        "the false positive rate, so signed AUPRG and AUROC can be moved between skews without bias."
    )
    return told


def refitting(evidence: Evidence) -> list[str]:
    """Training sets cut too: what is the test set's skew, what the ranking's?"""
    table = evidence.table("refitting")
    if table is None or table.empty:
        return []
    nearest = table["ratio"].iloc[0]
    rows = table[(table["ratio"] == nearest) & (table["area"] == "aupr")].set_index("effect")
    roc = table[(table["ratio"] == nearest) & (table["area"] == "auroc")].set_index("effect")
    return [
        f"With the flows fitted again at {nearest} ({int(rows['n_tasks'].iloc[0])} tasks), the skew of the test set "
        f"moves AUPR by {between(rows.loc['test skew'])}; moved back it is off by "
        f"{between(rows.loc['after moving'], 3)}, corrected by {between(rows.loc['after correction'], 3)}.",
        f"Apart from that the ranking itself changes: on the original test set AUPR is {between(rows.loc['ranking'])} "
        f"against training on everything, AUROC {between(roc.loc['ranking'], 3)}. No transformation "
        "can undo this part.",
    ]


def fold_skew(evidence: Evidence) -> list[str]:
    """What unequal skew of folds does to the mean over folds and to the winner."""
    table = evidence.table("fold_skew")
    if table is None:
        return []
    spread = table[table["spread"].notna()]
    widest = spread[spread["spread"] == spread["spread"].max()].set_index(["effect", "area"])
    first = widest.iloc[0]
    moved = [f"{LABELS[area]} by {between(row, 3)}" for area, row in widest.loc["error"].iterrows()]
    told = [
        f"Folds whose prevalence has a standard deviation of {first['prevalence_sd']:.2f} move the mean over folds "
        f"against equally skewed folds: {', '.join(moved)} ({int(first['n_tasks'])} tasks; "
        f"{100 * first['left_out']:.0f} % of the folds are of one class and left out).",
        "The best model by the fold mean is not the merged one's in "
        + ", ".join(
            f"{100 * row['skewed']:.0f} % ({LABELS[area]}; control {100 * row['control']:.0f} %)"
            for area, row in widest.loc["winner changes"].iterrows()
        )
        + " of the cuts.",
    ]
    advice = evidence.table("fold_skew_averaging").rename(columns={"gain": "difference"})
    advice = advice[(advice["cut"] == first["cut"]) & (advice["tasks"] == "all")].set_index("effect")
    change, size = advice.loc["winner changes"], advice.loc["size in model SDs"]
    better = "is better" if size["low"] > 0 else "is not clearly better"
    told.append(
        f"Averaging AUCNPR over such folds {better} than averaging AUPR: the error is smaller by {between(size)} "
        f"standard deviations of the models (of {size['aupr']:.2f}), but the best model changes less often by only "
        f"{100 * change['difference']:.1f} points (95 % interval {100 * change['low']:.1f} to "
        f"{100 * change['high']:.1f}) of {100 * change['aupr']:.0f} %."
    )
    clusters = table[(table["cut"] == "clusters") & (table["effect"] == "error")].set_index("area")
    if len(clusters):
        told.append(
            f"Folds of similar rows (clusters) move the mean over folds more: AUPR by {between(clusters.loc['aupr'])}, "
            f"AUROC by {between(clusters.loc['auroc'])}; their rows differ by more than skew."
        )
    return told


def summary_curves(evidence: Evidence) -> list[str]:
    """The second open question: which summary curve does the evidence favour?"""
    table = evidence.table("summary_curves")
    if table is None:
        return []
    widest = table[table["spread"] == table["spread"].max()]
    means = widest.groupby("method", sort=False)[["aucnpr_error", "achievable", "distance"]].mean()
    told = [
        f"{name}: area off by {row['aucnpr_error']:.3f}, {100 * row['achievable']:.0f} % achievable, distance to the "
        f"merged curve {row['distance']:.3f}."
        for name, row in means.iterrows()
    ]
    possible = means[means["achievable"] >= 0.999]
    favoured = possible["aucnpr_error"].idxmin() if len(possible) else means["aucnpr_error"].idxmin()
    told.insert(
        0,
        f"At the most unequal skew (means over numbers of folds) the summary that stays achievable and comes nearest "
        f"to the folds' mean AUCNPR is '{favoured}' (off by {means.loc[favoured, 'aucnpr_error']:.3f}); vertical "
        f"averaging is off by {means.loc['vertical', 'aucnpr_error']:.3f}. The nearest to the merged curve is "
        f"'{means['distance'].idxmin()}'.",
    )
    return told


def task_aggregation(evidence: Evidence) -> list[str]:
    """Which flow is best over all tasks, by which average?"""
    table = evidence.table("task_aggregation")
    if table is None:
        return []
    chosen = table.groupby("best", sort=False)["average"].agg(list)
    told = [f"{flow} is the best flow by {', '.join(averages)}." for flow, averages in chosen.items()]
    rows = table.set_index("average")
    told.append(
        f"In {100 * rows.loc['mean AUCNPR', 'differs']:.0f} % of the resamples mean AUCNPR chooses another flow than "
        f"mean AUPR, mean AUROC in {100 * rows.loc['mean AUROC', 'differs']:.0f} %, mean signed AUPRG in "
        f"{100 * rows.loc['mean signed AUPRG', 'differs']:.0f} %, clipped in "
        f"{100 * rows.loc['mean clipped AUPRG', 'differs']:.0f} %."
    )
    tasks = evidence.table("task_aggregation_tasks")
    lowest = tasks[tasks["average"] == "mean signed AUPRG"].nsmallest(1, "lowest_value").iloc[0]
    told.append(
        f"A mean of signed AUPRG is exposed to single values: the lowest is {lowest['lowest_value']:.2f} (a model on "
        f"{lowest['task_id']})."
    )
    return told
