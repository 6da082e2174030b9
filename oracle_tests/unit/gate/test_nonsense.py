"""All checks of the gate reject targets that answer nonsense, and no check raises an error."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from privboost.gate.run import run_gate
from privboost.gate.targets.in_process import PythonTarget
from privboost.gate.trees.operations.operations import OPERATIONS

HELLO = {"name": "nonsense", "version": "1", "protocol": 1, "operations": list(OPERATIONS)}
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 10**400, 0.5, -1e300, 5e-324, "nan", "infinity", "-infinity"),
    *("3/8", "x0 >= 1", "", [], {}),
)
MEMBERS = ("trees", "expenses", "total", "x0 >= 1", "x1 = 0", "splits", "values", "beta", "nodes", "positive")


def anything(draw: random.Random, depth: int = 0) -> Any:
    """Return any JSON value."""
    kind = draw.randrange(4 if depth < 3 else 2)
    if kind == 2:
        return [anything(draw, depth + 1) for _ in range(draw.randrange(4))]
    if kind == 3:
        return {name: anything(draw, depth + 1) for name in draw.sample(MEMBERS, 4)}
    return draw.choice(VALUES)


class Nonsense:
    """An implementation whose answers have the right shape, but contain nonsense."""

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed)

    def answer(self, op: str, args: dict[str, Any]) -> Any:
        """Answer one request."""
        if op == "hello":
            return HELLO
        shape = _SHAPES.get(op)
        return anything(self._draw) if shape is None else shape(args, self._one)

    def _one(self) -> Any:
        return self._draw.choice(VALUES)


Draw = Callable[[], Any]


def _sample(args: dict[str, Any], one: Draw) -> Any:
    count = str(args.get("count", ""))
    return [one() for _ in range(int(count))] if count.isascii() and count.isdigit() else one()


def _law(args: dict[str, Any], one: Draw) -> Any:
    names = args.get("scores", args.get("candidates"))
    return (
        {name: one() for name in names if isinstance(name, str)} if isinstance(names, dict | list) else one()
    )


def _margins(args: dict[str, Any], one: Draw) -> Any:
    return [one() for _ in args["rows"]] if isinstance(args.get("rows"), list) else one()


def _model(args: dict[str, Any], one: Draw) -> Any:
    parameters = args.get("parameters")
    sizes = (
        [str(parameters.get(name)) for name in ("trees", "depth")] if isinstance(parameters, dict) else ["no"]
    )
    if not all(size in "12345678" for size in sizes):
        return one()
    nodes = 2 ** int(sizes[1]) - 1
    tree = {
        "splits": [one() for _ in range(nodes)],
        "values": [one() for _ in range(nodes + 1)],
        "beta": one(),
        "nodes": [{"alpha": one(), "budget": one(), "sensitivity": one()} for _ in range(nodes)],
        "masses": [{"positive": one(), "negative": one()} for _ in range(nodes + 1)],
        "scale": one(),
    }
    expenses = [{"what": one(), "epsilon": one()}]
    return {"trees": [tree] * int(sizes[0]), "expenses": expenses, "total": one()}


_SHAPES: dict[str, Callable[[dict[str, Any], Draw], Any]] = {
    "sample_split": _sample,
    "sample_laplace": _sample,
    "split_law": _law,
    "split_scores": _law,
    "predict": _margins,
    "train": _model,
}


class Nothing:
    """An implementation that lists all operations in `hello`, but supports none."""

    def answer(self, op: str, args: dict[str, Any]) -> Any:
        """Answer one request."""
        del args
        if op == "hello":
            return HELLO
        raise NotImplementedError(op)


def test_checks__raise_no_error_on_nonsense() -> None:
    result = run_gate(PythonTarget("x:y", Nonsense(7)))
    assert result.broken == ()
    assert len(result.failures) > 1000


def test_checks__nothing_passes_where_nothing_is_supported() -> None:
    result = run_gate(PythonTarget("x:y", Nothing()))
    passed = [outcome.check for outcome in result.outcomes if outcome.status == "pass"]
    assert [check for check in passed if not check.startswith("wire/")] == []
    assert result.is_empty
