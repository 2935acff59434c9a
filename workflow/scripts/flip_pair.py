"""Figure 5 of Flach & Kull 2015: the pair of models that flips, its numbers and its curves."""

from pathlib import Path

from aucstudy.experiments.flip_pair.numbers import flip_pair
from aucstudy.experiments.flip_pair.telling import flip_figure
from aucstudy.presentation.style import save
from aucstudy.stages.job import job
from aucstudy.store.scores import read_scores
from aucstudy.store.tables import write_table
from aucstudy.store.task_store import read_predictions

with job(snakemake.log[0]):  # noqa: F821
    given, out, params = snakemake.input, snakemake.output, snakemake.params  # noqa: F821
    pair = flip_pair(read_scores(given.scores, params.aggregation), params.pinned)
    store = Path(given.scores).parent
    predictions = read_predictions(store, pair["task_id"].iloc[0]) if len(pair) else None
    save(flip_figure(pair, predictions), {"png": out.curves, "svg": out.curves_svg})
    write_table(pair, out.pair)
