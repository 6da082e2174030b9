"""Lines of transcripts: floats of other programs, broken lines, and the grammar of numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privboost.errors import InexactInputError
from privboost.oracle_tests.support.transcript_runs import (
    MISSHAPEN,
    RUNS,
    as_floats,
    change_number,
    error_of,
    run,
)
from privboost.reference.exact import Number, Real, Surd, decimal, exact_sum, exp, log, sqrt
from privboost.reference.transcripts import TranscriptError, replay
from privboost.reference.transcripts.lines import line_of
from privboost.reference.transcripts.number_format import Form, Written, agrees, format_number, read_number

every_run = pytest.mark.parametrize("name", RUNS)
SAMPLE = RUNS["SOUND"].sample
LINES = run("SOUND")[0]


# Floats --------------------------------------------------------------------------------------------------


@every_run
def test_floats__of_an_honest_run_are_accepted(name: str) -> None:
    lines, released = run(name)
    replayed = replay(as_floats(lines), RUNS[name].sample)
    assert replayed.ensemble.ledger.total == released.ledger.total


def test_floats__that_are_off_by_rounding_are_accepted() -> None:
    assert replay(as_floats(LINES, 1 + 2.0**-41), SAMPLE).lines == 26


@pytest.mark.parametrize("factor", [1 + 2.0**-39, 1 - 2.0**-39])
def test_floats__that_are_off_by_more_are_refused(factor: float) -> None:
    assert error_of(as_floats(LINES, factor)).line == 2


@pytest.mark.parametrize(("value", "accepted"), [(2.0**-41, True), (-(2.0**-39), False)])
def test_floats__near_zero_are_held_to_an_absolute_distance(value: float, *, accepted: bool) -> None:
    lines = change_number(LINES, (6, ("masses", "negative")), value)
    if accepted:
        assert replay(lines, SAMPLE).lines == 26
    else:
        assert error_of(lines).field == "masses.negative"


def test_floats__of_a_header_are_taken_at_the_value_of_their_literal() -> None:
    lines = tuple(change_number(LINES, (1, ("parameters", "beta_tree")), 0.5))
    lines = tuple(change_number(lines, (1, ("parameters", "zeta")), 0.0001))
    replayed = replay(lines, SAMPLE)
    assert replayed.setting == RUNS["SOUND"].setting


def test_floats__are_named_by_their_value() -> None:
    error = error_of(change_number(LINES, (3, ("budget",)), 1.5))
    assert re.fullmatch("line 3: budget: expected 1, got 3/2", str(error))


# Broken transcripts --------------------------------------------------------------------------------------

Breakage = Callable[[list[str]], list[str]]
LONG = '"1' + " + 1" * 10**6 + '"'
ENDLESS_EPSILON = re.sub('(?<="epsilon":)"[^"]*"', LONG, LINES[0])


def put_line(number: int, content: str) -> Breakage:
    """Return a change of one line."""
    return lambda lines: [*lines[: number - 1], content, *lines[number:]]


def put_beta(value: str) -> Breakage:
    """Return a change of the value of line 10, and what follows it in its object."""
    return put_line(10, f'{{"kind":"beta","tree":0,"value":{value}}}')


BROKEN: dict[str, tuple[Breakage, int, str, str]] = {
    "empty": (lambda _: [], 1, "kind", "the end of the transcript"),
    "cut after a line": (lambda lines: lines[:20], 21, "kind", "the end of the transcript"),
    "cut before the total": (lambda lines: lines[:25], 26, "kind", "the end of the transcript"),
    "cut inside a line": (lambda lines: [*lines[:5], lines[5][:40]], 6, "json", "column"),
    "line after the total": (lambda lines: [*lines, lines[25]], 27, "kind", "total"),
    "blank line at the end": (lambda lines: [*lines, ""], 27, "kind", "''"),
    "blank line inside": (lambda lines: [*lines[:4], "", *lines[4:]], 5, "json", "''"),
    "missing header": (lambda lines: lines[1:], 1, "kind", "tree"),
    "missing node": (lambda lines: [*lines[:3], *lines[4:]], 4, "leaf", "1"),
    "missing leaf": (lambda lines: [*lines[:8], *lines[9:]], 9, "kind", "beta"),
    "missing expense": (lambda lines: [*lines[:11], *lines[12:]], 12, "what", "leaves"),
    "missing last expense": (lambda lines: [*lines[:12], *lines[13:]], 13, "kind", "tree"),
    "repeated node": (lambda lines: [*lines[:4], *lines[3:]], 5, "leaf", "0"),
    "repeated beta": (lambda lines: [*lines[:10], *lines[9:]], 11, "kind", "beta"),
    "repeated expense": (lambda lines: [*lines[:13], *lines[12:]], 14, "kind", "expense"),
    "swapped leaves": (lambda lines: [*lines[:5], lines[6], lines[5], *lines[7:]], 6, "leaf", "01"),
    "swapped trees": (lambda lines: [lines[0], *lines[13:25], *lines[1:13], lines[25]], 2, "tree", "1"),
    "header again": (lambda lines: [lines[0], *lines], 2, "kind", "header"),
    "not JSON": (put_line(3, "node"), 3, "json", "column 1"),
    "two objects in a line": (lambda lines: [lines[0] + lines[1], *lines[2:]], 1, "json", "Extra data"),
    "list": (put_line(3, "[]"), 3, "json", "[]"),
    "number": (put_line(3, "1"), 3, "json", "1"),
    "nested beyond reason": (put_line(3, "[" * 10**6), 3, "json", "["),
    "NaN": (put_beta("NaN"), 10, "json", "NaN"),
    "endless exponent": (put_beta("1e999999999"), 10, "json", "more than 1000 digits"),
    "endless sum": (put_beta(LONG), 10, "value", "1 + 1"),
    "endless epsilon": (put_line(1, ENDLESS_EPSILON), 1, "parameters.epsilon", "1 + 1"),
    "endless integer": (put_line(10, f'{{"value":{"9" * 5000}}}'), 10, "json", "9"),
    "repeated name": (put_beta('"1","value":"2"'), 10, "json", "each key of an object once"),
}


@pytest.mark.parametrize(("damage", "line", "field", "actual"), BROKEN.values(), ids=BROKEN.keys())
def test_replay__broken_transcript_is_named(damage: Breakage, line: int, field: str, actual: str) -> None:
    error = error_of(damage(list(LINES)))
    assert (error.line, error.field) == (line, field)
    assert actual in error.actual
    assert len(str(error)) < 300


@pytest.mark.parametrize(("line", "path", "value", "field"), MISSHAPEN.values(), ids=MISSHAPEN.keys())
def test_replay__misshapen_field_is_named(
    line: int, path: tuple[str | int, ...], value: object, field: str
) -> None:
    error = error_of(change_number(LINES, (line, path), value))
    assert (error.line, error.field) == (line, field)


def test_replay__another_setting_is_refused() -> None:
    setting = RUNS["categories"].setting
    with pytest.raises(TranscriptError, match=r"line 1: domain\[0\].name: expected 'age', got 'x0'"):
        replay(LINES, SAMPLE, setting=setting)


def test_replay__setting_with_more_of_something_is_refused() -> None:
    wanted = RUNS["SOUND"].setting
    setting = replace(wanted, parameters=replace(wanted.parameters, alphas=(Fraction(1),)))
    with pytest.raises(TranscriptError, match=r"line 1: parameters.alphas: expected 1 items, got 2 items"):
        replay(LINES, SAMPLE, setting=setting)


def test_replay__sample_without_examples_is_refused() -> None:
    with pytest.raises(TranscriptError, match="line 1: size"):
        replay(LINES, ())


def test_replay__bytes_that_are_not_utf8_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(LINES[0].encode() + b"\n" + b"\xff" * 9000 + b"\n")
    with path.open(encoding="utf-8") as lines:
        assert error_of(lines).expected == "text in UTF-8"


# Numbers -------------------------------------------------------------------------------------------------

rationals = st.fractions(max_denominator=10**6)
surds = st.lists(st.tuples(rationals, st.integers(1, 99)), max_size=4).map(
    lambda terms: exact_sum(coefficient * sqrt(radicand) for coefficient, radicand in terms)
)


@given(surds)
def test_numbers__string_is_read_back(value: Number) -> None:
    assert isinstance(value, (Fraction, Surd))
    assert read_number(format_number(value)) == Written(value, Form.EXACT)


@pytest.mark.parametrize("value", [log(2), exp(-1), -log(3) * 10**30, sqrt(1 + sqrt(2))], ids=str)
def test_numbers__lazy_real_is_rounded(value: Number) -> None:
    written = read_number(format_number(value))
    assert isinstance(value, Real)
    assert (written.form, decimal(written.value, 40)) == (Form.ROUNDED, decimal(value, 40))
    assert agrees(written, value)
    assert agrees(Written(written.value, Form.EXACT), value)
    assert not agrees(Written(written.value + Fraction(1, 10**40), Form.EXACT), value)


def test_numbers__too_long_for_a_string_is_rounded() -> None:
    value = Fraction(1, 10**5000 + 1)
    assert agrees(read_number(format_number(value)), value)


REFUSED = """
+1;--1;1.5;1e5;1/0;1/-2;01;1_000;٣;sqrt(0);sqrt(-2);1+sqrt(2);1  + 2;2sqrt(2);2*3;sqrt(2)*2;sqrt(1/2)
~0.5;~1/2;inf;nan;1 +;__import__('os')
"""


@pytest.mark.parametrize(
    "string", ["", " 1", "1 ", "1\n", "9" * 5000, *(";".join(REFUSED.split("\n")).strip(";").split(";"))]
)
def test_numbers__other_strings_are_refused(string: str) -> None:
    with pytest.raises(ValueError):
        read_number(string)


def test_lines__refuse_floats() -> None:
    with pytest.raises(InexactInputError):
        line_of({"kind": "beta", "tree": 0, "value": 0.5})


def test_error__quotes_long_values_in_part() -> None:
    error = TranscriptError(3, "value", "1", "1" + " + 1" * 5000)
    assert len(str(error)) < 1000
    assert len(error.actual) == 20_001
