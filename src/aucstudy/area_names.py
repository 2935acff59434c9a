"""The metrics of the study: their keys in every table, their labels, and the pairs that are compared."""

from itertools import combinations

AREA_LABELS = {
    "auroc": "AUROC",
    "aupr": "AUPR",
    "auprg": "AUPRG",
    "aucnpr": "AUCNPR",
    "average_precision": "AP",
}
AREAS = tuple(AREA_LABELS)
LIMIT_KEYS = tuple(f"{area}_{end}" for area in AREAS for end in ("low", "high"))

AREAS_COMPARED = ("aupr", "auprg", "auroc", "aucnpr")
PAIRS = tuple(combinations(AREAS_COMPARED, 2))

# Within a task AUCNPR is an increasing function of AUPR, so both rank the models alike.
DISTINCT_AREAS = ("aupr", "auprg", "auroc")
DISTINCT_PAIRS = tuple(combinations(DISTINCT_AREAS, 2))
PAIR_LABELS = {pair: " and ".join(AREA_LABELS[area] for area in pair) for pair in PAIRS}

# These names are used where AUPRG is shown both with and without its negative part.
CLIPPED = "auprg_clipped"
SIGNED_LABELS = {**AREA_LABELS, "auprg": "signed AUPRG", CLIPPED: "clipped AUPRG"}

MARGIN = 0.005  # A smaller difference between two choices in the target metric does not matter.
