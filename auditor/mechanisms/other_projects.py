"""Mechanisms of other projects: worked examples of how to audit code that you did not write.

    diffprivlib:Laplace(epsilon=1, sensitivity=1)     any class of diffprivlib.mechanisms
    diffprivlib:forest(epsilon=1, n_estimators=3)     its random forest, on rows of one attribute
    opendp:laplace(scale=1.0)                         noise on floats; opendp:geometric on integers

These projects are optional and imported on demand. diffprivlib takes a generator, so its outputs follow from
the seed. OpenDP uses the operating system's randomness and cannot be seeded: its outputs are recorded, but
its calls cannot be repeated.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from privboost.auditor.pairs.pair import Pair
from privboost.errors import TargetError, UsageError
from privboost.targets.arguments import split_options
from privboost.targets.loading import describe_error

from .mechanism import Call, Claimed, Mechanism

Arguments = tuple[tuple[str, Any], ...]

DIFFPRIVLIB_DEFAULTS: dict[str, Any] = {"epsilon": 1.0, "sensitivity": 1}
FOREST_DEFAULTS = {"epsilon": 1.0, "n_estimators": 1, "max_depth": 1}
OPENDP_DEFAULTS = {"scale": 1.0}
NUMBERS = Pair("0 against 1", 0, 1)
FOREST_ROWS = [((0.25,), 0)] * 4 + [((0.75,), 1)] * 4


def mechanism_of(target: str) -> Claimed:
    """Return the mechanism that a string names, with pairs for it and the epsilon and delta of its claim."""
    project, _, rest = target.partition(":")
    name, options = split_options(rest, target)
    arguments = {key: _value(value) for key, value in options.items()}
    if project == "opendp":
        return _opendp(name, arguments, target)
    return _forest(arguments, target) if name == "forest" else _diffprivlib(name, arguments, target)


def _value(value: str) -> Any:
    """Return the value of an option; one that is neither JSON nor a literal is a string."""
    for read in (json.loads, ast.literal_eval):
        try:
            return read(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
    return value


def import_project(name: str, target: str) -> Any:
    """Import a module of another project.

    Ensures: UsageError with the install command if it is missing; TargetError if it cannot be imported.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        top = name.partition(".")[0]
        wanted = f"{top} to be installed (pip install {top})"
        raise UsageError(f"target: expected {wanted} for {target!r}, got no module {error.name!r}") from None
    except Exception as error:
        # The project may be made for other versions of what it imports.
        raise TargetError(target, "a project that can be imported", describe_error(error)) from error


def legacy_state(rng: np.random.Generator) -> np.random.RandomState:
    """Return a RandomState seeded with 128 bits of a Generator."""
    entropy = int.from_bytes(rng.bytes(16), "big")
    return np.random.RandomState(np.random.MT19937(np.random.SeedSequence(entropy)))


@dataclass(frozen=True, slots=True)
class Diffprivlib:
    """A mechanism of diffprivlib; every call makes a new object and uses its `randomise`."""

    name: str
    arguments: Arguments

    def __call__(self, data: Any, rng: np.random.Generator) -> Any:
        """Return one sample."""
        mechanisms = importlib.import_module("diffprivlib.mechanisms")
        made = getattr(mechanisms, self.name)(**dict(self.arguments), random_state=legacy_state(rng))
        return made.randomise(data)


def usable_mechanisms(mechanisms: Any) -> dict[str, Any]:
    """Return the classes of diffprivlib.mechanisms that can be called, by name."""
    return {
        key: value
        for key, value in vars(mechanisms).items()
        if hasattr(value, "randomise") and not inspect.isabstract(value)
    }


def _diffprivlib(name: str, arguments: dict[str, Any], target: str) -> Claimed:
    mechanisms = import_project("diffprivlib.mechanisms", target)
    usable = usable_mechanisms(mechanisms)
    if name not in usable:
        wanted = ", ".join(["forest", *sorted(usable)])
        raise UsageError(f"target: expected diffprivlib:NAME with one of {wanted}, got {target!r}")
    accepted = inspect.signature(usable[name]).parameters
    complete = {key: value for key, value in DIFFPRIVLIB_DEFAULTS.items() if key in accepted} | arguments
    mechanism = Diffprivlib(name, tuple(complete.items()))
    _try(mechanism, NUMBERS.left, target)
    claim = float(complete["epsilon"]) if "epsilon" in complete else None
    delta = float(complete.get("delta", 0.0))
    return Claimed(Mechanism(target, mechanism), (NUMBERS,), claim, delta)


@dataclass(frozen=True, slots=True)
class DiffprivlibForest:
    """The random forest of diffprivlib; the output is its predicted probabilities at four points."""

    arguments: Arguments

    def __call__(self, data: Any, rng: np.random.Generator) -> Any:
        """Return the probabilities of the second class at four points, after a fit on rows."""
        models = importlib.import_module("diffprivlib.models")
        rows, labels = np.array([x for x, _ in data], dtype=float), np.array([y for _, y in data])
        width = rows.shape[1]
        forest = models.RandomForestClassifier(
            **dict(self.arguments),
            bounds=(np.zeros(width), np.ones(width)),
            classes=[0, 1],
            accountant=importlib.import_module("diffprivlib.accountant").BudgetAccountant(),
            random_state=legacy_state(rng),
        ).fit(rows, labels)
        points = np.repeat(np.array([[0.125], [0.375], [0.625], [0.875]]), width, axis=1)
        return forest.predict_proba(points)[:, 1]


def _forest(arguments: dict[str, Any], target: str) -> Claimed:
    import_project("diffprivlib.models", target)
    complete = FOREST_DEFAULTS | arguments
    mechanism = DiffprivlibForest(tuple(complete.items()))
    flipped = [*FOREST_ROWS[:-1], (FOREST_ROWS[-1][0], 0)]
    moved = [*FOREST_ROWS[:-1], ((0.25,), 1)]
    pairs = (Pair("a label flipped", FOREST_ROWS, flipped), Pair("a row moved", FOREST_ROWS, moved))
    _try(mechanism, FOREST_ROWS, target)
    return Claimed(Mechanism(target, mechanism), pairs, float(complete["epsilon"]))


@dataclass(frozen=True, slots=True)
class OpenDP:
    """A measurement of OpenDP, made once per process; it does not use the given generator."""

    name: str
    arguments: Arguments

    def __call__(self, data: Any, rng: np.random.Generator) -> Any:
        """Return one sample."""
        return measurement(self.name, self.arguments)(OPENDP_KINDS[self.name](data))


OPENDP_KINDS: dict[str, type] = {"geometric": int, "laplace": float}


@cache
def measurement(name: str, arguments: Arguments) -> Any:
    """Return a measurement of OpenDP; it cannot be pickled, so each process makes its own."""
    prelude = importlib.import_module("opendp.prelude")
    prelude.enable_features("contrib")
    kind = OPENDP_KINDS[name]
    domain = prelude.atom_domain(T=float, nan=False) if kind is float else prelude.atom_domain(T=int)
    make = getattr(prelude.m, f"make_{name}")
    return make(domain, prelude.absolute_distance(T=kind), **dict(arguments))


def _opendp(name: str, arguments: dict[str, Any], target: str) -> Claimed:
    if name not in OPENDP_KINDS:
        raise UsageError(
            f"target: expected opendp:NAME with one of {', '.join(OPENDP_KINDS)}, got {target!r}"
        )
    import_project("opendp.prelude", target)
    complete = OPENDP_DEFAULTS | arguments
    mechanism = OpenDP(name, tuple(complete.items()))
    _try(mechanism, NUMBERS.left, target)
    # The claim is the library's own privacy map at distance 1.
    claim = float(measurement(name, mechanism.arguments).map(OPENDP_KINDS[name](1)))
    measured = Mechanism(target, mechanism, repeats=False)
    return Claimed(measured, (NUMBERS,), claim if math.isfinite(claim) else None)


def _try(mechanism: Call, data: Any, target: str) -> None:
    """Call a mechanism once, so that wrong arguments are reported before an audit."""
    try:
        mechanism(data, np.random.default_rng(0))
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise TargetError(target, "arguments that the mechanism accepts", reason) from error
