"""The areas of the study: their keys in every table, and what they are called in figures and sentences."""

AREA_LABELS = {
    "auroc": "AUROC",
    "aupr": "AUPR",
    "auprg": "AUPRG",
    "aucnpr": "AUCNPR",
    "average_precision": "AP",
}
AREAS = tuple(AREA_LABELS)
