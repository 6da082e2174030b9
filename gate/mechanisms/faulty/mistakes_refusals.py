"""Mistakes in what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .mistake import MistakesIn
from .model import Args, PlainLibrary

wrong_answer = MistakesIn(PlainLibrary.answer, "laplace")


def _valid(op: str, args: Args, name: str, refused: Any, value: str) -> Mapping[str, Any]:
    """Return arguments in which a value that must be refused is another one."""
    return dict(args) | ({name: value} if args.get(name) in refused else {})


@wrong_answer("Epsilon 0 is accepted, as 1.")
def accepts_epsilon_zero(right: PlainLibrary, op: str, args: Args) -> Any:
    return right.answer(op, _valid(op, args, "epsilon", ("0",), "1"))


@wrong_answer("A negative epsilon is accepted, as 1.")
def accepts_negative_epsilon(right: PlainLibrary, op: str, args: Args) -> Any:
    return right.answer(op, _valid(op, args, "epsilon", ("-1", "-1000"), "1"))


@wrong_answer("Not-a-number is accepted as a sensitivity, as 1.")
def accepts_nan(right: PlainLibrary, op: str, args: Args) -> Any:
    return right.answer(op, _valid(op, args, "sensitivity", ("nan",), "1"))


@wrong_answer("An infinite sensitivity is accepted, as 1.")
def accepts_infinity(right: PlainLibrary, op: str, args: Args) -> Any:
    return right.answer(op, _valid(op, args, "sensitivity", ("infinity",), "1"))


@wrong_answer("A delta of 1 is accepted.", label="gaussian")
def accepts_delta_one(right: PlainLibrary, op: str, args: Args) -> Any:
    return right.answer(op, _valid(op, args, "delta", ("1", "2"), "1/2"))


@wrong_answer("Bounds in the wrong order are exchanged.", label="bounded-sum")
def accepts_swapped_bounds(right: PlainLibrary, op: str, args: Args) -> Any:
    if op in ("bounded_sum", "bounded_mean") and (args.get("lower"), args.get("upper")) == ("1", "0"):
        return right.answer(op, dict(args) | {"lower": "0", "upper": "1"})
    return right.answer(op, args)


@wrong_answer("Arguments that are not known are ignored.")
def ignores_unknown(right: PlainLibrary, op: str, args: Args) -> Any:
    return right.answer(op, {name: value for name, value in args.items() if name != "temperature"})
