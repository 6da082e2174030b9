"""Coverage: an operation that loses a variant is noticed, unless hello leaves the variant out."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import pytest

from privboost.gate.check import REFUSAL, Status
from privboost.gate.checks.vectors import VectorCheck
from privboost.gate.plan import GatePlan
from privboost.gate.profile import CheckGroup, Profile
from privboost.gate.protocol.hello import read_hello
from privboost.gate.protocol.operation import Variant
from privboost.gate.protocol.wire import WireError
from privboost.gate.reports.badge import COLOURS, to_badge
from privboost.gate.reports.document import to_document
from privboost.gate.reports.page import gate_page
from privboost.gate.reports.tally import Verdict, headline, verdict_of
from privboost.gate.reports.text import summary
from privboost.gate.result import Coverage, GateResult
from privboost.gate.run import run_gate
from privboost.gate.targets.in_process import PythonTarget
from privboost.gate.targets.target import Announced
from privboost.gate.trees.faulty import Port
from privboost.gate.trees.operations.operations import OPERATIONS
from privboost.oracle_tests.support.gate_checks import PROFILE, choose_checks
from privboost.oracle_tests.support.gate_stand_ins import HELLO, schema
from privboost.oracle_tests.support.json_schema import complaints


class Lacking(Port):
    """An implementation without one variant, which may say so."""

    def __init__(self, lacks: Variant | None = None, variants: Any = None) -> None:
        super().__init__()
        self.lacks, self.variants = lacks, variants
        self.asked: set[Variant] = set()

    def answer(self, op: str, args: Mapping[str, Any]) -> Any:
        """Return the answer of the model, if it has the variant."""
        if op == "hello":
            stated = {} if self.variants is None else {"variants": self.variants}
            return super().answer(op, args) | stated
        asked = set(OPERATIONS[op].variants_of(args)) if op in OPERATIONS else set()
        self.asked |= asked
        if self.lacks in asked:
            raise NotImplementedError("not this one")
        return super().answer(op, args)


def profile_of(core: Collection[str], *parts: str) -> Profile:
    """Return the profile with some of its checks and another core."""
    checks = choose_checks(*parts)
    group = CheckGroup(
        frozenset(check.label for check in checks),
        frozenset(str(check.level) for check in checks),
        lambda: checks,
    )
    return replace(PROFILE, core=frozenset(core), groups=(group,))


def run_core(target: Port, core: Collection[str], *parts: str) -> GateResult:
    """Run some checks as if they were all, and these operations the core."""
    return run_gate(PythonTarget("x:y", target), profile=profile_of(core, *parts))


SEED, ADD_REMOVE = Variant("train", "seed"), Variant("train", "protocol.relation", "add_remove")
SHARP = Variant("sensitivity", "rule", "sharp")
LOST = [
    (SHARP, ["values/sensitivity/"], "sensitivity with rule=sharp"),
    (Variant("leaf_scale", "relation", "exchange"), ["/leaf_scale"], "leaf_scale with relation=exchange"),
    (ADD_REMOVE, ["learner/train/alpha"], "train with protocol.relation=add_remove"),
    (SEED, ["learner/train/alpha", "learner/seeded/SOUND"], "train with seed"),
    (
        Variant("predict", "domain.kind", "categorical"),
        ["learner/predict"],
        "predict with domain.kind=categorical",
    ),
]


@pytest.mark.parametrize(("lost", "parts", "words"), LOST)
def test_variant__that_is_lost_makes_a_run_partial(lost: Variant, parts: list[str], words: str) -> None:
    whole, result = (run_core(Lacking(each), [lost.operation], *parts) for each in (None, lost))
    assert verdict_of(whole) is Verdict.PASS
    assert (verdict_of(result), result.passed) == (Verdict.PARTIAL, False)
    assert result.missing == ()
    assert lost in result.missing_variants
    assert headline(result).endswith(f". Not answered of the core: {words}")
    assert "declare their variants in hello" in summary(result)
    assert 'id="missing"' in gate_page(result)
    assert 'id="missing"' not in gate_page(whole)
    document = to_document(result)
    assert complaints(schema("report"), document) == []
    assert len(document["coverage"]["missing_variants"]) == len(result.missing_variants)
    assert COLOURS[Verdict.PARTIAL] in to_badge(result)


def test_page__shows_what_is_missing_and_no_rows_of_labels_that_were_skipped() -> None:
    profile = profile_of((), "values/sensitivity/", "values/link")
    target = PythonTarget("x:y", Lacking(SHARP))
    result = run_gate(target, profile=profile, operations=["sensitivity", "train"])
    page = gate_page(replace(result, required=frozenset(result.plan.operations)))
    missing, _, labels = page.partition('id="labels"')
    missing = missing[missing.index('id="missing"') :]
    assert "<code>train</code></th>" in missing
    assert "<code>rule=sharp</code>" in missing
    rows, _, rest = labels.partition("</table>")
    assert "sensALPHA" in rows
    assert "f-alphaM" not in rows
    assert "Not supported by the target, and skipped: f-alphaM" in rest


def test_variant__that_is_lost_counts_for_required_operations_only() -> None:
    result = run_core(Lacking(SHARP), ["leaf_scale"], "values/sensitivity/", "values/leaf_scale")
    assert verdict_of(result) is Verdict.PASS
    target = PythonTarget("x:y", Lacking(SHARP))
    chosen = replace(result, required=GatePlan("", PROFILE, operations=["sensitivity"]).required_of(()))
    assert chosen.missing_variants == (SHARP,)
    by_level = run_gate(target, ["values"], profile=profile_of(["sensitivity"], "values/sensitivity/"))
    assert verdict_of(by_level) is Verdict.PASS


def test_variant__of_refused_requests_is_not_answered_by_refusing() -> None:
    result = run_core(Lacking(SHARP), ["sensitivity"], "/sensitivity")
    refused = [each for each in result.outcomes if each.level == REFUSAL and each.status is Status.PASS]
    assert refused
    assert result.missing_variants == (SHARP,)


def test_variant__that_hello_leaves_out_is_not_sent_and_is_named() -> None:
    target = Lacking(SHARP, {"sensitivity": {"rule": ["printed"]}})
    result = run_core(target, ["sensitivity"], "/sensitivity")
    assert SHARP not in target.asked
    assert verdict_of(result) is Verdict.PASS
    assert headline(result).endswith(". Left out by hello: sensitivity with rule=sharp")
    assert COLOURS[Verdict.PARTIAL] in to_badge(result)
    document = to_document(result)
    assert complaints(schema("report"), document) == []
    left_out = {"operation": "sensitivity", "argument": "rule", "word": "sharp"}
    assert document["coverage"]["left_out"] == [left_out]
    said = "hello leaves out rule=sharp"
    assert {each.message for each in result.outcomes if each.status is Status.SKIP} == {said}


def test_variant__that_is_left_out_may_be_part_of_a_wrong_request() -> None:
    stated = {"leaf_scale": {"relation": ["exchange"]}}
    hello = read_hello(HELLO | {"operations": ["leaf_scale"], "variants": stated}, OPERATIONS, PROFILE.limits)
    check = next(each for each in choose_checks("refusal/leaf_scale") if isinstance(each, VectorCheck))
    wrong = next(each for each in check.vectors if "exchange" in each.case.args.values())
    removed = replace(wrong, case=replace(wrong.case, args={**wrong.case.args, "relation": "add_remove"}))
    silent = PythonTarget("x:y", Lacking(Variant("leaf_scale", "relation", "add_remove")))
    stating = Announced(silent, hello, OPERATIONS, PROFILE.limits)
    outcomes = [*replace(check, vectors=(removed,)).run(stating, 0)]
    assert [each.status for each in outcomes] == [Status.SKIP]
    evasion = [*replace(check, vectors=(removed,)).run(silent, 0)]
    assert [each.status for each in evasion] == [Status.FAIL]


def test_variant__that_is_asked_with_what_is_left_out_only_is_not_required() -> None:
    flips = Variant("train", "protocol.split_law", "permute_and_flip")
    lost = Variant("train", "protocol.relation", "exchange")
    silent, stating = (
        run_core(Lacking(lost, stated), ["train"], "learner/train/alpha")
        for stated in (None, {"train": {"protocol.relation": ["add_remove"]}})
    )
    assert {lost, flips} <= set(silent.missing_variants)
    assert (stating.missing_variants, stating.left_out) == ((), (lost,))
    assert flips not in stating.coverage.asked


def test_variant__declared_and_not_answered_is_missing() -> None:
    target = Lacking(SHARP, {"sensitivity": {"rule": ["printed", "sharp"]}})
    assert run_core(target, ["sensitivity"], "values/sensitivity/").missing_variants == (SHARP,)


def test_variants__are_all_words_and_optional_arguments_of_the_table() -> None:
    assert set(OPERATIONS["train"].variants()) == {
        *("seed", "tape", "domain.kind"),
        *(f"protocol.{name}" for name in ("alpha", "split_law", "sensitivity", "node_budget")),
        *(f"protocol.{name}" for name in ("leaf", "beta", "relation")),
    }
    assert OPERATIONS["leaf_scale"].variants()["relation"] == ("exchange", "add_remove")
    assert OPERATIONS["leaf_budget"].variants() == {}


@pytest.mark.parametrize(
    "variants",
    [
        *([], {"links": {}}, {"train": []}, {"train": {"trees": ["1"]}}, {"train": {"protocol": ["sharp"]}}),
        *({"train": {"seed": ["1"]}}, {"sensitivity": {"rule": []}}, {"sensitivity": {"rule": "sharp"}}),
        {"sensitivity": {"rule": ["level"]}},
    ],
)
def test_hello__with_wrong_variants_is_refused(variants: Any) -> None:
    hello = HELLO | {"variants": variants}
    with pytest.raises(WireError, match=r"hello\.variants"):
        read_hello(hello, OPERATIONS, PROFILE.limits)
    assert complaints(schema("hello"), hello)


def test_hello__states_variants_by_operation_and_argument() -> None:
    stated = {"train": {"seed": [], "protocol.alpha": ["schedule"]}, "sensitivity": {"rule": ["sharp"]}}
    hello = read_hello(HELLO | {"variants": stated}, OPERATIONS, PROFILE.limits)
    assert complaints(schema("hello"), HELLO | {"variants": stated}) == []
    assert hello.leaves_out(SEED)
    assert hello.leaves_out(replace(SHARP, word="printed"))
    assert not any(map(hello.leaves_out, (SHARP, ADD_REMOVE)))
    assert hello.left_out([OPERATIONS["sensitivity"]]) == (replace(SHARP, word="printed"),)


def test_coverage__of_parts_adds_up() -> None:
    parts = ("values/sensitivity/printed", "values/sensitivity/sharp")
    first, second, both = (
        run_core(Port(), ["sensitivity"], *chosen).coverage for chosen in (parts[:1], parts[1:], parts)
    )
    # Both runs have hello and nothing else in common.
    assert first | second == replace(both, n_judged=both.n_judged + 1)
    assert Coverage() | both == both
    assert Coverage.from_plain(json.loads(json.dumps(both.to_plain()))) == both
