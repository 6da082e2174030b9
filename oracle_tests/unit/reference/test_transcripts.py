"""Transcripts round-trip, and replay reports the first wrong value with its line, field and both values."""

from __future__ import annotations

import io
import json
import stat
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privboost.errors import PreconditionError, PrivboostError, UsageError
from privboost.oracle_tests.support.transcript_runs import (
    RUNS,
    SURD,
    Position,
    change_number,
    error_of,
    numbers,
    run,
)
from privboost.reference.data import WeightedSample
from privboost.reference.exact import decimal, log
from privboost.reference.learners import ensemble as ensembles
from privboost.reference.privacy.bits import SeededBits, TapeBits, TapeEndError
from privboost.reference.transcripts import TranscriptError, replay, write_transcript
from privboost.reference.transcripts.number_format import Form, format_number, read_number

pytestmark = pytest.mark.claim("sec-solv")

every_run = pytest.mark.parametrize("name", RUNS)


# Round trips ---------------------------------------------------------------------------------------------


@every_run
def test_transcripts__replay_gives_the_ensemble_that_was_released(name: str) -> None:
    lines, released = run(name)
    replayed = replay(lines, RUNS[name].sample).ensemble
    for mine, theirs in zip(released.releases, replayed.releases, strict=True):
        assert mine.tree == theirs.tree
        assert [format_number(value) for _, value in mine.values] == [
            format_number(value) for _, value in theirs.values
        ]
        assert format_number(mine.beta) == format_number(theirs.beta)
    assert replayed.ledger == released.ledger


@every_run
def test_transcripts__replay_gives_the_public_setting(name: str) -> None:
    lines, _ = run(name)
    replayed = replay(lines, RUNS[name].sample, setting=RUNS[name].setting)
    assert (replayed.setting, replayed.lines) == (RUNS[name].setting, len(lines))


@every_run
def test_transcripts__are_the_same_bytes_twice_and_canonical(name: str) -> None:
    lines, _ = run(name)
    run.cache_clear()
    assert run(name)[0] == lines
    for line in lines:
        assert line == json.dumps(json.loads(line), sort_keys=True, separators=(",", ":"))
        assert line.isascii()


def test_transcripts__of_lazy_reals_have_rounded_numbers() -> None:
    lines, _ = run("lazy reals")
    assert any(isinstance(value, str) and value.startswith("~") for _, value in numbers(lines))


def test_transcripts__take_surds_as_parameters() -> None:
    setting = replace(RUNS["SOUND"].setting, parameters=SURD)
    stream = io.StringIO()
    write_transcript(stream, setting, RUNS["SOUND"].sample, SeededBits(2))
    assert replay(stream.getvalue().splitlines(), RUNS["SOUND"].sample).setting == setting


def test_transcripts__refuse_parameters_without_an_exact_string() -> None:
    setting = replace(RUNS["SOUND"].setting, parameters=replace(SURD, epsilon=log(3)))
    with pytest.raises(PreconditionError, match="epsilon"):
        write_transcript(io.StringIO(), setting, RUNS["SOUND"].sample, SeededBits(2))


# Files ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [str, Path])
def test_writer__file_has_the_bytes_of_the_stream(tmp_path: Path, kind: type[str | Path]) -> None:
    target = tmp_path / "run.jsonl"
    write_transcript(kind(target), RUNS["SOUND"].setting, RUNS["SOUND"].sample, SeededBits(1))
    assert target.read_bytes() == "".join(f"{line}\n" for line in run("SOUND")[0]).encode()
    assert list(tmp_path.iterdir()) == [target]
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    with target.open() as lines:
        assert replay(lines, RUNS["SOUND"].sample).lines == 26


def test_writer__run_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "run.jsonl"
    target.write_text("old")
    with pytest.raises(TapeEndError):
        write_transcript(target, RUNS["SOUND"].setting, RUNS["SOUND"].sample, TapeBits([0] * 5))
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_writer__folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="folder"):
        write_transcript(tmp_path, RUNS["SOUND"].setting, RUNS["SOUND"].sample, SeededBits(1))


# Lies ----------------------------------------------------------------------------------------------------

LIES: dict[str, dict[str, tuple[Position, object, str, str]]] = {
    "SOUND": {
        "weight bound": ((14, ("weight_bound",)), "1/2", "weight_bound", "1"),
        "alpha": ((4, ("alpha",)), "3/4", "alpha", "1/2"),
        "budget": ((3, ("budget",)), "2", "budget", "1"),
        "sensitivity": ((3, ("sensitivity",)), "sqrt(7)", "sensitivity", "sqrt(6)"),
        "score": ((4, ("scores", "x0 >= 1")), "-1 - sqrt(2)", "scores.x0 >= 1", "-1"),
        "choice": ((5, ("choice",)), "x7 >= 1", "choice", "one of x0 >= 1, x1 >= 1"),
        "mass": ((7, ("masses", "negative")), "1", "masses.negative", "1/2"),
        "scale of the noise": ((9, ("scale",)), "1/4", "scale", "1/2"),
        "noise off the grid": ((6, ("noise", "positive")), "1/3", "noise.positive", "a multiple of 1/64"),
        "irrational noise": ((6, ("noise", "positive")), "sqrt(2)", "noise.positive", "a multiple of 1/64"),
        "noise": ((6, ("noise", "positive")), "1/4", "noisy.positive", "5/4"),
        "noisy sum": ((8, ("noisy", "negative")), "1/2", "noisy.negative", "33/64"),
        "leaf value": ((7, ("value",)), "30/559*sqrt(557)", "value", "30/559*sqrt(559)"),
        "beta": ((10, ("value",)), "143/896", "value", "143/896 + 225/125216*sqrt(559)"),
        "expense": ((12, ("epsilon",)), "1/2", "epsilon", "1"),
        "what was bought": ((13, ("what",)), "nothing", "what", "'leaves'"),
        "reason": ((11, ("reason",)), "trust us", "reason", "'level lemma'"),
        "total": ((26, ("epsilon",)), "7", "epsilon", "8"),
        "claim above": ((26, ("claim",)), "9", "claim", "8"),
        "claim below the total": ((26, ("claim",)), "1", "claim", "at least the total 8"),
        "tree of a line": ((3, ("tree",)), 1, "tree", "0"),
        "path": ((4, ("leaf",)), "1", "leaf", "'0'"),
        "rounded number": (
            (3, ("sensitivity",)),
            "~2.4494897427831780981972840747058913919658",
            "sensitivity",
            "sqrt(6)",
        ),
    },
    "AS_PRINTED": {
        "raw alpha": ((4, ("alpha",)), "1/7", "alpha", "2/3"),
        "noisy value": ((6, ("noisy", "value")), "0", "noisy.value", "3823/64"),
        "raw beta": ((10, ("value",)), "1", "value", "159/1792"),
    },
    "nets": {
        "noisy net": ((6, ("noisy", "net")), "1", "noisy.net", "87/64"),
        "net rounded up": ((7, ("value",)), "-11/64", "value", "-3/16"),
        "scale for one touched net": ((6, ("scale",)), "1/8", "scale", "1/4"),
        "budget of a uniform split": ((3, ("budget",)), "2", "budget", "0"),
        "price of a uniform split": ((11, ("epsilon",)), "2", "epsilon", "0"),
    },
}
"""For each run the position and value of every lie, and the field and value that replay names."""


@pytest.mark.parametrize(
    ("name", "position", "value", "field", "expected"),
    [pytest.param(name, *lie, id=key) for name, lies in LIES.items() for key, lie in lies.items()],
)
def test_replay__lie_is_named(
    name: str, position: Position, value: object, field: str, expected: str
) -> None:
    error = error_of(change_number(run(name)[0], position, value), name)
    assert (error.line, error.field, error.expected) == (position[0], field, expected)
    assert str(error) == f"line {position[0]}: {field}: expected {expected}, got {error.actual}"
    assert isinstance(error, PrivboostError)


def test_replay__first_of_two_lies_is_named() -> None:
    lines = change_number(run("SOUND")[0], (9, ("value",)), "1")
    assert error_of(change_number(tuple(lines), (4, ("budget",)), "5")).line == 4


def test_replay__wrong_weights_of_the_second_tree_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def keep(_setting: object, data: WeightedSample, _releases: object) -> WeightedSample:
        return data

    monkeypatch.setattr(ensembles, "next_weights", keep)
    stream = io.StringIO()
    write_transcript(stream, RUNS["SOUND"].setting, RUNS["SOUND"].sample, SeededBits(1))
    error = error_of(stream.getvalue().splitlines())
    assert (error.line, error.field, error.actual) == (15, "scores.x0 >= 1", "-sqrt(2) - sqrt(3)")


def test_replay__transcript_of_another_sample_is_refused() -> None:
    sample = RUNS["SOUND"].sample
    with pytest.raises(TranscriptError, match="line 3: scores"):
        replay(run("SOUND")[0], (replace(sample[0], y=-sample[0].y), *sample[1:]))


@pytest.mark.no_cover
@pytest.mark.parametrize("name", ["SOUND", "AS_PRINTED", "lazy reals", "nets"])
def test_replay__every_single_number_matters(name: str) -> None:
    lines, _ = run(name)
    for (line, path), value in numbers(lines):
        # A grid step is the least change that the noise could absorb.
        lie = value + 1 if isinstance(value, int) else shift(value, Fraction(1, 64))
        assert error_of(change_number(lines, (line, path), lie), name, believe=False).line == line


@pytest.mark.no_cover
@given(st.data(), st.sampled_from(list(RUNS)))
def test_replay__no_number_can_be_changed(data: st.DataObject, name: str) -> None:
    lines, _ = run(name)
    position, value = data.draw(st.sampled_from(list(numbers(lines))))
    if isinstance(value, int):
        lie: object = data.draw(st.integers(0, 2 * value + 9).filter(lambda other: other != value))
    else:
        lie = shift(value, data.draw(st.fractions(-9, 9).filter(bool)))
    assert error_of(change_number(lines, position, lie), name, believe=False).line == position[0]


def shift(number: str, amount: Fraction) -> str:
    """Return a written number plus an amount, or plus units of the last decimal place if it is rounded."""
    written = read_number(number)
    if written.form is Form.ROUNDED:
        units = amount.numerator
        return f"~{decimal(written.value + Fraction(units, 10**40), 40)}"
    return format_number(written.value + amount)


# The header ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "value", "line"),
    [
        (("parameters", "epsilon"), "9", 3),
        (("parameters", "beta_tree"), "1/3", 3),
        (("parameters", "bound"), "3", 6),
        (("parameters", "alphas", 1), "1/3", 4),
        (("parameters", "grid"), "1/4", 6),
        (("parameters", "boost_alpha"), "1/2", 7),
        (("parameters", "depth"), 3, 3),
        (("parameters", "trees"), 3, 1),
        (("size",), 8, 1),
        (("domain", 0, "n_values"), 3, 3),
        (("domain", 0, "n_values"), 10**30, 3),
        (("protocol", "sensitivity"), "printed", 1),
        (("protocol", "relation"), "add_remove", 1),
    ],
)
def test_header__believed_lie_is_found_where_it_first_matters(
    path: tuple[str | int, ...], value: object, line: int
) -> None:
    assert error_of(change_number(run("SOUND")[0], (1, path), value)).line == line


@pytest.mark.parametrize(
    ("field", "value", "line"), [("sensitivity", "printed", 3), ("relation", "add_remove", 6)]
)
def test_header__lie_about_a_protocol_with_a_fitting_name_is_found_later(
    field: str, value: str, line: int
) -> None:
    for name in ("mine", f"SOUND {field}={value}"):
        lines = change_number(run("SOUND")[0], (1, ("protocol", field)), value)
        assert error_of(change_number(tuple(lines), (1, ("protocol", "name")), name)).line == line


@pytest.mark.parametrize(
    ("run_name", "name"),
    [
        ("AS_PRINTED", "SOUND"),
        ("AS_PRINTED", "sound"),
        ("AS_PRINTED", "SOUND_NET"),
        ("AS_PRINTED", "SOUND relation=exchange"),
        ("SOUND", "AS_PRINTED"),
        ("SOUND, add/remove", "SOUND"),
        ("SOUND", "SOUND relation=add_remove"),
        ("SOUND", "SOUND of=course"),
        ("SOUND", "SOUND, really"),
    ],
)
def test_header__name_of_another_protocol_is_refused(run_name: str, name: str) -> None:
    error = error_of(change_number(run(run_name)[0], (1, ("protocol", "name")), name), run_name)
    assert (error.line, error.field, error.actual) == (1, "protocol.name", name)


def test_header__name_that_is_no_preset_is_free() -> None:
    lines = change_number(run("AS_PRINTED")[0], (1, ("protocol", "name")), "mine")
    assert replay(lines, RUNS["AS_PRINTED"].sample).setting.protocol.name == "mine"


def test_writer__protocol_with_the_name_of_another_is_refused() -> None:
    settings = RUNS["AS_PRINTED"].setting
    renamed = replace(settings, protocol=replace(settings.protocol, name="SOUND"))
    with pytest.raises(PreconditionError, match="a name that says how the protocol differs"):
        write_transcript(io.StringIO(), renamed, RUNS["AS_PRINTED"].sample, SeededBits(1))
