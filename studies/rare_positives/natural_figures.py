"""What choices are worth where outcomes are rare by nature."""

from itertools import pairwise

from aucstudy.experiments.inputs import Study

from .held_out import NATURAL
from .natural import POOLED, ROUNDS
from .rare import BEST
from .rare_figures import choosers_chart


def natural_choosers(study: Study):
    return _choosers_of(study, NATURAL)


def natural_stopping(study: Study):
    return _choosers_of(study, ROUNDS)


def _choosers_of(study: Study, trained: str):
    table = study.rows("natural", trained=trained, threshold=BEST)
    table = table[table["prevalence"] != POOLED]
    edges = [POOLED, *sorted(table["prevalence"].unique())]
    titles = {
        end: f"{100 * start:.3g} to {100 * end:.3g} % positives"
        if start
        else f"up to {100 * end:.3g} % positives"
        for start, end in pairwise(edges)
    }
    return choosers_chart(table, titles)
