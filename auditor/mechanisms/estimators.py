"""Estimators as mechanisms: one call fits a copy of the estimator to a table and returns what it learned.

An input is a dictionary: `X`, the rows; `y`, the labels, if any; `probes`, if any, rows that are the same on
both sides of a pair. The output has the predictions on the probes and all attributes of the fitted estimator.
Left out are parameters of the constructor that the fit neither replaced nor changed: the caller chose them.

The randomness of a call comes from its generator: it is the `random_state` of the estimator, if there is one
and it is None, and it seeds the global generators of NumPy and Python.
"""

from __future__ import annotations

import copy
import inspect
import json
import math
import random
import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from privboost.auditor.values.objects import state_of
from privboost.auditor.values.tagged_json import output_to_json
from privboost.errors import TargetError, UsageError
from privboost.limits import ESTIMATOR, RELATIONS
from privboost.targets.arguments import split_call, split_module
from privboost.targets.loading import load_object
from privboost.targets.names import Named, parse_named

from .mechanism import Claimed, Mechanism, Rng
from .other_projects import legacy_state

PREDICTIONS = ("predict_proba", "decision_function", "predict", "transform")
"""Methods that are called on the probes: the first that the estimator has."""

_PROMISE = re.compile(r"neighbo|adjacent|add.remove|(un)?bounded differential", re.IGNORECASE)
_ROLE = re.compile(r":\w+:`([^`]*)`")
LONGEST_PROMISE = 300


@dataclass(frozen=True, slots=True)
class FitOnTable:
    """One call: fit a copy of the estimator, and return predictions and attributes."""

    estimator: Any

    def __call__(self, data: Mapping[str, Any], rng: Rng) -> dict[str, Any]:
        """Return the predictions and fitted attributes of a copy fitted to a table."""
        model = copy.deepcopy(self.estimator)
        parameters = parameters_of(model)
        if "random_state" in parameters and parameters["random_state"] is None:
            model.set_params(random_state=legacy_state(rng))
        with _global_seeds(rng), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            given = parameters_of(model)
            before = {name: _content_of(value) for name, value in given.items()}
            labels = () if data.get("y") is None else (np.array(data["y"]),)
            fitted = model.fit(rows_of(data["X"]), *labels)
            model = model if fitted is None else fitted
            predictions = _predictions(model, rows_of(data.get("probes", ())))
        attributes = {
            name: value
            for name, value in state_of(model).items()
            if not (name in given and given[name] is value and _content_of(value) == before[name])
        }
        # Fitted attributes end in an underscore; they come before others, which may be large.
        ordered = sorted(attributes, key=lambda name: not name.endswith("_"))
        # A model that shows nothing is returned itself: it is then named as not read.
        return predictions | {name: attributes[name] for name in ordered} or {"model": model}


def _content_of(parameter: Any) -> str:
    """Return a string that changes when the content of a parameter does."""
    return json.dumps(output_to_json(parameter))


def rows_of(rows: list[list[Any]]) -> Any:
    """Return rows as an array of floats, or of objects if some cells are strings."""
    numeric = all(isinstance(cell, int | float) for row in rows for cell in row)
    return np.array(rows, dtype=float if numeric else object)


def needs_labels(mechanism: Mechanism) -> bool:
    """Return whether the fit of an estimator cannot be called without labels."""
    estimator = getattr(mechanism.call, "estimator", None)
    try:
        inspect.signature(estimator.fit).bind(None)  # type: ignore[union-attr]
    except TypeError:
        return True
    except (AttributeError, ValueError):
        # Not an estimator, or one whose signature is unknown.
        return False
    return False


def parameters_of(model: Any) -> dict[str, Any]:
    """Return the parameters of the constructor of an estimator, by name."""
    return dict(model.get_params(deep=False)) if callable(getattr(model, "get_params", None)) else {}


def _predictions(model: Any, probes: Any) -> dict[str, Any]:
    for name in PREDICTIONS:
        if len(probes) and callable(getattr(model, name, None)):
            return {name: getattr(model, name)(probes)}
    return {}


@contextmanager
def _global_seeds(rng: Rng) -> Iterator[None]:
    """Seed the global generators of NumPy and Python, and restore their states afterwards."""
    numpy_state, python_state = np.random.get_state(), random.getstate()
    np.random.seed(np.frombuffer(rng.bytes(32), dtype=np.uint32))
    random.seed(rng.bytes(32))
    try:
        yield
    finally:
        np.random.set_state(numpy_state)
        random.setstate(python_state)


def estimator_target(target: str) -> Claimed:
    """Return the estimator that `estimator:module.Class(arguments)` names, with the claim that it states.

    A class is called without arguments; any other object is used as it is.
    Ensures: UsageError if the string names no estimator.
    """
    source = target.removeprefix(ESTIMATOR).strip()
    named = parse_named(source) or _parse_dotted(source)
    estimator = load_object(named, kinds="a module such as sklearn.naive_bayes", suits=_is_estimator)
    if isinstance(estimator, type):
        estimator = load_object(Named(source, named.module, named.names, ""), kinds="", suits=_is_estimator)
    return claimed_estimator(estimator, source)


def claimed_estimator(estimator: Any, source: str) -> Claimed:
    """Return an estimator as a mechanism, with the claim that it states; `source` is its name.

    Ensures: UsageError if it has no method `fit`; TargetError if it cannot be copied.
    """
    if not _is_estimator(estimator) or isinstance(estimator, type):
        kind = type(estimator).__name__
        raise UsageError(
            f"expected an object with a method fit, got {source!r}, a {kind}", argument="estimator"
        )
    try:
        copy.deepcopy(estimator)
    except Exception as error:
        # Copying an object of the user may raise any exception.
        raise TargetError(source, "an estimator that can be copied", repr(error)) from error
    epsilon, delta = _read_parameter(estimator, "epsilon"), _read_parameter(estimator, "delta")
    relation = getattr(estimator, "relation", None)
    return Claimed(
        Mechanism(
            f"{ESTIMATOR}{source}",
            FitOnTable(estimator),
            seeded=parameters_of(estimator).get("random_state") is None,
        ),
        epsilon=epsilon,
        delta=delta or 0.0,
        relation=relation if relation in RELATIONS else None,
        promise=promise_of(type(estimator)),
    )


def _parse_dotted(source: str) -> Named:
    name, arguments = split_call(source)
    module, names = split_module(name, source)
    return Named(source, module, names, arguments)


def _is_estimator(value: Any) -> bool:
    return callable(getattr(value, "fit", None))


def _read_parameter(estimator: Any, name: str) -> float | None:
    """Return a parameter of the claim as a number, if the estimator has it."""
    value = getattr(estimator, name, None)
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) and number >= 0 else None


def promise_of(kind: type) -> str:
    """Quote what the documentation of a class says about epsilon and neighbours; empty if nothing."""
    lines = (inspect.getdoc(kind) or "").splitlines()
    parts = []
    for index, line in enumerate(lines):
        if re.match(r"\s*epsilon\s*:", line):
            indent = len(line) - len(line.lstrip())
            body = []
            for following in lines[index + 1 :]:
                if following.strip() and len(following) - len(following.lstrip()) <= indent:
                    break
                body.append(following)
            parts.append(" ".join(" ".join(body).split()))
        elif _PROMISE.search(line) and not any(" ".join(line.split()) in part for part in parts):
            parts.append(" ".join(line.split()))
    text = _ROLE.sub(r"\1", " … ".join(filter(None, parts))).replace(r"\epsilon", "ε").replace(r"\delta", "δ")
    if not text:
        return ""
    short = text if len(text) <= LONGEST_PROMISE else f"{text[: LONGEST_PROMISE - 1]}…"
    return f"“{short}”" + ("" if _PROMISE.search(text) else " (it does not say which inputs are neighbours)")
