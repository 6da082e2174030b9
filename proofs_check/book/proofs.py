"""The fields of an entry that hold proofs, refutations and citations.

by       = proof {";" proof}
proof    = "z3" {"," premise}
| "sum" {"," premise | "," "degree" integer | "," "scale" formula | "," formula}
| "identity" | "boxes" "," "at most" integer
| "derivation" key ["," "own words"] | "computing" NAME | "citation" text
premise  = "chord of" risk "from" term "by" term "to" term | "mirror of" risk "at" term
| "fact" '"' fact '"' "(" terms ")" | "use" key ["(" variable "=" term {"," …} ")"]
refuted  = "at" point "not at" point ["where" function {"," …}] | "computing" NAME
point    = variable "=" term {"," variable "=" term}
function = name "(" name ")" "=" term
cites    = key ["with" variable "=" term {"," …}] ["given" formulas]
runs     = key ["from" key] "with" run {";" run} ["given" formulas]
run      = variable ":" term "," term "→" term
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from privboost.proofs_check.engines.elementary import FACTS, Fact
from privboost.proofs_check.entry import Cite, Induction, Proof
from privboost.proofs_check.kernel.certificates import Chord, Mirror
from privboost.proofs_check.kernel.terms import Formula, Functions, Term, value
from privboost.proofs_check.proofs import (
    Boxes,
    Cited,
    Computed,
    Counterexample,
    Derived,
    Identity,
    Smt,
    Sum,
    Use,
)

from .formulas import NAME, Names, Passage, Reader

KEY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_:-]*(\.[A-Za-z0-9_-]+)*")
DERIVATION = re.compile(rf"{KEY.pattern}(\[[^\[\]]*\])?")
QUOTED = re.compile('"[^"]*"')
WORD = re.compile("[A-Za-z0-9]+")

Computations = Callable[[str], Computed]
"""Returns the computation of a name, or raises `KeyError`."""


def read_proofs(text: Passage, names: Names, computations: Computations) -> tuple[Proof, ...]:
    """Read the field `by`."""
    reader = Reader(text, names)
    proofs = [_read_proof(reader, computations)]
    while not isinstance(proofs[-1], Cited) and reader.accept(";"):
        proofs.append(_read_proof(reader, computations))
    if not isinstance(proofs[-1], Cited):
        reader.finish()
    return tuple(proofs)


def _read_proof(reader: Reader, computations: Computations) -> Proof:
    begin = reader.begin
    method = reader.match(WORD, "a kind of proof")
    if method == "citation":
        source = reader.text.string[reader.offset :].lstrip(" ")
        if not source:
            raise reader.error("a source")
        return Cited(source)
    if method not in METHODS:
        raise reader.text.error(begin, f"expected {', '.join(METHODS)} or citation, got '{method}'")
    return METHODS[method](reader, computations)


def read_refutation(text: Passage, names: Names, computations: Computations) -> Proof:
    """Read the field `refuted` or `without`: a point, and one that is no counterexample; or a computation."""
    reader = Reader(text, names)
    if reader.accept("computing"):
        proof: Proof = _find_computation(reader, computations)
    else:
        reader.demand("at")
        point = read_point(reader)
        reader.demand("not")
        reader.demand("at")
        control = read_point(reader)
        functions = read_functions(reader) if reader.accept("where") else {}
        proof = Counterexample(point, control, functions)
    reader.finish()
    return proof


def read_point(reader: Reader) -> dict[str, Any]:
    """Read the exact values of variables."""

    def read_value() -> Any:
        begin = reader.begin
        try:
            return value(reader.term(), {}, {})
        except (KeyError, ArithmeticError):
            raise reader.text.error(begin, "expected a number") from None

    return reader.assignments(read_value)


def read_functions(reader: Reader) -> Functions:
    """Read definitions of functions, such as L(x) = 4·x·(1 - x)."""
    functions: dict[str, tuple[str, Term]] = {}
    while True:
        name = reader.match(NAME, "the name of a function")
        if name in functions or not (name in reader.names.risks or name in reader.names.functions):
            raise reader.error(f"one definition of each declared function, and '{name}' is no other; one")
        reader.demand("(")
        parameter = reader.match(NAME, "a parameter")
        reader.demand(")")
        reader.demand("=")
        outer = reader.names
        reader.names = replace(outer, variables=frozenset({parameter}), definitions={})
        functions[name] = parameter, reader.term()
        reader.names = outer
        if not reader.accept(","):
            return functions


def read_citation(text: Passage, names: Names) -> Cite:
    """Read the field `cites`."""
    reader = Reader(text, names)
    key = reader.match(KEY, "the key of an entry")
    where = reader.assignments(reader.term) if reader.accept("with") else {}
    given = reader.formulas() if reader.accept("given") else ()
    reader.finish()
    return Cite(key, where, given)


def read_induction(text: Passage, names: Names) -> Induction:
    """Read the field `runs`: symbols with their first values and what a step makes of them."""
    reader = Reader(text, names)
    step = reader.match(KEY, "the key of an entry")
    start = reader.match(KEY, "the key of an entry") if reader.accept("from") else None
    reader.demand("with")
    first: dict[str, Term | int] = {}
    before: dict[str, Term] = {}
    after: dict[str, Term] = {}
    while True:
        begin = reader.begin
        name = reader.variable()
        if name in first:
            raise text.error(begin, f"'{name}' is here twice")
        first_value, term_before, term_after = read_run(reader)
        is_integer = first_value.op == "number" and Fraction(first_value.name).denominator == 1
        first[name] = int(Fraction(first_value.name)) if is_integer else first_value
        after[name] = term_after
        if term_before != Term("variable", (), name):
            before[name] = term_before
        if not reader.accept(";"):
            break
    given = reader.formulas() if reader.accept("given") else ()
    reader.finish()
    return Induction(start, first, step, after, before, given)


def read_run(reader: Reader) -> tuple[Term, Term, Term]:
    """Read the first value of a symbol, and its values before and after a step."""
    reader.demand(":")
    first = reader.term()
    reader.demand(",")
    before = reader.term()
    reader.demand("→")
    return first, before, reader.term()


def _z3(reader: Reader, _computations: Computations) -> Smt:
    premises = []
    while reader.accept(","):
        premises.append(_premise(reader))
    return Smt(
        tuple(premise for premise in premises if isinstance(premise, Chord | Mirror)),
        tuple(premise for premise in premises if isinstance(premise, Fact)),
        tuple(premise for premise in premises if isinstance(premise, Use)),
    )


def _sum(reader: Reader, _computations: Computations) -> Sum:
    steps: list[Chord | Mirror | Formula] = []
    scale: list[Formula] = []
    uses: list[Use] = []
    degree = None
    while reader.accept(","):
        if reader.next == "degree" and degree is None:
            reader.advance()
            degree = reader.integer()
        elif reader.accept("scale"):
            scale.append(reader.formula())
        elif reader.next in PREMISES:
            premise = _premise(reader)
            if isinstance(premise, Fact):
                raise reader.error("no fact about exp or log in a sum; the end")
            (uses if isinstance(premise, Use) else steps).append(premise)  # type: ignore[arg-type]
        else:
            steps.append(reader.formula())
    return Sum(tuple(steps), 2 if degree is None else degree, tuple(scale), tuple(uses))


def _identity(_reader: Reader, _computations: Computations) -> Identity:
    return Identity()


def _boxes(reader: Reader, _computations: Computations) -> Boxes:
    for word in (",", "at", "most"):
        reader.demand(word)
    return Boxes(limit=reader.integer())


def _derivation(reader: Reader, _computations: Computations) -> Derived:
    key = reader.match(DERIVATION, "the key of a derivation")
    if not reader.accept(","):
        return Derived(key)
    reader.demand("own")
    reader.demand("words")
    return Derived(key, own_words=True)


def _find_computation(reader: Reader, computations: Computations) -> Computed:
    begin = reader.begin
    name = reader.match(NAME, "the name of a computation")
    try:
        return computations(name)
    except KeyError:
        raise reader.text.error(begin, f"no computation has the name '{name}'") from None


METHODS: Mapping[str, Callable[[Reader, Computations], Proof]] = {
    "z3": _z3,
    "sum": _sum,
    "identity": _identity,
    "boxes": _boxes,
    "derivation": _derivation,
    "computing": _find_computation,
}
"""The kinds of proofs, with the functions that read them, citations aside."""
PREMISES = ("chord", "mirror", "fact", "use")


def _premise(reader: Reader) -> Chord | Mirror | Fact | Use:
    kind = reader.next
    if kind not in PREMISES:
        raise reader.error(" or ".join((", ".join(PREMISES[:-1]), PREMISES[-1])))
    reader.advance()
    if kind == "use":
        return Use(reader.match(KEY, "the key of an entry"), _arguments(reader))
    if kind == "fact":
        return _fact(reader)
    reader.demand("of")
    risk = reader.match(NAME, "a Bayes risk")
    if risk not in reader.names.risks:
        raise reader.error(f"a declared Bayes risk before this, not '{risk}'; one")
    if kind == "mirror":
        reader.demand("at")
        return Mirror(risk, reader.term())
    ends = []
    for word in ("from", "by", "to"):
        reader.demand(word)
        ends.append(reader.term())
    return Chord(risk, *ends)


def _arguments(reader: Reader) -> dict[str, Term]:
    if not reader.accept("("):
        return {}
    values = reader.assignments(reader.term, declared=False)
    reader.demand(")")
    return values


def _fact(reader: Reader) -> Fact:
    begin = reader.begin
    name = reader.match(QUOTED, "a fact in double quotes")[1:-1]
    if name not in FACTS:
        raise reader.text.error(begin, f"expected one of {'; '.join(FACTS)}")
    terms: list[Term] = []
    if reader.accept("("):
        terms.append(reader.term())
        while reader.accept(","):
            terms.append(reader.term())
        reader.demand(")")
    if len(terms) != FACTS[name].__code__.co_argcount:
        raise reader.error(f"{FACTS[name].__code__.co_argcount} terms for the fact; the end")
    return Fact(name, tuple(terms))
