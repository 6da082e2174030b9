"""The facts about exp and log that are assumed without proof."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from privboost.proofs_check.kernel.terms import Formula, Term
from privboost.proofs_check.language import equal, exp, implies, log

FACTS: dict[str, Callable[..., Formula]] = {
    "exp(0) = 1": lambda: equal(exp(0), 1),
    "exp(x) >= 1 + x": lambda x: 1 + x <= exp(x),
    "exp(x + y) = exp(x) exp(y)": lambda x, y: equal(exp(x + y), exp(x) * exp(y)),
    "exp(x) <= exp(y) if x <= y": lambda x, y: implies(x <= y, exp(x) <= exp(y)),
    "exp(x) < exp(y) if x < y": lambda x, y: implies(x < y, exp(x) < exp(y)),
    "exp(log(x)) = x if x > 0": lambda x: implies(0 < x, equal(exp(log(x)), x)),
    "log(exp(x)) = x": lambda x: equal(log(exp(x)), x),
    "log(1) = 0": lambda: equal(log(1), 0),
    "log(x) <= x - 1 if x > 0": lambda x: implies(0 < x, log(x) <= x - 1),
    "log(x y) = log(x) + log(y) if x, y > 0": lambda x, y: implies(
        0 < x, implies(0 < y, equal(log(x * y), log(x) + log(y)))
    ),
    "log(x) <= log(y) if 0 < x <= y": lambda x, y: implies(0 < x, implies(x <= y, log(x) <= log(y))),
    "log(x) < log(y) if 0 < x < y": lambda x, y: implies(0 < x, implies(x < y, log(x) < log(y))),
    "log(1/x) = -log(x) if x > 0": lambda x: implies(0 < x, equal(log(1 / x), -log(x))),
}
"""Elementary facts by name; `privboost prove --trust` lists the ones in use."""


@dataclass(frozen=True, slots=True)
class Fact:
    """An instance of an elementary fact."""

    name: str
    arguments: tuple[Term, ...] = ()

    def formula(self) -> Formula:
        """Return the fact with its arguments filled in."""
        return FACTS[self.name](*self.arguments)
