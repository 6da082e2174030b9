"""Lazy reals: expressions whose value can be enclosed to any precision.

A `Real` is a node of an expression. Equal expressions are one object, sums are kept as linear
combinations, and products as powers with all exponentials merged, so that many equal terms cancel.
Other comparisons refine enclosures until they separate, and raise `Undecided` at LIMIT_BITS.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import count
from math import prod
from typing import TypeAlias
from weakref import WeakValueDictionary

from privboost.errors import DivisionByZeroError, HarnessError, InexactInputError, Undecided

from . import fixed
from .evaluation import LIMIT_BITS, CoarseError, evaluate
from .ordering import Ordered, comparison
from .surd import Algebraic, Surd, sum_of_surds


def _binary(operation: Callable[[Real, Number], Number]) -> Callable[[Real, object], Number]:
    """Return a method for an operator; it is not implemented for operands that are not exact numbers."""

    def method(self: Real, other: object) -> Number:
        value = operand(other)
        return NotImplemented if value is None else operation(self, value)

    return method


class Real(Ordered):
    """A real number given by an expression and enclosed on demand.

    operation   meaning
    constant    constant
    sum         constant + sum of coefficient * node over `pairs`
    product     product of node^power over `powers`
    sqrt, exp, log, erfc, theta    of `argument`
    """

    __slots__ = (
        "__weakref__",
        "_bounds",
        "_precision",
        "argument",
        "constant",
        "operation",
        "pairs",
        "powers",
        "serial",
    )

    operation: str
    constant: Algebraic
    pairs: tuple[tuple[Real, Fraction], ...]
    powers: tuple[tuple[Real, int], ...]
    argument: Number
    serial: int
    _precision: int
    _bounds: fixed.Bounds

    def __init__(self) -> None:
        raise TypeError("a Real is made by arithmetic: write exp(1), log(2) or sqrt(1 + exp(1))")

    def bounds(self, precision: int) -> fixed.Bounds:
        """Return certified fixed-point bounds, by one evaluation at a working precision.

        Ensures: bounds at a higher precision lie inside those at a lower one.
        """
        stack: list[tuple[Real, bool]] = [(self, False)]
        while stack:
            node, ready = stack.pop()
            if node._precision >= precision:
                continue
            if ready:
                node._store(evaluate(node, precision), precision)
            else:
                stack.append((node, True))
                stack.extend((child, False) for child in node.children())
        return fixed.rescale(self._bounds, self._precision, precision)

    def children(self) -> Iterator[Real]:
        """Yield the nodes that this one is built from."""
        for node, _ in self.pairs:
            yield node
        for node, _ in self.powers:
            yield node
        if isinstance(self.argument, Real):
            yield self.argument

    def _store(self, bounds: fixed.Bounds, precision: int) -> None:
        """Store new bounds, intersected with those already known."""
        lo, hi = bounds
        if self._precision >= 0:
            known = fixed.rescale(self._bounds, self._precision, precision)
            lo, hi = max(lo, known[0]), min(hi, known[1])
        if lo > hi:
            raise HarnessError(f"two enclosures of {self} do not meet")
        self._bounds, self._precision = (lo, hi), precision

    def sign(self) -> int:
        """Return -1 or 1 by refinement; raise Undecided for a zero that did not cancel."""
        if self.operation in ("exp", "sqrt", "erfc", "theta"):
            return 1
        if self.operation == "product":
            return prod(node.sign() if power % 2 else node.sign() ** 2 for node, power in self.powers)
        if not self.constant and len(self.pairs) == 1:
            ((node, coefficient),) = self.pairs
            return node.sign() if coefficient > 0 else -node.sign()
        precision = 64
        while precision <= LIMIT_BITS:
            lo, hi = self._bounds_or_entire(precision)
            if lo > 0 or hi < 0:
                return 1 if lo > 0 else -1
            precision *= 2
        raise Undecided(f"the sign of {self}", LIMIT_BITS)

    def _bounds_or_entire(self, precision: int) -> fixed.Bounds:
        """Return bounds, or very wide ones if the precision is too coarse for an evaluation."""
        try:
            return self.bounds(precision)
        except CoarseError:
            return -1 << 2 * precision, 1 << 2 * precision

    def enclose(self, bits: int) -> tuple[fixed.Bounds, int]:
        """Return bounds at most 2^-bits wide, and their precision, bits + 3.

        Ensures: the bounds lie inside all bounds for fewer bits, independent of earlier calls. Two units
        are added at each end, which is more than the roundings on all finer grids together.
        """
        precision = bits + 16
        while precision <= bits + LIMIT_BITS:
            bounds = self._bounds_or_entire(precision)
            excess = (bounds[1] - bounds[0]).bit_length() - (precision - bits - 4)
            if excess <= 0:
                lo, hi = fixed.rescale(bounds, precision, bits + 3)
                return (lo - 2, hi + 2), bits + 3
            precision += min(excess + 16, precision)
        raise Undecided(f"an enclosure of {self} of width 2^-{bits}", bits + LIMIT_BITS)

    __add__ = __radd__ = _binary(lambda self, value: sum_of((self, value)))
    __sub__ = _binary(lambda self, value: sum_of((self, -value)))
    __rsub__ = _binary(lambda self, value: sum_of((value, -self)))
    __mul__ = __rmul__ = _binary(lambda self, value: product_of(((self, 1), (value, 1))))
    __truediv__ = _binary(lambda self, value: product_of(((self, 1), (value, -1))))
    __rtruediv__ = _binary(lambda self, value: product_of(((value, 1), (self, -1))))

    def __pow__(self, exponent: object) -> Number:
        return product_of(((self, exponent),)) if isinstance(exponent, int) else NotImplemented

    def __neg__(self) -> Number:
        return product_of(((self, 1), (-1, 1)))

    def __pos__(self) -> Real:
        return self

    def __abs__(self) -> Number:
        return self if self.sign() > 0 else -self

    def __bool__(self) -> bool:
        return self.sign() != 0

    __eq__ = comparison(operator.eq)

    def __hash__(self) -> int:
        raise TypeError("a lazy real has no hash, because its equality is not decidable")

    def _order(self, other: object) -> int | None:
        """Return the sign of self - other, or None where other is not an exact number."""
        value = operand(other)
        return None if value is None else sign(sum_of((self, -value)))

    def __str__(self) -> str:
        from .formatting import format_real  # imported here because `formatting` imports this module

        return format_real(self)

    def __repr__(self) -> str:
        return f"Real({self})"


Number: TypeAlias = Fraction | Surd | Real
"""A result of exact arithmetic."""

Exact: TypeAlias = int | Number
"""An argument of exact arithmetic."""


def sign(value: Exact) -> int:
    """Return -1, 0 or 1; raise Undecided for a lazy real whose sign refinement does not decide."""
    if isinstance(value, (Surd, Real)):
        return value.sign()
    if isinstance(value, bool) or not isinstance(value, (int, Fraction)):
        raise InexactInputError("argument of sign", value)
    return (value > 0) - (value < 0)


def operand(value: object) -> Number | None:
    """Return an exact operand, or None for another type; refuse floats."""
    if isinstance(value, (float, complex)):
        raise InexactInputError("operand", value)
    if isinstance(value, int):
        return Fraction(value)
    return value if isinstance(value, (Fraction, Surd, Real)) else None


def sum_of(values: Iterable[Exact]) -> Number:
    """Return the sum of exact numbers as a constant plus a linear combination of nodes."""
    constants: list[int | Fraction | Surd] = []
    terms: dict[int, tuple[Real, Fraction]] = {}
    for value in values:
        if not isinstance(value, Real):
            constants.append(value)
            continue
        pairs: tuple[tuple[Real, Fraction], ...] = ((value, Fraction(1)),)
        if value.operation == "sum":
            constants.append(value.constant)
            pairs = value.pairs
        for node, coefficient in pairs:
            known = terms.get(node.serial)
            terms[node.serial] = (node, coefficient + known[1] if known else coefficient)
    return _linear(sum_of_surds(constants), [pair for _, pair in sorted(terms.items()) if pair[1]])


def product_of(powers: Iterable[tuple[Exact, int]]) -> Number:
    """Return a product of integer powers; raise DivisionByZeroError for a divisor of 0."""
    constant: Algebraic = Fraction(1)
    factors: dict[int, tuple[Real, int]] = {}
    exponents: list[Number] = []
    for value, power in powers:
        if power < 0 and sign(value) == 0:
            raise DivisionByZeroError("division by an exact zero")
        coefficient, pairs = factors_of(value)
        constant = constant * coefficient**power
        for node, inner in pairs:
            total = inner * power
            if node.operation == "exp":
                # A plain factor is used as it is: rebuilding it would recurse through nested exponentials.
                exponents.append(node.argument if total == 1 else node.argument * total)
            elif (
                isinstance(node.constant, Surd) and not node.pairs and (total > 0 or node.constant.invertible)
            ):
                constant = _algebraic(constant * node.constant**total)
            else:
                known = factors.get(node.serial)
                factors[node.serial] = (node, total + (known[1] if known else 0))
    exponent = sum_of(exponents)
    if isinstance(exponent, Real) or exponent:
        node = real("exp", argument=exponent)
        factors[node.serial] = (node, 1)
    return _monomial(constant, [pair for _, pair in sorted(factors.items()) if pair[1]])


def real(
    operation: str,
    *,
    constant: Algebraic = Fraction(0),
    pairs: tuple[tuple[Real, Fraction], ...] = (),
    powers: tuple[tuple[Real, int], ...] = (),
    argument: Number = Fraction(0),
) -> Real:
    """Return the unique node with this operation and these parts."""
    names = tuple((node.serial, factor) for node, factor in (*pairs, *powers))
    named = ("node", argument.serial) if isinstance(argument, Real) else argument
    key = (operation, constant, names, named)
    node = _NODES.get(key)
    if node is None:
        node = object.__new__(Real)
        node.operation, node.constant, node.argument = operation, constant, argument
        node.pairs, node.powers = pairs, powers
        node.serial, node._precision, node._bounds = next(_SERIALS), -1, (0, 0)
        _NODES[key] = node
    return node


_NODES: WeakValueDictionary[object, Real] = WeakValueDictionary()
_SERIALS = count()


def factors_of(value: Exact) -> tuple[Fraction, tuple[tuple[Real, int], ...]]:
    """Return a number as a rational times powers of nodes."""
    if isinstance(value, Surd):
        return Fraction(1), ((real("constant", constant=value), 1),)
    if not isinstance(value, Real):
        return Fraction(value), ()
    if not value.constant and len(value.pairs) == 1:
        ((node, coefficient),) = value.pairs
        return coefficient, node.powers or ((node, 1),)
    return Fraction(1), value.powers or ((value, 1),)


def _algebraic(value: Number) -> Algebraic:
    """Return a number that is known to be a Fraction or a Surd."""
    assert not isinstance(value, Real)
    return value


def _monomial(constant: Algebraic, powers: list[tuple[Real, int]]) -> Number:
    """Return constant * product of powers, with squares of square roots simplified."""
    if not constant or not powers:
        return constant
    if any(node.operation == "sqrt" and abs(power) > 1 for node, power in powers):
        undone: list[tuple[Exact, int]] = [(constant, 1)]
        for node, power in powers:
            pairs_of_roots = int(Fraction(power, 2)) if node.operation == "sqrt" else 0
            undone += [(node.argument, pairs_of_roots), (node, power - 2 * pairs_of_roots)]
        return product_of(undone)
    if isinstance(constant, Surd):
        # The rational factor stays outside, so that x and -x are multiples of one node and cancel.
        (_, lead), *_ = constant.terms
        powers, constant = [(real("constant", constant=_algebraic(constant / lead)), 1), *powers], lead
    single = len(powers) == 1 and powers[0][1] == 1
    node = powers[0][0] if single else real("product", powers=tuple(powers))
    if node.operation == "sum":
        return _linear(constant * node.constant, [(inner, factor * constant) for inner, factor in node.pairs])
    return _linear(Fraction(0), [(node, constant)])


def _linear(constant: Algebraic, pairs: list[tuple[Real, Fraction]]) -> Number:
    """Return constant + linear combination, in its simplest form."""
    if not pairs:
        return constant
    if not constant and len(pairs) == 1 and pairs[0][1] == 1:
        return pairs[0][0]
    return real("sum", constant=constant, pairs=tuple(pairs))
