"""The reader of formulas: from the infix notation of the book of claims to terms and formulas.

    list     = item {"," item}            item = chain, formula, or the name of a list
    chain    = sum ("≤" | "<" | "=") sum {("≤" | "<" | "=") sum}
    formula  = unit {"and" unit} | unit {"or" unit} | unit "implies" unit
    unit     = sum ("≤" | "<" | "=") sum | "not" "(" formula ")" | "(" formula ")" | name of a formula
    sum      = ["-"] product {("+" | "-") product}
    product  = integer | integer "/" integer | power {("·" | "/") power}
    power    = atom ["^" integer]
    atom     = integer | variable | function "(" sum {"," sum} ")" | "(" sum ")"

So -x·y is -(x·y), -x^2 is -(x^2), a/b·c is (a/b)·c and a - b + c is (a - b) + c. A product that is one
integer, or a fraction of two in lowest terms, is a number. A chain a ≤ b ≤ c is the two formulas a ≤ b and
b ≤ c of a list. Every name is declared; there is no implicit product, and what is not in this grammar is an
error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd
from typing import Any

from privboost.proofs_check.kernel.terms import ARITY, NAMED, Formula, Term, term
from privboost.proofs_check.language import substitute, substitute_in

SIGNS = {"≤": "<=", "<": "<", "=": "="}
FUNCTIONS = ("sqrt", "exp", "log", "abs", "min", "max")
RESERVED = (*FUNCTIONS, "and", "or", "not", "implies")
TOKEN = re.compile(r" ?(0|[1-9][0-9]{0,39}|[A-Za-z][A-Za-z0-9_]*|:=|[-+·/^(),:;≤<=→⊢]|\Z)")
NUMBER = re.compile(r" ?(0|[1-9][0-9]{0,39})(?:/(0|[1-9][0-9]{0,39}))?(?![A-Za-z0-9])(?! ?[·/^(])")
NAME = re.compile("[A-Za-z][A-Za-z0-9_]*")
INTEGER = re.compile("0|[1-9][0-9]{0,39}")
LARGEST_EXPONENT, DEEPEST, LONGEST = 99, 60, 90
"""The largest exponent, and the maximum numbers of parentheses within each other and of operands in a row."""
ADVICE = {
    **dict.fromkeys("*×⋅∙•", "write · (U+00B7) for a product"),
    **dict.fromkeys("−–—", "write - for a minus"),
    **dict.fromkeys("⩽≦", "write ≤ (U+2264)"),
    **dict.fromkeys(">≥", "write the sides in the other order, with < or ≤"),
    ".": "write a fraction, such as 1/2",
    "\t": "write spaces",
}


class Unreadable(ValueError):
    """Raised for text that is not in the grammar; it names the file, the line and the column."""

    def __init__(self, source: str, line: int, column: int, problem: str) -> None:
        self.source, self.line, self.column, self.problem = source, line, column, problem
        super().__init__(f"{source}:{line}:{column}: {problem}")


@dataclass(frozen=True, slots=True)
class Passage:
    """A string out of a file; `starts` are the offset, line and column of each of its lines."""

    string: str
    source: str = "formula"
    starts: tuple[tuple[int, int, int], ...] = ((0, 1, 1),)

    def error(self, offset: int, problem: str) -> Unreadable:
        """Return the error at an offset of the string."""
        start, line, column = max(begun for begun in self.starts if begun[0] <= offset)
        return Unreadable(self.source, line, column + offset - start, problem)


@dataclass(frozen=True, slots=True)
class Definition:
    """A name for a term, or for formulas, with parameters."""

    parameters: tuple[str, ...]
    body: Term | tuple[Formula, ...]

    def fill_in(self, values: tuple[Term, ...]) -> Term | tuple[Formula, ...]:
        """Return the body with terms for the parameters."""
        by_name = dict(zip(self.parameters, values, strict=True))
        if isinstance(self.body, Term):
            return substitute(self.body, by_name)
        return tuple(substitute_in(formula, by_name) for formula in self.body)


@dataclass(frozen=True, slots=True)
class Names:
    """The declared names: variables, Bayes risks, other functions, and definitions."""

    variables: frozenset[str] = frozenset()
    risks: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()
    definitions: Mapping[str, Definition] = field(default_factory=dict, hash=False)

    def __contains__(self, name: str) -> bool:
        groups = (RESERVED, self.variables, self.risks, self.functions, self.definitions)
        return any(name in group for group in groups)


Node = Term | Formula


class Reader:
    """Reads one text from left to right."""

    def __init__(self, text: Passage, names: Names) -> None:
        self.text, self.names = text, names
        self.offset = 0
        self._depth = 0
        self._closed = True  # whether the last formula is more than a comparison
        self._scan()

    def _scan(self) -> None:
        match = TOKEN.match(self.text.string, self.offset)
        self.next = match[1] if match else None
        self.begin, self.end = match.span(1) if match else (self.offset, self.offset)

    def error(self, expected: str) -> Unreadable:
        """Return the error that something else than the next token is expected."""
        rest = self.text.string[self.begin :]
        if self.next is not None:
            got = f"'{self.next}'" if rest else "the end"
            return self.text.error(self.begin, f"expected {expected}, got {got}")
        sign = rest.lstrip(" ")[:1]
        shown = f"'{sign}' (U+{ord(sign):04X})" if sign and not rest.startswith("  ") else "several spaces"
        advice = f"; {ADVICE[sign]}" if sign in ADVICE else ""
        return self.text.error(self.begin, f"expected {expected}, got {shown}{advice}")

    def advance(self) -> str:
        """Return the next token and go on to the one after it."""
        token = self.next
        if token is None or token == "":
            raise self.error("more")
        self.offset = self.end
        self._scan()
        return token

    def accept(self, token: str) -> bool:
        """Go on and return true if a token is the next one."""
        if self.next != token:
            return False
        self.advance()
        return True

    def demand(self, token: str) -> None:
        """Go on; raise if another token is next."""
        if not self.accept(token):
            raise self.error(f"'{token}'")

    def finish(self) -> None:
        """Raise unless the text is at its end."""
        if self.next != "":
            raise self.error("the end")

    def match(self, pattern: re.Pattern[str], expected: str) -> str:
        """Return what matches a pattern at the next token, such as the key of an entry, and go on."""
        match = pattern.match(self.text.string, self.begin + (self.text.string[self.begin :][:1] == " "))
        if match is None:
            raise self.error(expected)
        self.offset = match.end()
        self._scan()
        return match[0]

    def term(self) -> Term:
        """Read a term."""
        begin = self.begin
        return self._require_term(self._sum(), begin)

    def formula(self) -> Formula:
        """Read a formula."""
        return self._require_formula(self._node())

    def formulas(self) -> tuple[Formula, ...]:
        """Read a list of formulas."""
        node = self.term_or_formulas()
        if isinstance(node, Term):
            raise self.error("'≤', '<' or '='")
        return node

    def term_or_formulas(self) -> Term | tuple[Formula, ...]:
        """Read the body of a definition."""
        items = self._item()
        if isinstance(items, Term):
            return items
        while self.accept(","):
            more = self._item()
            items += more if isinstance(more, tuple) else (self._require_formula(more),)
        return items

    def assignments(self, read: Callable[[], Any], *, declared: bool = True) -> dict[str, Any]:
        """Read variables with their values, separated by commas."""
        values: dict[str, Any] = {}
        while True:
            begin = self.begin
            name = self.variable() if declared else self.match(NAME, "the name of a variable")
            if name in values:
                raise self.text.error(begin, f"'{name}' has two values")
            self.demand("=")
            values[name] = read()
            if not self.accept(","):
                return values

    def variable(self) -> str:
        """Read the name of a declared variable."""
        if self.next not in self.names.variables:
            raise self.error("a declared variable")
        return self.advance()

    def integer(self) -> int:
        """Read an integer."""
        if not INTEGER.fullmatch(self.next or ""):
            raise self.error("an integer")
        return int(self.advance())

    def _item(self) -> Term | tuple[Formula, ...]:
        definition = self.names.definitions.get(self.next or "")
        if definition is not None and isinstance(definition.body, tuple) and len(definition.body) > 1:
            return self._fill_in(definition)
        node = self._node()
        if isinstance(node, Term):
            return node
        chain = [node]
        while self.next in SIGNS:
            last = chain[-1].args[1] if not self._closed else None
            if not isinstance(last, Term):
                raise self.error("',' or the end")
            sign = SIGNS[self.advance()]
            chain.append(Formula(sign, (last, self.term())))
            self._closed = False
        return tuple(chain)

    def _node(self) -> Node:
        first = self._unit()
        if self.next not in ("and", "or", "implies"):
            return first
        parts = [self._require_formula(first)]
        op = self.advance()
        while True:
            parts.append(self._require_formula(self._unit()))
            if op == "implies" or self.next != op:
                break
            self.advance()
        if self.next in ("and", "or", "implies") or len(parts) > LONGEST:
            raise self.error(f"the end, or parentheses around what '{op}' joins")
        self._closed = True
        if op == "implies":
            return Formula("or", (Formula("not", (parts[0],)), parts[1]))
        return Formula(op, tuple(parts))

    def _unit(self) -> Node:
        self._closed = True
        if self.accept("not"):
            self.demand("(")
            inner = self._read_nested(self.formula)
            self.demand(")")
            self._closed = True
            return Formula("not", (inner,))
        begin = self.begin
        left = self._sum()
        if self.next not in SIGNS or isinstance(left, Formula):
            return left
        sign = SIGNS[self.advance()]
        begin = self.begin
        comparison = Formula(sign, (left, self._require_term(self._sum(), begin)))
        self._closed = False
        return comparison

    def _read_nested(self, read: Callable[[], Node]) -> Node:
        self._depth += 1
        if self._depth > DEEPEST:
            raise self.error(f"at most {DEEPEST} parentheses within each other; fewer")
        node = read()
        self._depth -= 1
        return node

    def _sum(self) -> Node:
        begin, count = self.begin, 0
        if self.accept("-"):
            begin = self.begin
            product, is_number = self._product()
            inner = self._require_term(product, begin)
            node: Node = term(-Fraction(inner.name)) if is_number else -inner
        else:
            node = self._product()[0]
        while self.next in ("+", "-"):
            left = self._require_term(node, begin)
            sign = self.advance()
            begin = self.begin
            right = self._require_term(self._product()[0], begin)
            node = left + right if sign == "+" else left - right
            self._count_operand(count := count + 1)
        return node

    def _count_operand(self, count: int) -> None:
        if count > LONGEST:
            raise self.error(f"at most {LONGEST} operands in a row; fewer")

    def _product(self) -> tuple[Node, bool]:
        begin, count = self.begin, 0
        if match := NUMBER.match(self.text.string, self.offset):
            numerator, denominator = int(match[1]), int(match[2] or 1)
            if match[2] and (denominator < 2 or gcd(numerator, denominator) > 1):
                raise self.text.error(begin, f"expected a fraction in lowest terms, got '{match[0].strip()}'")
            self.offset = match.end()
            self._scan()
            return term(Fraction(numerator, denominator)), True
        node = self._power()
        while self.next in ("·", "/"):
            left = self._require_term(node, begin)
            sign = self.advance()
            begin = self.begin
            right = self._require_term(self._power(), begin)
            node = left * right if sign == "·" else left / right
            self._count_operand(count := count + 1)
        return node, False

    def _power(self) -> Node:
        begin = self.begin
        base = self._atom()
        if not self.accept("^"):
            return base
        if (exponent := self.integer()) > LARGEST_EXPONENT:
            raise self.text.error(begin, f"expected an exponent of at most {LARGEST_EXPONENT}")
        return self._require_term(base, begin) ** exponent

    def _atom(self) -> Node:
        name = self.next or ""
        if INTEGER.fullmatch(name):
            return term(int(self.advance()))
        if self.accept("("):
            inner = self._read_nested(self._node)
            self.demand(")")
            self._closed = True
            return inner
        if name in self.names.definitions:
            begin = self.begin
            filled_in = self._fill_in(self.names.definitions[name])
            if isinstance(filled_in, Term):
                return filled_in
            if len(filled_in) != 1:
                raise self.text.error(begin, f"'{name}' is a list of {len(filled_in)} formulas, expected one")
            return filled_in[0]
        if not NAME.fullmatch(name) or name in ("and", "or", "not", "implies"):
            raise self.error("a term")
        is_applied = self.text.string[self.end :][:1] == "("
        if is_applied and (name in FUNCTIONS or name in self.names.risks or name in self.names.functions):
            self.advance()
            op = name if name in FUNCTIONS else "risk" if name in self.names.risks else "apply"
            return Term(op, self._arguments(ARITY[op]), name if op in NAMED else "")
        if is_applied:
            raise self.error("a declared function")
        return Term("variable", (), self.variable())

    def _fill_in(self, definition: Definition) -> Term | tuple[Formula, ...]:
        self.advance()
        count = len(definition.parameters)
        return definition.fill_in(self._arguments(count) if count else ())

    def _arguments(self, count: int) -> tuple[Term, ...]:
        self.demand("(")
        arguments = []
        for index in range(count):
            if index:
                self.demand(",")
            begin = self.begin
            arguments.append(self._require_term(self._read_nested(self._sum), begin))
        self.demand(")")
        return tuple(arguments)

    def _require_term(self, node: Node, begin: int) -> Term:
        if isinstance(node, Formula):
            raise self.text.error(begin, "expected a term, got a formula")
        return node

    def _require_formula(self, node: Node) -> Formula:
        if isinstance(node, Term):
            raise self.error("'≤', '<' or '='")
        return node
