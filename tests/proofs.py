"""What counts as a proof in tests/papers: answers of SymPy that hold for all values of the symbols.

All functions are about rational functions, for which such answers can be computed. All symbols stand for
numbers of any value, except where a docstring says that they are positive.
"""

from sympy import QQ, Expr, Symbol, log
from sympy.polys.fields import FracElement


def equal(left: Expr, right: Expr) -> bool:
    """Return whether two rational functions are the same. Either answer is a proof.

    A logarithm counts as one more symbol. So two expressions that need a law of logarithms to be the same
    are not equal here.

    >>> x = Symbol("x")
    >>> equal((x**2 - 1) / (x - 1), x + 1), equal((x**2 + 1) / (x + 1), x + 1)
    (True, False)
    """
    return not _in_lowest_terms(left - right, Symbol, log)


def never_negative(value: Expr) -> bool:
    """Return whether a rational function is proved to be at least 0 for all positive values of its symbols.

    The proof is that no coefficient of its numerator and none of its denominator is negative. The value can
    be at least 0 even if this does not hold. So a counterexample shows that a statement is false, and the
    answer False does not.

    >>> x = Symbol("x")
    >>> never_negative((x + 1) / x - 1), never_negative(x - 1), never_negative(x**2 - x + 1)
    (True, False, False)
    """
    fraction = _in_lowest_terms(value, Symbol)
    return all(c >= 0 for side in (fraction.numer, fraction.denom) for c in side.coeffs())


def positive(value: Expr) -> bool:
    """Return whether a rational function is proved to be above 0 for all positive values of its symbols.

    >>> x = Symbol("x")
    >>> positive(1 / (x + 1)), positive(x - x), positive(x - 1)
    (True, False, False)
    """
    return bool(_in_lowest_terms(value, Symbol)) and never_negative(value)


def _in_lowest_terms(value: Expr, *kinds: type) -> FracElement:
    """Return a rational function of the symbols, or also of the logarithms, in its canonical form.

    `sympy.cancel` returns the same fraction. But it expands the whole expression first, which takes minutes
    for some expressions that take a third of a second here.
    """
    generators = sorted(value.atoms(*kinds), key=str) or [Symbol("x")]
    return QQ.frac_field(*generators).from_sympy(value)
