"""Surds: finite sums of rationals times square roots of integers, with decidable order.

Square roots of positive integers are linearly independent over the rationals when no product of two of
them is a square (Besicovitch 1940). Radicands satisfy this: they are square-free where factoring proves
it, and compared in pairs where it does not. So a surd is zero only if it has no terms. Equality is decided
by algebra, and the sign by refinement, which always terminates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from math import gcd, isqrt
from typing import TYPE_CHECKING, TypeAlias

from privboost.errors import DivisionByZeroError, InexactInputError

from . import fixed
from .factoring import factor, square_free
from .ordering import Ordered

if TYPE_CHECKING:
    from .real import Number

PRIME_LIMIT = 6
"""Greatest number of primes in an exact divisor; with more, whose terms double per prime, use lazy reals."""

Algebraic: TypeAlias = "Fraction | Surd"
"""A rational or a surd."""


Terms: TypeAlias = Mapping[int, Fraction]
"""Coefficients by radicand."""


def _add(first: Terms, second: Terms) -> dict[int, Fraction]:
    """Return the terms of x + y, including zero terms."""
    total = dict(first)
    for radicand, coefficient in second.items():
        known = total.get(radicand)
        total[radicand] = coefficient if known is None else known + coefficient
    return total


def _negate(terms: Terms) -> dict[int, Fraction]:
    """Return the terms of -x."""
    return {radicand: -coefficient for radicand, coefficient in terms.items()}


def _product(first: Terms, second: Terms) -> dict[int, Fraction]:
    """Return the terms of x * y, by sqrt(a) sqrt(b) = g sqrt(ab / g^2) with g = gcd(a, b)."""
    total: dict[int, Fraction] = {}
    for a, x in first.items():
        for b, y in second.items():
            common = gcd(a, b)
            radicand = (a // common) * (b // common)
            if radicand > 1 and (a in _UNPROVEN or b in _UNPROVEN):
                _UNPROVEN.add(radicand)
            total[radicand] = total.get(radicand, Fraction(0)) + x * y * common
    return {radicand: coefficient for radicand, coefficient in total.items() if coefficient}


def _binary(operation: Callable[[Terms, Terms], dict[int, Fraction]]) -> Callable[[Surd, object], Algebraic]:
    """Return a method for an operator on terms; it is not implemented for other operands."""

    def method(self: Surd, other: object) -> Algebraic:
        terms = terms_of(other)
        return NotImplemented if terms is None else _simplify(operation(self._terms, terms))

    return method


class Surd(Ordered):
    """An irrational finite sum of rationals times square roots of integers.

    Results that are rational are returned as `Fraction`, so a `Surd` is never rational.
    """

    __slots__ = ("_terms",)

    _terms: dict[int, Fraction]

    def __init__(self) -> None:
        raise TypeError("a Surd is made by arithmetic: write sqrt(2) or 1 + 3 * sqrt(2)")

    @property
    def terms(self) -> tuple[tuple[int, Fraction], ...]:
        """Return (radicand, coefficient) pairs by increasing radicand; radicand 1 is the rational part."""
        return tuple(sorted(self._terms.items()))

    def bounds(self, precision: int) -> fixed.Bounds:
        """Return certified fixed-point bounds, at most one unit wide per term."""
        lo = hi = 0
        for radicand, coefficient in self._terms.items():
            if radicand == 1:
                below, above = fixed.of_fraction(coefficient, precision)
            else:
                below, above = fixed.of_root(coefficient, radicand, precision)
            lo, hi = lo + below, hi + above
        return lo, hi

    def sign(self) -> int:
        """Return -1 or 1; refinement terminates because a surd is not zero."""
        precision = 64
        while True:
            lo, hi = self.bounds(precision)
            if lo > 0 or hi < 0:
                return 1 if lo > 0 else -1
            precision *= 2

    __add__ = __radd__ = _binary(_add)
    __sub__ = _binary(lambda own, terms: _add(own, _negate(terms)))
    __rsub__ = _binary(lambda own, terms: _add(terms, _negate(own)))
    __mul__ = __rmul__ = _binary(_product)

    @property
    def invertible(self) -> bool:
        """Return whether the reciprocal is computed as a surd: one term, or few primes, all known."""
        if len(self._terms) == 1:
            return True
        return _UNPROVEN.isdisjoint(self._terms) and len(_primes(self._terms)) <= PRIME_LIMIT

    def __truediv__(self, other: object) -> Number:
        terms = terms_of(other)
        if terms is None:
            return NotImplemented
        if isinstance(other, Surd) and not other.invertible:
            return _lazy_quotient(self, other)
        return _simplify(_product(self._terms, _inverse(terms)))

    def __rtruediv__(self, other: object) -> Number:
        terms = terms_of(other)
        if terms is None:
            return NotImplemented
        if not self.invertible:
            return _lazy_quotient(_simplify(dict(terms)), self)
        return _simplify(_product(terms, _inverse(self._terms)))

    def __pow__(self, exponent: object) -> Number:
        if not isinstance(exponent, int):
            return NotImplemented
        if exponent < 0:
            return (1 / self) ** -exponent
        result: dict[int, Fraction] = {1: Fraction(1)}
        for bit in bin(exponent)[2:]:
            result = _product(result, result)
            if bit == "1":
                result = _product(result, self._terms)
        return _simplify(result)

    def __neg__(self) -> Surd:
        return _surd(_negate(self._terms))

    def __pos__(self) -> Surd:
        return self

    def __abs__(self) -> Surd:
        return self if self.sign() > 0 else -self

    def __eq__(self, other: object) -> bool:
        terms = terms_of(other)
        if terms is None:
            return NotImplemented
        if _UNPROVEN.isdisjoint(self._terms) and _UNPROVEN.isdisjoint(terms):
            return self._terms == terms
        return not _simplify(_add(self._terms, _negate(terms)))

    def __hash__(self) -> int:
        """Return the hash of floor(2^64 x), which depends on the value alone; x is irrational."""
        precision = 128
        while True:
            lo, hi = self.bounds(precision)
            if lo >> precision - 64 == hi >> precision - 64:
                return hash(("Surd", lo >> precision - 64))
            precision *= 2

    def __bool__(self) -> bool:
        return True

    def _order(self, other: object) -> int | None:
        """Return the sign of self - other, or None if other is not a rational or a surd."""
        terms = terms_of(other)
        if terms is None:
            return None
        difference = _simplify(_add(self._terms, _negate(terms)))
        return difference.sign() if isinstance(difference, Surd) else (difference > 0) - (difference < 0)

    def __str__(self) -> str:
        result = ""
        for radicand, coefficient in self.terms:
            size = str(abs(coefficient))
            body = (
                size if radicand == 1 else f"sqrt({radicand})" if size == "1" else f"{size}*sqrt({radicand})"
            )
            joint = (" - " if coefficient < 0 else " + ") if result else ("-" if coefficient < 0 else "")
            result += joint + body
        return result

    def __repr__(self) -> str:
        return f"Surd({self})"

    def __reduce__(self) -> tuple[object, ...]:
        return _from_terms, (self.terms,)


def _lazy_quotient(numerator: Algebraic, denominator: Surd) -> Number:
    """Return the quotient by a surd with too many primes, as a lazy real."""
    from .real import product_of  # imported here because `real` imports this module

    return product_of(((numerator, 1), (denominator, -1)))


def root(value: Fraction) -> Algebraic:
    """Return the square root of a rational.

    Requires: value >= 0.
    """
    if not value:
        return value
    above_side, above, above_proven = square_free(value.numerator)
    below_side, below, below_proven = square_free(value.denominator)
    if not (above_proven and below_proven):
        _UNPROVEN.add(above * below)
    return _simplify({above * below: Fraction(above_side, below_side * below)})


_UNPROVEN: set[int] = set()
"""Radicands in use that are not proven to be square-free."""


def sum_of_surds(values: Iterable[int | Fraction | Surd]) -> Algebraic:
    """Return the sum of rationals and surds."""
    total: dict[int, Fraction] = {}
    for value in values:
        for radicand, coefficient in value._terms.items() if isinstance(value, Surd) else ((1, value),):
            known = total.get(radicand)
            total[radicand] = Fraction(coefficient) if known is None else known + coefficient
    return _simplify(total)


def terms_of(value: object) -> Terms | None:
    """Return the terms of a rational or a surd, or None for another type; refuse floats."""
    if isinstance(value, Surd):
        return value._terms
    if isinstance(value, (int, Fraction)):
        return {1: Fraction(value)} if value else {}
    if isinstance(value, (float, complex)):
        raise InexactInputError("operand", value)
    return None


def _surd(terms: dict[int, Fraction]) -> Surd:
    """Return the surd with the given terms.

    Requires: all coefficients are non-zero, and some radicand is not 1.
    """
    surd = object.__new__(Surd)
    surd._terms = terms
    return surd


def _simplify(terms: dict[int, Fraction]) -> Algebraic:
    """Return a sum without its zero terms, as a Fraction if it is rational."""
    if not _UNPROVEN.isdisjoint(terms):
        terms = _merge_pairs(terms)
    terms = {radicand: coefficient for radicand, coefficient in terms.items() if coefficient}
    if not terms:
        return Fraction(0)
    if len(terms) == 1 and 1 in terms:
        return terms[1]
    return _surd(terms)


def _merge_pairs(terms: dict[int, Fraction]) -> dict[int, Fraction]:
    """Return the same sum in which no product of two radicands is a square.

    Where a * b = s^2, sqrt(b) = (s / a) sqrt(a).
    """
    paired = {1: Fraction(0)}
    for radicand, coefficient in terms.items():
        for known in paired:
            side = isqrt(known * radicand)
            if side * side == known * radicand:
                paired[known] += coefficient * Fraction(side, known)
                break
        else:
            paired[radicand] = coefficient
    return paired


def _from_terms(terms: tuple[tuple[int, Fraction], ...]) -> Algebraic:
    """Return the surd with the given terms; used by pickle."""
    total: Algebraic = Fraction(0)
    for radicand, coefficient in terms:
        total = total + coefficient * root(Fraction(radicand))
    return total


def _primes(terms: Terms) -> set[int]:
    """Return the primes under the roots."""
    return {prime for radicand in terms for prime, _ in factor(radicand)[0]}


def _inverse(terms: Terms) -> dict[int, Fraction]:
    """Return the terms of 1 / x, removing one prime from the denominator at a time.

    Flipping the sign of sqrt(p) is an automorphism of the field, so x times its image is free of sqrt(p).
    """
    if not terms:
        raise DivisionByZeroError("division by an exact zero")
    if len(terms) == 1:
        ((radicand, coefficient),) = terms.items()
        return {radicand: 1 / (coefficient * radicand)}
    prime = max(_primes(terms))
    image = {n: -c if n % prime == 0 else c for n, c in terms.items()}
    return _product(image, _inverse(_product(terms, image)))
