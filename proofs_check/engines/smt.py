"""The SMT engine: a claim holds if its negation has no solution over the reals.

The negation is written as an SMT-LIB script for z3 and, optionally, cvc5. Roots, minima, absolute values,
exponentials, logarithms and applied functions become variables, with formulas that define them; of the last
three, the solver knows that exp is > 0 and the facts that the entry names. It may give x/0, sqrt(-1) and
log(0) any value, so divisors are first shown to be nonzero, radicands >= 0 and arguments of log > 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection
from typing import Literal

from privboost.proofs_check.kernel.certificates import Chord, Mirror, Rejected, State
from privboost.proofs_check.kernel.terms import Claim, Formula, Term, holds, term, walk
from privboost.proofs_check.language import infix, negation

RESOURCES = 400_000_000
"""Limit on the steps of z3 for one question, so that the outcome does not depend on the machine."""

LONGEST = 300
"""Timeout of z3 for one question, in seconds; some of its tactics do not count their steps."""

SECONDS = 60
"""Timeout of cvc5 for one question, in seconds; it then answers `unknown`."""

Answer = Literal["unsat", "sat", "unknown"]


@dataclass(slots=True)
class Script:
    """Builder of an SMT-LIB script: names of non-polynomial terms, variables, and defining facts."""

    names: dict[Term, str] = field(default_factory=dict)
    variables: set[str] = field(default_factory=set)
    facts: list[str] = field(default_factory=list)

    def to_smtlib(self, formulas: Iterable[Formula]) -> str:
        """Return the SMT-LIB script that asks whether the formulas can all hold."""
        asserted = [self.formula(formula) for formula in formulas]
        lines = ["(set-logic QF_NRA)"]
        lines += [f"(declare-fun {name} () Real)" for name in sorted(self.variables)]
        lines += [f"(assert {fact})" for fact in (*self.facts, *asserted)]
        return "\n".join([*lines, "(check-sat)", ""])

    def formula(self, node: Formula) -> str:
        """Return a formula in prefix notation."""
        parts = (self.formula(part) if isinstance(part, Formula) else self.term(part) for part in node.args)
        return f"({node.op} {' '.join(parts)})"

    def term(self, node: Term) -> str:
        """Return a term in prefix notation; parts that are not polynomial become variables."""
        match node.op:
            case "number":
                return _constant(Fraction(node.name))
            case "variable":
                self.variables.add(f"v_{node.name}")
                return f"v_{node.name}"
            case "+" | "*" | "/":
                return f"({node.op} {' '.join(self.term(part) for part in node.args)})"
            case "^":
                base, exponent = self.term(node.args[0]), int(Fraction(node.name))
                return f"(* {' '.join([base] * exponent)})" if exponent > 1 else base if exponent else "1.0"
        if node not in self.names:
            self._name(node)
        return self.names[node]

    def _name(self, node: Term) -> None:
        """Introduce a variable for a node, with the formulas that define it."""
        parts = [self.term(part) for part in node.args]
        name = f"x{len(self.names)}_{node.op}"
        self.names[node] = name
        self.variables.add(name)
        match node.op:
            case "sqrt":
                self.facts.append(
                    f"(=> (<= 0.0 {parts[0]}) (and (<= 0.0 {name}) (= (* {name} {name}) {parts[0]})))"
                )
            case "abs":
                self.facts.append(_one_of(name, [parts[0], f"(- {parts[0]})"], ">="))
            case "max":
                self.facts.append(_one_of(name, parts, ">="))
            case "min":
                self.facts.append(_one_of(name, parts, "<="))
            case "apply" | "risk" | "exp" | "log":
                for other, known in list(self.names.items())[:-1]:
                    if (other.op, other.name) == (node.op, node.name):
                        same = f"(= {parts[0]} {self.term(other.args[0])})"
                        self.facts.append(f"(=> {same} (= {name} {known}))")
        if node.op == "exp":
            self.facts.append(f"(< 0.0 {name})")


def _one_of(name: str, parts: list[str], order: str) -> str:
    """Return the formula that defines a variable as the maximum (or minimum) of some terms."""
    beyond = " ".join(f"({order} {name} {part})" for part in parts)
    return f"(and {beyond} (or {' '.join(f'(= {name} {part})' for part in parts)}))"


def _constant(value: Fraction) -> str:
    """Return a rational constant in prefix notation."""
    digits = f"{abs(value.numerator)}.0"
    if value.denominator != 1:
        digits = f"(/ {digits} {value.denominator}.0)"
    return f"(- {digits})" if value < 0 else digits


def questions(claim: Claim, facts: tuple[Formula, ...] = ()) -> Iterator[tuple[str, str]]:
    """Yield names and scripts that must be unsatisfiable: one per side condition, then the negation."""
    for condition in conditions((*claim.given, *facts, claim.then)):
        yield f"not {infix(condition)}", Script().to_smtlib((*claim.given, negation(condition)))
    yield "the negation", Script().to_smtlib((*claim.given, *facts, negation(claim.then)))


def conditions(formulas: Iterable[Formula]) -> Iterator[Formula]:
    """Yield each once: divisors are nonzero, radicands are >= 0, arguments of log are > 0."""
    seen = set()
    for formula in formulas:
        for part in walk(formula):
            condition = None
            if isinstance(part, Term) and part.op == "/":
                condition = negation(Formula("=", (part.args[1], term(0))))
            elif isinstance(part, Term) and part.op == "sqrt":
                condition = term(0) <= part.args[0]
            elif isinstance(part, Term) and part.op == "log" and part.args[0].op != "exp":
                condition = term(0) < part.args[0]
            if condition is not None and condition not in seen and not _obvious(condition):
                seen.add(condition)
                yield condition


def _obvious(condition: Formula) -> bool:
    """Return whether a condition has no variables and holds."""
    open_parts = ("variable", "apply", "risk", "exp", "log")
    return all(part.op not in open_parts for part in walk(condition)) and holds(condition, {}, {})


def ask_z3(question: str) -> Answer:
    """Return z3's answer to a question in SMT-LIB, or raise `Rejected` if it is not one."""
    import z3

    solver = z3.Solver(ctx=z3.Context())  # In a shared one the answer may depend on earlier questions.
    solver.set("rlimit", RESOURCES)
    solver.set("timeout", LONGEST * 1000)
    try:
        solver.from_string(question)
    except z3.Z3Exception as error:
        raise Rejected(f"z3 cannot read the question: {error}") from None
    return str(solver.check())  # type: ignore[return-value]


def ask_cvc5(question: str, seconds: float = SECONDS) -> Answer:
    """Return cvc5's answer to a question in SMT-LIB, or `unknown` after some seconds.

    cvc5 does not always keep to its own limit, so it runs in a process that can be ended.
    """
    receiver, sender = Pipe(duplex=False)
    process = Process(target=_ask_cvc5, args=(question, seconds, sender))
    process.start()
    sender.close()
    try:
        return receiver.recv() if receiver.poll(seconds) else "unknown"
    except EOFError:
        return "unknown"
    finally:
        process.kill()
        process.join()


def _ask_cvc5(question: str, seconds: float, sender: Connection) -> None:
    """Send cvc5's answer."""
    import cvc5

    solver = cvc5.Solver()
    solver.setOption("tlimit-per", str(int(seconds * 1000)))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, question, "question")
    answer = ""
    while not (command := parser.nextCommand()).isNull():
        answer = command.invoke(solver, parser.getSymbolManager()).strip() or answer
    sender.send(answer if answer in ("unsat", "sat") else "unknown")


def prove(claim: Claim, facts: tuple[Formula, ...]) -> int:
    """Raise `Rejected` unless z3 refutes the negation of a claim; return the number of questions asked."""
    asked = 0
    for name, question in questions(claim, facts):
        asked += 1
        if (answer := ask_z3(question)) != "unsat":
            raise Rejected(f"z3 answers {answer} on {name}")
    return asked


def satisfiable(given: tuple[Formula, ...]) -> bool:
    """Return whether z3 finds values at which all formulas are defined and hold."""
    return ask_z3(Script().to_smtlib((*given, *conditions(given)))) == "sat"


def step_fact(step: Chord | Mirror) -> tuple[tuple[Formula, ...], Formula]:
    """Return the side conditions and the fact of a chord or mirror, as the kernel states them."""
    state = State()
    points = (step.x, step.z, step.y) if isinstance(step, Chord) else (step.x,)
    ends = (term(0), *points, term(1))
    conditions = tuple(lesser <= greater for lesser, greater in pairwise(ends))
    for condition in conditions:
        state.learn(condition)
    state.take(step)
    return conditions, state.known[-1]
