"""The checks of the gate: vectors, properties, samples, the learner, privacy, refusals."""

from __future__ import annotations

from privboost.gate.check import Check


def all_checks(seed: int) -> tuple[Check, ...]:
    """Return every check; the seed determines the random arguments."""
    from .mechanisms import mechanism_checks
    from .privacy import privacy_checks
    from .properties import property_checks
    from .tapes import tape_checks
    from .trained import trained_checks
    from .trained_laws import trained_law_checks
    from .vectors import vector_checks

    del seed
    return (
        *vector_checks(),
        *property_checks(),
        *mechanism_checks(),
        *tape_checks(),
        *trained_checks(),
        *trained_law_checks(),
        *privacy_checks(),
    )
