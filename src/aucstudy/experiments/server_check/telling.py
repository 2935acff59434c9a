"""The captions of the comparison with the server; what it says stands with the tasks on the first page."""

TABLES = {
    "server_check": "How many runs' pooled AUROC agrees with the one that the server recorded, within 0.0001.",
    "server_check_exceptions": (
        "The runs whose pooled AUROC does not agree with the one that the server recorded, the farthest first."
    ),
}
FIGURES: dict[str, object] = {}
