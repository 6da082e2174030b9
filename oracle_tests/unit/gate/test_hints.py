"""A failure shows a request that was answered wrongly, and a hint that fits the answer."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping
from fractions import Fraction
from typing import Any

import pytest

from privboost.gate.check import Outcome, Status
from privboost.gate.checks.comparing import is_single_precision
from privboost.gate.checks.evidence import evidence_of_pairs
from privboost.gate.checks.vectors import VectorCheck
from privboost.gate.reports.diagnosis import diagnosis
from privboost.gate.reports.document import to_document
from privboost.gate.reports.tally import reproduce_command
from privboost.gate.reports.text import facts, group_by_label, request_line
from privboost.gate.targets.in_process import PythonTarget
from privboost.gate.trees.cases.flags import FLAGS
from privboost.gate.trees.checks.explaining import plausible_flags
from privboost.gate.trees.faulty import Port, load
from privboost.gate.trees.implementations.fast import FastImplementation
from privboost.oracle_tests.support.gate_checks import PROFILE, choose_checks, run_some
from privboost.oracle_tests.support.gate_stand_ins import schema
from privboost.oracle_tests.support.json_schema import complaints
from privboost.targets.conversation import Answer, Fault, FaultKind

# Requests that are shown -------------------------------------------------------------------------------


class Scales:
    """An implementation of budgets and scales in which the scale of one rule is doubled."""

    def answer(self, op: str, args: Mapping[str, Any]) -> Any:
        """Return a budget or a scale."""
        if op == "hello":
            names = ["leaf_scale", "leaf_budget"]
            return {"name": "scales", "version": "1", "protocol": 1, "operations": names}
        budget = (1 - Fraction(args["beta_tree"])) * Fraction(args["epsilon"]) / int(args["trees"])
        if op == "leaf_budget":
            return str(budget)
        if args["rule"] == "noisy_masses":
            return str((4 if args["relation"] == "exchange" else 1) * Fraction(args["weight_bound"]) / budget)
        return str(2 * Fraction(args["bound"]) * int(args["leaves"]) / budget)


def test_sec_solv__property_shows_the_request_that_is_wrong() -> None:
    result = run_some(Scales(), "property/scale-is-inverse")
    (failure,) = result.failures
    assert failure.request is not None
    assert failure.request["op"] == "leaf_scale"
    assert failure.request["args"]["rule"] == "noisy_masses"
    assert "this answer is wrong: result: expected" in failure.message
    assert failure.origin is not None


class Doubled(FastImplementation):
    """An implementation with one scale doubled, which ignores the unknown argument `temperature`."""

    def answer(self, op: str, args: Mapping[str, Any]) -> Any:
        """Return the scale of noisy_masses under exchange twice as large."""
        known = {name: value for name, value in args.items() if name != "temperature"}
        result = super().answer(op, known)
        is_wrong = op == "leaf_scale" and (args["rule"], args["relation"]) == ("noisy_masses", "exchange")
        return str(2 * Fraction(result)) if is_wrong else result


def test_diagnosis__compares_the_requests_that_were_sent_and_counts_refusals_apart() -> None:
    result = run_some(Doubled(), "/leaf_scale")
    assert any(failure.origin not in (None, failure.request) for failure in result.failures)
    values, refusals = diagnosis(result, "sec-solv")
    assert values == (
        "leaf_scale is wrong in 43 of 146 cases; right wherever relation = add_remove (61 cases), "
        "rule = link_noise_clamp (41 cases), rule = link_clamp_noise (41 cases)"
    )
    assert refusals == "leaf_scale does not refuse 1 of 89 wrong requests (unknown argument)"


BLAMED = {
    "entropy-of-one-class": ("risk-symmetric/log", "bayes_risk"),
    "link-sign": ("link-odd-monotone/log", "link"),
    "inverse-sigmoid": ("link-inverse/log", "inverse_link"),
    "surrogate-sign": ("surrogate-convex/log", "surrogate"),
    "leaf-risk-smoothed": ("leaf-risk", "leaf_risk"),
    "sensitivity-without-root": ("sharp-sensitivity", ""),
    "law-base-2": ("law/exponential", ""),
}
"""Mistakes, a property for each, and the wrong operation; empty if the property holds."""


@pytest.mark.parametrize("name", BLAMED)
def test_property__blames_the_operation_that_is_wrong(name: str) -> None:
    part, op = BLAMED[name]
    result = run_some(f"faulty:{name}", f"property/{part}")
    assert [failure.request and failure.request["op"] for failure in result.failures] == ([op] if op else [])


def test_property__pass_shows_no_request() -> None:
    result = run_some(FastImplementation(), "property/risk-symmetric")
    passed = [outcome for outcome in result.outcomes if "property" in outcome.check]
    assert {outcome.request for outcome in passed if outcome.status is Status.PASS} == {None}


def test_predict__failure_shows_the_prediction_and_not_the_training() -> None:
    class Shifted(FastImplementation):
        def answer(self, op: str, args: Mapping[str, Any]) -> Any:
            margins = super().answer(op, args)
            return [margin + 1 for margin in margins] if op == "predict" else margins

    result = run_some(Shifted(), "learner/seeded/predict")
    assert [failure.request and failure.request["op"] for failure in result.failures] == ["predict"]


# Hints -------------------------------------------------------------------------------------------------


def log_risk(u: str, answer: Answer) -> str:
    """Return the message for an answer to the risk of the log loss."""
    (check,) = choose_checks("values/bayes_risk/log")
    assert isinstance(check, VectorCheck)
    (vector,) = (each for each in check.vectors if each.case.id == f"{check.id}/loss=log u={u}")
    return message_of(check.judge(vector, answer))


def message_of(outcome: Outcome) -> str:
    """Return the message of an outcome with its hints."""
    return outcome.message + PROFILE.format_hints(outcome.hints)


def test_hint__lost_digits_are_not_blamed_on_base_or_underflow() -> None:
    message = log_risk("2^-1000", Answer(result=1000 * 2.0**-1000))
    assert "right to about 2 digits" in message
    assert not any(FLAGS[flag] in message for flag in ("log-base", "normalisation", "tiny", "ulp-near-zero"))


def test_hint__fits_the_answer() -> None:
    right = 2 - math.log2(3) * 3 / 4
    assert FLAGS["log-base"] in log_risk("1/4", Answer(result=right * math.log(2)))
    assert FLAGS["log-base"] not in log_risk("1/4", Answer(result=right / 3))
    assert FLAGS["tiny"] in log_risk("2^-1000", Answer(result=0))


def test_hint__that_fits_the_ratio_best_comes_first() -> None:
    flags = ("tie-at-half", "exchange-two", "log-base", "score-sign", "factor-two")
    expected, op = {"exact": "3", "decimal": "3"}, "leaf_scale"
    assert plausible_flags(flags, op, {}, expected, 6)[:2] == ["exchange-two", "factor-two"]
    assert plausible_flags(flags, op, {}, expected, -3)[0] == "score-sign"
    assert plausible_flags(flags, op, {}, expected, 3 / math.log(2))[0] == "log-base"
    assert plausible_flags(flags, op, {}, expected, 5) == list(flags)
    assert plausible_flags(flags, op, {}, expected, 3.0001) == ["tie-at-half"]
    message = PROFILE.format_hints(("tie", "zeta", "huge"))
    assert message == f". Perhaps: {FLAGS['tie']}; or {FLAGS['zeta']}; or {FLAGS['huge']}"
    assert "; or" not in PROFILE.format_hints(("tie",))


@pytest.mark.parametrize("result", [None, [0.5], "half"])
def test_hint__is_absent_if_the_answer_is_not_a_number(result: Any) -> None:
    assert "Perhaps:" not in log_risk("1/4", Answer(result=result))


def test_hint__is_not_appended_to_a_crash() -> None:
    (check,) = choose_checks("refusal/bayes_risk")
    assert isinstance(check, VectorCheck)
    crash = Answer(fault=Fault(FaultKind.CRASH, "exit code 7: last words"))
    assert message_of(check.judge(check.vectors[0], crash)).endswith("last words")
    assert "Perhaps:" in message_of(check.judge(check.vectors[0], Answer(result=1)))


def test_hints__difference_in_a_later_tree_names_the_first_one() -> None:
    result = run_some("faulty:beta-missing", "learner/train/alpha")
    messages = [failure.message for failure in result.failures]
    assert messages
    assert all(
        "It may follow from an earlier difference: beta[0]: expected" in message for message in messages
    )
    assert not any("Perhaps:" in message for message in messages)


@pytest.mark.parametrize("name", ["schedule-from-one", "alpha-of-leaf"])
def test_hints__of_a_tape_are_those_of_its_protocol(name: str) -> None:
    failures = run_some(f"faulty:{name}", "learner/train/alpha").failures
    own = [failure for failure in failures if not failure.is_derived]
    assert own
    for failure in own:
        is_scheduled = (failure.request or {})["args"]["protocol"]["alpha"] == "schedule"
        assert (FLAGS["alpha-of-level"] in failure.message) == is_scheduled
        assert (FLAGS["calibration-cap"] in failure.message) != is_scheduled


def test_hint__names_single_precision_and_nothing_else() -> None:
    message = log_risk("1/10", Answer(result=0.46899557113647461))
    assert "it is a number of single precision (float32)" in message
    assert "Perhaps:" not in message
    assert "single precision" not in log_risk("1/10", Answer(result=0.46899))
    assert is_single_precision(Fraction(131075, 2))
    assert not is_single_precision(Fraction(131074))


class Zero:
    """An implementation that answers 0."""

    def answer(self, *_: Any) -> Any:
        """Return 0."""
        return 0


def test_hint__of_a_simpler_request_is_not_about_the_first_one() -> None:
    (check,) = choose_checks("values/bayes_risk/m_alpha")
    assert isinstance(check, VectorCheck)
    target = PythonTarget("zero", Zero())
    request = {"op": "bayes_risk", "args": {"loss": "m_alpha", "alpha": "3/7", "u": "1/7"}}
    outcome = check.judge_request(target, request, ("tiny", "factor-two"))
    assert outcome is not None
    assert "tiny" not in outcome.hints
    known = next(vector for vector in check.vectors if "tiny" in vector.case.flags)
    request = {"op": "bayes_risk", "args": known.case.args}
    outcome = check.judge_request(target, request, ("factor-two",))
    assert outcome is not None
    assert "tiny" in outcome.hints


def test_failures__that_follow_from_others_come_last() -> None:
    names = ("learner/train/alpha", "learner/train/beta", "learner/train/masses")
    result = run_some("faulty:beta-missing", *names)
    labels = [label for label, _ in group_by_label(result.failures)]
    assert labels == ["cboost", "fixALPHA", "defwunMF"]


# Clues that must not mislead ---------------------------------------------------------------------------


def messages(target: object, part: str) -> str:
    """Return the messages of all failures of some checks, with their hints."""
    result = run_some(target, part)
    assert result.failures
    return "\n".join(failure.message for failure in result.failures)


class RootOfM(FastImplementation):
    """An implementation whose printed sensitivity lacks the -1."""

    def answer(self, op: str, args: Mapping[str, Any]) -> Any:
        """Return 3 + 2 alpha sqrt(m)."""
        value = super().answer(op, args)
        is_wrong = op == "sensitivity" and args["rule"] == "printed"
        return value + 2 * float(Fraction(args["alpha"])) if is_wrong else value


def test_clue__printed_sensitivity_has_no_weight_bound() -> None:
    told = messages(RootOfM(), "values/sensitivity/printed")
    assert FLAGS["printed-root"] in told
    assert FLAGS["weight-bound"] not in told


def test_clue__saturated_noise_is_shown_and_no_seed_is_blamed() -> None:
    told = messages("faulty:noise-saturated", "no stream is repeated")
    assert "2097151.9990234375 and 2097151.9990234375" in told
    assert "noise is clamped there" in told
    assert "the seed is ignored" not in told


def test_clue__seed_that_is_ignored_is_still_named() -> None:
    told = messages("faulty:seed-ignored", "no stream is repeated")
    assert "the seed is ignored, or streams overlap" in told


def test_clue__bias_is_no_dependence() -> None:
    law: dict[Hashable, float] = {0: 0.5, 1: 0.5}
    biased = [(a, b) for a in (0, 1, 1) for b in (0, 1, 1)] * 200
    dependent = [(0, 0), (1, 1)] * 900
    evidence = [evidence_of_pairs(law, pairs, "dependent", "biased") for pairs in (biased, dependent)]
    assert [each.description.partition(":")[0] for each in evidence] == ["biased", "dependent"]
    assert all(each.log_wealth > 50 for each in evidence)


class Cut(FastImplementation):
    """An implementation whose scales are at most 40, and whose noise is at most 3/2 of its scale."""

    def answer(self, op: str, args: Mapping[str, Any]) -> Any:
        """Return a scale or noise, clamped."""
        value = super().answer(op, args)
        if op == "leaf_scale":
            return str(min(Fraction(value), Fraction(40)))
        if op != "sample_laplace":
            return value
        grid = Fraction(args["grid"])
        most = grid * (3 * Fraction(args["scale"]) / 2 // grid)
        return [str(min(max(Fraction(part), -most), most)) for part in value]


def test_clue__clipping_is_no_factor_of_two() -> None:
    told = messages(Cut(), "values/leaf_scale/link_noise_clamp")
    assert FLAGS["clipped"] in told
    assert not any(word in told for word in ("half of", "a quarter of", FLAGS["factor-two"]))
    assert "The largest size, 1500, came" in messages(Cut(), "sample_laplace/scale=1000")


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("risk-not-normalised", "values/bayes_risk/square"),
        ("perspective-not-scaled", "values/perspective/square"),
        ("leaf-risk-mean", "values/leaf_risk"),
    ],
)
def test_clue__factor_is_not_clipping_where_one_value_repeats(name: str, part: str) -> None:
    result = run_some(f"faulty:{name}", part)
    wrong = Counter(failure.message.partition("got ")[2].split(":")[0] for failure in result.failures)
    assert max(wrong.values()) > 1
    assert not any(FLAGS["clipped"] in failure.message for failure in result.failures)


class Limited(Port):
    """An implementation in which `m`, and scales of noise, are at most the greatest integer of 32 bits."""

    def answer(self, op: str, args: Mapping[str, Any]) -> Any:
        """Return the answer of the model."""
        is_integer = op == "sensitivity" and str(args.get("m")).isdigit()
        limited = {"m": str(min(int(args["m"]), 2**31 - 1))} if is_integer else {}
        value = super().answer(op, {**args, **limited})
        return str(min(Fraction(value), 2**31 - 1)) if op == "leaf_scale" else value


@pytest.mark.parametrize(
    ("target", "part", "argument", "clipped"),
    [
        (Limited(), "values/sensitivity/printed", "`m` cut at 2147483647", False),
        (Limited(), "values/leaf_scale/noisy_masses", "", True),
        ("faulty:codes-saturated", "values/split_scores", "`rows.x` cut at 2147483647", False),
        ("faulty:codes-wrap", "values/split_scores", "", False),
        # The surrogate of a great negative margin is its size, so either of the two may be cut.
        ("faulty:margin-saturated", "values/surrogate/square", "`z` cut at -2147483647", True),
        ("faulty:margin-clamped", "values/surrogate/square", "", True),
    ],
)
def test_clue__saturated_argument_is_told_from_a_clipped_result(
    target: object, part: str, argument: str, clipped: bool
) -> None:
    told = messages(target, part)
    assert argument in told
    assert ("an end of the integers" in told, FLAGS["saturated"] in told) == (bool(argument),) * 2
    assert (FLAGS["clipped"] in told) == clipped


@pytest.mark.parametrize(
    ("name", "part", "changed"),
    [
        ("seed-ignored", "no stream is repeated", "seed"),
        ("train-seed-ignored", "seeds matter", "seed"),
        ("noise-cached-by-seed", "sample_laplace/repeated", "scale"),
        ("model-cached-by-tape", "learner/train/masses", "rows"),
        ("sharp-cached", "values/sensitivity/sharp", "weight_bound"),
    ],
)
def test_clue__shows_both_requests_if_it_takes_two(name: str, part: str, changed: str) -> None:
    result = run_some(f"faulty:{name}", part)
    failure = next(each for each in result.failures if each.after)
    (before,) = failure.after
    after = failure.request or {}
    assert [key for key in after["args"] if after["args"][key] != before["args"][key]] == [changed]
    assert dict(facts(result, failure))["after"] == request_line(before)
    again = reproduce_command(result, failure)
    assert again.count("print(target.answer(") == 2 or "too long" in again
    document = next(each for each in to_document(result)["outcomes"] if each["check"] == failure.check)
    assert document["after"] == [before]
    assert complaints(schema("report"), to_document(result)) == []


class SharedLater(Port):
    """An implementation that draws one noise for all leaves, but not in its first run."""

    def __init__(self) -> None:
        super().__init__()
        self.first = ""

    def answer(self, op: str, args: Mapping[str, Any]) -> Any:
        """Return the answer of the model, or in later runs that of the mistake."""
        self.first = self.first or str(args.get("seed", ""))
        is_later = op == "train" and args["seed"] != self.first
        return load("noise-shared-by-leaves").answer(op, args) if is_later else super().answer(op, args)


def test_clue__repeated_noise_shows_a_run_that_has_it() -> None:
    target = SharedLater()
    (failure,) = run_some(target, "noise is fresh").failures
    assert (failure.request or {})["args"]["seed"] != target.first
    assert not failure.after


@pytest.mark.parametrize(
    ("name", "part", "argument"),
    [
        ("model-cached-by-tape", "learner/train/masses", "rows"),
        ("model-cached-by-rows-and-tape", "learner/train/scale", "parameters.epsilon"),
        ("train-model-cached", "learner/seeded/SOUND", "rows"),
        ("model-cached-by-rows-and-seed", "learner/seeded/SOUND", "parameters.epsilon"),
        ("sharp-cached", "values/sensitivity/sharp", "weight_bound"),
        ("noise-cached-by-seed", "sample_laplace/repeated", "scale"),
        ("draws-cached-by-seed", "sample_split/repeated", "epsilon"),
    ],
)
def test_clue__kept_answer_names_the_argument_that_changed(name: str, part: str, argument: str) -> None:
    told = messages(f"faulty:{name}", part)
    assert f"it is the answer to an earlier request with another `{argument}`" in told
