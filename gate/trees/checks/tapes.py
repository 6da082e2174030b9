"""Check `train` with a tape, and `predict`: every number is determined, and checked under its own label.

Every tape is sent once. Each check then compares one part of the answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from privboost.gate.check import Case, Outcome, Status, Target, outcome, without_result
from privboost.gate.checks.asking import RunCache, failure, judge_case, unreadable
from privboost.gate.checks.comparing import complaint, format_number, grid_of, readable_complaint
from privboost.gate.checks.remembering import recall
from privboost.gate.checks.vectors import VectorCheck
from privboost.gate.profile import Profile
from privboost.gate.protocol.kinds import REPEATED
from privboost.gate.protocol.wire import WireError, read_finite, read_list, read_object, read_string
from privboost.gate.trees.levels import Level
from privboost.gate.trees.operations.operations import OPERATIONS
from privboost.gate.vectors.files import Vector, all_vectors
from privboost.targets.conversation import Answer

CANDIDATE = re.compile(r"x[0-9]{1,6} (>=|=) [0-9]{1,6}", re.ASCII)
TOLERANCE = OPERATIONS["train"].tolerance
TREE_MEMBERS = ("splits", "values", "beta", "nodes", "masses", "scale")


def trees_of(result: Any) -> list[dict[str, Any]]:
    """Return the trees of a result; raise WireError if they are not complete trees."""
    trees = read_list(read_object(result, "result", ("trees", "expenses", "total"))["trees"], "trees")
    return [_tree(tree, f"trees[{index}]") for index, tree in enumerate(trees)]


def _tree(value: Any, path: str) -> dict[str, Any]:
    """Return a tree after checking its members and their lengths."""
    tree = read_object(value, path, TREE_MEMBERS)
    splits = read_list(tree["splits"], f"{path}.splits")
    for index, split in enumerate(splits):
        if not CANDIDATE.fullmatch(read_string(split, f"{path}.splits[{index}]")):
            raise WireError(f"{path}.splits[{index}]", "a candidate such as 'x0 >= 1'", split)
    if len(splits) + 1 != 1 << len(splits).bit_length():
        raise WireError(f"{path}.splits", "the splits of a complete tree", splits)
    for index, leaf in enumerate(read_list(tree["values"], f"{path}.values", len(splits) + 1)):
        read_finite(leaf, f"{path}.values[{index}]")
    read_finite(tree["beta"], f"{path}.beta")
    return tree


Trees = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class ModelPart:
    """A part of a trained model, with its label and the flags of the mistakes that it catches."""

    name: str
    label: str
    flags: tuple[str, ...]
    rule: str = ""
    """The sensitivity rule of the protocols that have the part; empty: all."""

    def applies(self, vector: Vector) -> bool:
        """Return whether the models of a tape have the part."""
        return self.rule in ("", vector.case.args["protocol"]["sensitivity"])

    def of(self, trees: Trees) -> list[Any]:
        """Return the part of every tree; a list by node if it belongs to nodes."""
        name = self.name.removeprefix(f"{self.rule}-")
        if name in TREE_MEMBERS:
            return [tree[name] for tree in trees]
        nodes = (read_list(tree["nodes"], "nodes") for tree in trees)
        return [[read_object(node, "node", (name,))[name] for node in of_tree] for of_tree in nodes]

    def flags_of(self, vector: Vector) -> tuple[str, ...]:
        """Return the flags of the mistakes that are possible under the protocol of a tape."""
        return tuple(flag for flag in self.flags if _fits(flag, vector.case.args["protocol"]))

    def judge(self, case: Case, vector: Vector, result: Any) -> Outcome:
        """Compare the part with that of the vector; a failure names an earlier difference, if any."""
        try:
            trees = trees_of(result)
            complaint = _difference(self, vector, trees)
            cause = _first_difference(vector, trees) if complaint else ""
        except WireError as error:
            return unreadable(case, error)
        if not complaint:
            return outcome(case, Status.PASS)
        note = f"{complaint} (indices are [tree][node or leaf], from 0)"
        if cause and cause != complaint:
            # The hints of this part would mislead.
            message = f"{note}. It may follow from an earlier difference: {cause}"
            return replace(failure(replace(case, flags=()), message), is_derived=True)
        return failure(case, note)


SENSITIVITY_FLAGS = ("m-plus-one", "sensitivity-alpha")
PARTS = (
    ModelPart("alpha", "fixALPHA", ("alpha-of-level", "calibration-cap", "same-level", "strict-draw")),
    ModelPart("budget", "fixEPSILON", ("budget-trees", "budget-depth", "budget-share")),
    ModelPart("printed-sensitivity", "sensALPHA", ("printed-root", *SENSITIVITY_FLAGS), "printed"),
    ModelPart("sharp-sensitivity", "sharp-sensitivity", ("weight-bound", *SENSITIVITY_FLAGS), "sharp"),
    ModelPart("scale", "sec-solv", ("exchange-two", "leaf-count", "weight-bound", "budget-share")),
    ModelPart("masses", "defwunMF", ("side", "accumulated-weights", "grid", "mirror-plateau")),
    ModelPart("values", "predDT", ("clamp-order", "zeta", "negative-mass", "empty-leaf")),
    ModelPart("beta", "cboost", ("beta-rule",)),
)

CALIBRATED, VALUES = ("raw_strict", "raw_minority"), ("link_noise_clamp", "link_clamp_noise")
FITTING: dict[str, tuple[str, tuple[str, ...]]] = {
    "alpha-of-level": ("alpha", ("schedule",)),
    "calibration-cap": ("alpha", CALIBRATED),
    "same-level": ("alpha", CALIBRATED),
    "strict-draw": ("alpha", ("raw_strict",)),
    "exchange-two": ("leaf", ("noisy_masses",)),
    "negative-mass": ("leaf", ("noisy_masses",)),
    "leaf-count": ("leaf", VALUES),
    "clamp-order": ("leaf", VALUES),
    "zeta": ("leaf", VALUES),
    "accumulated-weights": ("beta", ("noisy_masses", "constant")),
    "mirror-plateau": ("beta", ("raw",)),
}
"""Flags of mistakes that only some words of the protocol allow: the field, and these words."""


def _fits(flag: str, protocol: Mapping[str, str]) -> bool:
    """Return whether a mistake is possible under a protocol."""
    field_name, words = FITTING.get(flag, ("", ()))
    return not words or protocol[field_name] in words


def _difference(part: ModelPart, vector: Vector, trees: Trees, count: int | None = None) -> str:
    """Return a complaint about one part of the first trees, or of all."""
    expected, result = (part.of(given[:count]) for given in (vector.expected["trees"], trees))
    args = vector.case.args
    return readable_complaint(expected, result, TOLERANCE.slack(args), part.name, grid_of(args))


def _first_difference(vector: Vector, trees: Trees) -> str:
    """Return a complaint about the first tree in which something differs, if it is not the last."""
    for count in range(1, len(vector.expected["trees"])):
        for part in PARTS:
            complaint = _difference(part, vector, trees, count) if part.applies(vector) else ""
            if complaint:
                return complaint
    return ""


@dataclass(frozen=True, slots=True)
class ShapePart:
    """What a model says beside its numbers: the splits of the tape, or expenses that add up."""

    name: str
    label: str
    complaint: Callable[[Vector, Any], str]
    flags: tuple[str, ...]

    def applies(self, _: Vector) -> bool:
        """Return True: all models have it."""
        return True

    def flags_of(self, _: Vector) -> tuple[str, ...]:
        """Return the same flags for every tape."""
        return self.flags

    def judge(self, case: Case, vector: Vector, result: Any) -> Outcome:
        """Judge the result of a tape."""
        return judge_case(case, lambda: self.complaint(vector, result))


@dataclass(frozen=True, slots=True)
class TapeCheck:
    """Check one part of all trained models."""

    id: str
    label: str
    part: ModelPart | ShapePart
    tapes: tuple[Vector, ...]
    cache: RunCache[list[Answer]]
    level: Level = Level.LEARNER
    false_alarm: float = 0.0

    def run(self, target: Target, seed: int) -> Iterator[Outcome]:
        """Yield the outcome of every tape."""
        requests = [("train", vector.case.args) for vector in self.tapes]
        answers = self.cache.get(target, 0, "train", lambda: list(target.ask_many(requests)))
        for vector, answer in zip(self.tapes, answers, strict=True):
            if self.part.applies(vector):
                name, flags = vector.case.id.removeprefix("learner/train/"), self.part.flags_of(vector)
                case = replace(vector.case, id=f"{self.id}/{name}", label=self.label, flags=flags)
                if vector.may_refuse and answer.error is not None:
                    yield outcome(case, Status.PASS)
                else:
                    judged = without_result(case, answer) or self.part.judge(case, vector, answer.result)
                    yield self._with_note(judged, vector, answer, answers)

    def _with_note(
        self, judged: Outcome, vector: Vector, answer: Answer, answers: Sequence[Answer]
    ) -> Outcome:
        """Return the outcome; a failure says so if its model is that of an earlier request."""
        if judged.status is not Status.FAIL or not answer.has_result:
            return judged
        earlier = ((each.case.args, other.result) for each, other in zip(self.tapes, answers, strict=True))
        recalled = recall(vector.case.args, answer.result, earlier)
        if recalled is None:
            return judged
        request = replace(vector.case, args=recalled.args).request
        return replace(
            judged,
            message=f"{judged.message}{recalled.note}",
            hints=(REPEATED,),
            is_derived=False,
            after=(request,),
        )


def _wrong_splits(vector: Vector, result: Any) -> str:
    expected = [entry["choices"] for entry in vector.case.args["tape"]]
    splits = [tree["splits"] for tree in trees_of(result)]
    return "" if splits == expected else f"splits: expected those of the tape, {expected}, got {splits}"


def _wrong_expenses(vector: Vector, result: Any) -> str:
    """Return a complaint if the total of the expenses is wrong, or not their sum."""
    slack = TOLERANCE.slack({})
    members = read_object(result, "result", ("expenses", "total"))
    wrong_total = complaint(vector.expected["total"], members["total"], slack, "total")
    if wrong_total:
        return wrong_total
    return wrong_sum(members)


def wrong_sum(members: dict[str, Any]) -> str:
    """Return a complaint if expenses do not add up to the total."""
    total = read_finite(members["total"], "total")
    spent = sum(
        read_finite(read_object(expense, "expense", ("what", "epsilon"))["epsilon"], "expense")
        for expense in read_list(members["expenses"], "expenses")
    )
    if abs(spent - total) <= TOLERANCE.slack({})(total):
        return ""
    return f"expenses: expected a sum of {format_number(total)}, the total, got {format_number(spent)}"


SHAPES = (
    ShapePart("splits", "expSPLIT", _wrong_splits, ("side",)),
    ShapePart("expenses", "fixEPSILON", _wrong_expenses, ("expenses", "exchange-two")),
)


def tape_checks(profile: Profile) -> Iterator[TapeCheck | VectorCheck]:
    """Yield the checks of `train` with a tape, and of `predict` with a given model."""
    learner_vectors = [vector for vector in all_vectors(profile) if vector.case.level == Level.LEARNER]
    tapes = tuple(vector for vector in learner_vectors if vector.case.op == "train")
    cache = RunCache[list[Answer]]()
    for part in (*PARTS, *SHAPES):
        yield TapeCheck(f"learner/train/{part.name}", part.label, part, tapes, cache)
    models = tuple(vector for vector in learner_vectors if vector.case.op == "predict")
    yield VectorCheck(profile, "learner/predict", models[0].case.label, Level.LEARNER, models)
