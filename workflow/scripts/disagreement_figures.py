"""The disagreement experiment's figures."""

from aucstudy.experiments.disagreement.telling import quartile_scatter, rank_heat_map
from aucstudy.presentation.style import save
from aucstudy.stages.job import job
from aucstudy.store.scores import read_scores
from aucstudy.store.tables import read_table

with job(snakemake.log[0]):  # noqa: F821
    given, out = snakemake.input, snakemake.output  # noqa: F821
    save(rank_heat_map(read_table(given.heat)), {"png": out.heat, "svg": out.heat_svg})
    params = snakemake.params  # noqa: F821
    scores = read_scores(given.scores, params.aggregation)
    scatter = quartile_scatter(scores, read_table(given.tasks), params.pinned)
    save(scatter, {"png": out.quartiles, "svg": out.quartiles_svg})
