"""What the study is made of: tasks, source groups, and what was left out."""

from aucstudy.claims.verdicts import Evidence


def population(evidence: Evidence) -> list[str]:
    """How many tasks and source groups the study holds, and what was left out."""
    tasks, rejections = evidence.table("tasks"), evidence.table("rejections")
    low, high = tasks["prevalence"].min(), tasks["prevalence"].max()
    sentences = [
        f"{len(tasks)} tasks in {tasks['source_group'].nunique()} groups of data sets that share rows or origin; "
        f"{tasks['n_rows'].sum():,} rows, prevalence {low:.3f} to {high:.3f}."
    ]
    check = evidence.table("server_check")
    if check is not None and check["n_compared"].iloc[0]:
        row = check.iloc[0]
        agree, compared = int(row["n_agree"]), int(row["n_compared"])
        sentences.append(
            f"AUROC agrees with the one that the server recorded in {agree} of {compared} runs "
            f"({100 * row['share']:.1f} %, largest difference {row['largest_difference']:.1g})."
        )
    for reason, rejected in rejections.groupby("reason"):
        sentences.append(
            f"Left out: {len(rejected)} x {reason} ({', '.join(rejected['stage'].unique())}), see rejections.csv."
        )
    return sentences
