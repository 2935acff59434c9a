"""Exact sums of non-negative numbers, so that their order does not matter.

A sum is LIMBS integers of 32 bits, in multiples of 2^-1074; a position in a ranking two of HIGH and LOW bits.
"""

import math

import numpy as np

from aucstudy.metrics.compiled import compiled, inlined
from aucstudy.metrics.formulas.sums import add

LIMBS, LIMB_BITS, LIMB_MASK = 67, 32, (1 << 32) - 1
UNITS_PER_ONE = 1 << 1074
HIGH, LOW = 62, 60
LOW_MASK = (1 << LOW) - 1


def whole_number(limbs: np.ndarray) -> int:
    """The sum in multiples of 2^-1074."""
    return int.from_bytes(limbs.astype("<u4").tobytes(), "little")


def high_and_low(total: int, exponent: int) -> tuple[int, int]:
    """A number of multiples of 2^-1074 in units of 2^(exponent - HIGH)."""
    shift = HIGH + LOW - exponent - 1074
    return divmod(total << shift if shift > 0 else total >> -shift, 1 << LOW)


@compiled
def add_exactly(values, limbs):
    for bits in values.view(np.int64):
        _add_bits(bits, limbs)
    _carry(limbs)


@compiled
def add_by_code(codes, values, limbs):
    for i, bits in enumerate(values.view(np.int64)):
        _add_bits(bits, limbs[codes[i]])
    for code in codes:
        _carry(limbs[code])


@inlined
def _add_bits(bits, limbs):
    # a limb grows by less than 2^33, so that 2^30 numbers may wait for the carry
    exponent, mantissa = (bits >> 52) & 2047, bits & ((1 << 52) - 1)
    if exponent > 0:
        exponent -= 1
        mantissa |= 1 << 52
    first, shift = exponent >> 5, exponent & 31
    low, high = (mantissa & LIMB_MASK) << shift, (mantissa >> LIMB_BITS) << shift
    limbs[first] += low & LIMB_MASK
    limbs[first + 1] += (low >> LIMB_BITS) + (high & LIMB_MASK)
    limbs[first + 2] += high >> LIMB_BITS


@inlined
def _carry(limbs):
    for i in range(LIMBS - 1):
        limbs[i + 1] += limbs[i] >> LIMB_BITS
        limbs[i] &= LIMB_MASK


@compiled
def exact_sum(values, power):
    """The sum of values or of their squares, in any order, and its rounding error."""
    if values.size < 2:
        value = values[0] if values.size else 0.0
        return (value if power == 1 else value * value), 0.0
    limbs = np.zeros(LIMBS, dtype=np.int64)
    add_exactly(values if power == 1 else values * values, limbs)
    return rounded(limbs)


@compiled
def rounded(limbs):
    """The nearest float64 to a sum, but for its last bit, and the rest."""
    value, lost, digits = 0.0, 0.0, 0
    for i in range(LIMBS - 1, -1, -1):
        if limbs[i] > 0 or digits > 0:
            value, lost = add(value, lost, math.ldexp(np.float64(limbs[i]), LIMB_BITS * i - 1074))
            digits += 1
        if digits == 5:
            break
    return value, lost


@inlined
def value_of(high, low, unit):
    return (high + low * 2.0**-LOW) * unit


@inlined
def move(position, amount):
    """Move a position (high, low) on by so many units."""
    whole_units = np.floor(amount)
    low = position[1] + np.int64((amount - whole_units) * 2.0**LOW)
    position[0] += np.int64(whole_units) + (low >> LOW)
    position[1] = low & LOW_MASK
