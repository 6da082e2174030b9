"""The witness file of an audit: claim, seed, pairs and every output, from which the bound is computed again.

Sides and streams of all calls follow from one seed, so the file need not hold them, and anyone can check the
bound that it states, without trust in who wrote it. `witness_schema.json` describes the format.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privboost.errors import PreconditionError
from privboost.files import write_files
from privboost.strict_json import Place, parse

from .audit import recheck
from .json_values import (
    array_from_json,
    array_to_json,
    from_json,
    output_to_json,
    to_json,
)
from .known import Claimed
from .pairs import RELATIONS
from .rerun import rerun_differences, target_of
from .result import AuditResult, Verdict
from .subject import Pair, Subject
from .verdict import Settings
from .versions import own_version, versions

FORMAT, VERSION = "privboost-audit-witness", 1
SCHEMA = Path(__file__).with_name("witness_schema.json")
MEMBERS = (
    "format",
    "version",
    "target",
    "epsilon",
    "delta",
    "confidence",
    "seed",
    "low_bits",
    "stop",
    "pairs",
    "result",
    "versions",
    "digest",
    "outputs",
)
TOLERANCE = 1e-9
"""Bounds that differ by less are the same: another processor may round a logarithm otherwise."""

OutputsOfPair = Sequence[Any] | NDArray[Any]


@dataclass(frozen=True, slots=True)
class Witness:
    """What a witness file holds."""

    target: str
    epsilon: float
    delta: float
    confidence: float
    seed: int
    low_bits: bool
    stop: bool
    """Whether the first violation was to end the calls."""
    pairs: tuple[Pair, ...]
    outputs: tuple[OutputsOfPair, ...]
    """Of every pair, in the order of its calls."""
    verdict: Verdict
    bound: float
    calls: int
    versions: dict[str, str]
    intact: bool = True
    """Whether the digest of the file is that of its content."""


@dataclass(frozen=True, slots=True)
class Replay:
    """A bound computed again from a witness file, and where it differs from what the file states."""

    result: AuditResult
    differences: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        """Return whether nothing differs."""
        return not self.differences


@dataclass(slots=True)
class Recording:
    """Keep all outputs of an audit: the recorder that a witness is made from."""

    blocks: dict[int, list[OutputsOfPair]] = field(default_factory=dict)

    def __call__(self, pair: int, outputs: OutputsOfPair) -> None:
        """Take the next outputs of a pair."""
        self.blocks.setdefault(pair, []).append(outputs)

    def of_pair(self, pair: int) -> OutputsOfPair:
        """Return all outputs of a pair, as one array where they are arrays of numbers of one shape.

        A batch may give whole numbers in one portion and floats in the next; the test reads them by value.
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
    """Return the witness of an audit of a target, given as the text by which it was named."""
    return Witness(
        target=target,
        epsilon=result.epsilon,
        delta=result.delta,
        confidence=result.confidence,
        seed=result.seed,
        low_bits=low_bits,
        stop=stop,
        pairs=tuple(found.pair for found in result.pairs),
        outputs=tuple(recording.of_pair(number) for number in range(len(result.pairs))),
        verdict=result.verdict,
        bound=result.bound,
        calls=result.calls,
        versions=versions(),
    )


def write_witness(path: Path, witness: Witness) -> Path:
    """Write a witness file, whole or not at all."""
    (written,) = write_files(path.parent, {path.name: witness_bytes(witness)})
    return written


def witness_bytes(witness: Witness) -> bytes:
    """Return the content of a witness file: one member on each line, the outputs last."""
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "target": witness.target,
        "epsilon": to_json(witness.epsilon),
        "delta": witness.delta,
        "confidence": witness.confidence,
        "seed": witness.seed,
        "low_bits": witness.low_bits,
        "stop": witness.stop,
        "pairs": [_pair_to_json(pair) for pair in witness.pairs],
        "result": {
            "verdict": str(witness.verdict),
            "bound": to_json(float(witness.bound)),
            "calls": witness.calls,
        },
        "versions": dict(witness.versions),
        "outputs": [_outputs_to_json(outputs) for outputs in witness.outputs],
    }
    document["digest"] = _digest(document)
    lines = (f'  "{name}": {json.dumps(document[name], allow_nan=False)}' for name in MEMBERS)
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode("ascii")


def read_witness(path: Path) -> Witness:
    """Return what a witness file holds.

    Ensures: PreconditionError with the place in the file, what was expected there and what was found.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise PreconditionError("witness", "a file that can be read", f"'{path}' ({reason})") from None
    return parse_witness(text)


def parse_witness(text: str) -> Witness:
    """Return the witness that JSON text describes."""
    document = parse(text, "witness")
    _check_format(document)
    places = dict(zip(MEMBERS, document.members(*MEMBERS), strict=True))
    pairs = tuple(_pair_from_json(place) for place in places["pairs"].items())
    outputs = tuple(_outputs_from_json(place) for place in places["outputs"].items())
    if not pairs or len(pairs) != len(outputs):
        raise PreconditionError(
            places["outputs"].path, f"one entry for each of {len(pairs)} pairs", len(outputs)
        )
    verdict, bound, calls = places["result"].members("verdict", "bound", "calls")
    return Witness(
        target=places["target"].text(),
        epsilon=places["epsilon"].number(0, finite=False),
        delta=places["delta"].number(0, 1),
        confidence=places["confidence"].number(0, 1),
        seed=places["seed"].whole(0),
        low_bits=places["low_bits"].truth(),
        stop=places["stop"].truth(),
        pairs=pairs,
        outputs=outputs,
        verdict=Verdict(verdict.among(Verdict)),
        bound=bound.number(finite=False),
        calls=calls.whole(0),
        versions=_versions(places["versions"]),
        intact=places["digest"].text() == _digest(document.found),
    )


def replay(
    witness: Witness, *, rerun: str | Subject | Claimed | None = None, executor: Executor | None = None
) -> Replay:
    """Compute verdict and bound again from the outputs of a witness, and with `rerun` the outputs as well.

    `rerun` is what to call again: a file may name any program, so nothing is run because a file names it. As
    a text it must be the one in the file.
    Ensures: every difference from what the file states is reported, one sentence each.
    """
    target = None if rerun is None else target_of(witness, rerun)
    settings = Settings(witness.epsilon, witness.delta, witness.confidence, witness.low_bits, witness.stop)
    result = recheck(witness.target, witness.pairs, witness.outputs, settings, witness.seed)
    differences = _differences(witness, result)
    if target is not None:
        differences += rerun_differences(witness, target, executor)
    return Replay(result, tuple(differences))


def _differences(witness: Witness, result: AuditResult) -> list[str]:
    """Return where a recomputed result differs from what a witness states."""
    found = []
    if not witness.intact:
        found.append("the digest is not that of the content: the file was changed after it was written")
    if result.verdict != witness.verdict:
        found.append(f"the file states the verdict {witness.verdict}, recomputed: {result.verdict}")
    if not math.isclose(result.bound, witness.bound, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
        found.append(f"the file states the bound {witness.bound!r}, recomputed: {result.bound!r}")
    if result.calls != witness.calls:
        found.append(f"the file states {witness.calls} calls, recomputed: {result.calls}")
    if found and (written_by := witness.versions.get("privboost")) != own_version():
        found.append(f"the file was written by privboost {written_by}, this is {own_version()}")
    return found


def _check_format(document: Place) -> None:
    """Refuse what is no witness, or one of another version, before anything else is said about it."""
    if not isinstance(document.found, dict) or document.found.get("format") != FORMAT:
        raise PreconditionError(document.path, f'a document of format "{FORMAT}"', "something else")
    if document.found.get("version") != VERSION:
        raise PreconditionError(f"{document.path}.version", str(VERSION), document.found.get("version"))


def _versions(place: Place) -> dict[str, str]:
    if not isinstance(place.found, dict):
        raise place.refusal("an object")
    return {name: Place(text, f"{place.path}.{name}").text() for name, text in place.found.items()}


def _pair_to_json(pair: Pair) -> dict[str, Any]:
    return {
        "name": pair.name,
        "relation": pair.relation,
        "exact": None if pair.exact is None else to_json(float(pair.exact)),
        "left": to_json(pair.left),
        "right": to_json(pair.right),
    }


def _pair_from_json(place: Place) -> Pair:
    name, relation, exact, left, right = place.members("name", "relation", "exact", "left", "right")
    if relation.text() not in RELATIONS:
        raise relation.refusal(f"one of {', '.join(RELATIONS)}")
    return Pair(
        name=name.text(),
        left=from_json(left),
        right=from_json(right),
        relation=relation.text(),
        exact=None if exact.found is None else exact.number(finite=False),
    )


def _outputs_to_json(outputs: OutputsOfPair) -> Any:
    if isinstance(outputs, np.ndarray) and outputs.dtype.kind in "biuf":
        return array_to_json(outputs)
    return [output_to_json(output) for output in outputs]


def _outputs_from_json(place: Place) -> OutputsOfPair:
    if isinstance(place.found, dict):
        array = array_from_json(place)
        if array.ndim == 0:
            raise place.refusal("an array with one entry for each call")
        return array
    return [from_json(entry) for entry in place.items()]


def _digest(document: dict[str, Any]) -> str:
    """Return the digest of everything else in a document, whatever its layout."""
    rest = {name: value for name, value in document.items() if name != "digest"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode('ascii')).hexdigest()}"
