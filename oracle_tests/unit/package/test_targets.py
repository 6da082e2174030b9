"""Targets: parsing names of Python objects, hosting them, and conversations with programs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from privboost.errors import NoVerdictError, TargetError
from privboost.targets.conversation import DEFAULT_LIMITS, Conversation, FaultError
from privboost.targets.names import Named, parse_named, same_target
from privboost.targets.programs import Program

MODULE = """
from dataclasses import dataclass
from fractions import Fraction

@dataclass
class Point:
    x: Fraction

class Body:
    def answer(self, op, args):
        print("not an answer")
        if op == "crash":
            raise KeyError(op)
        return Point(Fraction(args["x"]))

def fail():
    raise OSError("no model")
"""


def request(op: str) -> str:
    return json.dumps({"id": 1, "op": op, "args": {"x": "1/3"}}) + "\n"


def host(folder: Path, *arguments: str, requests: str) -> subprocess.CompletedProcess[str]:
    """Run the host in a folder with the module `some_body`."""
    (folder / "some_body.py").write_text(MODULE, "utf-8")
    command = [sys.executable, "-m", "privboost.targets.host", *arguments]
    return subprocess.run(command, input=requests, capture_output=True, text=True, cwd=folder, check=False)


# names


@pytest.mark.parametrize(
    ("source", "named"),
    [
        ("a.b:c.d", Named("a.b:c.d", "a.b", ("c", "d"))),
        ("./x-y/f.py:g()", Named("./x-y/f.py:g()", "./x-y/f.py", ("g",), "")),
        ("a:b(1, x=(2, 3))", Named("a:b(1, x=(2, 3))", "a", ("b",), "1, x=(2, 3)")),
        ("a:b(1", None),
        ("a:1", None),
        ("a", None),
        ("cmd:./a b", None),
    ],
)
def test_name__is_parsed(source: str, named: Named | None) -> None:
    assert parse_named(source) == named


def test_name__module_may_be_given_by_its_file() -> None:
    assert same_target("folder/mine.py:f", "mine:f")
    assert same_target("cmd:./a b", "cmd:./a b")
    assert not same_target("folder/mine.py:f", "mine:g")
    assert not same_target("mine:f", "mine:f()")


# the host


def test_host__answers_and_sends_prints_to_standard_error(tmp_path: Path) -> None:
    done = host(tmp_path, "some_body:Body", requests=request("any"))
    assert json.loads(done.stdout) == {"id": 1, "result": {"x": "1/3"}}
    assert done.stderr == "not an answer\n"
    assert done.returncode == 0


def test_host__ends_with_a_crash_of_the_object(tmp_path: Path) -> None:
    done = host(tmp_path, "some_body.py:Body", requests=request("crash") + request("any"))
    assert done.stdout == ""
    assert "KeyError: 'crash'" in done.stderr
    assert done.returncode == 1


def test_host__with_faults_goes_on_after_a_crash(tmp_path: Path) -> None:
    done = host(tmp_path, "--faults", "some_body:Body", requests=request("crash") + request("any"))
    first, second = map(json.loads, done.stdout.splitlines())
    assert first == {"id": 1, "fault": "crash", "got": "KeyError: 'crash' (some_body.py:13)"}
    assert second["result"] == {"x": "1/3"}


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("some_body:Buddy", "expected a name of module some_body (Body, Fraction, Point, dataclass, fail)"),
        ("some_body:fail", "got OSError: no model (some_body.py:17)"),
        ("some_body", "expected module:factory"),
    ],
)
def test_host__says_why_an_object_is_missing(source: str, message: str, tmp_path: Path) -> None:
    done = host(tmp_path, source, requests="")
    assert done.stderr.startswith("privboost: error: ")
    assert message in done.stderr
    assert done.returncode == 2
    done = host(tmp_path, "--faults", source, requests="")
    assert message in json.loads(done.stdout)["missing"]
    assert done.stderr == ""


# conversations


@pytest.mark.parametrize("member", ["unsupported", "error"])
def test_conversation__expects_strings_as_reasons_by_default(member: str, tmp_path: Path) -> None:
    source = f'input(); print(\'{{"id": 0, "{member}": true}}\')'
    program = Program("cmd:program", (sys.executable, "-S", "-c", source), str(tmp_path))
    (answer,) = Conversation(program, DEFAULT_LIMITS, string_reasons=False).answers([("hello", "{}")])
    assert getattr(answer, member) == "true"
    with pytest.raises(FaultError, match=f"expected a string for {member}") as caught:
        list(Conversation(program, DEFAULT_LIMITS).answers([("hello", "{}")]))
    assert caught.value.fault.kind == "garbage"


def test_conversation__is_closed_if_answers_are_not_read(tmp_path: Path) -> None:
    source = (
        'import sys\nfor n, line in enumerate(sys.stdin): print(f\'{{"id": {n}, "result": 1}}\', flush=True)'
    )
    program = Program("cmd:program", (sys.executable, "-S", "-c", source), str(tmp_path))
    conversation = Conversation(program, DEFAULT_LIMITS)
    answers = conversation.answers([("first", "{}"), ("second", "{}")])
    assert next(answers).result == 1
    assert conversation.is_open
    del answers
    assert not conversation.is_open


def test_error__of_a_target_is_no_verdict() -> None:
    assert issubclass(TargetError, NoVerdictError)
