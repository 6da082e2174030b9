"""The profile `mechanisms`: its vectors, its checks, and the mistakes that they reject."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from random import Random
from typing import Any

import jsonschema
import pytest

from privboost.gate.check import WIRE, Check
from privboost.gate.mechanisms.cases.numbers import CASES as NUMBERS
from privboost.gate.mechanisms.cases.of_table import TABLE_CASES, WORDS
from privboost.gate.mechanisms.expected.ask import exact_answer
from privboost.gate.mechanisms.faulty import MISTAKES, load
from privboost.gate.mechanisms.faulty.model import PlainLibrary
from privboost.gate.mechanisms.levels import Level
from privboost.gate.pages.protocol import protocol_page, schema_files
from privboost.gate.plan import GatePlan
from privboost.gate.profiles import load_profile
from privboost.gate.protocol.hello import read_hello
from privboost.gate.protocol.kinds import WordKind
from privboost.gate.protocol.wire import WireError
from privboost.gate.reports.document import to_document
from privboost.gate.reports.markdown import to_markdown
from privboost.gate.reports.page import gate_page
from privboost.gate.reports.tally import Verdict, headline, told_lines, verdict_of
from privboost.gate.reports.text import summary
from privboost.gate.result import GateResult
from privboost.gate.run import every_check, run_gate
from privboost.gate.targets.in_process import PythonTarget
from privboost.gate.vectors.generate import compare_vectors
from privboost.oracle_tests.support.checkout import ROOT

PROFILE = load_profile("mechanisms")
FOLDER = ROOT / "gate" / "mechanisms"
GROUP_EPSILONS = 6
"""Number of cases of `group_epsilon`."""
KINDS = ("interval", "map", "law", "refused")
SAMPLE = 25
"""Every so many cases are computed again in the quick tests; all of them in `make thorough`."""
QUICK = (
    *("response-of-two", "sigma-classic", "histogram-one-draw", "stable-threshold-too-low"),
    *("sum-wraps-at-32-bits", "histogram-order-of-rows", "threshold-without-one", "accepts-nan"),
    *("mean-of-present", "resize-by-place", "distinct-by-case", "discrete-gaussian-rounded"),
)
"""Mistakes of every kind that the quick tests gate; `make thorough` gates all."""


@pytest.fixture(scope="module")
def documents() -> list[dict[str, Any]]:
    """Return the vector files."""
    return [json.loads(path.read_text("ascii")) for path in sorted((FOLDER / "vectors").glob("*.json"))]


@lru_cache(maxsize=1)
def _checks() -> tuple[Check, ...]:
    return every_check(PROFILE)


def _run(body: Any, wanted: Callable[[Check], bool], seed: int = 0) -> GateResult:
    chosen = [check for check in _checks() if check.level != WIRE and wanted(check)]
    return run_gate(PythonTarget("x:y", body), profile=PROFILE, checks=chosen, seed=seed)


def test_mechanisms__vectors_are_many_of_all_kinds_each_with_a_mistake(
    documents: list[dict[str, Any]],
) -> None:
    cases = [case for document in documents for case in document["cases"]]
    assert len(documents) >= 15
    assert {kind: sum(kind in case for case in cases) >= 150 for kind in KINDS} == dict.fromkeys(KINDS, True)
    assert all(case["flags"] for case in cases)
    published = {flag for document in documents for flag in document["bugs"]}
    assert sum(not published.isdisjoint(case["flags"]) for case in cases) >= 40


def test_mechanisms__published_bugs_are_of_flags_and_each_is_cited_once_for_a_flag() -> None:
    bugs = PROFILE.vectors.bugs
    assert set(bugs) <= set(PROFILE.flags)
    assert all(len({(bug.repository, bug.issue) for bug in each}) == len(each) for each in bugs.values())
    reports = {(bug.repository, bug.issue) for reports in bugs.values() for bug in reports}
    assert len(reports) >= 20
    assert all(repository.count("/") == 1 for repository, _ in reports)


def test_mechanisms__vectors_fit_their_schema(documents: list[dict[str, Any]]) -> None:
    schema = json.loads((ROOT / "gate" / "protocol" / "schemas" / "vectors.json").read_text("utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    for document in documents:
        validator.validate(document)
        assert document["count"] == len(document["cases"]) == len({case["id"] for case in document["cases"]})
    documents[0]["cases"][0]["verdict"] = "perhaps"
    assert not validator.is_valid(documents[0])


def test_mechanisms__some_vectors_are_those_of_the_reference(documents: list[dict[str, Any]]) -> None:
    for document in documents:
        for case in document["cases"][::SAMPLE]:
            if "refused" in case or "may_refuse" in case:
                continue
            answer = exact_answer(document["op"], case["args"])
            expected = {name: case[name] for name in ("law", "map") if name in case}
            assert answer == (expected or case.get("interval", case.get("value"))), case["id"]


@pytest.mark.slow
def test_mechanisms__vectors_on_disk_are_the_bytes_of_the_reference() -> None:
    differences = compare_vectors(PROFILE, FOLDER / "vectors")
    assert {name: text for name, text in differences.items() if text} == {}


@pytest.mark.parametrize("argument", WORDS)
def test_mechanisms__wrong_budgets_are_sent_with_every_word(argument: str) -> None:
    """A library that has one word only, such as exact Laplace noise, is asked what it must refuse as well."""
    operations = load_profile("mechanisms").operations
    sent = {
        (case.op, case.args.get(argument))
        for case in TABLE_CASES.wrong_requests()
        if case.args.get("epsilon") == "0"
    }
    for operation in operations.values():
        kind = operation.arguments_of(operation.examples[0]).get(argument)
        if isinstance(kind, WordKind) and len(operation.examples) == 1:
            assert {(operation.name, word) for word in kind.choices} <= sent


def test_mechanisms__page_and_schemas_are_made_from_the_table() -> None:
    page = (ROOT / PROFILE.page.path).read_text("utf-8")
    assert protocol_page(PROFILE, page) == page
    files = schema_files(PROFILE)
    assert {name: (FOLDER / "schemas" / name).read_text("utf-8") for name in files} == files


def test_mechanisms__numbers_have_a_case_for_every_rule() -> None:
    rules = {label for check in _checks() if check.level == Level.NUMBERS for label in [check.label]}
    assert {rule.replace("_", "-") for rule in NUMBERS} == rules


def test_mechanisms__right_numbers_and_steps_pass() -> None:
    """Two derivations of every number agree: floats of the model, and certified numbers of the reference."""
    result = _run(PlainLibrary(), lambda check: check.level in (Level.NUMBERS, Level.MAPS))
    assert [failure.check for failure in result.failures] == []
    assert len(result.outcomes) > 1000


def test_mechanisms__right_draws_pass_their_laws_by_chance_at_most_once_in_a_million_runs() -> None:
    """The probability of a false alarm is at most 2e-7."""
    result = _run(
        PlainLibrary(),
        lambda check: check.level == Level.LAWS and hash_of(check.id) == 0 and check.label != "laplace",
    )
    assert [failure.check for failure in result.failures] == []
    assert result.false_alarm <= 2e-7
    assert len(result.outcomes) >= 15


def _failures_of_one(name: str, check: str) -> list[str]:
    """Gate an implementation by one check; return the flags of its failures."""
    result = _run(load(name), lambda each: each.id == check)
    assert not result.broken
    return [flag for failure in result.failures for flag in failure.flags]


@pytest.mark.parametrize(
    ("name", "check", "flag"),
    [
        ("seed-of-8-bits", "laws/laplace/draws that come again", "draws-repeated"),
        ("laplace-of-scale-before", "laws/laplace/one draw per request", "earlier-requests"),
        ("draws-first-exact", "laws/laplace/one draw per request", "noise-left-out"),
        ("laplace-negative-exact", "laws/laplace/one draw per request", "noise-left-out"),
        ("histogram-ends-alike", "laws/histogram/one draw per request", "earlier-requests"),
        ("release-textbook", "laws/laplace/low bits", "low-bits"),
        ("release-noise-rounded", "laws/gaussian/low bits", "low-bits"),
    ],
)
def test_mechanisms__each_kind_of_dependence_has_a_check_of_its_own(name: str, check: str, flag: str) -> None:
    """The probability that the implementation without a mistake fails one of them is at most 1e-8."""
    assert flag in _failures_of_one(name, check)
    assert _failures_of_one("none", check) == []


def test_mechanisms__law_that_is_missed_names_the_interval_of_a_cell() -> None:
    result = _run(load("laplace-truncated"), lambda check: check.id == "laws/laplace/two at 0")
    (failure,) = result.failures
    assert "draws: '(-3.5, -2.25]' has probability 0.005099 and was 0 of 10000 draws" in failure.message


class Silent(PlainLibrary):
    """A library that claims nothing about low bits, and does not protect them."""

    def answer(self, op: str, args: Any) -> Any:
        """Return a result."""
        result = super().answer(op, args)
        return result | {"claims": []} if op == "hello" else result

    def release(self, value: float, noise: float, scale: float) -> float:
        """Return the sum as it is."""
        return value + noise


def test_mechanisms__low_bits_that_are_not_claimed_are_told_and_do_not_fail() -> None:
    result = _run(Silent(), lambda check: check.label == "low-bits")
    assert result.failures == ()
    (told,) = [line for line in told_lines(result) if "laplace" in line]
    assert "`hello` does not claim `low_bits`" in told
    for report in (summary(result), to_markdown(result), gate_page(result)):
        assert "does not claim" in report
    outcomes = to_document(result)["outcomes"]
    assert sum(outcome.get("told", False) for outcome in outcomes) == 2


def test_mechanisms__larger_numbers_are_told_with_their_factor() -> None:
    result = _run(PlainLibrary(), lambda check: check.label in ("zcdp-epsilon", "group-epsilon"))
    (line,) = told_lines(result)
    document = to_document(result)
    told = [outcome["factor"] for outcome in document["outcomes"] if "factor" in outcome]
    factors = [factor for factor in told if factor != "infinity"]
    n_numbers = sum(outcome["level"] == "numbers" for outcome in document["outcomes"]) - GROUP_EPSILONS
    assert line.startswith(f"zcdp-epsilon: {len(told)} of {n_numbers} results larger than needed")
    assert f"up to {max(factors):.4g} times the least" in line
    assert document["profile"]["release"] == PROFILE.vectors.release
    schema = json.loads((ROOT / "gate" / "protocol" / "schemas" / "report.json").read_text("utf-8"))
    jsonschema.validate(document, schema)


def test_mechanisms__what_hello_lists_is_what_must_be_answered() -> None:
    plan = GatePlan("x:y", PROFILE)
    assert plan.required_of({"laplace"}) == {"laplace"}
    assert GatePlan("x:y", PROFILE, only=["laplace"]).required_of({"laplace", "count"}) == frozenset()
    result = _run(Lazy(), lambda check: check.op == "geometric" if hasattr(check, "op") else False)
    partial = replace(result, required=plan.required_of(("laplace", "geometric")))
    assert verdict_of(partial) is Verdict.PARTIAL
    assert "Not answered of the operations that hello lists: laplace" in headline(partial)
    assert verdict_of(replace(result, required=plan.required_of(("geometric",)))) is Verdict.PASS


class Lazy(PlainLibrary):
    """A library that lists two operations, and answers one."""

    def answer(self, op: str, args: Any) -> Any:
        """Return a result."""
        if op == "laplace":
            raise NotImplementedError(op)
        listed = {"operations": ["laplace", "geometric"]} if op == "hello" else {}
        return super().answer(op, args) | listed if op == "hello" else super().answer(op, args)


def test_mechanisms__claims_that_the_protocol_does_not_have_are_refused() -> None:
    hello = PlainLibrary().answer("hello", {})
    assert read_hello(hello, PROFILE.operations, PROFILE.limits, PROFILE.claims).claims == {"low_bits"}
    with pytest.raises(WireError, match=r"hello\.claims"):
        read_hello(hello | {"claims": ["speed"]}, PROFILE.operations, PROFILE.limits, PROFILE.claims)


def hash_of(name: str) -> int:
    """Return a number below 8 that spreads names."""
    return Random(name).randrange(8)


@pytest.mark.slow
def test_mechanisms__right_implementation_conforms() -> None:
    result = _run(PlainLibrary(), lambda _: True)
    assert [failure.check for failure in result.failures] == []
    assert result.false_alarm <= 1e-6


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in MISTAKES]
)
def test_mechanisms__mistake_is_rejected_by_its_own_label(name: str) -> None:
    own = [check for check in _checks() if check.label == MISTAKES[name].label]
    exact = {check.id for check in own if not check.false_alarm}
    body = load(name)
    failures = exact and _run(body, lambda check: check.id in exact).failures
    failures = failures or _run(body, lambda check: check in own).failures
    assert bool(failures) != bool(MISTAKES[name].missed)


def test_mechanisms__mistakes_are_many_and_none_is_missed() -> None:
    missed = [name for name, mistake in MISTAKES.items() if mistake.missed]
    assert len(MISTAKES) >= 60
    assert missed == []
    assert {mistake.label for mistake in MISTAKES.values()} <= set(PROFILE.labels)


def test_mechanisms__judge_of_the_page_needs_no_runner(documents: list[dict[str, Any]]) -> None:
    page = (ROOT / PROFILE.page.path).read_text("utf-8")
    program = re.search(r"```python\n(.*?)```", page, re.S)
    assert program is not None
    names: dict[str, Any] = {}
    exec(program[1], names)
    (document,) = (document for document in documents if document["op"] == "laplace")
    law, args = next((case["law"], case["args"]) for case in document["cases"] if "law" in case)
    args = args | {"count": str(law["draws"]), "seed": "7"}
    assert names["judge"](law, PlainLibrary().answer("laplace", args)) is None
    assert names["judge"](law, load("scale-half").answer("laplace", args)) == "half-the-noise"
