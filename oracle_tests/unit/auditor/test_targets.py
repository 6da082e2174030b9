"""Targets: loading by name, and programs that crash, hang, answer nonsense or repeat themselves."""

from __future__ import annotations

import importlib.util
import math
import multiprocessing
import os
import pickle
import shutil
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privboost.auditor import Mechanism, Pair, TargetError, Verdict, audit
from privboost.auditor.files.replay import replay
from privboost.auditor.files.witness import Recording, make_witness
from privboost.auditor.mechanisms.naming import find_target
from privboost.auditor.mechanisms.program import Command
from privboost.errors import PreconditionError, UsageError
from privboost.oracle_tests.support.checkout import ROOT
from privboost.oracle_tests.support.waiting import wait_until
from privboost.targets.conversation import Limits
from privboost.targets.programs import Program, program_of

PROGRAM = """
import json, os, random, signal, sys, time
kind, path = sys.argv[1], sys.argv[2]
with open(path, "w") as file:
    file.write(str(os.getpid()))
if kind == "dead":
    sys.exit("cannot find my model")
held, drawn, stream = [], 0, random.Random(5)

def say(text):
    sys.stdout.write(text + "\\n")
    sys.stdout.flush()

for line in sys.stdin:
    request = json.loads(line)
    request_id, arguments = request["id"], request["args"]
    if request["op"] == "hello":
        own = kind == "own stream, said"
        reply = {"result": {"seeded": False}} if own else {"unsupported": True}
        say(json.dumps({"id": request_id, **reply}))
        continue
    drawn += 1
    rng = random.Random(5 if kind == "own seed" else arguments["seed"])
    rng = stream if kind.startswith("own stream") else rng
    noise = rng.expovariate(1) - rng.expovariate(1)
    result = arguments["data"] if kind in ("echo", "refuses") else arguments["data"] + noise
    answer = json.dumps({"id": request_id, "result": result})
    if kind == "refuses" and arguments["data"] == "infinity":
        answer = json.dumps({"id": request_id, "error": "not a finite number"})
    if drawn > 3:
        if kind == "crash":
            sys.stderr.write("segments are at fault\\n")
            sys.exit(7)
        if kind == "signal":
            os.kill(os.getpid(), signal.SIGTERM)
        if kind == "hang":
            sys.stderr.write("hangs")
            sys.stderr.flush()
            time.sleep(1000)
        if kind == "deaf":
            os.close(1)
            time.sleep(1000)
        if kind == "flood":
            while True:
                sys.stdout.write("1" * 4096)
        answer = {
            "garbage": "0.25",
            "text": "the answer is 0.25",
            "wrong id": json.dumps({"id": 10**6, "result": 0}),
            "nothing": json.dumps({"id": request_id}),
            "both": json.dumps({"id": request_id, "result": 0, "error": "?"}),
            "error": json.dumps({"id": request_id, "error": "division by zero"}),
            "unsupported": json.dumps({"id": request_id, "unsupported": True}),
            "bare": json.dumps({"id": request_id, "result": float("nan")}),
            "babble": answer + "\\n" + answer,
        }.get(kind, answer)
    if kind == "reordered" and len(held) < 1:
        held.append(answer)
        continue
    say(answer)
    for other in held:
        say(other)
    held.clear()
if kind == "stubborn":
    time.sleep(1000)
"""

FAILURES = {
    "dead": ("an answer to request 0", "exit code 1; its standard error ends with:\ncannot find my model"),
    "flood": ("an answer of at most 65536 bytes", "beginning with '1111"),
    "garbage": ("one JSON object per line", "the line '0.25'"),
    "text": ("one JSON object per line", "the answer is"),
    "wrong id": ("the answer with the id 4", "1000000"),
    "nothing": ("one of result, unsupported, error", '{"id": 4}'),
    "both": ("one of result, unsupported, error", '"error": "?"'),
    "unsupported": ("the operation 'sample'", "does not support"),
    "reordered": ("answers come in the order of the requests", '"id": 2'),
    "bare": ("infinities and NaN", '"result": NaN'),
    "babble": ("the id 5", '"id": 4'),
}
ENDED = {
    "crash": ("exited", "exit code 7; its standard error ends with: segments are at fault"),
    "signal": ("exited", "its end by signal SIGTERM"),
    "hang": ("hung", "expected an answer within 60 s, got silence"),
    "deaf": ("exited", "the end of its output"),
}
"""Programs that fail from the fourth request on: the kind of failure, and a part of its message."""


def program(kind: str, folder: Path) -> Command:
    """Return a program with one kind of behaviour."""
    path = folder / "program.py"
    path.write_text(PROGRAM, "utf-8")
    arguments = (sys.executable, "-I", "-S", str(path), kind, str(folder / "pid"))
    return Command(Program("cmd:program.py", arguments, str(folder)), Limits(line=1 << 16))


def is_gone(folder: Path) -> bool:
    """Return whether the process of the program no longer exists."""
    try:
        os.kill(int((folder / "pid").read_text("utf-8")), 0)
    except ProcessLookupError:
        return True
    return False


def rng(seed: int = 1) -> np.random.Generator:
    """Return a generator."""
    return np.random.default_rng(seed)


def samples(command: Command, data: Any, count: int) -> list[Any]:
    """Return samples of one input, requested together, with the seeds of one generator."""
    return command.in_order([data] * count, [rng()] * count)


def test_command__gives_the_same_samples_again_and_one_by_one_as_many(tmp_path: Path) -> None:
    command = program("honest", tmp_path)
    many = samples(command, 0, 300)
    assert len(set(many)) == 300
    generator = rng()
    assert [command.call(0, generator) for _ in range(5)] == many[:5]
    assert not is_gone(tmp_path)
    command.close()
    assert is_gone(tmp_path)
    assert samples(command, 0, 5) == many[:5]
    command.close()


@pytest.mark.parametrize("kind", FAILURES)
def test_command__that_fails_says_how_and_is_gone(kind: str, tmp_path: Path) -> None:
    command = program(kind, tmp_path)
    with pytest.raises(TargetError) as caught:
        samples(command, 0, 100)
    expected, reason = FAILURES[kind]
    assert expected in caught.value.expected
    assert reason in caught.value.got
    assert is_gone(tmp_path)


@pytest.mark.usefixtures("hangs_are_announced")
@pytest.mark.parametrize("kind", ENDED)
def test_command__that_ends_hangs_or_refuses_a_call_has_that_as_its_output(kind: str, tmp_path: Path) -> None:
    command = program(kind, tmp_path)
    honest, outputs = samples(program("honest", tmp_path), 0, 6), samples(command, 0, 6)
    command.close()
    assert outputs[:3] == honest[:3]
    assert outputs[3]["failed"] == ENDED[kind][0]
    assert ENDED[kind][1] in outputs[3]["message"]
    # After an end the program starts again, and serves three more calls.
    assert outputs[4:] == honest[4:]
    assert is_gone(tmp_path)


def test_command__that_answers_with_an_error_has_that_as_its_output(tmp_path: Path) -> None:
    command = program("refuses", tmp_path)
    refused = {"failed": "raised", "error": "error", "message": "not a finite number"}
    assert [*samples(command, 2.5, 1), *samples(command, math.inf, 1)][1] == refused
    command.close()


def test_command__that_does_not_end_with_its_input_is_ended(tmp_path: Path) -> None:
    command = program("stubborn", tmp_path)
    command.call(0, rng())
    command.close()
    assert is_gone(tmp_path)


def test_command__that_cannot_start_says_why(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="a program that starts, got No such file"):
        Command(Program("cmd:./nowhere", ("./nowhere",), str(tmp_path))).call(0, rng())


def test_command__carries_every_float_and_nested_input(tmp_path: Path) -> None:
    command = program("echo", tmp_path)
    floats = [0.1, 5e-324, -0.0, math.inf, -math.inf, 2**70]
    result = command.call(floats, rng())
    assert result == floats
    assert math.copysign(1, result[2]) == -1
    assert math.isnan(command.call(math.nan, rng()))
    nested = {"rows": (np.array([[1.5, 2]]), np.int64(3)), "third": Fraction(1, 3), "none": None}
    assert command.call(nested, rng()) == {"rows": [[[1.5, 2]], 3], "third": "1/3", "none": None}
    with pytest.raises(PreconditionError, match="data for a command"):
        command.call({1: 2}, rng())
    command.close()


def test_command__of_a_worker_process_ends_with_the_worker(tmp_path: Path) -> None:
    command = program("honest", tmp_path)
    here = samples(command, 0, 20)
    command.close()
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(samples, command, 0, 20).result() == here
        assert not is_gone(tmp_path)
    assert wait_until(lambda: is_gone(tmp_path))


def test_audit__of_a_program_with_a_seed_of_its_own_has_no_verdict(tmp_path: Path) -> None:
    command = program("own seed", tmp_path)
    with pytest.raises(TargetError, match="it reuses its seed, or adds no noise; no verdict"):
        audit(command.mechanism(), Pair("one apart", 0, 1), epsilon=1, calls=2000, seed=1)
    command.close()


def test_audit__of_a_program_with_its_own_stream_has_no_verdict_unless_it_says_so(
    tmp_path: Path,
) -> None:
    """False alarm of the second verdict: at most 1/1000 for a fresh seed; this one is fixed."""
    with pytest.raises(TargetError, match="the same answer to the same data and seed"):
        audit(program("own stream", tmp_path).mechanism(), (0, 1), epsilon=1, calls=2000, seed=1)
    assert is_gone(tmp_path)
    command, recording = program("own stream, said", tmp_path), Recording()
    mechanism = command.mechanism()
    result = audit(mechanism, (0, 1), epsilon=1, calls=5000, seed=1, power=5, recorder=recording)
    replayed = replay(make_witness("cmd:program.py", result, recording), rerun=mechanism, seed=2)
    command.close()
    assert replayed.fresh is not None
    assert (replayed.is_confirmed, replayed.fresh.calls) == (True, 5000)
    assert (result.verdict, result.seeded) == (Verdict.CONSISTENT, False)


def test_audit__of_a_program_that_crashes_has_no_verdict_if_failures_are_no_outputs(tmp_path: Path) -> None:
    mechanism, pair = program("crash", tmp_path).mechanism(), Pair("one apart", 0, 1)
    with pytest.raises(TargetError, match="segments are at fault"):
        audit(mechanism, pair, epsilon=1, calls=2000, seed=1, keep_failures=False)


def compile_program(folder: Path) -> str:
    """Return the example in C as a command line, or skip."""
    compiler = next((name for name in ("cc", "gcc", "clang") if shutil.which(name)), None)
    if compiler is None:
        pytest.skip("there is no C compiler here")
    source, program_file = ROOT / "examples/programs/laplace.c", folder / "laplace"
    done = subprocess.run(
        [compiler, "-O2", "-Wall", "-Wextra", "-Werror", "-o", program_file, source, "-lm"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return str(program_file)


def test_example__in_c_is_consistent_and_its_faulty_twin_is_caught(tmp_path: Path) -> None:
    """False alarm of the first verdict: at most 1/1000 for a fresh seed; this one is fixed."""
    path = compile_program(tmp_path)
    pair = Pair("one more", [0, 1, 1], [1, 1, 1])
    verdicts = []
    for command_line in (path, f"{path} --faulty"):
        mechanism = find_target(f"cmd:{command_line}").mechanism
        verdicts.append(audit(mechanism, pair, epsilon=1, confidence=0.999, calls=22_000, seed=1).verdict)
        Command(program_of(command_line)).close()
    assert verdicts == [Verdict.CONSISTENT, Verdict.VIOLATION]


def test_example__in_javascript_gives_the_numbers_of_the_one_in_c(tmp_path: Path) -> None:
    if shutil.which("node") is None:
        pytest.skip("there is no node here")
    lines = (compile_program(tmp_path), f"node {ROOT / 'examples/programs/laplace.js'}")
    commands = [Command(program_of(line)) for line in lines]
    first, second = (samples(command, [0, 1, 1, 1], 200) for command in commands)
    assert np.allclose(first, second, rtol=0, atol=1e-12)
    assert len(set(first)) == 200
    for command in commands:
        command.close()


MODULE = """
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.mechanisms.mechanism import Mechanism

def mechanism(data, rng):
    return data + rng.laplace()

class Batched:
    pairs = [Pair("own", 0, 1)]
    def batch(self, data, rng, count):
        return data + rng.laplace(size=count)

class Plain:
    def call(self, data, rng):
        return data

class Scaled(Plain):
    def __init__(self, scale):
        self.scale = scale

batched = Batched()
named = Mechanism("named", mechanism)
number = 5
def one(data): return data
def make(): return Plain()
def fail(): raise RuntimeError("no licence")
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the name of a module in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    name = f"some_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(MODULE, "utf-8")
    return name


def test_target__of_a_module_of_the_current_folder_is_found_and_can_be_sent(module: str) -> None:
    for name in ("mechanism", "batched", "make()", "named", "Batched", "Plain", "Scaled((0, 1))"):
        mechanism = pickle.loads(pickle.dumps(find_target(f"{module}:{name}").mechanism))
        assert isinstance(mechanism, Mechanism)
        assert math.isfinite(mechanism.call(0, rng()))
    assert find_target(f"{module}:batched").pairs == (Pair("own", 0, 1),)
    assert find_target(f"{module}:Batched").pairs == (Pair("own", 0, 1),)
    assert find_target(f"{module}:named").name == "named"
    by_file, by_name = find_target(f"./{module}.py:mechanism"), find_target(f"{module}:mechanism")
    assert by_file.mechanism.call is by_name.mechanism.call


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("nonsense", "module:function or one of cmd:"),
        (
            "MODULE:mechanisn",
            "Batched, Mechanism, Pair, Plain, Scaled, batched, fail, make, mechanism, named, one",
        ),
        ("MODULE:number", "a function of .data, rng., got .*which is a int"),
        ("MODULE:one", "which takes .data."),
        ("MODULE:Scaled", "write MODULE:Scaled.…. with its arguments"),
        ("MODULE:one()", "a function without arguments to call"),
        ("no_such_module:f", "one of this folder .json, MODULE."),
        ("./nowhere.py:f", "expected a file"),
        ("./json.py:f", "a name that no other module has"),
        ("cmd:", "module:function or one of cmd:"),
        ("cmd:'", "a command line"),
        ("cmd:./nowhere", "there is no such file"),
        ("cmd:./json.py", "it is not executable"),
        ("bank:nothing", "with one of .*laplace"),
        ("broken:nothing", "with one of"),
        ("opendp:nothing", "one of geometric, laplace"),
        ("opendp:laplace,scale", "key=value"),
        ("opendp:laplace(scale=1", r"name\(key=value, …\)"),
        ("opendp:laplace(scale=1, scale=2)", r"name\(key=value, …\), got 'scale=2'"),
        ("bank:laplace(scale=2)", "bank:NAME without arguments"),
        ("MODULE:Scaled,scale=1", r"arguments as in MODULE:Scaled\(scale=1\)"),
        ("fast:sound(trees=two)", "trees=a whole number, got 'trees=two'"),
    ],
)
def test_target__that_cannot_be_loaded_is_a_usage_error(
    target: str, message: str, module: str, tmp_path: Path
) -> None:
    (tmp_path / "json.py").write_text("f = print\n", "utf-8")
    with pytest.raises(UsageError, match=message.replace("MODULE", module)):
        find_target(target.replace("MODULE", module))


def test_target__whose_code_fails_is_an_error_of_the_target(module: str, tmp_path: Path) -> None:
    (tmp_path / f"{module}_broken.py").write_text("import no_such_library\n", "utf-8")
    with pytest.raises(TargetError, match="no_such_library"):
        find_target(f"{module}_broken:f")
    with pytest.raises(TargetError, match="no licence"):
        find_target(f"{module}:fail()")


def test_target__of_the_bank_brings_its_pair_and_its_claim() -> None:
    target = find_target("bank:laplace")
    assert len(target.pairs) == 1
    assert target.epsilon is not None
    assert target.pairs[0].exact is not None


@pytest.mark.parametrize(
    ("called", "listed"),
    [
        (
            "fast:sound(trees=2, epsilon=1/2, leaf='link_noise_clamp')",
            "fast:sound,trees=2,epsilon=1/2,leaf=link_noise_clamp",
        ),
        ("reference:sound(depth=1, part=splits)", "reference:sound,depth=1,part=splits"),
        ("fast:default(epsilon=2)", "fast:default,epsilon=2"),
        ("bank:laplace()", "bank:laplace"),
    ],
)
def test_target__arguments_may_be_written_as_a_call_everywhere(called: str, listed: str) -> None:
    first, second = find_target(called), find_target(listed)
    assert first.mechanism.call == second.mechanism.call
    assert (first.pairs, first.epsilon) == (second.pairs, second.epsilon)


@pytest.mark.parametrize(
    "name",
    [
        "diffprivlib:Laplace(epsilon=2)",
        "diffprivlib:Laplace,epsilon=2",
        "diffprivlib:forest",
        "opendp:laplace",
    ],
)
def test_other_project__is_a_mechanism_or_a_usage_error(name: str) -> None:
    project = name.partition(":")[0]
    if importlib.util.find_spec(project) is None:
        with pytest.raises(UsageError, match=f"expected {project} to be installed"):
            find_target(name)
        pytest.skip(f"{project} is not installed")
    target = find_target(name)
    assert target.epsilon in (1.0, 2.0)
    mechanism = pickle.loads(pickle.dumps(target.mechanism))
    assert np.all(np.isfinite(mechanism.call(target.pairs[0].left, rng())))
