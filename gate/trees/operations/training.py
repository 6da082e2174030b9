"""Read the arguments of `train` and `predict`; write the result of `train` from the records of a fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from privboost.errors import PreconditionError

from .candidates import Candidate
from .ranges import NOISE
from .requests import Arguments, Row


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
    if ("seed" in arguments) == ("tape" in arguments):
        given = "both" if "seed" in arguments else "neither"
        raise PreconditionError("seed", "either a seed or a tape", given)
    if "seed" in arguments:
        return replace(training, seed=arguments["seed"])
    return replace(training, tape=_tape(arguments["tape"], training))


def read_data(arguments: Arguments) -> Training:
    """Return the arguments of `train` without its seed or tape, which may be missing."""
    domain = read_domain(arguments["domain"])
    if not candidates_of(domain):
        raise PreconditionError("domain", "an attribute with at least two values", arguments["domain"])
    rows = read_rows(arguments, domain)
    return Training(arguments["protocol"], arguments["parameters"], domain, rows)


def read_domain(attributes: Sequence[Mapping[str, Any]]) -> tuple[Attribute, ...]:
    """Return a domain."""
    return tuple(Attribute(each["kind"] == "categorical", each["n_values"]) for each in attributes)


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


def read_rows(arguments: Arguments, domain: Sequence[Attribute]) -> tuple[Row, ...]:
    """Return rows whose codes are in the domain."""
    rows = arguments.rows()
    for row in rows:
        if len(row.x) != len(domain):
            raise PreconditionError("x", f"{len(domain)} codes", len(row.x))
        for code, attribute in zip(row.x, domain, strict=True):
            if code >= attribute.n_values:
                raise PreconditionError("x", f"a code below {attribute.n_values}", code)
    return rows


def _tape(entries: Sequence[Mapping[str, Any]], training: Training) -> tuple[TapedTree, ...]:
    trees, leaves = training.parameters["trees"], 1 << min(training.parameters["depth"], 30)
    _check_length("tape", entries, trees)
    tape = []
    for entry in entries:
        _check_length("choices", entry["choices"], leaves - 1)
        _check_length("noise", entry["noise"], leaves)
        choices = _in_domain("choices", entry["choices"], training.domain)
        kind = NOISE[training.words["leaf"]]
        noise = tuple(kind.read(part, "noise") for part in entry["noise"])
        tape.append(TapedTree(tuple(map(str, choices)), noise))
    return tuple(tape)


def _check_length(name: str, entries: Sequence[Any], length: int) -> None:
    if len(entries) != length:
        raise PreconditionError(name, f"a list of length {length}", len(entries))


def _in_domain(name: str, tests: Sequence[Candidate], domain: Sequence[Attribute]) -> tuple[Candidate, ...]:
    """Return tests after checking that they are candidates of a domain."""
    candidates = candidates_of(domain)
    for test in tests:
        if str(test) not in candidates:
            raise PreconditionError(name, f"one of {', '.join(candidates)}", str(test))
    return tuple(tests)


@dataclass(frozen=True, slots=True)
class ModelTree:
    """A tree of a model: tests in level order, leaf values, coefficient."""

    splits: tuple[Candidate, ...]
    values: tuple[Fraction, ...]
    beta: Fraction


def read_model(arguments: Arguments, domain: Sequence[Attribute]) -> tuple[ModelTree, ...]:
    """Return the trees of a model; its numbers may be floats, as in a result of `train`."""
    model = []
    for tree in arguments["model"]["trees"]:
        splits, values = _in_domain("splits", tree["splits"], domain), tuple(tree["values"])
        if len(values) != len(splits) + 1 or len(values) & (len(values) - 1):
            raise PreconditionError("values", "a value for every leaf of a complete tree", len(values))
        model.append(ModelTree(splits, values, tree["beta"]))
    return tuple(model)


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
