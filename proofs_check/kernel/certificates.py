"""The four checks of the kernel: identities, sums of products, boxes, witnesses. A failure raises `Rejected`.

A fact is a polynomial known to be >= 0 (or > 0). A comparison l <= r with r - l = N / D gives N >= 0.
The two are equivalent if D > 0, and D is a product of divisors. So a comparison is used or concluded only if
all its divisors are known to be > 0 and all its radicands to be >= 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from privboost.reference.exact.ranges import box

from .polynomials import ONE, Atoms, Polynomial, plus, times
from .terms import Claim, Formula, Functions, Point, Term, holds, term, value, walk


class Rejected(Exception):
    """Raised if a certificate does not prove its claim."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """Coefficients >= 0 with products of facts; their sum is the conclusion times the facts of `scale`."""

    products: tuple[tuple[Fraction, tuple[int, ...]], ...]
    scale: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Bounded:
    """A step: a comparison that follows from the known facts, and becomes one of them."""

    formula: Formula
    certificate: Certificate


@dataclass(frozen=True, slots=True)
class Root:
    """A step: sqrt(radicand) >= 0, once radicand >= 0 is known."""

    radicand: Term


@dataclass(frozen=True, slots=True)
class Chord:
    """A step: a Bayes risk lies above its chord, once 0 <= x <= z <= y <= 1 is known."""

    function: str
    x: Term
    z: Term
    y: Term


@dataclass(frozen=True, slots=True)
class Mirror:
    """A step: f(x) = f(1 - x) for a Bayes risk, once 0 <= x <= 1 is known."""

    function: str
    x: Term


Step = Bounded | Root | Chord | Mirror


@dataclass(slots=True)
class State:
    """The known formulas, as written and as polynomials that are >= 0, or > 0 if marked strict."""

    atoms: Atoms = field(default_factory=Atoms)
    known: list[Formula] = field(default_factory=list)
    facts: list[tuple[Polynomial, bool, Formula]] = field(default_factory=list)

    def learn(self, formula: Formula) -> None:
        """Add a formula and its polynomials: one for a comparison, two for an equation."""
        self.known.append(formula)
        if formula.op in ("<=", "<", "="):
            polynomial = self.polynomial(formula)
            self.facts.append((polynomial, formula.op == "<", formula))
            if formula.op == "=":
                self.facts.append((plus({}, polynomial, Fraction(-1)), False, formula))

    def polynomial(self, formula: Formula) -> Polynomial:
        """Return N of right - left = N / D."""
        left, right = sides(formula)
        return self.atoms.ratio(right - left)[0]

    def knows(self, lesser: Term, greater: Term, *, strictly: bool = False) -> bool:
        """Return whether lesser <= greater (or <) is a known formula or a true comparison of two numbers."""
        if lesser.op == greater.op == "number":
            a, b = Fraction(lesser.name), Fraction(greater.name)
            return a < b or (a == b and not strictly)
        comparisons = ("<",) if strictly else ("<", "<=")
        same = lesser == greater and not strictly
        return same or any(Formula(op, (lesser, greater)) in self.known for op in comparisons)

    def undefined_parts(self, formula: Formula) -> Iterator[tuple[Term, str]]:
        """Yield the divisors not known to be > 0 and the radicands not known to be >= 0, inner ones first."""
        zero = term(0)
        for part in walk(formula):
            if isinstance(part, Term) and part.op in ("/", "sqrt"):
                argument, strictly = part.args[-1], part.op == "/"
                if not self.knows(zero, argument, strictly=strictly):
                    yield argument, "<" if strictly else "<="

    def check(self, conclusion: Formula, certificate: Certificate) -> None:
        """Raise `Rejected` unless the sum of the certificate equals the conclusion."""
        for formula in (conclusion, *(self.facts[i][2] for i in self._used_facts(certificate))):
            if missing := next(self.undefined_parts(formula), None):
                raise Rejected(f"0 {missing[1]} {missing[0]} is not known")
        if conclusion.op not in ("<=", "<"):
            raise Rejected(f"'{conclusion.op}' cannot be concluded from a sum")
        if any(coefficient < 0 for coefficient, _ in certificate.products):
            raise Rejected("a coefficient is negative")
        if not all(self.facts[i][1] for i in certificate.scale):
            raise Rejected("a factor of the conclusion is not known to be > 0")
        total = times(self.polynomial(conclusion), self._product(certificate.scale))
        for coefficient, factors in certificate.products:
            total = plus(total, self._product(factors), -coefficient)
        if self.atoms.reduce_roots(total):
            raise Rejected("the sum is not the conclusion")
        strict = any(c and all(self.facts[i][1] for i in factors) for c, factors in certificate.products)
        if conclusion.op == "<" and not strict:
            raise Rejected("the sum is not known to be > 0")

    def _used_facts(self, certificate: Certificate) -> set[int]:
        return {*certificate.scale, *(i for _, factors in certificate.products for i in factors)}

    def _product(self, factors: tuple[int, ...]) -> Polynomial:
        product = ONE
        for i in factors:
            product = times(product, self.facts[i][0])
        return product

    def take(self, step: Step) -> None:
        """Check one step and add the fact that it proves."""
        zero, one = term(0), term(1)
        match step:
            case Bounded(formula, certificate):
                self.check(formula, certificate)
                self.learn(formula)
            case Root(radicand):
                self._demand(zero, radicand)
                self.learn(zero <= Term("sqrt", (radicand,)))
            case Chord(function, x, z, y):
                for lesser, greater in ((zero, x), (x, z), (z, y), (y, one)):
                    self._demand(lesser, greater)
                at_x, at_z, at_y = (Term("risk", (point,), function) for point in (x, z, y))
                self.learn((y - z) * at_x + (z - x) * at_y <= (y - x) * at_z)
            case Mirror(function, x):
                self._demand(zero, x)
                self._demand(x, one)
                at_x, at_mirror = (Term("risk", (point,), function) for point in (x, 1 - x))
                self.learn(Formula("=", (at_x, at_mirror)))

    def _demand(self, lesser: Term, greater: Term) -> None:
        if not self.knows(lesser, greater):
            raise Rejected(f"{lesser} <= {greater} is not known")


def check_sum(claim: Claim, steps: tuple[Step, ...], certificate: Certificate) -> None:
    """Raise `Rejected` unless a claim follows from the steps and a final sum of products."""
    state = State()
    for formula in claim.given:
        state.learn(formula)
    for step in steps:
        state.take(step)
    for formula in claim.given:
        if missing := next(state.undefined_parts(formula), None):
            raise Rejected(f"0 {missing[1]} {missing[0]} is not known")
    state.check(claim.then, certificate)


def check_identity(equation: Formula) -> None:
    """Raise `Rejected` unless both sides of an equation are the same quotient of polynomials."""
    left, right = sides(equation)
    atoms = Atoms()
    if equation.op != "=" or atoms.reduce_roots(atoms.ratio(left - right)[0]):
        raise Rejected("the two sides differ")


@dataclass(frozen=True, slots=True)
class Split:
    """A box cut in the middle of one variable."""

    name: str
    below: Split | None
    above: Split | None


def check_boxes(claim: Claim, cuts: Split | None, precision: int) -> None:
    """Raise `Rejected` unless interval arithmetic proves a comparison on every piece of a box."""
    left, right = sides(claim.then)
    pieces = [(box_of(claim.given), cuts)]
    while pieces:
        ends, cut = pieces.pop()
        if cut is None:
            ranges = {name: box(lo, hi, precision) for name, (lo, hi) in ends.items()}
            least = box(Fraction(0), Fraction(0), precision) + value(right - left, ranges, {})
            if claim.then.op == "=" or not least.at_least(int(claim.then.op == "<")):
                raise Rejected(f"not proved on {ends}")
        else:
            lo, hi = ends[cut.name]
            pieces.append(({**ends, cut.name: (lo, (lo + hi) / 2)}, cut.below))
            pieces.append(({**ends, cut.name: ((lo + hi) / 2, hi)}, cut.above))


def box_of(given: tuple[Formula, ...]) -> dict[str, tuple[Fraction, Fraction]]:
    """Return the box that comparisons lo <= x and x <= hi describe."""
    ends: tuple[dict[str, Fraction], dict[str, Fraction]] = ({}, {})
    for left, right in map(sides, given):
        upper = left.op == "variable"
        name, bound = (left, right) if upper else (right, left)
        if (name.op, bound.op) != ("variable", "number"):
            raise Rejected("the hypotheses are not bounds of a box")
        ends[upper][str(name.name)] = Fraction(bound.name)
    if ends[0].keys() != ends[1].keys():
        raise Rejected("a variable has only one bound")
    return {name: (ends[0][name], ends[1][name]) for name in ends[0]}


def sides(formula: Formula) -> tuple[Term, Term]:
    """Return the two sides of a comparison or equation."""
    left, right = formula.args if formula.op in ("<=", "<", "=") else (None, None)
    if not isinstance(left, Term) or not isinstance(right, Term):
        raise Rejected(f"'{formula.op}' is not a comparison")
    return left, right


def check_witness(claim: Claim, point: Point, functions: Functions) -> None:
    """Raise `Rejected` unless the hypotheses hold at a point and the conclusion does not."""
    for formula in claim.given:
        if not holds(formula, point, functions):
            raise Rejected(f"the witness does not satisfy {formula}")
    if holds(claim.then, point, functions):
        raise Rejected("the conclusion holds at the witness")
