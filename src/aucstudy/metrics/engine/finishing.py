"""From sums to areas: divide, and normalise AUPR by its bounds."""

import numpy as np

from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.engine.sums import mostly_positive, pr_terms


@compiled
def minimum_and_room(negatives, a, b):
    """AUCPR_MIN on the recall range [a, b], and how far the largest area lies above it.

    In the worst ranking all positives come after all negatives, of which there are `negatives` = (1 - pi)/pi
    per positive: one stretch, whose precision and 1 - precision are integrated without cancellation (Boyd et
    al. 2012, Theorem 2 and Corollary 4).
    """
    return pr_terms(a, negatives, b - a, 0.0)


@compiled
def finish(sums, weights, options, out):
    """Fill `out` (n_groups, n_models, 5): AUROC, AUPR, AUPRG, AUCNPR, average precision; NaN stays NaN.

    `sums`, `weights` and `options` as for `passes.sum_segments`. Where an area is near its top it is taken
    from what is missing, so that a perfect ranking has areas of exactly 1.
    """
    asked, a, b = options[0], options[2], options[3]
    for g in range(out.shape[0]):
        P, N = weights[g, 0], weights[g, 1]
        if asked > 0:
            N = P * (1 - asked) / asked
        prevalence = P / (P + N)
        # the prevalence itself has lost 1 - pi where nearly all are positive
        negatives = N / P if mostly_positive(P, N) else (1 - prevalence) / prevalence
        minimum, room = minimum_and_room(negatives, a, b)
        for m in range(out.shape[1]):
            inside, outside = sums[g, m, 2] / P, sums[g, m, 3] / P
            from_top = outside < 0.5 * room or P > N
            normalised = 1 - outside / room if from_top else (inside - minimum) / room
            out[g, m, 0] = sums[g, m, 0] / (P * N)
            out[g, m, 1] = inside if 2 * inside < b - a else (b - a) - outside
            out[g, m, 2] = 1 - sums[g, m, 4]
            out[g, m, 3] = normalised if np.isnan(normalised) else min(max(normalised, 0.0), 1.0)
            out[g, m, 4] = sums[g, m, 1] / P
