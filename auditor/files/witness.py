"""The witness file of an audit: claim, seed, pairs and all outputs, from which the bound can be recomputed.

Sides and streams of all calls follow from the seed, so the file does not hold them. The bound that it states
can be checked without trusting its author. `witness_schema.json` describes the format.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privboost.auditor.claims import PrivacyClaim, parse_claim
from privboost.auditor.inputs.classes import HOSTILE
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.result import AuditResult, Verdict
from privboost.auditor.values.tagged_json import (
    array_from_json,
    array_to_json,
    from_json,
    output_to_json,
    to_json,
)
from privboost.errors import PreconditionError
from privboost.limits import PAIR_RELATIONS, POWER
from privboost.strict_json import JsonValue, parse, read

from .report import versions

FORMAT, VERSION = "privboost-audit-witness", 3
SCHEMA = Path(__file__).with_name("witness_schema.json")
MEMBERS = (
    "format",
    "version",
    "target",
    "claim",
    "confidence",
    "seed",
    "low_bits",
    "stop",
    "power",
    "ignored",
    "shared_by",
    "seeded",
    "pairs",
    "result",
    "versions",
    "digest",
    "outputs",
)
OutputsOfPair = Sequence[Any] | NDArray[Any]


@dataclass(frozen=True, slots=True)
class Witness:
    """The content of a witness file."""

    target: str
    claim: PrivacyClaim
    confidence: float
    seed: int
    low_bits: bool
    stop: bool
    """Whether the run was to stop at the first violation."""
    power: float
    ignored: tuple[str, ...]
    """As in the plan of the audit."""
    pairs: tuple[Pair, ...]
    outputs: tuple[OutputsOfPair, ...]
    """One entry per pair, in the order of its calls."""
    verdict: Verdict
    bound: float
    calls: int
    versions: dict[str, str]
    intact: bool = True
    """Whether the digest in the file matches its content."""
    shared_by: int | None = None
    """As in the plan of the audit."""
    seeded: bool | None = None
    """Whether the target repeats its outputs with the same seed, as the file says; None if not known."""


@dataclass(slots=True)
class Recording:
    """A recorder that keeps all outputs of an audit for its witness."""

    blocks: dict[int, list[OutputsOfPair]] = field(default_factory=dict)

    def __call__(self, pair: int, outputs: OutputsOfPair) -> None:
        """Add the next outputs of a pair."""
        self.blocks.setdefault(pair, []).append(outputs)

    def of_pair(self, pair: int) -> OutputsOfPair:
        """Return all outputs of a pair, as one array if all are numeric arrays of one shape.

        A batch may return integers in one portion and floats in the next; the test compares by value.
        """
        blocks = self.blocks.get(pair, [])
        arrays = [block for block in blocks if isinstance(block, np.ndarray) and block.dtype.kind in "biuf"]
        shapes = {block.shape[1:] for block in arrays}
        if len(arrays) == len(blocks) and len(shapes) == 1:
            return np.concatenate(arrays)
        return [output for block in blocks for output in block]


def make_witness(
    target: str, result: AuditResult, recording: Recording, *, low_bits: bool = False, stop: bool = True
) -> Witness:
    """Return the witness of an audit; `target` is the string that named the target."""
    return Witness(
        target=target,
        claim=result.claim,
        confidence=result.confidence,
        seed=result.seed,
        low_bits=low_bits,
        stop=stop,
        power=POWER if result.required is None else result.required.factor,
        ignored=result.ignored,
        pairs=tuple(entry.pair for entry in result.pairs),
        outputs=tuple(recording.of_pair(index) for index in range(len(result.pairs))),
        # A violation that was not confirmed by other calls is still what these outputs show.
        verdict=result.verdict if result.confirmation is None else Verdict.VIOLATION,
        bound=result.bound,
        calls=result.calls,
        versions=versions(),
        shared_by=result.shared_by,
        seeded=result.seeded,
    )


def witness_bytes(witness: Witness) -> bytes:
    """Return the content of a witness file: one member per line, outputs last."""
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "target": witness.target,
        "claim": witness.claim.spelling,
        "confidence": witness.confidence,
        "seed": witness.seed,
        "low_bits": witness.low_bits,
        "stop": witness.stop,
        "power": witness.power,
        "ignored": list(witness.ignored),
        "shared_by": witness.shared_by,
        "seeded": witness.seeded,
        "pairs": [pair_to_json(pair) for pair in witness.pairs],
        "result": {
            "verdict": str(witness.verdict),
            "bound": to_json(float(witness.bound)),
            "calls": witness.calls,
        },
        "versions": dict(witness.versions),
        "outputs": [outputs_to_json(outputs) for outputs in witness.outputs],
    }
    return document_bytes(document, MEMBERS)


def document_bytes(document: dict[str, Any], members: Sequence[str]) -> bytes:
    """Return the content of a file: a digest is added, and each of the members has a line."""
    document["digest"] = digest_of(document)
    lines = (f'  "{name}": {json.dumps(document[name], allow_nan=False)}' for name in members)
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode("ascii")


def read_witness(path: Path) -> Witness:
    """Read a witness file.

    Ensures: PreconditionError with the path in the document, and what was expected there.
    """
    return _witness_of(read(path, "witness"))


def parse_witness(content: str) -> Witness:
    """Return the witness of a JSON document."""
    return _witness_of(parse(content, "witness"))


def _witness_of(document: JsonValue) -> Witness:
    check_format(document, FORMAT, VERSION)
    members = dict(zip(MEMBERS, document.members(*MEMBERS), strict=True))
    pairs = tuple(_pair_from_json(entry) for entry in members["pairs"].items())
    outputs = tuple(outputs_from_json(entry) for entry in members["outputs"].items())
    if not pairs or len(pairs) != len(outputs):
        raise PreconditionError(
            members["outputs"].path, f"one entry for each of {len(pairs)} pairs", len(outputs)
        )
    verdict, bound, calls = members["result"].members("verdict", "bound", "calls")
    return Witness(
        target=members["target"].text(),
        claim=_claim(members["claim"]),
        confidence=members["confidence"].number(0, 1),
        seed=members["seed"].whole(0),
        low_bits=members["low_bits"].truth(),
        stop=members["stop"].truth(),
        power=members["power"].number(1),
        ignored=tuple(name.text() for name in members["ignored"].items()),
        pairs=pairs,
        outputs=outputs,
        verdict=Verdict(verdict.among(Verdict)),
        bound=bound.number(finite=False),
        calls=calls.whole(0),
        versions=read_versions(members["versions"]),
        intact=members["digest"].text() == digest_of(document.value),
        shared_by=None if members["shared_by"].value is None else members["shared_by"].whole(1),
        seeded=None if members["seeded"].value is None else members["seeded"].truth(),
    )


def check_format(document: JsonValue, name: str, version: int) -> None:
    """Raise PreconditionError for a document of another format or version, before any other check."""
    if not isinstance(document.value, dict) or document.value.get("format") != name:
        raise PreconditionError(document.path, f'a document of format "{name}"', "something else")
    if document.value.get("version") != version:
        raise PreconditionError(f"{document.path}.version", str(version), document.value.get("version"))


def _claim(node: JsonValue) -> PrivacyClaim:
    """Return a claim; a witness holds the points of a curve and never the name of a file."""
    if node.text().endswith(".json"):
        raise node.refusal("a claim such as eps:1.0 or curve:0.5=0.1")
    try:
        return parse_claim(node.text())
    except PreconditionError as error:
        raise PreconditionError(node.path, "a claim such as eps:1.0", str(error)) from None


def read_versions(node: JsonValue) -> dict[str, str]:
    """Return the versions of the programs that wrote a file."""
    if not isinstance(node.value, dict):
        raise node.refusal("an object")
    return {name: node.at(name).text() for name in node.value}


def pair_to_json(pair: Pair) -> dict[str, Any]:
    """Return a pair as it is written in a witness."""
    return {
        "name": pair.name,
        "relation": pair.relation,
        "classes": list(pair.classes),
        "exact": None if pair.exact is None else to_json(float(pair.exact)),
        "left": to_json(pair.left),
        "right": to_json(pair.right),
    }


def _pair_from_json(node: JsonValue) -> Pair:
    names = ("name", "relation", "classes", "exact", "left", "right")
    name, relation, classes, exact, left, right = node.members(*names)
    if relation.text() not in PAIR_RELATIONS:
        raise relation.refusal(f"one of {', '.join(PAIR_RELATIONS)}")
    return Pair(
        name=name.text(),
        left=from_json(left),
        right=from_json(right),
        relation=relation.text(),
        classes=tuple(key.among(HOSTILE) for key in classes.items()),
        exact=None if exact.value is None else exact.number(finite=False),
    )


def outputs_to_json(outputs: OutputsOfPair) -> Any:
    """Return the outputs of a pair as they are written in a witness."""
    if isinstance(outputs, np.ndarray) and outputs.dtype.kind in "biuf":
        return array_to_json(outputs)
    return [output_to_json(output) for output in outputs]


def outputs_from_json(node: JsonValue) -> OutputsOfPair:
    """Return the outputs that `outputs_to_json` has written."""
    if isinstance(node.value, dict):
        array = array_from_json(node)
        if array.ndim == 0:
            raise node.refusal("an array with one entry for each call")
        return array
    return [from_json(entry) for entry in node.items()]


def digest_of(document: dict[str, Any]) -> str:
    """Return the digest of all other members of a document, independent of its layout."""
    rest = {name: value for name, value in document.items() if name != "digest"}
    canonical = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(canonical.encode('ascii')).hexdigest()}"
