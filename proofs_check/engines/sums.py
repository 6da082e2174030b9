"""Search for sums of products of facts, which the kernel then checks.

A claim follows if its conclusion, times a positive factor, is a sum with coefficients >= 0 of products of
known facts. The coefficients solve a problem of linear arithmetic over the rationals. z3 need not be trusted
to solve it, because the kernel multiplies the sum out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

from privboost.proofs_check.kernel.certificates import (
    Bounded,
    Certificate,
    Chord,
    Mirror,
    Rejected,
    Root,
    State,
    Step,
)
from privboost.proofs_check.kernel.polynomials import ONE, Polynomial, times
from privboost.proofs_check.kernel.terms import Claim, Formula, Term, term
from privboost.proofs_check.language import infix

RESOURCES = 20_000_000
"""Limit on the steps of z3, so that the outcome does not depend on the machine."""


def find_sum(
    claim: Claim, steps: Iterable[Chord | Mirror | Formula], degree: int, scale: Iterable[Formula] = ()
) -> tuple[tuple[Step, ...], Certificate]:
    """Return steps and a certificate for a claim, using chords, mirrors and intermediate bounds in order."""
    state = State()
    taken: list[Step] = []
    for formula in claim.given:
        state.learn(formula)
    for formula in claim.given:
        taken += _define(state, formula, degree)
    for hint in steps:
        taken += _take(state, hint, degree)
    taken += _define(state, claim.then, degree)
    factors = tuple(state.facts.index(fact) for wanted in scale for fact in state.facts if fact[2] == wanted)
    for chosen in [factors] if factors else _scales(state):
        if certificate := _search(state, claim.then, degree, chosen):
            return tuple(taken), certificate
    raise Rejected(f"no sum of products of at most {degree} facts was found")


def _scales(state: State) -> Iterator[tuple[int, ...]]:
    """Yield the factors to try for the conclusion: none, then one or two facts known to be > 0."""
    positive = {str(sorted(fact[0].items())): i for i, fact in enumerate(state.facts) if fact[1]}
    yield ()
    yield from ((i,) for i in positive.values())
    yield from combinations_with_replacement(positive.values(), 2)


def _take(state: State, hint: Chord | Mirror | Formula, degree: int) -> Iterator[Step]:
    """Yield the steps that make a hint a fact, with its side conditions first."""
    zero, one = term(0), term(1)
    match hint:
        case Chord(_, x, z, y):
            pairs = [(zero, x), (x, z), (z, y), (y, one)]
        case Mirror(_, x):
            pairs = [(zero, x), (x, one)]
        case Formula():
            yield from _define(state, hint, degree)
            yield from _bound(state, hint, degree)
            return
    for lesser, greater in pairs:
        if not state.knows(lesser, greater):
            yield from _define(state, lesser <= greater, degree)
            yield from _bound(state, lesser <= greater, degree)
    state.take(hint)
    yield hint
    yield from _define(state, state.known[-1], degree)


def _define(state: State, formula: Formula, degree: int) -> Iterator[Step]:
    """Yield the steps that show the divisors of a formula to be > 0 and its radicands to be >= 0."""
    while missing := next(state.undefined_parts(formula), None):
        part, op = missing
        yield from _bound(state, Formula(op, (term(0), part)), degree)
    for root in dict.fromkeys(_roots(formula)):
        if (term(0) <= root) not in state.known:
            step = Root(root.args[0])
            state.take(step)
            yield step


def _roots(node: Term | Formula) -> Iterator[Term]:
    for part in node.args:
        yield from _roots(part)
    if node.op == "sqrt" and isinstance(node, Term):
        yield node


def _bound(state: State, formula: Formula, degree: int) -> Iterator[Step]:
    certificate = _search(state, formula, degree)
    if certificate is None:
        raise Rejected(f"{infix(formula)} was not found to be a sum of products of at most {degree} facts")
    step = Bounded(formula, certificate)
    state.take(step)
    yield step


def _search(
    state: State, conclusion: Formula, degree: int, scale: tuple[int, ...] = ()
) -> Certificate | None:
    """Return a certificate of a comparison with the fewest factors, or None."""
    usable = [i for i, fact in enumerate(state.facts) if next(state.undefined_parts(fact[2]), None) is None]
    target = state.polynomial(conclusion)
    for i in scale:
        target = times(target, state.facts[i][0])
    for factors in range(1, degree + 1):
        products = _solve(state, state.atoms.reduce_roots(target), usable, factors, conclusion.op == "<")
        if products is not None:
            return Certificate(products, scale)
    return None


def _solve(
    state: State, target: Polynomial, usable: list[int], factors: int, strict: bool
) -> tuple[tuple[Fraction, tuple[int, ...]], ...] | None:
    """Return products of at most `factors` facts, with coefficients, that add up to the target."""
    import z3

    products = _products(state, usable, factors)
    rows: dict[Any, list[Any]] = {monomial: [] for monomial in target}
    context = z3.Context()  # In a shared one the solution would depend on earlier questions.
    solver = z3.SolverFor("QF_LRA", ctx=context)
    solver.set("rlimit", RESOURCES)
    unknowns = [z3.Real(f"c{k}", context) for k in range(len(products))]
    for unknown, (_, polynomial) in zip(unknowns, products, strict=True):
        solver.add(unknown >= 0)
        for monomial, coefficient in polynomial.items():
            rows.setdefault(monomial, []).append(
                z3.Q(coefficient.numerator, coefficient.denominator, context) * unknown
            )
    for monomial, parts in rows.items():
        wanted = target.get(monomial, Fraction(0))
        solver.add(
            z3.Sum(parts or [z3.RealVal(0, context)]) == z3.Q(wanted.numerator, wanted.denominator, context)
        )
    if strict:
        sure = [
            u
            for u, (chosen, _) in zip(unknowns, products, strict=True)
            if all(state.facts[i][1] for i in chosen)
        ]
        solver.add(z3.Sum(sure or [z3.RealVal(0, context)]) > 0)
    if solver.check() != z3.sat:
        return None
    model = solver.model()
    values = [model.eval(unknown, model_completion=True).as_fraction() for unknown in unknowns]
    return tuple((value, chosen) for value, (chosen, _) in zip(values, products, strict=True) if value)


def _products(state: State, usable: list[int], factors: int) -> list[tuple[tuple[int, ...], Polynomial]]:
    """Return the nonzero products of at most `factors` facts, reduced."""
    products: dict[tuple[int, ...], Polynomial] = {(): ONE}
    for size in range(1, factors + 1):
        for chosen in combinations_with_replacement(usable, size):
            products[chosen] = times(products[chosen[:-1]], state.facts[chosen[-1]][0])
    reduced = ((chosen, state.atoms.reduce_roots(polynomial)) for chosen, polynomial in products.items())
    return [(chosen, polynomial) for chosen, polynomial in reduced if polynomial]
