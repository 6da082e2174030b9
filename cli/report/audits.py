"""Reproducible audits of targets by name, for pages that run them."""

from __future__ import annotations

from privboost.auditor import AuditResult, audit
from privboost.auditor.mechanisms.naming import find_target
from privboost.limits import POWER

SEED = 0
"""Seed of all random draws, so that a page is the same on every run."""


def audit_target(name: str, calls: int, power: float = POWER) -> AuditResult:
    """Audit the own claim of a target, or ε ≤ 1 if it has none, on its own pairs.

    Ensures: KeyboardInterrupt if the audit was interrupted; no page is made from a part of its calls.
    """
    target = find_target(name)
    epsilon = 1.0 if target.epsilon is None else target.epsilon
    result = audit(
        target.mechanism,
        target.pairs,
        epsilon=epsilon,
        delta=target.delta,
        calls=calls,
        seed=SEED,
        power=power,
    )
    if result.interrupted:
        raise KeyboardInterrupt
    return result
