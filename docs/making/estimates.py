"""The estimates of all populations as one table, and the verdicts of all claims. Blocks and statements read them."""

from functools import cache

import pandas as pd
from claims import Ledger, written
from committed import committed
from populations import populations

from aucstudy.claims.entries import not_decided
from aucstudy.estimates import POPULATIONS


@cache
def estimates() -> pd.DataFrame:
    """Return the rows of estimates.csv of each population, which the column `population` names.

    The rows of the population `populations` compare the learners of two studies on the tasks of both.
    """
    rows = [study.estimates().assign(population=name) for name, study in populations().items()]
    apart = committed(POPULATIONS, "estimates").assign(population=POPULATIONS)
    return pd.concat([*rows, apart], ignore_index=True)


@cache
def verdicts() -> pd.DataFrame:
    """Return a row for each claim that a committed study decides.

    `verdict` counts once what `weight` says. `by_task` and `by_source` are the verdicts with either weight. `kind`
    is the title under which the claim is listed, `tested` says whether the verdict rests on measurements, and
    `amended` whether its rule was amended.
    """
    ledger = Ledger()
    return pd.DataFrame(
        {
            "id": name,
            "kind": kind,
            "study": ledger.study(name),
            "verdict": ledger.verdict(name),
            "weight": ledger.weight(name),
            **{f"by_{weight}": verdict for weight, verdict in ledger.both_verdicts(name).items()},
            "tested": name in ledger.rest_on_data,
            "amended": bool(written()[name].amendments),
            "main": bool(written()[name].get("main")),
        }
        for kind, names in ledger.papers.items()
        for name in names
    )


@cache
def reasons() -> pd.DataFrame:
    """Return the claims that no committed study decides, with the reason of each."""
    return pd.DataFrame(not_decided(written()).items(), columns=["id", "reason"])
