"""The judge of claims.yaml: what Boyd et al. 2012 print about this task, and what our learners reach on it."""

from aucstudy.claims.verdicts import Claim, Finding, NotDecided, Verdict

from .source import TASK


def same_data(claim: Claim) -> Finding:
    tasks = claim.table("tasks").set_index("task_id")
    if TASK not in tasks.index:
        raise NotDecided
    task_facts = tasks.loc[TASK]
    originals = claim.rows("refitting_table_3", known=["aupr_original"], ratio="original")
    best = originals.loc[originals["aupr_original"].idxmax()]
    reached = (best["aupr_original"], originals["aupr_original"].mean())
    items = claim.numbers(task_facts["prevalence"], *reached, n=int(task_facts["n_rows"]))
    return Finding(Verdict.SAME_DATA_OTHER_LEARNER, items, claim.note(learner=best["flow_name"]))
