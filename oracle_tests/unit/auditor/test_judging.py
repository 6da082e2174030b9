"""Other auditors on mechanisms of known loss: false bounds are noticed, sound ones are not accused."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from privboost.auditor.files.judging_page import conclusion_of, render_judged
from privboost.auditor.judging import trials
from privboost.auditor.judging.programs import (
    AuditorAnswer,
    BoundRequest,
    RunningAuditor,
    auditor_of,
    check_auditor,
)
from privboost.auditor.judging.trials import (
    JudgedAuditor,
    JudgedCase,
    JudgingCase,
    JudgingTask,
    draw_outputs,
    exact_interval,
    judge_auditors,
    judging_cases,
    judging_tasks,
    run_judging_task,
)
from privboost.auditor.mechanisms.private import MECHANISMS
from privboost.cli.commands.calibrate_auditors import judged_table
from privboost.errors import TargetError, UsageError

MODULE = """
import math
import numpy as np
def sound(left, right, level, delta):
    return -1.0
def wrong(left, right, level, delta):
    return 17 if level == 0.05 and delta > 0 else 0
def three(left, right, level):
    return 0
def other(left, right, level, delta):
    return "much"
def none(left, right, level, delta):
    raise ValueError("too few scores")
def never(left, right, level, delta):
    raise NotImplementedError("pure differential privacy only")
def endless(left, right, level, delta):
    return math.inf
def crash(left, right, level, delta):
    raise SystemExit(7)
def arrays(left, right, level, delta):
    return float(isinstance(left, np.ndarray) and len(left) == 2 and right.tolist() == [3.5])
"""
PROGRAM = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    result = {"name": "n" * 500, "version": "2"} if request["op"] == "hello" else len(request["args"]["left"])
    print(json.dumps({"id": request["id"], "result": result}), flush=True)
"""
LAPLACE = JudgingCase("laplace", has_equal_inputs=False, delta=1e-5)
EQUAL = JudgingCase("laplace", has_equal_inputs=True, delta=1e-5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the auditors."""
    path = tmp_path_factory.mktemp("auditors")
    (path / "theirs.py").write_text(MODULE)
    (path / "program.py").write_text(PROGRAM)
    return path


def make_judged(false: int, runs: int = 200, refused: int = 0, *, equal: bool = True) -> JudgedAuditor:
    """Return the results of an auditor with some false bounds on two cases."""
    cases = tuple(
        JudgedCase(each, runs, [0.5] * (runs - refused), count, refused, "why" if refused else "")
        for each, count in ((LAPLACE, 0), (EQUAL, false))
    )
    return JudgedAuditor("theirs", "1", "theirs.py:bound", 0.05, 500, cases if equal else cases[:1])


def ask(auditor: RunningAuditor, left: list[float], right: list[float]) -> AuditorAnswer:
    """Return the answer of an auditor to one request."""
    (answer,) = auditor.ask([BoundRequest(left, right, 0.05, 0.0)])
    return answer


# Programs ------------------------------------------------------------------------------------------------


def test_function__gets_two_arrays_and_its_number_is_the_bound(folder: Path) -> None:
    auditor = RunningAuditor(auditor_of(f"{folder}/theirs.py:arrays", 60))
    assert ask(auditor, [1.0, 2.0], [3.5]).bound == 1.0
    assert ask(auditor, [1.0], [3.5]).bound == 0.0
    auditor.close()


@pytest.mark.parametrize(
    ("name", "reason", "is_supported"),
    [
        ("other", "expected a number as a bound, got 'much'", True),
        ("none", "too few scores", True),
        ("never", "pure differential privacy only", False),
        ("crash", "crash: SystemExit: 7", True),
    ],
)
def test_function__without_a_bound_has_a_reason(
    folder: Path, name: str, reason: str, is_supported: bool
) -> None:
    auditor = RunningAuditor(auditor_of(f"{folder}/theirs.py:{name}", 60))
    answer = ask(auditor, [1.0], [2.0])
    assert math.isnan(answer.bound)
    assert answer.refusal.startswith(reason)
    assert answer.is_supported == is_supported
    auditor.close()


def test_function__may_return_infinity(folder: Path) -> None:
    auditor = RunningAuditor(auditor_of(f"{folder}/theirs.py:endless", 60))
    assert ask(auditor, [1.0], [2.0]).bound == math.inf
    auditor.close()


def test_program__says_its_name_and_is_restarted_after_its_end(folder: Path) -> None:
    target = auditor_of(f"cmd:{sys.executable} {folder}/program.py", 60)
    name, version = check_auditor(target)
    assert (len(name), version) == (59, "2")
    auditor = RunningAuditor(target)
    assert ask(auditor, [1.0, 2.0], [3.0]).bound == 2
    auditor.close()
    assert ask(auditor, [1.0, 2.0, 3.0], [3.0]).bound == 3
    auditor.close()


@pytest.mark.parametrize("name", ["three", "nothing", "math"])
def test_function__that_cannot_be_an_auditor_is_a_usage_error(folder: Path, name: str) -> None:
    with pytest.raises(UsageError, match="expected"):
        check_auditor(auditor_of(f"{folder}/theirs.py:{name}", 60))


@pytest.mark.parametrize("target", ["cmd:./no_such_program", "theirs", "theirs.py:f(1)", "cmd:"])
def test_target__of_another_form_is_a_usage_error(target: str) -> None:
    with pytest.raises(UsageError, match="expected"):
        auditor_of(target, 60)


def test_program__that_ends_keeps_the_answers_before(folder: Path) -> None:
    script = folder / "ends.py"
    script.write_text(
        PROGRAM.replace("for line in", "for _, line in zip(range(3), ").replace("sys.stdin:", "sys.stdin):")
    )
    auditor = RunningAuditor(auditor_of(f"cmd:{sys.executable} {script}", 60))
    answers = auditor.ask([BoundRequest([1.0] * k, [2.0], 0.05, 0.0) for k in (4, 5, 6, 7)])
    assert [answer.bound for answer in answers[:2]] == [4, 5]
    assert (len(answers), "crash" in answers[2].refusal) == (3, True)
    auditor.close()


def test_program__that_does_not_greet_is_no_verdict() -> None:
    with pytest.raises(TargetError, match="expected"):
        check_auditor(auditor_of(f"cmd:{sys.executable} -c pass", 60))


# Runs ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", trials.ONE_NUMBER)
def test_outputs__are_reproducible_numbers_and_greater_ones_speak_for_right(name: str) -> None:
    pair, equal = judging_cases([name], 1e-5)
    outputs, sides = draw_outputs(pair, 3, 4000)
    again, _ = draw_outputs(pair, 3, 4000)
    assert outputs.tolist() == again.tolist()
    assert outputs.tolist() != draw_outputs(pair, 4, 4000)[0].tolist()
    # The sides differ by 10 standard errors or more; with equal inputs by 5 with probability below 1e-6.
    error = outputs.std() / math.sqrt(1000)
    assert outputs[sides == 1].mean() - outputs[sides == 0].mean() > 10 * error
    outputs, sides = draw_outputs(equal, 3, 4000)
    assert abs(outputs[sides == 1].mean() - outputs[sides == 0].mean()) < 5 * outputs.std() / math.sqrt(1000)


def test_case__has_the_exact_epsilon_of_the_bank_and_0_for_equal_inputs() -> None:
    for name in trials.ONE_NUMBER:
        pair, equal = judging_cases([name], 1e-5)
        assert (pair.exact, equal.exact) == (MECHANISMS[name].exact, 0.0)
        assert pair.delta == (MECHANISMS[name].delta or 1e-5)
    with pytest.raises(UsageError, match="expected some of laplace"):
        judging_cases(["word"], 0.0)


def test_run__counts_false_bounds_and_runs_without_one(folder: Path) -> None:
    def result(name: str, case: JudgingCase = EQUAL) -> JudgedCase:
        target = auditor_of(f"{folder}/theirs.py:{name}", 60)
        return run_judging_task(JudgingTask(target, case, range(6), 60, 0.05))

    assert (result("wrong").false, result("sound").false, result("endless").false) == (6, 0, 6)
    assert result("sound", LAPLACE).tightness == 0.0
    refused = result("none")
    assert (refused.refused, refused.runs, refused.refusal) == (6, 0, "too few scores")
    assert not result("never").is_supported


def test_run__of_ours_is_false_if_the_exact_epsilon_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    task = JudgingTask(None, LAPLACE, range(1), 300, 0.05)
    assert run_judging_task(task).false == 0
    wrong = JudgingCase("laplace", has_equal_inputs=False, delta=1e-5)
    monkeypatch.setattr(JudgingCase, "exact", property(lambda _: 0.1))
    assert run_judging_task(JudgingTask(None, wrong, range(1), 300, 0.05)).false == 1


def test_interrupt__keeps_what_is_done(folder: Path) -> None:
    def stop(done: int, of: int) -> None:  # noqa: ARG001
        if done >= 2:
            raise KeyboardInterrupt

    target = auditor_of(f"{folder}/theirs.py:sound", 60)
    results = judge_auditors(
        [target], [("theirs", "")], (EQUAL, LAPLACE), runs=400, calls=60, level=0.05, progress=stop
    )
    table = judged_table(results)
    assert [auditor.name for auditor in results] == ["theirs", "ours"]
    assert (table.exit_code, table.summary.splitlines()[0]) == (130, "stopped early")
    assert any(case.runs for case in results[0].cases)


# Conclusions ---------------------------------------------------------------------------------------------


def test_interval__is_that_of_clopper_and_pearson() -> None:
    low, high = exact_interval(7, 100, 0.95)
    assert (binom.sf(6, 100, low), binom.cdf(7, 100, high)) == pytest.approx((0.025, 0.025), abs=1e-12)
    assert exact_interval(0, 0, 0.95) == (0.0, 1.0)


def test_conclusion__accuses_only_with_evidence_that_holds_for_all_cases_together() -> None:
    """The least count that is evidence has probability below 1 % / 2 / 2 at the level."""
    counts = [k for k in range(60) if make_judged(k).false_cases()]
    assert counts == list(range(counts[0], 60))
    assert binom.sf(counts[0] - 1, 200, 0.05) < 0.01 / 4 <= binom.sf(counts[0] - 2, 200, 0.05)
    # The rate that is said to be found is found with the probability that is said.
    rate = make_judged(0).detectable_rate()
    assert binom.sf(counts[0] - 1, 200, rate) >= 0.95 > binom.sf(counts[0] - 1, 200, rate - 0.001)


@pytest.mark.parametrize(
    ("results", "code", "words"),
    [
        (make_judged(0), 0, "no evidence of more false bounds than 0.05; a rate of 14.2%"),
        (
            make_judged(100),
            1,
            "FALSE BOUNDS: at level 0.05, 50% of the bounds exceed the exact ε of laplace with equal",
        ),
        (make_judged(0, refused=3), 4, "without some bounds on laplace, laplace with equal inputs"),
        (make_judged(100, refused=3), 1, "FALSE BOUNDS"),
        (make_judged(0, refused=200), 4, "no bounds: why"),
        (make_judged(0, runs=1), 0, "too few runs to show any rate"),
    ],
)
def test_exit_code__and_sentence_follow_from_the_counts(
    results: JudgedAuditor, code: int, words: str
) -> None:
    ours = JudgedAuditor("ours", "", "", 0.05, 500, make_judged(0).cases, is_ours=True)
    assert words in conclusion_of(results)
    assert judged_table([results, ours]).exit_code == code
    page = render_judged([results, ours], "privboost calibrate")
    assert ("✗ false bounds" in page) == (code == 1)
    assert page.count("✓ no evidence") == (2 if code == 0 else 1)


def test_adapters__split_scores_by_coins_and_choose_the_best_threshold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(Path(trials.__file__).parents[2] / "examples" / "auditors"))
    bounds = __import__("bounds")
    scores = np.random.default_rng(0).normal(size=1000).tolist()
    first, second = bounds.split(scores)
    assert sorted([*first, *second]) == sorted(scores)
    assert abs(len(first) - 500) < 100
    assert bounds.best_threshold([0.0] * 10 + [1.0] * 3, [2.0] * 10 + [1.0]) == 2.0


def test_program__reason_is_short_and_never_empty(folder: Path) -> None:
    script = folder / "loud.py"
    script.write_text(
        PROGRAM.replace('"result": result', '"error": "" if len(str(result)) == 1 else "é\\n" * 999')
    )
    auditor = RunningAuditor(auditor_of(f"cmd:{sys.executable} {script}", 60))
    assert ask(auditor, [1.0], [2.0]).refusal == "no reason"
    reason = ask(auditor, [1.0] * 12, [2.0]).refusal
    assert (len(reason), "\n" in reason) == (159, False)
    auditor.close()


def test_tasks__cover_all_runs_and_ours_may_be_fewer(folder: Path) -> None:
    target = auditor_of(f"{folder}/theirs.py:sound", 60)
    tasks = judging_tasks({target: 120, None: 60}, (EQUAL,), 100, 0.05)
    runs = {auditor: [task.runs for task in tasks if task.auditor == auditor] for auditor in (target, None)}
    assert runs == {target: [range(50), range(50, 100), range(100, 120)], None: [range(50), range(50, 60)]}
