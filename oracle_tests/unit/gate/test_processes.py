"""Targets that are processes or Python objects: their faults are reported and do not stop the gate."""

from __future__ import annotations

import contextlib
import json
import shlex
import signal
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from privboost.errors import UsageError
from privboost.gate.check import Status
from privboost.gate.checks import wire
from privboost.gate.targets.in_process import PythonTarget
from privboost.gate.targets.naming import load_target, reproduction
from privboost.gate.targets.restarting import ProcessTarget
from privboost.targets.conversation import Answer, Fault, FaultKind, Limits
from privboost.targets.programs import program_of

PATIENT = Limits(line=1 << 16)
QUICK = replace(PATIENT, answer=0.3)
"""Limits for programs that answer nothing but the first request: others may be slow."""

UNRULY = """
import json, os, sys, time
kind = sys.argv[1]
def say(text):
    sys.stdout.write(text)
    sys.stdout.flush()
if kind == "dead":
    sys.exit("no model to load")
held = []
for line in sys.stdin:
    request = json.loads(line)
    answer = json.dumps({"id": request["id"], "result": 1}) + "\\n"
    if request["op"] in ("hello", "calm"):
        say(answer)
    elif kind == "crash":
        sys.stderr.write("segments are at fault\\n")
        os._exit(7)
    elif kind == "signal":
        os.kill(os.getpid(), 15)
    elif kind == "hang":
        sys.stderr.write("hangs")
        sys.stderr.flush()
        time.sleep(1000)
    elif kind == "deaf":
        os.close(1)
        time.sleep(1000)
    elif kind == "flood":
        while True:
            say("x" * 65536)
    elif kind == "torrent":
        while True:
            say(answer)
    elif kind == "drip":
        while True:
            say(" ")
            time.sleep(0.01)
    elif kind == "partial":
        say(answer[:5])
        os._exit(0)
    elif kind == "backwards":
        held.append(answer)
        if len(held) == 3:
            say("".join(reversed(held)))
    elif kind == "twice":
        say(answer + answer)
    elif kind == "noisy":
        sys.stderr.write("!" * 1000000)
        say(answer)
    else:
        say(answer)
if kind == "endless":
    time.sleep(1000)
"""


def python(source: str, *arguments: str) -> list[str]:
    return [sys.executable, "-S", "-c", source, *arguments]


def unruly(kind: str, limits: Limits = PATIENT) -> Any:
    return ProcessTarget(program_of(shlex.join(python(UNRULY, kind))), limits)


# processes


@pytest.mark.parametrize(
    ("kind", "named"),
    [
        ("dead", ("crash", "exit code 1", "no model to load")),
        ("crash", ("crash", "exit code 7", "segments are at fault")),
        ("signal", ("crash", "SIGTERM")),
        ("hang", ("hang", "within 0.3 s", "flush")),
        ("deaf", ("crash", "end of its output")),
        ("flood", ("flood", "65536 bytes", "xxx")),
        ("drip", ("hang",)),
        ("partial", ("crash", "amid the line")),
    ],
)
def test_process__fault_is_named(kind: str, named: tuple[str, ...]) -> None:
    target = unruly(kind, QUICK if named[0] == "hang" else PATIENT)
    try:
        fault = target.ask("wild", {}).fault
    finally:
        target.close()
    assert fault is not None
    assert fault.kind == named[0]
    assert all(part in str(fault) for part in named), fault


def test_process__answers_out_of_order_are_named() -> None:
    target = unruly("backwards")
    answers = target.ask_many([("calm", {}), ("a", {}), ("b", {}), ("c", {})])
    assert next(answers) == Answer(result=1)
    assert next(answers).fault.kind is FaultKind.OUT_OF_ORDER
    target.close()


@pytest.mark.parametrize("kind", ["twice", "torrent"])
def test_process__unrequested_answers_are_a_fault(kind: str) -> None:
    target = unruly(kind)
    faults = [answer.fault for answer in target.ask_many([("wild", {})] * 3)]
    target.close()
    assert any(faults)


def test_process__long_standard_error_is_no_fault() -> None:
    target = unruly("noisy")
    assert target.ask("wild", {}) == Answer(result=1)
    target.close()


def test_process__is_restarted_after_a_crash() -> None:
    target = unruly("crash")
    answers = list(target.ask_many([("calm", {}), ("wild", {}), ("calm", {}), ("wild", {}), ("calm", {})]))
    target.close()
    assert [answer.fault is None for answer in answers] == [True, False, True, False, True]
    assert target.starts == 3


@pytest.mark.usefixtures("hangs_are_announced")
def test_process__is_given_up_after_hangs_of_two_operations() -> None:
    target = unruly("hang")
    answers = list(target.ask_many([("wild", {})] * 25 + [("wilder", {})] * 25))
    target.close()
    assert target.starts == 6
    assert all("hang" in str(answer.fault) for answer in answers)
    assert "given up after 3 hangs of each of the operations wild and wilder" in str(target.ended)


@pytest.mark.usefixtures("hangs_are_announced")
@pytest.mark.parametrize(
    ("before", "kind", "most", "limit"),
    [
        (1, FaultKind.HANG, 3, "3 hangs (a longer timeout gives more time)"),
        (0, FaultKind.HANG, 3, "3 hangs (a longer timeout gives more time)"),
        (1, FaultKind.CRASH, 25, "25 faults"),
    ],
)
def test_process__operation_that_fails_is_not_asked_again_and_others_are(
    before: int, kind: FaultKind, most: int, limit: str
) -> None:
    target = unruly(kind)
    operations = ["calm"] * before + ["wild"] * (most + 2) + ["calm"]
    answers = list(target.ask_many((operation, {}) for operation in operations))
    target.close()
    kinds = [answer.fault and answer.fault.kind for answer in answers]
    assert kinds == [*[None] * before, *[kind] * most, *[FaultKind.NOT_ASKED] * 2, None]
    assert str(answers[-2].fault) == f"nothing: wild was not asked again after {limit}"
    assert (target.ended, target.starts) == (None, most + 1)


@pytest.mark.usefixtures("hangs_are_announced")
def test_process__requests_after_a_fault_are_not_sent_unless_they_are_wanted() -> None:
    target = unruly("hang")
    answers = target.ask_many([("calm", {}), *[("wild", {})] * 5])
    assert [next(answers).fault is None for _ in range(2)] == [True, False]
    starts = target.starts
    target.close()
    assert starts == 1


@pytest.mark.parametrize(("kind", "status"), [("calm", Status.PASS), ("endless", Status.FAIL)])
def test_process__must_exit_at_the_end_of_its_input(
    kind: str, status: Status, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "EXIT_SECONDS", 600.0 if status is Status.PASS else 0.2)
    target = unruly(kind)
    outcome = wire.EndOfInput().run(target, 0)
    assert outcome.status is status
    assert ("got a program that runs on" in outcome.message) is (status is Status.FAIL)
    assert target.ask("calm", {}) == Answer(result=1)
    assert target.starts == 2
    target.close()


def test_process__timeout_applies_to_hello() -> None:
    command = shlex.join(python("import time; time.sleep(1000)"))
    target = load_target(f"cmd:{command}", timeout=0.3)
    fault = target.ask("hello", {}).fault
    target.close()
    assert fault is not None
    assert fault.kind is FaultKind.HANG


HOSTED = """
class Raising:
    def answer(self, op, args):
        if op != "calm" or args:
            raise KeyError(op)
        return 1
"""


@pytest.fixture
def raising(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a hosted object that raises an exception, except for calm requests."""
    (tmp_path / "raising.py").write_text(HOSTED)
    monkeypatch.chdir(tmp_path)
    return load_target("raising:Raising")


def test_hosted__object_that_raises_every_time_is_given_up(raising: Any) -> None:
    list(raising.ask_many([("wild", {})] * 40 + [("wilder", {})] * 40))
    raising.close()
    assert str(raising.ended).startswith("given up after 25 faults of each of the operations wild and wilder")
    assert "; the last one: crash: KeyError" in str(raising.ended)


def test_hosted__operation_that_raises_25_times_in_a_row_is_not_asked_again(raising: Any) -> None:
    rarely = list(raising.ask_many([("calm", {}), *[("calm", {"x": 1})] * 24] * 3))
    often = list(raising.ask_many([("wild", {}), ("calm", {})] * 70))
    raising.close()
    assert not raising.ended
    assert str(rarely[-1].fault).startswith("crash: KeyError")
    assert "wild was not asked again after 25 faults" in str(often[-2].fault)
    assert often[-1] == Answer(result=1)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("x = 1\ndef f(:\n", r"SyntaxError: invalid syntax \(broken_target.py, line 2\)"),
        ("x = 1\nimport no_such_thing\n", r"No module named 'no_such_thing' \(broken_target.py:2\)"),
        ("from json import no_name\n", r"cannot import name 'no_name' .*\(broken_target.py:1\)"),
        ("\n\nx = 1 / 0\n", r"ZeroDivisionError: division by zero \(broken_target.py:3\)"),
        ("def make():\n    raise OSError('no model')\n", r"OSError: no model \(broken_target.py:2\)"),
    ],
)
def test_hosted__module_that_cannot_be_imported_is_refused_in_one_line(
    source: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_target.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    target = load_target("broken_target:make")
    with pytest.raises(UsageError, match=message) as refused:
        target.ask("hello", {})
    assert "\n" not in str(refused.value)
    assert "Traceback" not in str(refused.value)


# Python objects


class Implementation:
    """An implementation whose operations are named after their effect."""

    def answer(self, op: str, args: dict[str, Any]) -> Any:
        """Answer one request."""
        match op:
            case "unsupported":
                raise NotImplementedError("not yet")
            case "error":
                raise ValueError("u: expected less")
            case "crash":
                raise ZeroDivisionError("oops")
            case "exit":
                raise SystemExit(3)
            case "object":
                return object()
            case "print":
                print("text on standard output")
                return args.pop("a")
            case "hang" | "hang_too":
                while True:
                    pass
            case _:
                return Fraction(1, 3)


@pytest.mark.parametrize(
    ("op", "answer"),
    [
        ("unsupported", Answer(unsupported="not yet")),
        ("error", Answer(error="u: expected less")),
        ("else", Answer(result="1/3")),
        ("exit", Answer(fault=Fault(FaultKind.CRASH, "SystemExit: 3 (test_processes.py:0)"))),
        ("crash", Answer(fault=Fault(FaultKind.CRASH, "ZeroDivisionError: oops (test_processes.py:0)"))),
        (
            "object",
            Answer(
                fault=Fault(
                    FaultKind.GARBAGE,
                    "result: expected numbers, strings, lists, arrays, dictionaries with string keys, or "
                    "dataclasses of these, got an object of type object",
                )
            ),
        ),
    ],
)
def test_python__object_answers_like_a_process(op: str, answer: Answer) -> None:
    actual = PythonTarget("body", Implementation()).ask(op, {})
    if actual.fault is not None and "test_processes.py" in actual.fault.got:
        actual = Answer(fault=replace(actual.fault, got=f"{actual.fault.got.rpartition(':')[0]}:0)"))
    assert actual == answer


def test_python__object_cannot_print_or_change_the_request(capsys: pytest.CaptureFixture[str]) -> None:
    args = {"a": 1}
    assert PythonTarget("body", Implementation()).ask("print", args) == Answer(result=1)
    assert args == {"a": 1}
    assert capsys.readouterr().out == ""


def test_python__object_that_hangs_is_given_up() -> None:
    target = PythonTarget("body", Implementation(), seconds=0.05)
    faults = [str(answer.fault) for answer in target.ask_many([("hang", {})] * 3 + [("hang_too", {})] * 4)]
    reason = "given up after 3 hangs of each of the operations hang and hang_too"
    assert faults == ["hang: no answer within 0.05 s"] * 6 + [reason]


def test_python__object_that_loses_an_interrupt_is_interrupted_again() -> None:
    class Stubborn:
        def answer(self, op: str, args: dict[str, Any]) -> Any:
            del op, args
            with contextlib.suppress(BaseException):
                while True:
                    pass
            while True:
                pass

    answer = PythonTarget("body", Stubborn(), seconds=0.05).ask("anything", {})
    assert str(answer.fault) == "hang: no answer within 0.05 s"


def test_python__deadline_leaves_no_alarm_behind() -> None:
    before = signal.getsignal(signal.SIGALRM)
    PythonTarget("body", Implementation(), seconds=5.0).ask("else", {})
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) == before


def test_python__without_answer_is_refused() -> None:
    with pytest.raises(UsageError, match="answer"):
        PythonTarget("body", object())


# names


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "module:factory"),
        ("nonsense", "module:factory"),
        ("cmd:", "program to run"),
        ("cmd:/no/such/program --stdio", "no such file"),
        ("cmd:'unclosed", "command line"),
        ("a b:c", "module:factory"),
        ("json:loads()", "module:factory"),
    ],
)
def test_target__unknown_name_is_refused(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        load_target(name)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no_such_module_at_all:make", "one of this folder .json.* got no module 'no_such_module_at_all'"),
        ("no/such/file.py:make", "expected a file"),
        ("json.py:make", "expected a name that no other module has"),
        ("shlex:no_such_name", r"a name of module shlex .*quote.*, got 'shlex:no_such_name'"),
        ("shlex:quote", "a function without arguments to call"),
        ("shlex:shlex", r"a method answer\(op, args\), got 'shlex:shlex', which makes a shlex"),
    ],
)
def test_target__missing_object_is_refused_at_the_first_request(
    name: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("make = print\n")
    monkeypatch.chdir(tmp_path)
    target = load_target(name)
    with pytest.raises(UsageError, match=message):
        target.ask("hello", {})


def test_reproduction__of_a_command_is_one_line_for_a_shell() -> None:
    request = {"op": "link", "args": {"u": "1/2", "odd": "it's"}}
    line = reproduction("cmd:./impl --stdio", [request])
    assert line.endswith(" | ./impl --stdio")
    assert json.loads(shlex.split(line)[1]) == {"id": 1, **request}


def test_reproduction__of_python_is_one_line_for_a_shell() -> None:
    request = {"op": "link", "args": {"u": "1/2", "odd": [None, True]}}
    words = shlex.split(reproduction("folder/first.py:First", [request]))
    assert words[:3] == ["PYTHONPATH=folder", "python", "-c"]
    assert words[3] == 'import first; print(first.First().answer("link", {"u": "1/2", "odd": [None, True]}))'


def test_reproduction__of_two_requests_sends_both_to_one_process() -> None:
    requests = [{"op": "link", "args": {"u": u}} for u in ("1/2", "1/3")]
    program = "python -c 'import sys; print(len(sys.stdin.readlines()))'"
    done = subprocess.run(
        ["sh", "-c", reproduction(f"cmd:{program}", requests)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "2\n"
    words = shlex.split(reproduction("first:First", requests))
    assert words[-1] == (
        'import first; target = first.First(); print(target.answer("link", {"u": "1/2"})); '
        'print(target.answer("link", {"u": "1/3"}))'
    )
