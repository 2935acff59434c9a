"""Which metrics the experiments compare, in which pairs, and what they are called in figures."""

from itertools import combinations

from aucstudy.metrics.registry import labels, metric

AREA_LABELS = labels()
AREAS_COMPARED = ("aupr", "auprg", "auroc", "aucnpr")
PAIRS = tuple(combinations(AREAS_COMPARED, 2))

# Within a task AUCNPR is an increasing function of AUPR, so both rank the models alike.
DISTINCT_AREAS = tuple(area for area in AREAS_COMPARED if not metric(area).ranks_like)
DISTINCT_PAIRS = tuple(combinations(DISTINCT_AREAS, 2))
PAIR_LABELS = {pair: " and ".join(AREA_LABELS[area] for area in pair) for pair in PAIRS}

# These names are used where AUPRG is shown both with and without its negative part.
CLIPPED = "auprg_clipped"
SIGNED_LABELS = {**AREA_LABELS, "auprg": "signed AUPRG", CLIPPED: "clipped AUPRG"}

MARGIN = 0.005  # A smaller difference between two choices in the target metric does not matter.
