"""Figure 5 of Flach & Kull 2015: the pair of models that flips, its numbers and its curves."""

from pathlib import Path

from aucstudy.experiments.flip_pair import flip_pair
from aucstudy.figures.flip_pair import flip_figure
from aucstudy.figures.style import save
from aucstudy.scores import read_scores
from aucstudy.scripting import job
from aucstudy.store import read_predictions
from aucstudy.tables import write_table

with job(snakemake.log[0]):  # noqa: F821
    given, out, params = snakemake.input, snakemake.output, snakemake.params  # noqa: F821
    pair = flip_pair(read_scores(given.scores, params.aggregation), params.pinned)
    store = Path(given.scores).parent
    predictions = read_predictions(store, pair["task_id"].iloc[0]) if len(pair) else None
    save(flip_figure(pair, predictions), {"png": out.curves, "svg": out.curves_svg})
    write_table(pair, out.pair)
