"""Nothing is left running and nothing is lost: children of targets, stop signals, clusters that are gone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures._base import _AcquireFutures
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from privboost.auditor import audit
from privboost.auditor.result import Verdict
from privboost.errors import TargetEndedError, WorkersLostError
from privboost.oracle_tests.support.marks import slow
from privboost.oracle_tests.support.waiting import DEADLINE, wait_until
from privboost.study.data import DataSource
from privboost.study.grid import configurations
from privboost.study.models import Study
from privboost.study.run import run_study
from privboost.study.store import Store
from privboost.targets.conversation import Conversation, Limits
from privboost.targets.programs import Program
from privboost.workers import cluster, interrupts
from privboost.workers.pool import worker_processes
from privboost.workers.spread import spread
from tools import kills
from tools.kills import find_marked, prepare, start_command

needs_proc = pytest.mark.skipif(sys.platform != "linux", reason="/proc")
SPAWNING = """
import json, os, subprocess, sys, time
children = [subprocess.Popen(["sleep", "1000"], start_new_session=True).pid]
forked = os.fork()
if not forked:
    os.setsid()
    time.sleep(1000)
# A daemon without a parent, an environment or open files.
reader, writer = os.pipe()
if not os.fork():
    os.setsid()
    if daemon := os.fork():
        os.write(writer, str(daemon).encode())
        os._exit(0)
    os.closerange(0, 100)
    os.execve(sys.executable, [sys.executable, "-S", "-c", "import time; time.sleep(1000)"], {})
children.append(int(os.read(reader, 100)))
for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"], "result": [*children, forked]}), flush=True)
"""


def is_running(process_id: int) -> bool:
    """Return whether a process exists and has not ended."""
    try:
        state = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


@needs_proc
def test_program__children_end_with_it_even_in_sessions_of_their_own(tmp_path: Path) -> None:
    program = Program("spawning", (sys.executable, "-c", SPAWNING), str(tmp_path))
    conversation = Conversation(program, Limits())
    (answer,) = conversation.answers([("ask", "{}")])
    assert all(is_running(child) for child in answer.result)
    conversation.close()
    assert wait_until(lambda: not any(is_running(child) for child in answer.result))


def spawn(_: int) -> list[int]:
    """Start a program and fork a process, each in a session of its own; return their ids."""
    started_child = subprocess.Popen(["sleep", "1000"], start_new_session=True, env={})
    forked = os.fork()
    if not forked:
        os.setsid()
        time.sleep(1000)
    return [started_child.pid, forked]


@needs_proc
def test_pool__children_of_workers_end_with_it() -> None:
    with worker_processes(1) as pool:
        children = pool.submit(spawn, 0).result()
        assert all(is_running(child) for child in children)
    assert wait_until(lambda: not any(is_running(child) for child in children))


def leaves_nothing(process: subprocess.Popen[str], folder: Path, number: signal.Signals) -> bool:
    """Stop a command; return whether its workers end with it, with the exit code of the signal."""
    process.send_signal(number)
    code = process.wait(DEADLINE)
    expected = -number if number is signal.SIGKILL else 128 + number
    return wait_until(lambda: not find_marked(folder, process.pid)) and code == expected


@needs_proc
@pytest.mark.parametrize(
    ("number", "target"),
    [(signal.SIGHUP, "slow.py:noisy --jobs 2"), (signal.SIGKILL, f"'cmd:{sys.executable} program.py'")],
)
def test_audit__stopped_by_a_signal_leaves_nothing_and_can_be_resumed(
    tmp_path: Path, number: signal.Signals, target: str
) -> None:
    prepare(tmp_path)
    calls = tmp_path / "made" / "calls.jsonl"
    command = f"audit {target} --epsilon 1 --pairs pairs.json --calls 10000000 --output made"
    with start_command(command, tmp_path) as process:
        assert wait_until(lambda: calls.exists() and calls.read_bytes().count(b"\n") > 3)
        assert find_marked(tmp_path, process.pid)
        assert leaves_nothing(process, tmp_path, number)
    if number is not signal.SIGKILL:
        assert "interrupted" in (tmp_path / "out").read_text().splitlines()[-1]
    with start_command(f"{command} --resume", tmp_path):
        assert wait_until(lambda: "resuming after" in (tmp_path / "err").read_text())


@needs_proc
@pytest.mark.parametrize("command", ["prove --jobs 2", *slow(["calibrate --jobs 2"])])
@pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL", *slow(["SIGINT", "SIGHUP"])])
def test_workers__end_with_a_command_that_is_stopped(tmp_path: Path, command: str, name: str) -> None:
    with start_command(command, tmp_path) as process:
        assert wait_until(lambda: len(find_marked(tmp_path, process.pid)) > 1)
        assert leaves_nothing(process, tmp_path, signal.Signals[name])


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_stop__has_the_exit_code_of_its_signal_and_is_ignored_while_results_are_printed(name: str) -> None:
    number = getattr(signal, name)
    before = signal.getsignal(number)
    with interrupts.stop_signals():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
        interrupts.ignore_further_stops()
        for other in interrupts.SIGNALS:
            signal.raise_signal(other)
        assert interrupts.stop_code(0) == 128 + number
    assert signal.getsignal(number) is before


STOPPED = """
import os, signal, sys
from privboost.cli import app
from privboost.tables import Table

def run(options):
    return Table("losses", (), (), False, "the result", write=lambda: os.kill(os.getpid(), signal.SIGTERM))

app.losses.run = run
app.render = lambda *_: os.kill(os.getpid(), signal.SIGTERM) or "the result"
sys.argv = ["privboost", "losses"]
code = app.main()

class Last:
    def __del__(self, kill=os.kill, process=os.getpid(), number=signal.SIGINT):
        kill(process, number)
"""


@pytest.mark.parametrize(
    "then", ["os.kill(os.getpid(), signal.SIGINT)", "last = Last()\nsys.exit(code)"], ids=["at once", "last"]
)
def test_stop__after_the_work_changes_neither_result_nor_exit_code(then: str) -> None:
    done = subprocess.run([sys.executable, "-c", STOPPED + then], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, "the result", "")


@needs_proc
def test_kills__a_command_that_ends_before_its_signal_is_a_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(kills.COMMANDS, "gate", "losses")
    for row, passes in kills.signal_rows("gate"):
        assert (row[-1], passes) == (kills.ENDED_BEFORE, False)


@pytest.mark.parametrize(
    ("line", "works"),
    [
        ("privboost: 0 of 810 tasks done, 4 s", False),
        ("privboost: 4 of 810 tasks done, 4 s", True),
        ("privboost: 177,366 calls, bound 0.9", True),
        ("privboost: report: section 1 of 10, errata", False),
        ("privboost: check 12 of 171, 5 s", True),
    ],
)
def test_kills__a_command_works_when_a_part_is_done(line: str, works: bool) -> None:
    assert bool(kills.WORKING.search(line)) is works


AT_A_BAD_MOMENT = """
import signal, sys
from privboost.cli import app
from privboost.workers import interrupts

class Stopping:
    def __del__(self):
        signal.raise_signal(signal.SIGTERM)

def in_a_string(options):
    exec("Stopping.__del__(None)")

def replace_interrupt(options):
    try:
        Stopping.__del__(None)
    except KeyboardInterrupt:
        raise ImportError from None

def stop_in_del(options):
    Stopping()
    reminders[-1]()

reminders = []

class Timer:
    def __init__(self, seconds, function, arguments):
        self.start = lambda: reminders.append(lambda: function(*arguments))

interrupts.AGAIN, interrupts.threading.Timer = 0.0, Timer
app.losses.run = {name}
sys.argv = ["privboost", "losses"]
sys.exit(app.main())
"""


@pytest.mark.parametrize("name", ["in_a_string", "replace_interrupt", "stop_in_del"])
def test_stop__at_a_bad_moment_has_its_exit_code_and_message(tmp_path: Path, name: str) -> None:
    """The first two happen while modules in C are imported, the last one in weak references."""
    (tmp_path / "stopping.py").write_text(AT_A_BAD_MOMENT.replace("{name}", name))
    command = [sys.executable, "-m", "stopping"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (143, "")
    assert done.stderr == "privboost: interrupted: stopped before the end\n"


def test_stop__that_was_lost_is_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    now, reminders = [1000.0], []

    def remind(seconds: float, repeat: Callable[..., None], arguments: tuple[Any, ...]) -> SimpleNamespace:
        return SimpleNamespace(start=lambda: reminders.append((seconds, repeat, arguments)))

    monkeypatch.setattr(interrupts, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(threading, "Timer", remind)
    with interrupts.stop_signals():
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        ((seconds, repeat, arguments),) = reminders
        now[0] += seconds
        with pytest.raises(KeyboardInterrupt):
            repeat(*arguments)
        interrupts.ignore_further_stops()
        assert interrupts.stop_code(0) == 128 + signal.SIGTERM


def test_spread__interrupted_while_it_waits_leaves_no_future_locked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread of the pool cancels all futures, so that one that is locked would prevent the exit."""
    seen: list[Future[Any]] = []
    enter = _AcquireFutures.__enter__

    def interrupt(futures: Any) -> None:
        enter(futures)
        if not seen:
            seen.extend(futures.futures)
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(_AcquireFutures, "__enter__", interrupt)
    with interrupts.stop_signals():
        spread(time.sleep, [60 + index for index in range(4)], 2)
    assert len(seen) == 4

    def is_free(future: Future[Any]) -> bool:
        free = future._condition.acquire(timeout=DEADLINE)
        if free:
            future._condition.release()
        return free

    with ThreadPoolExecutor(1) as other:
        assert all(other.map(is_free, seen))


def test_audit__three_interrupts_keep_the_bound() -> None:
    calls = []

    def interrupt(data: float, rng: np.random.Generator) -> float:
        calls.append(data)
        if len(calls) == 500:
            signal.raise_signal(signal.SIGINT)
        return data + float(rng.laplace())

    def again(progress: object) -> None:
        del progress

    with interrupts.stop_signals():
        result = audit(interrupt, (0.0, 9.0), epsilon=8.0, calls=5000, seed=1, progress=again)
        for _ in range(2):
            signal.raise_signal(signal.SIGINT)
    assert result.interrupted
    assert result.bound > 0


class Gone:
    """A client of a cluster without workers, or without a scheduler."""

    status = "running"

    def __init__(self, answer: object) -> None:
        self.scheduler, self._answer = SimpleNamespace(ncores=None), answer

    def sync(self, *_: object, **__: object) -> object:
        """Return the workers, or raise the error of a scheduler that does not answer."""
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer

    def submit(self, *_: object, **__: object) -> Any:
        """Return a call that never ends."""
        return SimpleNamespace(add_done_callback=lambda _: None)


def run_audit(calls: cluster.ClusterCalls, _: Path) -> None:
    audit(lambda data, rng: data + rng.laplace(), (0.0, 1.0), epsilon=1.0, executor=calls)


def run_some(calls: cluster.ClusterCalls, folder: Path) -> None:
    with Store.for_run(folder / "s", 0) as store:
        run_study(Study(DataSource()), configurations("quick", ["synthetic"])[:4], store, executor=calls)


@pytest.mark.parametrize("run", [run_audit, run_some])
@pytest.mark.parametrize(
    ("answer", "said"), [({}, "it had no worker for"), (TimeoutError(), "its scheduler did not answer for")]
)
def test_cluster__that_is_gone_ends_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: object, said: str, run: Callable[..., None]
) -> None:
    monkeypatch.setattr(cluster, "ASK", 0.0)
    calls = cluster.ClusterCalls(Gone(answer), "tcp://nowhere", 0.2)
    with pytest.raises(WorkersLostError, match=said):
        run(calls, tmp_path)


@pytest.mark.parametrize(("patience", "waited"), [(10.0, 5.0), (60.0, 55.0), (1.0, 0.5)])
def test_cluster__that_is_gone_is_given_up_in_time_to_end(
    monkeypatch: pytest.MonkeyPatch, patience: float, waited: float
) -> None:
    now = [1000.0]
    monkeypatch.setattr(cluster, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(cluster, "ASK", 0.1)
    calls = cluster.ClusterCalls(Gone({}), "tcp://nowhere", patience)
    now[0] += waited - 0.2
    calls.check()
    now[0] += 0.2
    with pytest.raises(WorkersLostError, match="it had no worker for"):
        calls.check()


def test_cluster__with_workers_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "ASK", 0.0)
    calls = cluster.ClusterCalls(Gone({"tcp://worker": 1}), "tcp://here", 0.0)
    calls.check()
    calls.check()


def die_later(data: float, rng: np.random.Generator) -> float:
    """Add noise; one call in two hundred kills the process."""
    if rng.random() < 0.005:
        os.kill(os.getpid(), signal.SIGKILL)
    return data + float(rng.laplace(scale=0.1))


@pytest.mark.parametrize(("epsilon", "verdict"), [(8.0, Verdict.INCONCLUSIVE), (0.1, Verdict.VIOLATION)])
def test_audit__whose_worker_is_killed_keeps_the_bound(epsilon: float, verdict: Verdict) -> None:
    with worker_processes(2) as pool:
        result = audit(
            die_later, (0.0, 1.0), epsilon=epsilon, seed=1, stop=False, executor=pool, calls=10_000
        )
    assert result.verdict is verdict
    assert "SIGKILL" in result.cut_short
    assert result.bound > 0


def test_audit__portions_grow_again_after_a_slow_start(monkeypatch: pytest.MonkeyPatch) -> None:
    now, lengths = [1000.0], []

    def slow_at_first(data: float, rng: np.random.Generator) -> float:
        now[0] += 1.0 if now[0] < 1003.0 and rng.random() < 0.5 else 0.0
        return data + float(rng.laplace())

    def record(pair: int, outputs: Any) -> None:
        del pair
        lengths.append(len(outputs))

    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    audit(slow_at_first, (0.0, 1.0), epsilon=9.0, calls=2000, seed=1, recorder=record)
    assert max(lengths) > 8 * max(lengths[:4])


def exit_at_once(data: float, rng: np.random.Generator) -> float:
    """End the process."""
    del data, rng
    os._exit(3)


def test_audit__whose_worker_is_killed_at_once_has_no_result() -> None:
    with worker_processes(2) as pool, pytest.raises(TargetEndedError, match="its end with exit code 3"):
        audit(exit_at_once, (0.0, 1.0), epsilon=1.0, executor=pool)
