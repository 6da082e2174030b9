"""The cost of a private tree, level by level, with reasons."""

from __future__ import annotations

from fractions import Fraction

from privboost.reference.exact import Number, exact_sum
from privboost.reference.privacy.accounting import Ledger, alpha_budget, leaf_budget, level_price

from .protocol import AlphaRule, BetaRule, BudgetRule, LeafRule, SplitLaw
from .splitting import Setting, node_budget, split_share


def spend_tree(setting: Setting, ledger: Ledger) -> Ledger:
    """Return the ledger with the expenses of a tree: its levels, then its leaves.

    Quantities that the paper computes from raw data cost 0, as the paper assumes; their reason says so.
    """
    p, protocol = setting.parameters, setting.protocol
    if protocol.alpha.is_raw and protocol.split_law is not SplitLaw.UNIFORM:
        ledger = ledger.spend("alpha", 0, "as printed: from raw data, so the total is not a guarantee")
    if protocol.beta is BetaRule.RAW:
        ledger = ledger.spend("coefficient", 0, "as printed: from raw data, so the total is not a guarantee")
    if protocol.alpha is AlphaRule.NOISY_MINORITY:
        for level in range(1, p.depth):
            price = alpha_budget(p.epsilon, p.beta_tree * p.alpha_share, p.trees, p.depth)
            ledger = ledger.spend(f"alpha of level {level}", price, "Laplace, minority mass")
    for level in range(p.depth):
        ledger = ledger.spend(f"splits of level {level}", *_price_of_level(setting, level))
    if p.delta:
        # The share rho / T is no epsilon of its own; `spend_conversion` adds what all shares cost together.
        return ledger.spend("leaves", 0, f"discrete Gaussian, {protocol.leaf.value}: an equal share of rho")
    reason = f"Laplace, {protocol.leaf.value}"
    if protocol.leaf is LeafRule.LINK_NOISE_CLAMP:
        reason += ": as printed, for a sensitivity that values before the clamp exceed"
    return ledger.spend("leaves", leaf_budget(p.epsilon, split_share(setting), p.trees), reason)


def spend_conversion(setting: Setting, ledger: Ledger) -> Ledger:
    """Return the ledger after the last tree, with the conversion of rho to (epsilon, delta) if any."""
    p = setting.parameters
    if not p.delta:
        return ledger
    reason = f"zCDP, rho = {p.rho} in total, for delta = {p.delta}"
    return ledger.spend("conversion", p.epsilon, reason)


def _price_of_level(setting: Setting, level: int) -> tuple[Number, str]:
    """Return the cost of the splits of a level, and the reason.

    Paper: fixEPSILON.
    """
    protocol, budget = setting.protocol, node_budget(setting, (0,) * level)
    if protocol.split_law is SplitLaw.UNIFORM:
        return Fraction(0), "independent of the data"
    if protocol.node_budget is BudgetRule.PRINTED:
        return exact_sum([budget] * (1 << level)), "budgets of the nodes, added up"
    return level_price(budget, protocol.relation, one_sided=protocol.one_sided), "level lemma"
