"""Do AUPR, AUPRG, AUROC and AUCNPR agree on which model is best? A replication study."""

__version__ = "0.2.0"
