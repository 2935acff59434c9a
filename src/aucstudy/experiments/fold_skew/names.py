"""The cuts, aggregates, standards and effects by the names that the tables give them."""

CLUSTERS, OWN = "clusters", "own folds"
# AUPR of each fold computed at the prevalence of all rows
MOVED = "aupr_moved"
POOLED, MEAN, MEAN_NORMALISED, MEAN_MOVED = "pooled", "mean", "mean AUCNPR", "mean at one prevalence"
SAME, OTHER = "same half", "other half"
BEYOND_AUROC = "winner changes beyond AUROC"
# effects on the error of tasks by the share of one-class folds, which cannot be counted
FEW_LEFT_OUT, MORE_LEFT_OUT = "error, under 10 % left out", "error, 10 % and more left out"
CHOICE = "area of the winner"
