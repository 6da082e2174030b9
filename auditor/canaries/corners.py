"""Canaries for an estimator: rows at the corners of the domain that a schema describes.

A corner has an end of the range of every numeric feature, and any category of the others. Under exchange a
canary that is out has another label; under add/remove it is left out. Its score is how much the fitted model
prefers its label at its cells.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import cycle, islice, product
from random import Random
from typing import Any

import numpy as np

from privboost.auditor.inputs.description import Description, parse_description
from privboost.auditor.inputs.kinds import Choice, Columns, Day, Double, Integer, Union, ValueKind
from privboost.auditor.mechanisms.estimators import estimator_target
from privboost.auditor.mechanisms.mechanism import Claimed
from privboost.errors import PreconditionError, TargetError
from privboost.limits import CANARIES, EXCHANGE

from .check import one_run
from .result import OneRunResult

MOST_LISTED = 4096
"""Corners are listed if there are at most this many, and else drawn."""

Call = Callable[[Any, np.random.Generator], Any]

Row = tuple[list[Any], Any]
"""The cells of a row, and its label."""


def run_estimator(
    target: Claimed,
    description: Description,
    *,
    relation: str | None = None,
    canaries: int = CANARIES,
    **options: Any,
) -> OneRunResult:
    """Fit an estimator once with canaries among other rows, and bound epsilon from below.

    The other rows are ordinary ones of the description, as many as it says. `options` are those of `one_run`.
    Ensures: PreconditionError without labels of at least two classes, or without ranges; TargetError if
    nothing is predicted.
    """
    listed, classes = make_canaries(description, canaries)
    others = None
    if (relation or target.relation or EXCHANGE) == EXCHANGE:
        following = dict(zip(classes, [*classes[1:], classes[0]], strict=True))
        others = [(cells, following[label]) for cells, label in listed]
    fit = partial(_fit, target.mechanism.call, _other_rows(description), [cells for cells, _ in listed])
    return one_run(fit, listed, _score, replacements=others, **options)


def make_canaries(description: Description, count: int) -> tuple[list[Row], list[Any]]:
    """Return canaries at corners, with the classes in turn as labels, and the classes.

    Ensures: PreconditionError as `run_estimator`.
    """
    kinds, at = _kinds(description), description.label or 0
    rows = islice(cycle(_corners([*kinds[:at], *kinds[at + 1 :]], description.text)), count)
    classes = _classes(kinds[at], description.text)
    return [(cells, classes[index % len(classes)]) for index, cells in enumerate(rows)], classes


def _corners(kinds: Sequence[ValueKind], text: str) -> list[list[Any]]:
    """Return the cells of the corners, in a fixed random order."""
    ends, random = [_ends(kind, text) for kind in kinds], Random(0)
    if math.prod(map(len, ends)) > MOST_LISTED:
        return [[random.choice(each) for each in ends] for _ in range(MOST_LISTED)]
    corners = [list(corner) for corner in product(*ends)]
    random.shuffle(corners)
    return corners


def _kinds(description: Description) -> tuple[ValueKind, ...]:
    row = description.row
    if description.label is None or not isinstance(row, Columns):
        expected = "inputs with labels, such as table:schema.toml,label=COLUMN"
        raise PreconditionError("input", expected, description.text)
    return row.kinds


def _classes(kind: ValueKind, text: str) -> list[Any]:
    """Return the classes, or the ends of a range of labels."""
    values = _ends(kind, text)
    if len(values) < 2:
        raise PreconditionError("label", "a column of at least two classes", values)
    return values


def _ends(kind: ValueKind, text: str) -> list[Any]:
    """Return the ends of a range, or all categories."""
    match kind:
        case Choice():
            return list(kind.values)
        case Double(low=low, high=high) | Integer(low=low, high=high) if low is not None and high is not None:
            return [low, high]
        case Day():
            return [kind.first.isoformat(), kind.last.isoformat()]
        case Union():
            return _ends(kind.kinds[0], text)
    raise PreconditionError("input", "columns with a range or with categories", text)


def _other_rows(description: Description) -> list[Row]:
    """Return ordinary rows, the same for every run."""
    random, at = Random(0), description.label
    rows = [description.row.draw(random) for _ in range(description.about)]
    return [([cell for index, cell in enumerate(row) if index != at], row[at]) for row in rows]


def _fit(
    call: Call, others: list[Row], probes: list[list[Any]], rows: list[Row], rng: np.random.Generator
) -> dict[str, Any]:
    """Return the attributes of an estimator that is fitted to canaries and other rows."""
    table = [*others, *rows]
    data = {"X": [cells for cells, _ in table], "y": [label for _, label in table], "probes": probes}
    output: dict[str, Any] = call(data, rng)
    return output


def _score(output: dict[str, Any], canaries: list[Row]) -> Iterator[float]:
    """Return how much a model prefers the label of every canary."""
    labels = [label for _, label in canaries]
    if "predict" in output:
        predicted = output["predict"]
        return (float(each == label) for each, label in zip(predicted, labels, strict=True))
    values, classes = output.get("predict_proba", output.get("decision_function")), output.get("classes_")
    if values is None or classes is None:
        raise TargetError(
            "estimator", "predict_proba, decision_function or predict after fit", ", ".join(output)
        )
    columns = np.asarray(values, dtype=float)
    if columns.ndim == 1:
        columns = np.stack([-columns, columns], axis=1)
    at = {label: index for index, label in enumerate(np.asarray(classes).tolist())}
    return (float(columns[row, at[label]]) if label in at else -np.inf for row, label in enumerate(labels))


def run_by_name(target: str, inputs: str, plan: dict[str, Any]) -> OneRunResult:
    """Run the estimator that a target string names, in a worker process; `plan` is for `run_estimator`."""
    claimed = estimator_target(target)
    result = run_estimator(claimed, parse_description(inputs), **plan)
    return replace(result, target=target, promise=claimed.promise)
