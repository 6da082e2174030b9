"""Exact computations for the claims on privacy: losses of leaks, and distributions of small mechanisms."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from privboost.proofs_check.claims.section2_losses.computations import shown
from privboost.reference.data import binary_domain
from privboost.reference.exact import Infinity, Number, decimal, exact
from privboost.reference.learners.leaks import PRINTED_LEAKS
from privboost.reference.learners.leaves import raw_leaf_value
from privboost.reference.learners.protocol import AS_PRINTED, SOUND, LeafRule, Parameters
from privboost.reference.learners.splitting import Setting
from privboost.reference.learners.verify import verify_bounded
from privboost.reference.trees.risks import Mass

HALF = Fraction(1, 2)
PROTOCOLS = {"AS_PRINTED": AS_PRINTED, "SOUND": SOUND}


def leak(key: str, form: str) -> str:
    """Show neighbours on which the exact privacy loss under the printed rules exceeds the claimed epsilon."""
    (example,) = (one for one in PRINTED_LEAKS if one.key == key)
    loss = example.loss({"leaking": example.leaking, "closed": example.closed}[form])
    parameters = example.parameters
    claimed = exact(parameters.epsilon) / parameters.trees
    over = isinstance(loss, Infinity) or exact(loss) > claimed
    size = "is infinite" if isinstance(loss, Infinity) else f"about {decimal(exact(loss), 3)}"
    return shown(
        over,
        f"{example.where}, ε = {claimed}, depth {parameters.depth}, beta_tree = {parameters.beta_tree}, "
        f"M = {parameters.bound}; examples (x, label) {example.samples}: loss {size}, claimed {claimed}",
    )


def uniform_noise(shift: Fraction) -> str:
    """Show that noise can give every single output probability 0 and still let an event separate neighbours.

    f(S) = 0, f(S') = shift, and f + U is released with U uniform on [0, 1].
    """

    def probability(start: Fraction, lo: Fraction, hi: Fraction) -> Fraction:
        return max(Fraction(0), min(hi, start + 1) - max(lo, start))

    single = [probability(start, k * HALF, k * HALF) for start in (Fraction(0), shift) for k in range(4)]
    event = probability(Fraction(0), Fraction(0), shift), probability(shift, Fraction(0), shift)
    return shown(
        set(single) == {0} and event[0] > 0 == event[1],
        f"f(S) = 0, f(S') = {shift}, U uniform on [0, 1] added: single outputs have probability 0; the event "
        f"[0, {shift}] has {event[0]} and {event[1]}",
    )


def opposite_leaves(bound: Fraction, factor: int) -> str:
    """Show that a clamped prediction changes by factor times M if the only label of its leaf flips."""
    values = [_clamped(bound, mass) for mass in (Mass(HALF, Fraction(0)), Mass(Fraction(0), HALF))]
    moved = abs(values[0] - values[1])
    return shown(moved == factor * bound, f"M = {bound}: the leaf predicts {values[0]} or {values[1]}")


def two_leaves(weight: Fraction, factor: int) -> str:
    """Show that predictions change by factor times M if an example of weight 1 moves to another leaf.

    The example has label 1. Both leaves also hold an example of label -1 with the given weight; M = 1.
    """
    with_it, without_it = (_clamped(Fraction(1), Mass(Fraction(k), weight)) for k in (1, 0))
    moved = 2 * abs(with_it - without_it)
    return shown(
        moved == factor,
        f"M = 1, and an example (weight {weight}, label -) in either leaf: with one more (weight 1, label +) "
        f"that leaf predicts {with_it}, without it {without_it}",
    )


def _clamped(bound: Fraction, mass: Mass) -> Number:
    """Return the prediction of a leaf, clamped to [-M, M] before any noise."""
    protocol = replace(SOUND, leaf=LeafRule.LINK_CLAMP_NOISE)
    setting = Setting(protocol, Parameters(bound=bound), binary_domain(1), 1, Fraction(1))
    return raw_leaf_value(setting, mass)


def bounded_check(name: str, size: int) -> str:
    """Check the greatest exact loss of one tree over all pairs of neighbouring samples of a size."""
    check = verify_bounded(PROTOCOLS[name], Parameters(), binary_domain(1), size)
    return shown(
        check.holds,
        f"{check.pairs} pairs of {size} examples: greatest loss {check.greatest.total}, claimed 1",
    )


def spent_on_splits(depth: int, budget_of_root: Fraction) -> str:
    """Show that the printed node budgets of a complete tree add up to beta_tree epsilon / T = 1/2."""
    total = sum((budget_of_root / 2**k * 2**k for k in range(depth)), start=Fraction(0))
    return shown(total == HALF, f"depth {depth}: {2**depth - 1} nodes spend {total}")
