"""Read the arguments of `train` and `predict`; write the result of `train` from the records of a fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from privboost.errors import PreconditionError

from .operations import PARAMETERS, WORDS
from .requests import Arguments, Candidate, Row, entries, fields, integer, label_of, noise_of, number, one_of

RANGES: dict[str, tuple[str, Callable[[Fraction], bool]]] = {
    "epsilon": ("a number > 0", lambda x: x > 0),
    "beta_tree": ("a number between 0 and 1", lambda x: 0 < x < 1),
    "bound": ("a number > 0", lambda x: x > 0),
    "zeta": ("a number between 0 and 1/2", lambda x: 0 < x < Fraction(1, 2)),
    "boost_alpha": ("a number in [0, 1]", lambda x: 0 <= x <= 1),
    "grid": ("a number > 0", lambda x: x > 0),
}
"""Parameters that are numbers: their range in words, and as a predicate."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """A public attribute of a domain."""

    categorical: bool
    n_values: int


@dataclass(frozen=True, slots=True)
class TapedTree:
    """The choices and noise of one tree: a candidate per node, a noise object per leaf."""

    choices: tuple[str, ...]
    noise: tuple[Mapping[str, Fraction], ...]


@dataclass(frozen=True, slots=True)
class Training:
    """The arguments of `train`."""

    words: Mapping[str, str]
    """The fields of `protocol`."""
    parameters: Mapping[str, Any]
    domain: tuple[Attribute, ...]
    rows: tuple[Row, ...]
    seed: int | None = None
    tape: tuple[TapedTree, ...] | None = None


def read_training(arguments: Arguments) -> Training:
    """Return the arguments of `train`: everything public, the rows, and either a seed or a tape."""
    training = read_data(arguments)
    seed, tape = arguments.raw("seed"), arguments.raw("tape")
    if (seed is None) == (tape is None):
        raise PreconditionError("seed", "either a seed or a tape", "neither" if seed is None else "both")
    if tape is None:
        return replace(training, seed=arguments.seed())
    return replace(training, tape=_tape(tape, training))


def read_data(arguments: Arguments) -> Training:
    """Return the arguments of `train` without its seed or tape, which may be missing."""
    given = fields(arguments.raw("protocol"), "protocol", tuple(WORDS))
    words = {name: one_of(given[name], name, WORDS[name]) for name in WORDS}
    domain = read_domain(arguments.raw("domain"))
    rows = read_rows(arguments.raw("rows"), domain, labelled=True)
    if not rows:
        raise PreconditionError("rows", "at least one row", "none")
    return Training(words, _parameters(arguments.raw("parameters")), domain, rows)


def _parameters(value: Any) -> dict[str, Any]:
    given = fields(value, "parameters", PARAMETERS)
    parameters: dict[str, Any] = {name: integer(given[name], name, 1) for name in ("trees", "depth")}
    for name, (requirement, holds) in RANGES.items():
        parameters[name] = number(given[name], name)
        if not holds(parameters[name]):
            raise PreconditionError(name, requirement, parameters[name])
    alphas = tuple(number(alpha, "alphas") for alpha in entries(given["alphas"], "alphas"))
    if not alphas or not all(0 <= alpha <= 1 for alpha in alphas):
        raise PreconditionError("alphas", "at least one number, all in [0, 1]", alphas)
    return parameters | {"alphas": alphas}


def read_domain(value: Any) -> tuple[Attribute, ...]:
    """Return a domain that has at least one candidate."""
    attributes = []
    for given in entries(value, "domain"):
        attribute = fields(given, "domain", ("kind", "n_values"))
        kind = one_of(attribute["kind"], "kind", ("quantised", "categorical"))
        attributes.append(Attribute(kind == "categorical", integer(attribute["n_values"], "n_values", 1)))
    domain = tuple(attributes)
    if not candidates_of(domain):
        raise PreconditionError("domain", "an attribute with at least two values", value)
    return domain


def candidates_of(domain: Iterable[Attribute]) -> list[str]:
    """Return all candidates of a domain as strings, in order."""
    candidates = []
    for index, attribute in enumerate(domain):
        n = attribute.n_values
        if attribute.categorical:
            candidates += [str(Candidate(index, True, value)) for value in range(n if n > 2 else n - 1)]
        else:
            candidates += [str(Candidate(index, False, cut)) for cut in range(1, n)]
    return candidates


def read_rows(value: Any, domain: tuple[Attribute, ...], *, labelled: bool) -> tuple[Row, ...]:
    """Return rows whose codes are in the domain."""
    rows = []
    for given in entries(value, "rows"):
        row = fields(given, "rows", ("x", "y") if labelled else ("x",))
        codes = tuple(integer(code, "x", 0) for code in entries(row["x"], "x"))
        if len(codes) != len(domain):
            raise PreconditionError("x", f"{len(domain)} codes", len(codes))
        for code, attribute in zip(codes, domain, strict=True):
            if code >= attribute.n_values:
                raise PreconditionError("x", f"a code below {attribute.n_values}", code)
        rows.append(Row(codes, label_of(row["y"]) if labelled else 1))
    return tuple(rows)


def _tape(value: Any, training: Training) -> tuple[TapedTree, ...]:
    candidates, leaf = candidates_of(training.domain), training.words["leaf"]
    trees, leaves = training.parameters["trees"], 1 << min(training.parameters["depth"], 30)
    given = entries(value, "tape")
    if len(given) != trees:
        raise PreconditionError("tape", f"an entry for each of {trees} trees", len(given))
    tape = []
    for entry in given:
        tree = fields(entry, "tape", ("choices", "noise"))
        choices, noise = entries(tree["choices"], "choices"), entries(tree["noise"], "noise")
        for name, part, count in (("choices", choices, leaves - 1), ("noise", noise, leaves)):
            if len(part) != count:
                raise PreconditionError(name, f"a list of length {count}", len(part))
        names = tuple(one_of(choice, "choices", candidates) for choice in choices)
        tape.append(TapedTree(names, tuple(noise_of(part, leaf) for part in noise)))
    return tuple(tape)


@dataclass(frozen=True, slots=True)
class ModelTree:
    """A tree of a model: tests in level order, leaf values, coefficient."""

    splits: tuple[Candidate, ...]
    values: tuple[Fraction, ...]
    beta: Fraction


def read_model(value: Any, domain: tuple[Attribute, ...]) -> tuple[ModelTree, ...]:
    """Return the trees of a model; its numbers may be floats, as in a result of `train`."""
    candidates = candidates_of(domain)
    model = []
    trees = fields(value, "model", ("trees",), ("expenses", "total"))["trees"]
    for given in entries(trees, "trees"):
        tree = fields(given, "trees", ("splits", "values", "beta"), ("nodes", "masses", "scale"))
        splits = [one_of(split, "splits", candidates) for split in entries(tree["splits"], "splits")]
        values = [answered(part, "values") for part in entries(tree["values"], "values")]
        if len(values) != len(splits) + 1 or len(values) & (len(values) - 1):
            raise PreconditionError("values", "a value for every leaf of a complete tree", len(values))
        read = tuple(Candidate.read(split, "splits") for split in splits)
        model.append(ModelTree(read, tuple(values), answered(tree["beta"], "beta")))
    return tuple(model)


def answered(value: Any, name: str) -> Fraction:
    """Return a number of a result, which may be a float."""
    if isinstance(value, float) and value - value == 0:
        return Fraction(value)
    return number(value, name)


def result_of(records: Iterable[Mapping[str, Any]], write: Callable[[Any], Any]) -> dict[str, Any]:
    """Return the result of `train` from the records of a fit; `write` converts its numbers."""
    trees: list[dict[str, Any]] = []
    expenses: list[dict[str, Any]] = []
    total: Any = None
    for record in records:
        kind = record["kind"]
        if kind == "tree":
            trees.append({"splits": [], "values": [], "beta": None, "nodes": [], "masses": [], "scale": None})
        elif kind == "node":
            trees[-1]["splits"].append(record["choice"])
            trees[-1]["nodes"].append({key: write(record[key]) for key in ("alpha", "budget", "sensitivity")})
        elif kind == "leaf":
            trees[-1]["values"].append(write(record["value"]))
            trees[-1]["masses"].append({key: write(part) for key, part in record["masses"].items()})
            trees[-1]["scale"] = write(record["scale"])
        elif kind == "beta":
            trees[-1]["beta"] = write(record["value"])
        elif kind == "expense":
            expenses.append({"what": record["what"], "epsilon": write(record["epsilon"])})
        elif kind == "total":
            total = write(record["epsilon"])
    return {"trees": trees, "expenses": expenses, "total": total}
