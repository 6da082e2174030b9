"""Programs in other languages that ask for their draws."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from privboost.auditor import FindingKind, Pair, RecordReplayResult, ReplayVerdict, TargetError, replay
from privboost.auditor.mechanisms.program import skeleton
from privboost.auditor.replay.check import replay_by_name
from privboost.auditor.replay.programs import AskingProgram
from privboost.auditor.replay.runs import ReplayPlan
from privboost.auditor.running.calls import Registration
from privboost.targets.programs import program_of

PAIR = Pair("row", [1, 0.5], [0, 0.5])

PROGRAM = """
import json, sys

def ask(identity, site, law="laplace", **parameters):
    draw = {"site": site, "law": law, "parameters": parameters}
    print(json.dumps({"id": identity, "draw": draw}), flush=True)
    return json.loads(input())["value"]

for line in sys.stdin:
    request = json.loads(line)
    identity, data = request["id"], request["args"]["data"]
    total = sum(data)
    noise = lambda **parameters: ask(identity, "release.x:7", **parameters)
    result = eval(sys.argv[1])
    print(json.dumps({"id": identity, "result": result}), flush=True)
"""

MISTAKES: dict[str, tuple[str, FindingKind | None]] = {
    "sound": ("total + noise(scale=1)", None),
    "sound, two": ("total + noise(law='exponential', scale=1) - noise(law='exponential', scale=1)", None),
    "no noise": ("total", FindingKind.UNNOISED_OUTPUT),
    "noise on a branch": ("total + noise(scale=1) if data[0] else 0.5", FindingKind.UNNOISED_OUTPUT),
    "half of the scale": ("total + noise(scale=0.5)", FindingKind.LOSS),
    "scale from data": ("total + noise(scale=1 + data[0])", FindingKind.SCALE_FROM_DATA),
    "budget used twice": ("[total + noise(scale=1), data[0] + noise(scale=1)]", FindingKind.LOSS),
    "a draw more": (
        "total + noise(scale=1) + (noise(scale=1) if data[0] else 0)",
        FindingKind.NUMBER_OF_DRAWS,
    ),
}


def replay_program(command_line: str, epsilon: float = 1.0) -> RecordReplayResult:
    """Return the result of replaying a program on the pair."""
    program = AskingProgram(program_of(command_line))
    try:
        return replay(program.mechanism(), PAIR, epsilon=epsilon, seed=1)
    finally:
        program.close()


@pytest.mark.parametrize("name", MISTAKES)
def test_program__is_replayed_by_the_draws_that_it_asks_for(name: str, tmp_path: Path) -> None:
    formula, kind = MISTAKES[name]
    (tmp_path / "release.py").write_text(PROGRAM, "utf-8")
    result = replay_program(f'{sys.executable} {tmp_path}/release.py "{formula}"')
    (entry,) = result.pairs
    found = {finding.kind: finding for finding in entry.findings}
    if kind is None:
        assert result.verdict is ReplayVerdict.NOTHING_FOUND, str(result)
        assert entry.loss == pytest.approx(1.0)
    else:
        assert kind in found, str(result)
    if kind in (FindingKind.NUMBER_OF_DRAWS, FindingKind.SCALE_FROM_DATA):
        assert found[kind].site == "release.x:7"


@pytest.mark.parametrize(
    ("language", "compiler", "command"),
    [
        ("javascript", "node", "node {}/skeleton.javascript"),
        ("c", "cc", "{}/program"),
    ],
)
def test_skeleton__asks_for_its_draws(language: str, compiler: str, command: str, tmp_path: Path) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    source = tmp_path / f"skeleton.{language}"
    source.write_text(skeleton(language), "utf-8")
    if compiler == "cc":
        subprocess.run(("cc", "-o", str(tmp_path / "program"), str(source), "-lm"), check=True)
    sound, small = (replay_program(command.format(tmp_path), epsilon) for epsilon in (1.0, 0.5))
    assert (sound.verdict, small.verdict) == (ReplayVerdict.NOTHING_FOUND, ReplayVerdict.FINDING)
    assert sound.pairs[0].loss == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ('"unsupported": true', "the operation 'replay'"),
        ('"draw": {"site": "x:1", "law": "cauchy"}', "one of the laws laplace"),
        ('"draw": {"site": "", "law": "random"}', "a site such as"),
        ('"draw": {"site": "x:1", "law": "laplace"}', "the parameters scale of laplace"),
        ('"draw": {"site": "x:1", "law": "laplace", "parameters": {"scale": -1}}', "scale: a number >= 0"),
        ('"draw": {"site": "x:1", "law": "geometric", "parameters": {"p": 0}}', "p: a number in"),
        ('"draw": {"site": "x:1", "law": "random"}, "result": 1', "one of draw, result"),
        ('"other": 1', "one of draw, result"),
    ],
)
def test_wrong_answer__is_named(answer: str, said: str, tmp_path: Path) -> None:
    program = f"import sys\nfor _ in sys.stdin: print('{{\"id\": 1, {answer}}}', flush=True)\n"
    (tmp_path / "wrong.py").write_text(program, "utf-8")
    with pytest.raises(TargetError, match="cmd:") as caught:
        replay_program(f"{sys.executable} {tmp_path}/wrong.py")
    assert said in str(caught.value)


def test_program_that_ends__is_a_failed_call(tmp_path: Path) -> None:
    (tmp_path / "ends.py").write_text("import sys\ninput()\nsys.exit(3)\n", "utf-8")
    result = replay_program(f"{sys.executable} {tmp_path}/ends.py")
    assert result.verdict is ReplayVerdict.UNDECIDED


def test_name_of_a_program__is_a_target(tmp_path: Path) -> None:
    (tmp_path / "release.py").write_text(PROGRAM, "utf-8")
    target = f'cmd:{sys.executable} {tmp_path}/release.py "total + noise(scale=1)"'
    entry = replay_by_name(target, PAIR, ReplayPlan(1.0, 0.0, Registration(1)), 0)
    assert entry.verdict is ReplayVerdict.NOTHING_FOUND
