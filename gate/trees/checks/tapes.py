"""Check `train` with a tape, and `predict`: every number is determined, and checked under its own label.

Every tape is sent once. Each check then compares one part of the answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from privboost.gate.check import Case, Outcome, Status, Target, outcome, without_result
from privboost.gate.checks.asking import failure, judge_case, unreadable
from privboost.gate.checks.comparing import complaint, format_number, grid_of, readable_complaint
from privboost.gate.checks.vectors import VectorCheck
from privboost.gate.profile import Profile
from privboost.gate.protocol.wire import WireError, read_finite, read_list, read_object, read_string
from privboost.gate.trees.levels import Level
from privboost.gate.trees.operations.operations import OPERATIONS
from privboost.gate.vectors.files import Vector, all_vectors
from privboost.targets.conversation import Answer

CANDIDATE = re.compile(r"x[0-9]{1,6} (>=|=) [0-9]{1,6}", re.ASCII)
TOLERANCE = OPERATIONS["train"].tolerance
TREE_MEMBERS = ("splits", "values", "beta", "nodes", "masses", "scale")


@dataclass(slots=True)
class TapedAnswers:
    """A cache of the answers of one target to all tapes."""

    vectors: tuple[Vector, ...]
    _target: Target | None = field(default=None)
    _answers: dict[str, Answer] = field(default_factory=dict)

    def of(self, target: Target) -> dict[str, Answer]:
        """Return the answers to all tapes, by the id of the case."""
        if self._target is not target:
            answers = target.ask_many([("train", vector.case.args) for vector in self.vectors])
            self._answers = {
                vector.case.id: answer for vector, answer in zip(self.vectors, answers, strict=True)
            }
            self._target = target
        return self._answers


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


def _of_trees(name: str) -> Callable[[Trees], Any]:
    return lambda trees: [tree[name] for tree in trees]


def _of_nodes(name: str) -> Callable[[Trees], Any]:
    def part(trees: Trees) -> Any:
        return [
            [read_object(node, "node", (name,))[name] for node in read_list(tree["nodes"], "nodes")]
            for tree in trees
        ]

    return part


@dataclass(frozen=True, slots=True)
class ModelPart:
    """A part of a trained model, with its label and the flags of the mistakes that it catches."""

    name: str
    label: str
    of: Callable[[Trees], Any]
    flags: tuple[str, ...]
    applies: Callable[[Vector], bool] = lambda _: True


def _rule(field_name: str, word: str) -> Callable[[Vector], bool]:
    return lambda vector: bool(vector.case.args["protocol"][field_name] == word)


PARTS = (
    ModelPart(
        "alpha",
        "fixALPHA",
        _of_nodes("alpha"),
        ("alpha-of-level", "calibration-cap", "same-level", "strict-draw"),
    ),
    ModelPart("budget", "fixEPSILON", _of_nodes("budget"), ("budget-trees", "budget-depth", "budget-share")),
    ModelPart(
        "printed-sensitivity",
        "sensALPHA",
        _of_nodes("sensitivity"),
        ("m-plus-one", "sensitivity-alpha"),
        _rule("sensitivity", "printed"),
    ),
    ModelPart(
        "sharp-sensitivity",
        "sharp-sensitivity",
        _of_nodes("sensitivity"),
        ("weight-bound", "m-plus-one", "sensitivity-alpha"),
        _rule("sensitivity", "sharp"),
    ),
    ModelPart(
        "scale",
        "sec-solv",
        _of_trees("scale"),
        ("exchange-two", "leaf-count", "weight-bound", "budget-share"),
    ),
    ModelPart(
        "masses", "defwunMF", _of_trees("masses"), ("side", "accumulated-weights", "grid", "mirror-plateau")
    ),
    ModelPart(
        "values", "predDT", _of_trees("values"), ("clamp-order", "zeta", "negative-mass", "empty-leaf")
    ),
    ModelPart("beta", "cboost", _of_trees("beta"), ("beta-rule",)),
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
class TapeCheck:
    """Check one part of all trained models."""

    part: ModelPart
    answers: TapedAnswers
    level: Level = Level.LEARNER
    false_alarm: float = 0.0

    @property
    def id(self) -> str:
        """Return the unique id of the check."""
        return f"learner/train/{self.part.name}"

    @property
    def label(self) -> str:
        """Return the label of the part."""
        return self.part.label

    def run(self, target: Target, seed: int) -> Iterator[Outcome]:
        """Yield the outcome of every tape."""
        answers = self.answers.of(target)
        for vector in self.answers.vectors:
            if self.part.applies(vector):
                yield self._judge(vector, answers[vector.case.id])

    def _judge(self, vector: Vector, answer: Answer) -> Outcome:
        name = vector.case.id.removeprefix("learner/train/")
        flags = tuple(flag for flag in self.part.flags if _fits(flag, vector.case.args["protocol"]))
        case = replace(vector.case, id=f"{self.id}/{name}", label=self.label, flags=flags)
        missing = without_result(case, answer)
        if missing is not None:
            return missing
        try:
            trees = trees_of(answer.result)
            complaint = _difference(self.part, vector, trees)
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


@dataclass(frozen=True, slots=True)
class ShapeCheck:
    """Check that splits are those of the tape, or that expenses are right and add up."""

    name: str
    label: str
    answers: TapedAnswers
    complaint: Callable[[Vector, Any], str]
    flags: tuple[str, ...]
    level: Level = Level.LEARNER
    false_alarm: float = 0.0

    @property
    def id(self) -> str:
        """Return the unique id of the check."""
        return f"learner/train/{self.name}"

    def run(self, target: Target, seed: int) -> Iterator[Outcome]:
        """Yield the outcome of every tape."""
        answers = self.answers.of(target)
        for vector in self.answers.vectors:
            name = vector.case.id.removeprefix("learner/train/")
            case = replace(vector.case, id=f"{self.id}/{name}", label=self.label, flags=self.flags)
            yield self._judge(case, vector, answers[vector.case.id])

    def _judge(self, case: Case, vector: Vector, answer: Answer) -> Outcome:
        missing = without_result(case, answer)
        if missing is not None:
            return missing
        return judge_case(case, lambda: self.complaint(vector, answer.result))


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


def tape_checks(profile: Profile) -> Iterator[TapeCheck | ShapeCheck | VectorCheck]:
    """Yield the checks of `train` with a tape, and of `predict` with a given model."""
    learner_vectors = [vector for vector in all_vectors(profile) if vector.case.level == Level.LEARNER]
    answers = TapedAnswers(tuple(vector for vector in learner_vectors if vector.case.op == "train"))
    for part in PARTS:
        yield TapeCheck(part, answers)
    yield ShapeCheck("splits", "expSPLIT", answers, _wrong_splits, ("side",))
    yield ShapeCheck("expenses", "fixEPSILON", answers, _wrong_expenses, ("expenses", "exchange-two"))
    models = tuple(vector for vector in learner_vectors if vector.case.op == "predict")
    yield VectorCheck(profile, "learner/predict", models[0].case.label, Level.LEARNER, models)
