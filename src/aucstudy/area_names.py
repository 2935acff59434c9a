"""The areas of the study: their keys in every table, which are compared, and what they are called."""

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

# within a task AUCNPR is an increasing map of AUPR and ranks as it does
DISTINCT_AREAS = ("aupr", "auprg", "auroc")
DISTINCT_PAIRS = tuple(combinations(DISTINCT_AREAS, 2))
PAIR_LABELS = {pair: " and ".join(AREA_LABELS[area] for area in pair) for pair in PAIRS}

# where AUPRG is shown with and without its negative part
CLIPPED = "auprg_clipped"
SIGNED_LABELS = {**AREA_LABELS, "auprg": "signed AUPRG", CLIPPED: "clipped AUPRG"}

MARGIN = 0.005  # a difference between the target metrics of two choices that matters
