"""The convex hull of a ROC curve, which is that of the PRG curve too, vertex by vertex: one rule for all its walks."""

from aucstudy.metrics.compiled import inlined


@inlined
def add_vertex(hull, size, t, f):
    """Add the next point of a curve to the hull of those before it, and return how many vertices there are.

    Vertices that then lie on the hull or under it go; the new point is the last.

    Parameters
    ----------
    hull : (2 or more, at least size + 1) the true and the false positives of `size` vertices, (0, 0) first.
    t, f : of the point, neither smaller than those of the last vertex.
    """
    while size > 1:
        last, before = size - 1, size - 2
        if (hull[0, last] - hull[0, before]) * (f - hull[1, last]) > (t - hull[0, last]) * (
            hull[1, last] - hull[1, before]
        ):
            break
        size -= 1
    hull[0, size], hull[1, size] = t, f
    return size + 1
