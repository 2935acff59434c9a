"""Writes the figures that pages show and no study draws, and the verdicts of claims that need no study.

`python docs/making/write.py` writes them again from the committed tables.
"""

from committed import EXACT, ROOT, committed, save_figure
from peers import peers_figure
from pictures import take_pictures
from populations import FIGURES, populations, populations_figure

from aucstudy.claims.judge import exact_claims
from aucstudy.estimates import POPULATIONS, learners_apart
from aucstudy.store.tables import write_table

COMPARED = ("weka", "wide", "default")

if __name__ == "__main__":
    for name, claims in zip(("claims", "claims_values"), exact_claims(), strict=True):
        write_table(claims, ROOT / "results" / EXACT / f"{name}.csv")
    write_table(
        learners_apart(committed, COMPARED), ROOT / "results" / POPULATIONS / "tables" / "estimates.csv"
    )
    studies = populations()
    save_figure(populations_figure(studies), FIGURES / "populations")
    save_figure(peers_figure(), ROOT / "docs" / "conformance")
    take_pictures()
