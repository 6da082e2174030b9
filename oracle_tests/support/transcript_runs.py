"""Small private runs with their transcripts, and functions that change values in a transcript."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from privboost.reference.data import (
    Categorical,
    Domain,
    Quantised,
    Relation,
    Sample,
    binary_domain,
    sample_of,
)
from privboost.reference.exact import decimal, sqrt
from privboost.reference.learners.ensemble import Ensemble
from privboost.reference.learners.protocol import (
    AS_PRINTED,
    SOUND,
    AlphaRule,
    BetaRule,
    LeafRule,
    Parameters,
    Protocol,
    SplitLaw,
)
from privboost.reference.learners.splitting import Setting
from privboost.reference.privacy.bits import SeededBits
from privboost.reference.transcripts import TranscriptError, replay, write_transcript
from privboost.reference.transcripts.number_format import read_number
from privboost.reference.transcripts.shapes import LINE, ByKind, Extensible, ListOf, Plain, Shape

HALF = Fraction(1, 2)
ROWS = (((0, 0), 1), ((0, 0), 1), ((0, 1), -1), ((1, 0), 1), ((1, 1), -1), ((1, 1), -1), ((1, 0), -1))
BINARY = binary_domain(2)
MIXED = Domain(
    (Quantised("age", 2, Fraction(0), Fraction(90)), Categorical("colour", ("red", "green", "blué")))
)
SURD = Parameters(epsilon=3 + sqrt(2), boost_alpha=HALF, grid=Fraction(1, 64))


@dataclass(frozen=True, slots=True)
class Run:
    """A run of two trees of depth two."""

    protocol: Protocol
    boost_alpha: Fraction = Fraction(1)
    domain: Domain = BINARY
    size: int = len(ROWS)
    seed: int = 1

    @property
    def setting(self) -> Setting:
        """Return the public setting."""
        parameters = Parameters(
            trees=2,
            depth=2,
            epsilon=Fraction(8),
            bound=Fraction(2),
            alphas=(Fraction(1), HALF),
            grid=Fraction(1, 64),
            boost_alpha=self.boost_alpha,
        )
        return Setting(self.protocol, parameters, self.domain, self.size, HALF)

    @property
    def sample(self) -> Sample:
        """Return the raw sample."""
        return sample_of(self.domain, ROWS)


def _other(preset: Protocol, **choices: Any) -> Protocol:
    """Return a preset with other choices, which its name lists."""
    name = preset.name + "".join(f" {field}={choice.value}" for field, choice in choices.items())
    return replace(preset, name=name, **choices)


_ADD_REMOVE = Relation.ADD_REMOVE
_NETS = _other(SOUND, split_law=SplitLaw.UNIFORM, leaf=LeafRule.NOISY_NET, beta=BetaRule.CONSTANT)
RUNS = {
    "SOUND": Run(SOUND),
    # With boost_alpha = 1/2 the literal mirror update stays on the plateau: erratum mirror-plateau.
    "AS_PRINTED": Run(AS_PRINTED, HALF),
    "lazy reals": Run(_other(AS_PRINTED, alpha=AlphaRule.RAW_MINORITY), seed=3),
    "permute and flip": Run(_other(SOUND, split_law=SplitLaw.PERMUTE_AND_FLIP)),
    "link, clamp, noise": Run(_other(AS_PRINTED, leaf=LeafRule.LINK_CLAMP_NOISE), HALF),
    "SOUND, add/remove": Run(_other(SOUND, relation=_ADD_REMOVE), size=len(ROWS) + 2),
    "AS_PRINTED, add/remove": Run(_other(AS_PRINTED, relation=_ADD_REMOVE), HALF),
    "constant beta": Run(_other(SOUND, leaf=LeafRule.LINK_NOISE_CLAMP, beta=BetaRule.CONSTANT)),
    "AS_PRINTED with Matsushita's loss": Run(AS_PRINTED),
    "estimated alpha": Run(_other(SOUND, alpha=AlphaRule.NOISY_MINORITY)),
    "raw beta of noisy masses": Run(_other(SOUND, beta=BetaRule.RAW), HALF),
    "categories": Run(SOUND, domain=MIXED),
    "nets": Run(_NETS),
    "nets, add/remove": Run(_other(_NETS, relation=_ADD_REMOVE), domain=MIXED, size=len(ROWS) + 2),
}


@cache
def run(name: str) -> tuple[tuple[str, ...], Ensemble]:
    """Return the lines of the transcript of a run, and its ensemble."""
    stream, settings = io.StringIO(), RUNS[name]
    ensemble = write_transcript(stream, settings.setting, settings.sample, SeededBits(settings.seed))
    return tuple(stream.getvalue().splitlines()), ensemble


Position = tuple[int, tuple[str | int, ...]]
"""A line number, and the keys and indices that lead to a value in that line."""


def numbers(lines: tuple[str, ...]) -> Iterator[tuple[Position, Any]]:
    """Yield the position and the value of every number of a transcript, including integers."""
    for line, content in enumerate(lines, start=1):
        for path, value in _numbers(LINE, json.loads(content), ()):
            yield (line, path), value


def _numbers(shape: Shape, value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[Any, Any]]:
    """Yield the numbers of a value of a shape."""
    if shape in (Plain.NUMBER, Plain.INTEGER):
        yield path, value
    elif shape is Plain.NUMBERS:
        yield from (((*path, name), item) for name, item in value.items())
    elif isinstance(shape, ListOf):
        for index, item in enumerate(value):
            yield from _numbers(shape.item, item, (*path, index))
    elif not isinstance(shape, Plain):
        if isinstance(shape, ByKind | Extensible):
            shape = shape.fields[value["kind"]] if isinstance(shape, ByKind) else shape.fields
        for name, inner in shape.items():
            yield from _numbers(inner, value[name], (*path, name))


def change_number(lines: tuple[str, ...], position: Position, value: object) -> list[str]:
    """Return a transcript with another value at one position."""
    line, path = position
    record: Any = json.loads(lines[line - 1])
    inner = record
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = value
    return [*lines[: line - 1], json.dumps(record), *lines[line:]]


def error_of(lines: Iterable[str], name: str = "SOUND", *, believe: bool = True) -> TranscriptError:
    """Return the error at the first wrong value; with `believe`, the header is not compared."""
    with pytest.raises(TranscriptError) as caught:
        replay(lines, RUNS[name].sample, setting=None if believe else RUNS[name].setting)
    return caught.value


def as_floats(lines: tuple[str, ...], factor: float = 1) -> list[str]:
    """Return a transcript with floats instead of exact numbers, each multiplied by a factor."""
    result = lines
    for (line, path), value in numbers(lines):
        if line > 1 and isinstance(value, str):
            exact = read_number(value).value
            result = tuple(change_number(result, (line, path), float(decimal(exact, 40)) * factor))
    return list(result)


MISSHAPEN: dict[str, tuple[int, tuple[str | int, ...], object, str]] = {
    "unknown kind": (3, ("kind",), "guess", "kind"),
    "kind that is no text": (3, ("kind",), 3, "kind"),
    "unknown field": (10, ("comment",), "hello", "comment"),
    "number that is no number": (3, ("alpha",), "one", "alpha"),
    "number that is true": (3, ("alpha",), True, "alpha"),
    "number that is null": (10, ("value",), None, "value"),
    "scores in a list": (3, ("scores",), ["1"], "scores"),
    "score that is no number": (3, ("scores", "x0 >= 1"), "1.5", "scores.x0 >= 1"),
    "unknown candidate": (3, ("scores",), {"x0 >= 1": "0", "x9 >= 1": "0"}, "scores.x1 >= 1"),
    "one candidate too few": (3, ("scores",), {"x0 >= 1": "0"}, "scores"),
    "noise of another rule": (6, ("noise",), {"value": "0"}, "noise.positive"),
    "one noise too many": (6, ("noise", "value"), "0", "noise.value"),
    "path that is no path": (4, ("leaf",), "2", "leaf"),
    "tree that is a decimal": (4, ("tree",), 0.0, "tree"),
    "tree that is negative": (4, ("tree",), -1, "tree"),
    "text that is a number": (3, ("choice",), 1, "choice"),
    "other format": (1, ("format",), "privboost", "format"),
    "other version": (1, ("version",), 2, "version"),
    "unknown choice": (1, ("protocol", "leaf"), "none", "protocol.leaf"),
    "impossible protocol": (1, ("protocol", "leaf"), "noisy_net", "protocol"),
    "missing parameters": (1, ("parameters",), {}, "parameters.trees"),
    "impossible parameters": (1, ("parameters", "beta_tree"), "2", "parameters"),
    "rounded parameter": (1, ("parameters", "bound"), f"~2.{'0' * 40}", "parameters.bound"),
    "irrational grid": (1, ("parameters", "grid"), "sqrt(2)", "parameters.grid"),
    "alphas that are no list": (1, ("parameters", "alphas"), "1", "parameters.alphas"),
    "no attribute": (1, ("domain",), [], "domain"),
    "unknown attribute": (1, ("domain", 1, "kind"), "ordinal", "domain[1].kind"),
    "attribute without values": (1, ("domain", 1, "n_values"), 0, "domain[1]"),
    "domain without the sample": (1, ("domain", 1, "n_values"), 1, "domain"),
    "size below the sample": (1, ("size",), 6, "size"),
}
"""Invalid values for the transcript SOUND: line, path, value, and the field in the error message."""
