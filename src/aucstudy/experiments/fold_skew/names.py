"""The cuts, aggregates, standards and effects by the names that the tables give them."""

CLUSTERS, OWN = "clusters", "own folds"
# AUPR of each fold computed at the prevalence of all rows
MOVED = "aupr_moved"
POOLED, MEAN, MEAN_NORMALISED, MEAN_MOVED = "pooled", "mean", "mean AUCNPR", "mean at one prevalence"
SAME, OTHER = "same half", "other half"
BEYOND_AUROC = "winner changes beyond AUROC"
CHOICE = "area of the winner"
