"""Exact computations for claims of Section 2 that cannot be stated as formulas of the ledger."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from privboost.errors import PreconditionError
from privboost.proofs_check.kernel.certificates import Rejected
from privboost.reference.data import WeightedSample, binary_domain, sample_of, splits, unit_weights
from privboost.reference.exact import Infinity
from privboost.reference.losses import (
    LOG,
    MATSUSHITA,
    SQUARE,
    ZERO_ONE,
    ZERO_ONE_AS_PRINTED,
    Loss,
    check_proper,
    check_symmetric,
    conjugate,
    enclose_bayes_risk,
    link,
    partial_loss,
    select,
)
from privboost.reference.trees.risks import leaf_masses
from privboost.reference.trees.tree import ROOT, Tree, level_of

HALF = Fraction(1, 2)
POINTS = (Fraction(0), Fraction(1, 5), HALF, Fraction(2, 3), Fraction(1))
LOSSES = {
    "square": SQUARE,
    "log": LOG,
    "matsushita": MATSUSHITA,
    "zero_one": ZERO_ONE,
    "zero_one_in_u": ZERO_ONE_AS_PRINTED,
}


def shown(holds: bool, remark: str) -> str:
    """Return the remark if a fact holds, and raise `Rejected` otherwise."""
    if not holds:
        raise Rejected(f"false: {remark}")
    return remark


def infinite_partial(name: str, y: int, u: Fraction) -> str:
    """Show that a partial loss is infinite."""
    value = partial_loss(LOSSES[name], y, u)
    return shown(isinstance(value, Infinity), f"{name}: the partial loss of label {y} at {u} is {value}")


def infinite_link(name: str, q: Fraction) -> str:
    """Show that the prediction of a leaf is infinite for every selection of the link."""
    values = link(LOSSES[name], q)
    return shown(isinstance(select(values), Infinity), f"{name}: the link at {q} is {select(values)}")


def improper(name: str, pi: Fraction) -> str:
    """Show that some prediction costs less than pi itself."""
    verdict = check_proper(LOSSES[name], (pi,))
    return shown(not verdict, f"{name}: {verdict.witness}")


def scaled(loss: Loss, factor: Fraction, shift: Fraction) -> Loss:
    """Return a loss times a factor plus a constant."""

    def partial(y: int, u: Any, side: int) -> Any:
        return factor * loss.partial(y, u, side) + shift + 0 * u

    return replace(loss, name=f"{factor} {loss} + {shift}", partial=partial)


def vanishing_risk(factor: Fraction) -> str:
    """Show a symmetric proper loss whose Bayes risk is 0 at 1/2, so that no factor makes it 1."""
    loss = scaled(SQUARE, factor, Fraction(0))
    risk = enclose_bayes_risk(loss, HALF, 64)
    return shown(
        bool(check_symmetric(loss, POINTS) and check_proper(loss, POINTS)) and risk.lo == risk.hi == 0,
        f"the square loss times {factor}, which costs {factor} whatever is predicted: risk {risk.hi} at 1/2",
    )


def straight_surrogate(name: str, margins: tuple[int, int, int]) -> str:
    """Show that a surrogate is linear on three equally spaced margins, so it is not a parabola."""
    values = [conjugate(LOSSES[name], -margin) for margin in margins]
    straight = values[0] + values[2] == 2 * values[1]
    return shown(straight, f"{name}: at margins {margins} the surrogate is {', '.join(map(str, values))}")


def root_depth(path: tuple[int, ...]) -> str:
    """Show that a path is that of the root and has length 0."""
    return shown(level_of(path) == 0 and path == ROOT, "the path to the root has no step")


def empty_leaf(value: int) -> str:
    """Show that a leaf without examples has no proportion.

    All examples have the same value of the only attribute; `value` selects the leaf.
    """
    domain = binary_domain(1)
    tree = Tree().grow(ROOT, splits(domain)[0])
    masses = leaf_masses(tree, _all_zero())
    try:
        q = masses[tree.leaf_of((value,))].proportion
    except PreconditionError as error:
        return f"three examples, all left of the split; the right leaf: {error}"
    raise Rejected(f"the leaf has q = {q}")


def _all_zero() -> WeightedSample:
    """Return three examples at 0, with unit weights."""
    return unit_weights(sample_of(binary_domain(1), [((0,), 1), ((0,), 1), ((0,), -1)]))
