"""The witness file of a counterexample to a claim of stability, and its replay.

The file has the claim, the two inputs and their results. Anyone can compare them, and call the target again.
`stability_witness_schema.json` describes the format.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privboost.auditor.inputs.classes import HOSTILE
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.pairs.relations import check_neighbours
from privboost.auditor.stability.calls import Caller
from privboost.auditor.stability.claim import StabilityClaim, exact_bound, make_claim
from privboost.auditor.stability.counts import compare_pair
from privboost.auditor.stability.result import ComparedPair, StabilityResult
from privboost.auditor.values.tagged_json import equal_outputs, from_json
from privboost.errors import PreconditionError
from privboost.limits import DISTANCES, INPUT_RELATIONS
from privboost.printing import format_value
from privboost.strict_json import JsonValue, parse, read

from .report import version_differences, versions
from .stability_report import claim_to_json, example_to_json, format_result, move_sentence
from .witness import check_format, digest_of, document_bytes, read_versions

FORMAT, VERSION = "privboost-stability-witness", 1
SCHEMA = Path(__file__).with_name("stability_witness_schema.json")
EXAMPLE = (
    "name",
    "relation",
    "classes",
    "apart",
    "left",
    "right",
    "results",
    "moved",
    "bound",
    "rounding",
)
MEMBERS = (
    "format",
    "version",
    "target",
    "claim",
    "inputs",
    "seed",
    "counterexample",
    "versions",
    "digest",
)


@dataclass(frozen=True, slots=True)
class StabilityWitness:
    """The content of a witness file."""

    target: str
    described: str
    seed: int
    example: ComparedPair
    """The inputs and the results, compared when the file was read."""
    stated: dict[str, Any]
    """The same as the file states it."""
    versions: dict[str, str]
    intact: bool
    """Whether the digest in the file matches its content."""


def witness_bytes(result: StabilityResult) -> bytes:
    """Return the content of the witness file of a counterexample.

    Requires: the result has one.
    """
    assert result.counterexample is not None
    document = {
        "format": FORMAT,
        "version": VERSION,
        "target": result.target,
        "claim": claim_to_json(result.claim),
        "inputs": result.described,
        "seed": result.seed,
        "counterexample": example_to_json(result.counterexample),
        "versions": versions(),
    }
    return document_bytes(document, MEMBERS)


def read_witness(path: Path) -> StabilityWitness:
    """Read a witness file.

    Ensures: PreconditionError with the path in the document, and what was expected there.
    """
    return _witness_of(read(path, "witness"))


def parse_witness(content: str) -> StabilityWitness:
    """Return the witness of a JSON document."""
    return _witness_of(parse(content, "witness"))


def _witness_of(document: JsonValue) -> StabilityWitness:
    check_format(document, FORMAT, VERSION)
    members = dict(zip(MEMBERS, document.members(*MEMBERS), strict=True))
    return StabilityWitness(
        target=members["target"].text(),
        described=members["inputs"].text(),
        seed=members["seed"].whole(0),
        example=_example(members["counterexample"], _claim(members["claim"])),
        stated=members["counterexample"].value,
        versions=read_versions(members["versions"]),
        intact=members["digest"].text() == digest_of(document.value),
    )


def _claim(node: JsonValue) -> StabilityClaim:
    relation, distance, bounds = node.members("relation", "distance", "bounds")
    exact = [exact_bound(bound.text()) for bound in bounds.items(empty=False)]
    return make_claim(
        relation.among(INPUT_RELATIONS), distance.among(DISTANCES), lambda step: exact[step - 1], len(exact)
    )


def _example(node: JsonValue, claim: StabilityClaim) -> ComparedPair:
    """Return two inputs and their results, compared anew."""
    fields = dict(zip(EXAMPLE, node.members(*EXAMPLE), strict=True))
    pair = Pair(
        fields["name"].text(),
        from_json(fields["left"]),
        from_json(fields["right"]),
        fields["relation"].among((claim.relation,)),
        classes=tuple(key.among(tuple(HOSTILE)) for key in fields["classes"].items()),
    )
    left, right = (from_json(result) for result in fields["results"].items(2))
    example = compare_pair(pair, (left, right), claim, fields["apart"].whole(1, claim.d_in))
    if example is None:
        raise fields["results"].refusal("at least one result that is no error")
    return example


# Replay ---------------------------------------------------------------------------------------------------


def replay(witness: StabilityWitness, caller: Caller | None = None) -> list[str]:
    """Return how a witness differs from what it states, each difference as a sentence.

    The inputs must be as far apart as stated, and the results farther apart than the claim allows. With a
    caller the target is called again, and must have the same results.
    """
    example = witness.example
    differences = [] if witness.intact else ["the digest does not match: the file was changed"]
    try:
        check_neighbours([example.pair], example.apart)
    except PreconditionError as error:
        differences.append(f"the inputs are not as stated: {error}")
    recomputed = example_to_json(example)
    for name in ("moved", "bound", "rounding"):
        stated, own = witness.stated[name], recomputed[name]
        if stated != own:
            differences.append(f"the file states {name} {format_value(stated)}, not {format_value(own)}")
    if not example.moved.exceeds(example.bound):
        differences.append(f"the claim is not contradicted: {move_sentence(example.moved, example.bound)}")
    if caller is not None:
        differences += _rerun(example, caller.results([example.left, example.right]))
    return differences + (version_differences(witness.versions) if differences else [])


def _rerun(example: ComparedPair, results: Sequence[Any]) -> list[str]:
    """Return how results of the target differ from those in a file."""
    return [
        f"called again, the {side} result is {format_result(now)}; in the file it is {format_result(before)}"
        for side, before, now in zip(("left", "right"), example.outputs, results, strict=True)
        if not equal_outputs(before, now)
    ]
