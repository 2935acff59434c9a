"""The figures of `natural`: target metrics of the selected models, with naturally rare positives."""

from itertools import pairwise

from aucstudy.experiments.inputs import Study

from .held_out import NATURAL
from .natural import POOLED, ROUNDS
from .rare import BEST
from .rare_figures import selected_by_chart


def natural_selected_by(study: Study):
    return _selected_by_chart(study, NATURAL)


def natural_stopping(study: Study):
    return _selected_by_chart(study, ROUNDS)


def _selected_by_chart(study: Study, trained: str):
    table = study.rows("natural", trained=trained, threshold=BEST)
    table = table[table["prevalence"] != POOLED]
    edges = [POOLED, *sorted(table["prevalence"].unique())]
    titles = {
        end: f"{100 * start:.3g} to {100 * end:.3g} % positives"
        if start
        else f"up to {100 * end:.3g} % positives"
        for start, end in pairwise(edges)
    }
    return selected_by_chart(table, titles)
