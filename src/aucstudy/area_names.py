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
ANY = "any"  # where no area is told apart

AREAS_COMPARED = ("aupr", "auprg", "auroc", "aucnpr")
PAIRS = tuple(combinations(AREAS_COMPARED, 2))

# within a task AUCNPR is an increasing map of AUPR and ranks as it does
DISTINCT_AREAS = ("aupr", "auprg", "auroc")
DISTINCT_PAIRS = tuple(combinations(DISTINCT_AREAS, 2))
PAIR_LABELS = {pair: " and ".join(AREA_LABELS[area] for area in pair) for pair in PAIRS}

# where AUPRG is shown with and without its negative part
CLIPPED = "auprg_clipped"
SIGNED_LABELS = {**AREA_LABELS, "auprg": "signed AUPRG", CLIPPED: "clipped AUPRG"}

# choosers of a model: the one that others are compared with, a model at random, what is wanted on the sample, the area
# up to that false positive rate, and proper scores
REFERENCE, RANDOM, ITSELF, EARLY = "auroc", "random", "the want itself", "auroc@.1"
PROPER = ("brier", "log_loss")
# that the rule of use may name beside AUROC, and that are shown to choose better or worse than those
NAMEABLE = ("average_precision", "aupr", "auprg")
BESIDE = (EARLY, ITSELF, *PROPER)
MARGIN = 0.005  # a difference in worth that matters
# the cells of rare_surface.csv: the fewest source groups, models of all numbers of positives, and the key
FEWEST_GROUPS = 15
EVERY = "all"
SURFACE_CELL = ["n_models", "trained", "learned", "prevalence", "positives", "want", "threshold"]
