"""Witness files: exact round trips, recomputed bounds, strict reading, and tampering."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privboost.auditor import Mechanism, Pair, Verdict, audit
from privboost.auditor.claims import PrivacyClaim
from privboost.auditor.files.replay import fresh_sentence, replay
from privboost.auditor.files.witness import (
    SCHEMA,
    Recording,
    Witness,
    make_witness,
    parse_witness,
    read_witness,
    witness_bytes,
)
from privboost.auditor.guessing.outputs import OutputTable
from privboost.auditor.mechanisms.naming import find_target
from privboost.auditor.values.objects import Opaque
from privboost.auditor.values.tagged_json import from_json, output_to_json, to_json
from privboost.errors import PreconditionError
from privboost.oracle_tests.support.json_schema import complaints
from privboost.strict_json import JsonValue

DOCUMENT: dict[str, Any] = json.loads(SCHEMA.read_text("utf-8"))


@dataclass(frozen=True)
class Tree:
    """An output that is an object."""

    cut: float
    leaves: tuple[float, ...]


def record_witness(target: str, *, calls: int = 600, stop: bool = True) -> Witness:
    """Return the witness of a short audit of a target that has a pair and a claim."""
    claimed, recording = find_target(target), Recording()
    assert claimed.epsilon is not None
    result = audit(
        claimed.mechanism,
        claimed.pairs,
        epsilon=claimed.epsilon,
        calls=calls,
        seed=7,
        stop=stop,
        recorder=recording,
    )
    return make_witness(target, result, recording, stop=stop)


TARGETS = ("bank:laplace", "bank:randomised_response", "broken:laplace_twofold", "broken:histogram_inverted")
WITNESSES = {name: record_witness(name) for name in TARGETS}
LAPLACE = WITNESSES["bank:laplace"]
every_witness = pytest.mark.parametrize("name", WITNESSES)


def through_json(value: Any) -> Any:
    """Return a value written and read again."""
    return from_json(JsonValue(json.loads(json.dumps(to_json(value), allow_nan=False)), "value"))


# Values --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        10**30,
        0.1,
        -0.0,
        5e-324,
        math.inf,
        -math.inf,
        "text",
        "infinity",
        "nan",
        [1, [2.0, "x"]],
        (1, (2,)),
        {"a": 1, "b": {"c": math.inf}},
        {"$array": 1},
        {1: "one", (0, 1): 2.5},
        b"\x00\xff",
        Fraction(-1, 3),
        1 + 2j,
    ],
)
def test_values__come_back_as_they_were(value: Any) -> None:
    again = through_json(value)
    assert again == value
    assert repr(again) == repr(value)


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6).reshape(2, 3),
        np.array([0.1, math.inf, -math.inf, math.nan, -0.0]),
        np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32),
        np.array([True, False]),
        np.array(["a", "infinity"]),
        np.array([None, (1, 2), "x"], dtype=object),
        np.empty((0, 3)),
        np.array(2.5),
        np.arange(100.0).astype(">f8"),
        np.arange(200)[::2],
    ],
)
def test_values__arrays_keep_type_shape_and_bits(array: np.ndarray[Any, Any]) -> None:
    again = through_json(array)
    assert again.dtype == array.dtype.newbyteorder("=")
    assert again.shape == array.shape
    assert again.tolist() == array.tolist() or again.astype(array.dtype).tobytes() == array.tobytes()


def test_values__other_objects_are_written_as_their_repr() -> None:
    assert through_json(Tree(1.0, (2.0,))) == Opaque("Tree(cut=1.0, leaves=(2.0,))")


@pytest.mark.parametrize("low_bits", [False, True])
def test_outputs__are_read_by_the_test_as_they_were_before_writing(low_bits: bool) -> None:
    outputs: list[Any] = [
        (1, 2.5, "infinity", None, math.nan),
        [True, np.float32(0.1), np.array([1.0, 2.0])],
        {"a": Fraction(1, 3), 2: [math.inf]},
        {"$x": 1},
        Tree(0.5, (1.0, 2.0)),
        np.arange(100.0),
        object,
        "nan",
        math.nan,
        np.int64(3),
    ]
    written = json.loads(json.dumps([output_to_json(output) for output in outputs], allow_nan=False))
    again = [from_json(JsonValue(output, "output")) for output in written]
    before, after = OutputTable(low_bits).read(outputs), OutputTable(low_bits).read(again)
    assert before.columns.tobytes() == after.columns.tobytes()
    assert before.keys.tolist() == after.keys.tolist()


# Files ---------------------------------------------------------------------------------------------------


@every_witness
def test_file__states_what_its_outputs_give_when_called_again(name: str, tmp_path: Path) -> None:
    witness = WITNESSES[name]
    path = tmp_path / "witness.json"
    path.write_bytes(witness_bytes(witness))
    again = read_witness(path)
    assert witness_bytes(again) == witness_bytes(witness)
    assert replay(again, rerun=name).differences == ()
    assert replay(again, rerun=find_target(name).mechanism).differences == ()


def test_file__bound_of_a_run_that_goes_on_after_a_violation() -> None:
    witness = record_witness("broken:laplace_twofold", calls=1500, stop=False)
    assert witness.calls == 1500
    assert witness.verdict is Verdict.VIOLATION
    assert replay(parse_witness(witness_bytes(witness).decode())).agrees


@every_witness
def test_schema__accepts_what_is_written(name: str) -> None:
    assert complaints(DOCUMENT, json.loads(witness_bytes(WITNESSES[name]))) == []


def test_schema__accepts_every_kind_of_input() -> None:
    inputs = ({"$x": (1, b"2")}, [Fraction(1, 2), 1j, "infinity", object, np.zeros(2), {}])
    pairs = (Pair("odd", *inputs), Pair("exact", 0, 1, exact=math.inf))
    document = json.loads(witness_bytes(alter_witness(pairs=pairs, outputs=([1, [2]], np.zeros((1, 2))))))
    assert complaints(DOCUMENT, document) == []


def alter_witness(**changes: Any) -> Witness:
    """Return a witness with other members and the digest of its new content."""
    return Witness(**{**{name: getattr(LAPLACE, name) for name in Witness.__slots__}, **changes})


# Tampering -----------------------------------------------------------------------------------------------


def other_output(document: dict[str, Any]) -> None:
    """Change one output, which moves the bound by nothing or by very little."""
    outputs = np.asarray(LAPLACE.outputs[0]).tolist()
    document["outputs"] = [[outputs[0] + 1e-9, *outputs[1:]]]


TAMPERINGS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "output": other_output,
    "bound": lambda document: document["result"].update(bound=0.5),
    "verdict": lambda document: document["result"].update(verdict="VIOLATION"),
    "calls": lambda document: document["result"].update(calls=10),
    "seed": lambda document: document.update(seed=8),
    "claim": lambda document: document.update(claim="eps:0.01"),
}


@pytest.mark.parametrize("tampering", TAMPERINGS)
def test_tampering__is_noticed_by_the_digest(tampering: str) -> None:
    document = json.loads(witness_bytes(LAPLACE))
    TAMPERINGS[tampering](document)
    replayed = replay(parse_witness(json.dumps(document)))
    assert any("digest" in difference for difference in replayed.differences)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"bound": 0.9}, "states the bound 0.9, recomputed"),
        ({"verdict": Verdict.VIOLATION}, "states the verdict VIOLATION, recomputed: INCONCLUSIVE"),
        ({"calls": 10}, "states 10 calls, recomputed: 600"),
        ({"seed": 8}, "states the bound"),
        ({"claim": PrivacyClaim("eps", 0.01)}, "states the verdict INCONCLUSIVE, recomputed: VIOLATION"),
    ],
)
def test_tampering__with_a_new_digest_leads_to_another_bound(changes: dict[str, Any], said: str) -> None:
    replayed = replay(parse_witness(witness_bytes(alter_witness(**changes)).decode()))
    assert not any("digest" in difference for difference in replayed.differences)
    assert any(said in difference for difference in replayed.differences)


def test_tampering__with_one_output_and_a_new_digest_is_noticed_by_calling_again() -> None:
    outputs = np.array(LAPLACE.outputs[0])
    outputs[17] += 1e-9
    replayed = replay(
        parse_witness(witness_bytes(alter_witness(outputs=(outputs,))).decode()), rerun="bank:laplace"
    )
    assert any("1 of 600 outputs differ, first call 17" in difference for difference in replayed.differences)


def test_versions__that_differ_are_named_if_the_result_differs() -> None:
    assert LAPLACE.versions["scikit-learn"] == version("scikit-learn")
    other = {**LAPLACE.versions, "scikit-learn": "0.1"}
    assert replay(alter_witness(versions=other)).agrees
    (bound, said) = replay(alter_witness(versions=other, bound=0.9)).differences
    assert "states the bound" in bound
    assert f"written with scikit-learn 0.1, this is {version('scikit-learn')}: " in said


class OwnStream:
    """A mechanism with a stream of its own, which does not take the generator of a call."""

    def __init__(self, scale: float, stream: int = 5) -> None:
        self._stream, self._scale = np.random.default_rng(stream), scale

    def __call__(self, data: float, _rng: np.random.Generator) -> float:
        """Return a noisy number."""
        return float(data + self._stream.laplace(scale=self._scale))


def record_own_stream(scale: float) -> Witness:
    """Return the witness of an audit of a mechanism that does not take seeds, for the claim epsilon <= 1."""
    recording = Recording()
    result = audit(OwnStream(scale), (0.0, 1.0), epsilon=1.0, calls=600, seed=7, recorder=recording)
    return parse_witness(witness_bytes(make_witness("mine:own", result, recording)).decode())


@pytest.mark.parametrize(
    ("recorded", "called", "agrees", "confirmed", "refuted"),
    [
        (0.5, 0.5, True, True, True),
        (1.0, 1.0, True, True, False),
        (0.5, 1.0, True, False, False),
        (1.0, 0.2, False, False, True),
    ],
)
def test_rerun__of_a_target_without_seeds_is_judged_by_fresh_calls(
    recorded: float, called: float, agrees: bool, confirmed: bool, refuted: bool
) -> None:
    """False alarms: none, since all streams are fixed."""
    witness, rerun = record_own_stream(recorded), Mechanism("mine:own", OwnStream(called, 6))
    replayed = replay(witness, rerun=rerun, seed=1)
    assert witness.seeded is False
    assert replayed.fresh is not None
    assert (replayed.agrees, replayed.is_confirmed) == (agrees, confirmed)
    assert bool(replayed.fresh.refuted) == refuted
    assert "judged by law" in fresh_sentence(replayed)
    most = max(8 * witness.calls, 1000) if recorded == 0.5 else witness.calls
    assert (0 < replayed.fresh.calls < most) if refuted else replayed.fresh.calls == most
    assert agrees or "the file states no violation, but" in replayed.differences[0]
    fewer = replay(witness, rerun=rerun, seed=1, calls=1).fresh
    assert fewer == replace(replayed.fresh, calls=1, refuted=())


def test_rerun__of_a_seeded_target_compares_bits_whatever_the_file_says() -> None:
    outputs = np.array(LAPLACE.outputs[0])
    outputs[0] += 1e-9
    replayed = replay(alter_witness(outputs=(outputs,), seeded=False), rerun="bank:laplace")
    assert replayed.fresh is None
    assert "1 of 600 outputs differ" in replayed.differences[-1]


def test_rerun__runs_nothing_because_a_file_names_it(tmp_path: Path) -> None:
    named = f"cmd:touch {tmp_path / 'made'}"
    witness = alter_witness(target=named)
    assert replay(witness).agrees
    with pytest.raises(PreconditionError, match=r"the one in the file, 'cmd:touch .* got bank:laplace"):
        replay(witness, rerun="bank:laplace")
    assert not list(tmp_path.iterdir())


def test_layout__of_the_file_is_no_part_of_the_digest() -> None:
    assert parse_witness(json.dumps(json.loads(witness_bytes(LAPLACE)), indent=3, sort_keys=True)).intact


# Reading -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": "x"}, 'witness: expected a document of format "privboost-audit-witness"'),
        ({"version": 1}, "witness.version: expected 3, got 1"),
        ({"seed": -1}, "witness.seed: expected an integer >= 0, got -1"),
        ({"seed": True}, "witness.seed: expected an integer"),
        ({"claim": "eps:1,delta:2"}, "witness.claim: expected a claim such as eps:1.0"),
        ({"target": 1}, "witness.target: expected a string, got 1"),
        ({"low_bits": 0}, "witness.low_bits: expected true or false"),
        ({"extra": 0}, "witness: expected no keys but"),
        ({"pairs": []}, "witness.outputs: expected one entry for each of 0 pairs, got 1"),
        ({"pairs": [{"name": "x"}]}, r'witness.pairs\[0\]: expected the key "relation"'),
        (
            {
                "pairs": [
                    {"name": "x", "relation": "close", "classes": [], "exact": None, "left": 0, "right": 1}
                ]
            },
            r"witness.pairs\[0\].relation: expected one of exchange, add_remove, .* as_given, got",
        ),
        (
            {"outputs": [{"$array": "!", "dtype": "<f8", "shape": [1]}]},
            r"outputs\[0\].\$array: expected base64",
        ),
        ({"outputs": [{"$array": "AAAA", "dtype": "<f8", "shape": [1]}]}, "expected 1 entries of float64"),
        ({"outputs": [{"$array": [1], "dtype": "<f8", "shape": [2]}]}, "expected 2 entries, got 1"),
        ({"outputs": [{"$array": ["x"], "dtype": "<f8", "shape": [1]}]}, "expected entries of type float64"),
        ({"outputs": [{"$array": [1], "dtype": "<f1", "shape": [1]}]}, "dtype: expected a type such as"),
        (
            {"outputs": [{"$array": "", "dtype": "<f8", "shape": [0, 1 << 70]}]},
            r"shape\[1\]: expected an integer from 0 to",
        ),
        ({"outputs": [{"$array": [1], "dtype": "O8", "shape": [1]}]}, 'dtype: expected a type such as "<f8"'),
        (
            {"outputs": [{"$array": "", "dtype": "<f8", "shape": [1 << 20, 1 << 20]}]},
            "shape: expected at most",
        ),
        ({"outputs": [{"$array": 1, "dtype": "<f8", "shape": []}]}, "one entry for each call"),
        ({"outputs": [[{"$secret": 1}]]}, r"outputs\[0\]\[0\]: expected one of .* got \$secret"),
        ({"outputs": [[{"$fraction": "1/0"}]]}, "expected an exact number"),
        ({"outputs": [[{"$complex": [1]}]]}, "expected two numbers"),
        ({"outputs": [[{"$map": [[[1], 2]]}]]}, "expected a key and a value"),
        ({"result": {"verdict": "FINE", "bound": 0, "calls": 0}}, "result.verdict: expected one of"),
        ({"result": {"verdict": "CONSISTENT", "bound": "x", "calls": 0}}, "result.bound: expected a number"),
        ({"result": {"verdict": "CONSISTENT", "bound": 10**400, "calls": 0}}, "bound: expected a number"),
        ({"versions": []}, "versions: expected an object"),
    ],
)
def test_reading__says_where_a_file_is_wrong(change: dict[str, Any], said: str) -> None:
    document = {**json.loads(witness_bytes(LAPLACE)), **change}
    with pytest.raises(PreconditionError, match=said):
        parse_witness(json.dumps(document))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "witness: expected valid JSON"),
        ("[" * 100_000, "witness: expected valid JSON"),
        ("[" * 900 + "]" * 900, "witness: expected at most 100 lists or objects within each other"),
        ('{"a": 1, "a": 2}', r"each key of an object once, got \['a'\]"),
        ('{"a": NaN}', "infinities and NaN are written"),
        ("[]", "expected a document of format"),
    ],
)
def test_reading__refuses_what_is_no_witness(content: str, said: str) -> None:
    with pytest.raises(PreconditionError, match=said):
        parse_witness(content)


def test_reading__of_no_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(PreconditionError, match="a file that can be read"):
        read_witness(tmp_path / "none.json")


def test_recording__portions_of_other_types_are_read_as_they_were() -> None:
    portions = [np.array([[1, 2], [3, 2]]), np.array([[1.0, 2.0], [0.5, 2.0]])]
    recording, reader = Recording(), OutputTable()
    parts = [reader.read(portion) for portion in portions]
    for portion in portions:
        recording(0, portion)
    whole = OutputTable().read(recording.of_pair(0))
    np.testing.assert_array_equal(whole.columns, np.concatenate([part.columns for part in parts]))
    assert whole.keys.tolist() == [key for part in parts for key in part.keys.tolist()]
