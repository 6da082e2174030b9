"""Pairs of samples on which learners are audited: those of the known leaks, and the worst of a size.

The exact loss of a pair is the reference's, for one tree. The loss of a released part of it is not greater.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from privboost.fast.growth.setting import Setting
from privboost.fast.protocol import CHOICES, AlphaRule, Parameters, Protocol, Relation
from privboost.reference.data import initial_weights
from privboost.reference.learners import protocol as exact_protocol
from privboost.reference.learners.leaks import LEAKS
from privboost.reference.learners.privacy_loss import exact_losses
from privboost.reference.learners.verify import verify_bounded

from .exact_settings import binary_domain, exact_setting
from .pair import Pair
from .samples import float_above, sample_from, strings_of

DEFAULTS = Parameters(trees=1, depth=2, epsilon=Fraction(1), bound=Fraction(1))
"""One tree of depth 2 with M = 1: these parameters show every leak of the printed protocol."""


@dataclass(frozen=True, slots=True)
class LeakPair:
    """Two samples on which one printed choice leaks, with parameters, leaking and repaired protocol."""

    key: str
    left: list[str]
    right: list[str]
    parameters: Parameters
    leaking: Protocol
    closed: Protocol

    def pair(self, protocol: Protocol, parameters: Parameters) -> Pair:
        """Return the pair with its exact loss under a protocol."""
        return pair_of(self.key, self.left, self.right, protocol, parameters)


def _fast_protocol(exact: exact_protocol.Protocol) -> Protocol:
    """Return the fast learner's protocol of the same choices."""
    return Protocol.of(exact.name, {name: getattr(exact, name).value for name in CHOICES})


def _leak_pairs() -> dict[str, LeakPair]:
    """Return the leaks of the reference, and that of alpha also on 50 examples, where it is greater."""
    pairs = {}
    for leak in LEAKS:
        exact = leak.parameters
        parameters = replace(
            DEFAULTS,
            depth=exact.depth,
            beta_tree=Fraction(str(exact.beta_tree)),
            bound=Fraction(str(exact.bound)),
        )
        protocols = (_fast_protocol(leak.leaking), _fast_protocol(leak.closed))
        pairs[leak.key] = LeakPair(
            leak.key, strings_of(leak.first), strings_of(leak.second), parameters, *protocols
        )
    common = ["00+"] * 23 + ["01-"] * 24 + ["10+"] * 2
    larger = replace(pairs["raw-alpha"], key="raw-alpha-50", left=["00-", *common], right=["00+", *common])
    return {**pairs, larger.key: larger}


LEAK_PAIRS: dict[str, LeakPair] = _leak_pairs()


# Exact losses --------------------------------------------------------------------------------------------


def has_exact_loss(protocol: Protocol, parameters: Parameters) -> bool:
    """Return whether the reference has the loss in closed form: one tree, no alphas released with noise."""
    return parameters.trees == 1 and (protocol.alpha is not AlphaRule.NOISY_MINORITY or parameters.depth == 1)


def pair_of(
    name: str,
    left: list[str],
    right: list[str],
    protocol: Protocol,
    parameters: Parameters,
    *,
    size: int | None = None,
) -> Pair:
    """Return two samples as a pair, with the exact loss of the released tree if it is known.

    `size` is the public size or bound, that of the larger sample if it is None.
    """
    exact = None
    if has_exact_loss(protocol, parameters):
        domain = binary_domain(len((left or right)[0]) - 1)
        setting = exact_setting(Setting(protocol, parameters, domain, size or max(len(left), len(right))))
        losses = exact_losses(setting, *(initial_weights(sample_from(rows)) for rows in (left, right)))
        exact = max(float_above(loss.total) for loss in losses)
    return Pair(name, left, right, protocol.relation.value, exact)


def worst_pair(protocol: Protocol, parameters: Parameters, attributes: int, size: int) -> Pair:
    """Return the pair of neighbours of a size with the greatest loss of the first tree, by trying all."""
    setting = exact_setting(Setting(protocol, parameters, binary_domain(attributes), size))
    verified = verify_bounded(setting.protocol, setting.parameters, setting.domain, size)
    up_to = "up to " if protocol.relation is Relation.ADD_REMOVE else ""
    name = f"worst of all {verified.pairs} pairs of size {up_to}{size}"
    left, right = strings_of(verified.first), strings_of(verified.second)
    return pair_of(name, left, right, protocol, parameters, size=size)
