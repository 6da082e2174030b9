"""The wire: numbers, and the faults of targets that answer nonsense, too much, too late or not at all."""

from __future__ import annotations

import base64
import json
import math
import random
import shlex
import sys
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest

from privboost.errors import PreconditionError
from privboost.gate.protocol.wire import WireError, read_finite, read_number
from privboost.gate.targets.naming import load_target
from privboost.gate.targets.restarting import ProcessTarget
from privboost.printing import format_value, make_printable
from privboost.targets.conversation import Answer, Conversation, Fault, FaultError, FaultKind, Limits, Pipes
from privboost.targets.programs import Program
from privboost.targets.values import to_json_values

MALFORMED = 1000
SEED = 20240229
VALID = {"id": 0, "result": [0.25, "3/8", {"a": "infinity"}]}

ECHO = """
import base64, json, sys
lines = [base64.b64decode(word) for word in sys.argv[1:]]
for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "hello":
        said = json.dumps({"id": request["id"], "result": {}}).encode()
    else:
        said = lines[int(request["args"]["which"])].replace(b"@", b"%d" % request["id"])
    sys.stdout.buffer.write(said + b"\\n")
    sys.stdout.buffer.flush()
"""
"""A program that answers requests with given lines, in which @ is replaced by the id of the request."""


class Script(Pipes):
    """Pipes without a process, which return given lines one after another."""

    def __init__(self, lines: list[bytes]) -> None:
        self._script, self.lines = deque(lines), deque()

    def send(self, line: bytes) -> None:
        """Do nothing."""

    def line(self, number: int, seconds: float) -> bytes:
        """Return the next line."""
        del seconds
        if not self.lines:
            if not self._script:
                raise FaultError(Fault(FaultKind.CRASH, "the end", f"an answer to request {number}"))
            self.lines.extend(self._script.popleft().split(b"\n"))
        return self.lines.popleft()

    def kill(self) -> None:
        """Do nothing."""


class Scripted(Conversation):
    """A conversation without a process."""

    def __init__(self, lines: list[bytes]) -> None:
        self._pipes, self._limits, self._lock = Script(lines), Limits(), threading.Lock()
        self._string_reasons, self._faults, self._has_answered, self._next_id = True, False, False, 0


class Actor(ProcessTarget):
    """A target that answers the first request with given lines, and later ones correctly."""

    def __init__(self, lines: list[bytes]) -> None:
        super().__init__(Program("cmd:actor", ("actor",), "."))
        self._plays = deque([lines, [b'{"id": 0, "result": {}}', b'{"id": 1, "result": 7}']])

    def _start(self) -> Conversation:
        return Scripted(self._plays.popleft())


def cut(draw: random.Random) -> bytes:
    line = json.dumps(VALID).encode()
    return line[: draw.randrange(len(line))]


def noise(draw: random.Random) -> bytes:
    return bytes(draw.choice(b'{}[]":,0123456789.eE-+ \\\x00\xff\xc3ntfi') for _ in range(draw.randrange(60)))


def other_id(draw: random.Random) -> bytes:
    ids = [999, -1, "0", None, True, False, 0.5, [0], {}, 10**30, draw.randrange(2, 10**6)]
    wrong: list[dict[str, Any]] = [{"id": draw.choice(ids)}, {}, {"ID": 0}]
    return json.dumps(draw.choice(wrong) | {"result": 1}).encode()


def wrong_kinds(draw: random.Random) -> bytes:
    pairs = [("result", "error"), ("result", "unsupported"), ("unsupported", "error")]
    kinds = draw.choice([(), *pairs, ("Result",)])
    return json.dumps({"id": 0} | dict.fromkeys(kinds, "x")).encode()


def no_string(draw: random.Random) -> bytes:
    value: Any = draw.choice([None, True, 1, 0.5, [], {}, ["x"]])
    return json.dumps({"id": 0, draw.choice(["unsupported", "error"]): value}).encode()


def not_finite(draw: random.Random) -> bytes:
    literal = draw.choice(["NaN", "Infinity", "-Infinity", "1e999", "-1e400", "1.5e309"])
    templates = ['{"id": 0, "result": %s}', '{"id": 0, "result": [1, {"a": %s}]}', '{"id": %s}']
    return draw.choice(templates).replace("%s", literal).encode()


def no_object(draw: random.Random) -> bytes:
    return json.dumps(draw.choice([[VALID], 0, 1.5, "text", None, True, [], [0, 1]])).encode()


def no_json(draw: random.Random) -> bytes:
    line = json.dumps(VALID)
    return draw.choice(
        [
            line.replace('"', "'").encode(),
            line.replace("]", ",]").encode(),
            (line + line).encode(),
            (line + " // done").encode(),
            f"answer: {line}".encode(),
            line.encode("utf-16"),
            b"\xef\xbb\xbf" + line.encode(),
            *(b'{"id": 0, "result": %b}' % part for part in (b'"\xff"', b"01", b".5", b"0x10", b'"tab\t"')),
            b'{"id": 0, "id": 0, "result": 1}',
            b'{"id": 0, "result": {"a": 1, "a": 2}}',
            b'{"id": 0, "result": ' + b"[" * draw.choice([10**5, 10**6]) + b"}",
            b'{"id": 0, "result": ' + b"9" * 5000 + b"}",
            *(b"", b"   \t", b"\r", b"\x1b[2J\x00\x07"),
        ]
    )


def too_much(draw: random.Random) -> bytes:
    line = json.dumps(VALID).encode()
    return line + b"\n" + draw.choice([line, b"", b"done", b"{}", noise(draw)])


MAKERS: tuple[Callable[[random.Random], bytes], ...] = (
    cut,
    noise,
    other_id,
    wrong_kinds,
    no_string,
    not_finite,
    no_object,
    no_json,
    too_much,
)


def make_malformed(count: int, seed: int = SEED) -> Iterator[bytes]:
    """Yield lines that are not answers to request 0."""
    draw = random.Random(seed)
    for index in range(count):
        yield MAKERS[index % len(MAKERS)](draw)


def ids_of(lines: list[bytes]) -> list[bytes]:
    """Replace the id 0 by @, which stands for the id of the request."""
    return [line.replace(b'"id": 0', b'"id": @') for line in lines]


def program(source: str, *arguments: str) -> str:
    return "cmd:" + shlex.join([sys.executable, "-S", "-c", source, *arguments])


# numbers


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("3/8", Fraction(3, 8)),
        ("-2", Fraction(-2)),
        ("0.1", Fraction(1, 10)),
        (3, Fraction(3)),
        (0.1, 0.1),
        ("infinity", math.inf),
        ("-infinity", -math.inf),
        (10**400, Fraction(10**400)),
        (f"1/{2**1074}", Fraction(1, 2**1074)),
    ],
)
def test_number__is_read_exactly(value: object, number: Fraction | float) -> None:
    read = read_number(value)
    assert read == number
    assert type(read) is type(number)


def test_number__nan_is_read() -> None:
    assert math.isnan(read_number("nan"))


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, False, [], [1], {}, {"exact": "1"}, "", " 1", "1 ", "1\n", "9" * 5000),
        *[
            "+1",
            "1/0",
            "1/-2",
            "1/2/3",
            "1e5",
            "0x10",
            "½",
            "١",
            "inf",
            "NaN",
            "Infinity",
            "1_000",
            ".5",
            "1.",
            "--1",
            "sqrt(2)",
        ],
        *(math.inf, -math.inf, math.nan, 1j, b"1"),
    ],
)
def test_number__other_values_are_refused(value: object) -> None:
    with pytest.raises(WireError, match=r"^path: expected .*, got ") as caught:
        read_number(value, "path")
    assert caught.value.path == "path"


def test_finite__infinity_is_refused() -> None:
    with pytest.raises(WireError, match="finite"):
        read_finite("infinity")


@pytest.mark.parametrize(
    ("value", "on_wire"),
    [
        (Fraction(1, 3), "1/3"),
        ((1, [2.5, None]), [1, [2.5, None]]),
        ({"a": math.nan, "b": -math.inf}, {"a": "nan", "b": "-infinity"}),
    ],
)
def test_result__of_python_becomes_json(value: Any, on_wire: Any) -> None:
    assert to_json_values(value) == on_wire


def test_result__of_numpy_becomes_json() -> None:
    numpy = pytest.importorskip("numpy")
    assert to_json_values({"a": numpy.arange(3), "b": numpy.float64(0.5)}) == {"a": [0, 1, 2], "b": 0.5}


endless: list[Any] = []
endless.append(endless)


@pytest.mark.parametrize(
    "value", [object(), {1: 2}, {1, 2}, b"x", 1j, endless], ids=lambda v: type(v).__name__
)
def test_result__that_is_no_json_is_refused(value: Any) -> None:
    with pytest.raises(PreconditionError, match="result"):
        to_json_values(value)


def test_printable__control_characters_are_escaped() -> None:
    string = make_printable("\x1b[2J\x00\ud800\u202e ok\n")
    assert string == "\\x1b[2J\\x00\\ud800\\u202e ok\n"
    string.encode("utf-8")
    assert len(format_value("x" * 10**6)) < 200
    assert format_value(10**5000) == "a int that cannot be shown"


# answers


def test_answers__malformed_ones_are_the_targets_fault() -> None:
    kinds: Counter[str] = Counter()
    for line in make_malformed(MALFORMED):
        target = Actor([line])
        fault = target.ask("hello", {}).fault
        assert fault is not None, line
        assert target.ask("anything", {}) == Answer(result=7), "a fault is not taken for the next answer"
        kinds[fault.kind] += 1
        str(fault).encode("utf-8")
        assert len(str(fault)) < 1000
    assert kinds.total() == MALFORMED
    assert set(kinds) >= {"garbage", "wrong id", "no id", "flood"}


def test_answers__malformed_ones_of_a_real_process_are_its_fault() -> None:
    lines = ids_of(list(make_malformed(24, seed=5)))
    # The length of a command line is limited; long lines are tested above.
    lines = [line if len(line) < 10_000 else b"[" * 5000 for line in lines]
    lines = [b'{"id": @, "resul' if line.count(b"\n") else line for line in lines]
    target = load_target(program(ECHO, *(base64.b64encode(line).decode() for line in lines)))
    try:
        answers = list(target.ask_many([("say", {"which": str(which)}) for which in range(len(lines))]))
    finally:
        target.close()
    assert [line for line, answer in zip(lines, answers, strict=True) if answer.fault is None] == []


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        (b'{"id": 0, "result": null}', Answer(result=None)),
        (b' {"result": "1/3" , "id": 0}\r', Answer(result="1/3")),
        (b'{"id": 0, "unsupported": ""}', Answer(unsupported="")),
        (b'{"id": 0, "error": "u: \\u00e9\\ud800", "took": 3}', Answer(error="u: é\\ud800")),
    ],
)
def test_answers__well_formed_ones_are_read(line: bytes, answer: Answer) -> None:
    assert Actor([line]).ask("hello", {}) == answer


def test_json__numbers_beyond_doubles_are_named() -> None:
    assert "1e999" in str(Actor([b'{"id": 0, "result": 1e999}']).ask("hello", {}).fault)
