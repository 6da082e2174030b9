"""The reader of the book of claims: formulas mean what they say, and what is not understood is an error."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privboost.cli.app import main
from privboost.oracle_tests.support.command_line import exit_code
from privboost.proofs_check import index
from privboost.proofs_check.book import blocks, formulas
from privboost.proofs_check.book.formulas import Names, Passage, Reader, Unreadable
from privboost.proofs_check.book.sections import read_section
from privboost.proofs_check.claims import SECTIONS
from privboost.proofs_check.consistency import check_file
from privboost.proofs_check.kernel.terms import Formula, Term, holds, term, value, walk
from privboost.proofs_check.language import infix
from privboost.proofs_check.pages.book import book_page, escape, typeset
from privboost.proofs_check.record import record

MOST_LINES = 460
NAMES = Names(frozenset("abxyz"), frozenset("L"), frozenset("F"))
POINT = {"a": Fraction(12), "b": Fraction(2), "x": Fraction(3), "y": Fraction(5), "z": Fraction(7)}
VALUES = {
    "x - y - z": Fraction(-9),
    "x - (y - z)": Fraction(5),
    "a/b·x": Fraction(18),
    "a/(b·x)": Fraction(2),
    "a/b/x": Fraction(2),
    "a·b/x": Fraction(8),
    "x + y·z": Fraction(38),
    "x·y + z": Fraction(22),
    "b·x^2": Fraction(18),
    "(b·x)^2": Fraction(36),
    "-x^2": Fraction(-9),
    "(-x)^2": Fraction(9),
    "-x·y + z": Fraction(-8),
    "-x + y": Fraction(2),
    "x - y^2/y": Fraction(-2),
    "1/2": Fraction(1, 2),
    "1/2·x": Fraction(3, 2),
    "x - 1/2·b": Fraction(2),
    "a/2^2": Fraction(3),
    "-1/2 + x": Fraction(5, 2),
    "min(x, y - z) + max(a, b)": Fraction(10),
    "abs(x - y)·b": Fraction(4),
    "sqrt(x·a)": Fraction(6),
}
"""Values of terms at `POINT`, worked out by hand: any other precedence gives another value."""
TRUTHS = {
    "x < y and y < x or x < y": None,
    "(x < y and y < x) or x < y": True,
    "x < y and (y < x or x < y)": True,
    "(y < x and x < y) implies y < x": True,
    "y < x implies (x < y and y < x)": True,
    "x < y implies y < x": False,
    "not (x < y) or x < y": True,
    "not (x < y or x < y)": False,
    "x < y implies y < x implies x < y": None,
    "x ≤ 3 and not (x < 3)": True,
    "x = 3 and x + 1 = 4": True,
}
"""Whether formulas hold at `POINT`; None for those that the grammar refuses."""


def read_term(string: str) -> Term:
    reader = Reader(Passage(string), NAMES)
    read = reader.term()
    reader.finish()
    return read


def read_formula(string: str) -> Formula:
    reader = Reader(Passage(string), NAMES)
    read = reader.formula()
    reader.finish()
    return read


def test_reader__is_small() -> None:
    files = (Path(str(module.__file__)) for module in (formulas, blocks))
    assert (
        sum(line.strip() != "" for path in files for line in path.read_text("utf-8").splitlines())
        <= MOST_LINES
    )


def wrong_terms() -> list[str]:
    """Return the terms that have another value, or that are not read."""
    wrong = []
    for string, expected in VALUES.items():
        try:
            if value(read_term(string), POINT, {}) != expected:
                wrong.append(string)
        except Unreadable:
            wrong.append(string)
    return wrong


def wrong_formulas() -> list[str]:
    """Return the formulas that hold where they should not, or do not where they should."""
    wrong = []
    for string, expected in TRUTHS.items():
        try:
            truth: bool | None = holds(read_formula(string), POINT, {})
        except Unreadable:
            truth = None
        if truth is not expected:
            wrong.append(string)
    return wrong


def test_terms__have_the_values_worked_out_by_hand() -> None:
    assert wrong_terms() == []


def test_formulas__hold_where_they_should() -> None:
    assert wrong_formulas() == []


def test_numbers__are_numbers_and_quotients_quotients() -> None:
    half, one, two = Fraction(1, 2), term(1), term(2)
    assert read_term("1/2") == read_term("(1/2)") == term(half)
    assert read_term("-1/2") == term(-half)
    assert read_term("(1)/2") == one / two
    assert read_term("-(2)") == term(-1) * two
    assert read_term("1/2·x") == one / two * Term("variable", (), "x")


CHAIN = """
        while self.next == "·":
            self.advance()
            base = base * self._atom()
"""
RIGHT_OPERAND = "right = self._require_term(self._{}, begin)"
PLANTED: Mapping[str, tuple[tuple[str, str], ...]] = {
    "minus associates to the right": ((RIGHT_OPERAND.format("product()[0]"), RIGHT_OPERAND.format("sum()")),),
    "a quotient associates to the right": (
        (RIGHT_OPERAND.format("power()"), RIGHT_OPERAND.format("product()[0]")),
    ),
    "unary minus binds more tightly than a power": (
        ('if self.accept("-"):', "if False:"),
        ("name = self.next or ", 'if self.accept("-"):return -self._atom()\n        name = self.next or '),
    ),
    "a power is of the whole product": (
        ("        base = self._atom()\n", f"        base = self._atom()\n{CHAIN}"),
        ("node = self._power()\n        while", "node = self._power()\n        while False and"),
    ),
    "the sides of a quotient are exchanged": (("left / right", "right / left"),),
    "a fraction ends where a product goes on": (("(?! ?[·/^(])", ""),),
    "implies is turned round": (('("not", (parts[0],)), parts[1])', '("not", (parts[1],)), parts[0])'),),
    "or is read as and": (("return Formula(op, tuple(parts))", 'return Formula("and", tuple(parts))'),),
}
"""Mistakes as changes of the source of the reader."""


def load_with_mistake(changes: tuple[tuple[str, str], ...]) -> ModuleType:
    source = Path(formulas.__file__).read_text("utf-8")
    for right, wrong in changes:
        assert source.count(right) == 1, right
        source = source.replace(right, wrong)
    module = ModuleType("mistaken")
    module.__package__ = formulas.__package__
    sys.modules["mistaken"] = module
    try:
        exec(compile(source, "mistaken.py", "exec"), vars(module))
    finally:
        del sys.modules["mistaken"]
    return module


@pytest.mark.parametrize("mistake", PLANTED)
def test_planted_mistake__is_caught_without_the_printer(
    mistake: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = load_with_mistake(PLANTED[mistake])
    for name in ("Reader", "Passage", "Unreadable"):
        monkeypatch.setitem(globals(), name, getattr(module, name))
    monkeypatch.setitem(globals(), "NAMES", module.Names(NAMES.variables, NAMES.risks, NAMES.functions))
    assert wrong_terms() or wrong_formulas()


def nodes(part: Any) -> Iterator[Term | Formula]:
    """Yield all terms and formulas of an entry."""
    if isinstance(part, Term | Formula):
        yield part
    elif is_dataclass(part):
        for each in fields(part):
            yield from nodes(getattr(part, each.name))
    elif isinstance(part, Mapping | tuple):
        for inner in part.values() if isinstance(part, Mapping) else part:
            yield from nodes(inner)


@pytest.mark.parametrize("section", SECTIONS)
def test_ledger__every_formula_is_read_as_it_is_printed(section: str) -> None:
    for entry in index.load_entries(section).values():
        whole = list(nodes(entry))
        names = names_in(whole)
        for node in whole:
            reader = Reader(Passage(infix(node)), names)
            assert (reader.term() if isinstance(node, Term) else reader.formula()) == node
            reader.finish()


def names_in(whole: list[Term | Formula]) -> Names:
    parts = [part for node in whole for part in walk(node) if isinstance(part, Term)]

    def names_of(op: str) -> frozenset[str]:
        return frozenset(str(part.name) for part in parts if part.op == op)

    return Names(names_of("variable"), names_of("risk"), names_of("apply"))


small = st.integers(-3, 3) | st.fractions(-2, 2, max_denominator=4)
TERMS = st.recursive(
    small.map(term) | st.sampled_from("abxyz").map(lambda name: Term("variable", (), name)),
    lambda inner: st.one_of(
        st.builds(lambda op, x, y: Term(op, (x, y)), st.sampled_from(["+", "*", "/", "min"]), inner, inner),
        st.builds(lambda x, n: x**n, inner, st.integers(0, 3)),
        st.builds(lambda op, x: Term(op, (x,)), st.sampled_from(["sqrt", "abs"]), inner),
        st.builds(
            lambda op, x: Term(op[0], (x,), op[1]), st.sampled_from([("risk", "L"), ("apply", "F")]), inner
        ),
    ),
    max_leaves=12,
)
FORMULAS = st.recursive(
    st.builds(lambda op, x, y: Formula(op, (x, y)), st.sampled_from(["<=", "<", "="]), TERMS, TERMS),
    lambda inner: (
        st.builds(lambda f: Formula("not", (f,)), inner)
        | st.builds(
            lambda op, parts: Formula(op, tuple(parts)),
            st.sampled_from(["and", "or"]),
            st.lists(inner, min_size=2, max_size=3),
        )
    ),
    max_leaves=4,
)


@given(FORMULAS)
def test_formulas__any_is_read_as_it_is_printed(formula: Formula) -> None:
    assert read_formula(infix(formula)) == formula


HEAD = """# Section 9: a test

    inputs   L u v v2
    positive N
    outcomes err
    risks    L
    let      half(u) := u/2
    let      SIZES := 0 ≤ u, u ≤ v

"""
ENTRY = """### lemI.new · step, line 757
For fixed u the perspective does not decrease.

    given    SIZES, 0 < v ≤ v2
    shows    v·L(u/v) ≤ v2·L(u/v2)
    by       z3, chord of L from 0 by u/v2 to u/v; sum, 0 < v
    twin     v2·L(u/v2) ≤ v·L(half(u)/v)
    remark   A remark.
"""


def test_section__is_read() -> None:
    (entry,) = read_section("s.md", HEAD + ENTRY).entries
    assert entry.claim is not None
    assert [infix(formula) for formula in entry.claim.given] == ["0 ≤ u", "u ≤ v", "0 < v", "v ≤ v2"]
    assert infix(entry.control) == "v2·L(u/v2) ≤ v·L(u/2/v)"  # type: ignore[arg-type]
    assert (entry.key, entry.kind, entry.line, len(entry.proofs)) == ("lemI.new", "step", 757, 2)


ATTACKS = {
    "a star for a product": (
        "v·L(u/v) ≤",
        "v*L(u/v) ≤",
        "14:15: expected '≤', '<' or '=', got '*' (U+002A); write ·",
    ),
    "a dot operator": ("v·L(u/v) ≤", "v⋅L(u/v) ≤", "U+22C5"),
    "a minus sign": ("half(u)/v", "half(u)/v − v", "U+2212"),
    "two signs for at most": ("≤ v2·L(u/v2)", "<= v2·L(u/v2)", "expected a term, got '='"),
    "another sign for at most": ("≤ v2·L(u/v2)", "⩽ v2·L(u/v2)", "write ≤"),
    "a Cyrillic letter": ("given    SIZES, 0 < v", "given    SIZES, 0 < \u0475", "U+0475"),
    "a Greek capital": ("chord of L", "chord of \u039b", "a Bayes risk"),
    "a wide digit": ("from 0 by", "from \uff10 by", "U+FF10"),
    "juxtaposition": ("v·L(u/v) ≤", "v L(u/v) ≤", "expected '≤', '<' or '=', got 'L'"),
    "a number before a name": ("v2·L(u/v2) ≤ v·", "2v ≤ v·", "got 'v'"),
    "a number with a leading zero": ("0 < v ≤ v2", "00 < v ≤ v2", "got '0'"),
    "a decimal": ("0 < v ≤ v2", "0.5 < v ≤ v2", "write a fraction"),
    "a fraction that can be reduced": ("0 < v ≤ v2", "2/4 < v ≤ v2", "lowest terms"),
    "a power of a power": ("0 < v ≤ v2", "0 < v^2^2", "expected"),
    "a negative power": ("0 < v ≤ v2", "0 < v^-2", "an integer"),
    "a huge power": ("0 < v ≤ v2", "0 < v^100", "exponent"),
    "a minus after a product": ("0 < v ≤ v2", "0 < v·-v2", "expected a term"),
    "two minuses": ("0 < v ≤ v2", "0 < --v", "expected a term"),
    "and beside or": ("shows    v·L(u/v) ≤ v2·L(u/v2)", "shows    u < v and v < u or u < v", "parentheses"),
    "a chain in a conclusion": ("shows    v·L(u/v)", "shows    u ≤ v·L(u/v)", "expected the end, got '≤'"),
    "a formula as a term": ("0 < v ≤ v2", "(0 < v) + 1 ≤ v2", "expected a term, got a formula"),
    "a term as a formula": ("SIZES, 0 < v ≤ v2", "SIZES, v", "expected '≤'"),
    "a name that is not declared": ("0 < v ≤ v2", "0 < w", "a declared variable, got 'w'"),
    "a name of another case": ("0 < v ≤ v2", "0 < V", "a declared variable, got 'V'"),
    "a function that is not declared": ("v·L(u/v) ≤", "v·M(u/v) ≤", "a declared function"),
    "a space before the bracket": ("v·L(u/v) ≤", "v·L (u/v) ≤", "got '('"),
    "too many arguments": ("half(u)/v", "half(u, v)", "expected ')'"),
    "too few arguments": ("half(u)/v", "half/v", "expected '('"),
    "a list in a conclusion": ("shows    v·L(u/v) ≤ v2·L(u/v2)", "shows    SIZES", "a list of 2 formulas"),
    "two spaces": ("0 < v ≤ v2", "0  < v", "several spaces"),
    "a tab": ("    given    ", "\tgiven    ", "U+0009"),
    "a tab in a formula": ("0 < v ≤ v2", "0 <\tv", "U+0009"),
    "a no-break space": ("0 < v ≤ v2", "0 <\u00a0v", "U+00A0"),
    "an invisible sign": ("0 < v ≤ v2", "0 < v\u200b", "U+200B"),
    "an override of direction": ("A remark.", "A \u202eremark.", "U+202E"),
    "a combining accent": ("A remark.", "A re\u0301mark.", "U+0301"),
    "a carriage return": ("A remark.\n", "A remark.\r\n", "U+000D"),
    "another line separator": ("A remark.", "A\u2028remark.", "U+2028"),
    "a space at the end": ("A remark.\n", "A remark. \n", "at the end"),
    "no line break at the end": ("A remark.\n", "A remark.", "line break"),
    "a field twice": ("    remark   A remark.", "    shows    u ≤ v", "the field 'shows' is here twice"),
    "a field of another name": ("    shows    ", "    show     ", "expected a field among"),
    "a field in capitals": ("    shows    ", "    Shows    ", "expected a field"),
    "a field at another column": ("    shows    ", "    shows   ", "from column 14"),
    "a field that is less indented": ("    shows    ", "   shows     ", "expected a field"),
    "a formula cut by a line break": ("v·L(u/v) ≤ v2", "v·L(u/v) ≤\nv2", "line above a paragraph"),
    "a formula cut and indented as a field": ("v·L(u/v) ≤ v2", "v·L(u/v) ≤\n    v2", "expected a field"),
    "a formula cut in a name": ("v·L(u/v) ≤ v2", "v·L(u/v) ≤ v\n             2", "expected the end, got '2'"),
    "a formula cut by an empty line": ("v·L(u/v) ≤ v2", "v·L(u/v) ≤\n\n             v2", "expected a field"),
    "an entry inside an entry": (
        "    twin ",
        "### lemI.b · step, line 757\n    twin ",
        "empty line above a heading",
    ),
    "an entry inside a field": (
        "A remark.",
        "A\n             ### lemI.b · step\nremark.",
        "empty line above a paragraph",
    ),
    "a heading of a fourth level": ("### lemI.new", "#### lemI.new", "expected a field"),
    "a heading without a space": ("### lemI.new", "###lemI.new", "expected a field"),
    "a heading without a kind": (" · step, line 757", "", "expected a key"),
    "a kind that does not exist": ("· step", "· steps", "expected one of definition"),
    "a hyphen for the dot": (" · step", " - step", "expected a key"),
    "lines for one line": ("line 757", "lines 757", "before one number"),
    "a severity that does not exist": ("line 757", "line 757 · slips", "expected one of breaks privacy"),
    "no words": ("For fixed u the perspective does not decrease.\n\n", "\n", "the claim in words"),
    "two paragraphs": ("decrease.\n", "decrease.\n\nMore.\n", "one paragraph"),
    "words below the fields": ("A remark.\n", "A remark.\n\nMore words.\n", "one paragraph"),
    "a key twice": ("A remark.\n", f"A remark.\n\n{ENTRY}", "two entries have the key"),
    "a second section": ("### lemI.new", "# Section 10\n\n### lemI.new", "one section in a file"),
    "an unknown proof": ("z3, chord", "z4, chord", "expected z3"),
    "an unknown premise": ("z3, chord of L", "z3, cord of L", "expected chord"),
    "an unknown computation": ("by       z3, chord", "by       computing MAGIC; z3, chord", "no computation"),
    "an unknown fact": ("z3, chord", 'z3, fact "exp(x) = 1" (u), chord', "expected one of exp(0) = 1"),
    "a fact with another number of terms": ("z3, chord", 'z3, fact "exp(0) = 1" (u), chord', "0 terms"),
    "twin without a conclusion": ("    shows    v·L(u/v) ≤ v2·L(u/v2)\n", "", "expected a field 'shows'"),
    "a definition of a declared name": ("let      half(u)", "let      v(u)", "has a meaning already"),
    "a definition of a function": ("let      half(u)", "let      sqrt(u)", "has a meaning already"),
    "a definition of itself": ("half(u) := u/2", "half(u) := half(u)/2", "a declared function"),
    "a parameter twice": ("half(u) := u/2", "half(u, u) := u/2", "another name than 'u'"),
    "a name declared twice": ("outcomes err", "outcomes err v", "declared twice"),
    "a value twice": ("z3, chord", "z3, use lemI (u = v, u = v2), chord", "has two values"),
    "a program as a name": (
        "    risks    L\n",
        "    risks    L\n    python   os.system\n",
        "there is no module",
    ),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_attack__is_an_error_with_its_place(attack: str) -> None:
    right, wrong, expected = ATTACKS[attack]
    whole = HEAD + ENTRY
    assert whole.count(right) == 1, right
    with pytest.raises(Unreadable) as caught:
        read_section("s.md", whole.replace(right, wrong))
    assert expected in str(caught.value)
    assert caught.value.line <= whole.count("\n") + 10


def test_formula__that_goes_on_in_the_next_line_is_the_same() -> None:
    cut = ENTRY.replace("v·L(u/v) ≤ v2", "v·L(u/v) ≤\n             v2")
    assert read_section("s.md", HEAD + cut).entries == read_section("s.md", HEAD + ENTRY).entries


def test_definition__is_of_its_part_alone() -> None:
    part = "## A part\n\n    let      double(u) := 2·u\n\n"
    used = ENTRY.replace("0 < v ≤ v2", "0 < double(v)")
    assert read_section("s.md", HEAD + part + used).entries
    with pytest.raises(Unreadable, match="a declared function"):
        read_section("s.md", HEAD + part + "## Another part\n\n" + used)


def test_check__names_the_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "s.md"
    path.write_text(HEAD + ENTRY.replace("twin     v2", "twin     v3"), "utf-8")
    assert main(["prove", "--check", str(path)]) == 1
    assert f"{path}:16:14" in capsys.readouterr().out
    path.write_text(HEAD + ENTRY.replace("u/v; sum", "u/v, use lemI.positiv; sum"), "utf-8")
    ((place, problem),) = check_file(path)
    assert place == f"{path}:10:1"
    assert problem.startswith("there is no entry 'lemI.positiv'; did you mean lemI.positive")
    assert main(["prove", "--check", str(index.book_path(SECTIONS[0]))]) == 0


@pytest.mark.parametrize(
    "arguments", [["--check", "no-such-file"], ["lemI", "--check", "x"], ["--check", "."]]
)
def test_check__bad_command_lines_exit_2(arguments: list[str]) -> None:
    assert exit_code("prove", *arguments) == 2


@pytest.mark.parametrize("section", SECTIONS)
def test_ledger__definitions_are_used(section: str) -> None:
    content = index.book_path(section).read_text("utf-8")
    defined = re.findall(r"^    let +(\w+)", content, re.MULTILINE)
    assert [name for name in defined if len(re.findall(rf"\b{name}\b", content)) < 2] == []


@pytest.mark.parametrize("section", SECTIONS)
def test_page__has_every_entry_with_its_verdict(section: str) -> None:
    page = book_page(section).split("\n")
    for key in index.load_entries(section):
        verdict = record()[key].verdict
        summary = page[page.index(f"### `{key}`") + 2]
        assert summary.startswith(f'<span class="verdict verdict-{verdict.lower()}">{verdict}</span>')


def test_page__typesets_formulas_and_links_keys() -> None:
    bars = "|<i>w</i><sub>2</sub>|·<wbr><i>α</i><sup>2</sup> &lt; √(NEXT_1)"
    assert typeset("abs(w2)·alpha^2 < sqrt(NEXT_1)") == f'<span class="formula">{bars}</span>'
    assert '<a href="#let-NEXT_1">NEXT_1</a>' in typeset("NEXT_1", {"NEXT_1"})
    assert escape("x_1 * y (th3P.cases)") == r"x\_1 \* y (`th3P.cases`)"
