"""Read and check the arguments of `train` and `predict`."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any

from .model_losses import Args
from .model_numbers import HALF, RefusedError, check_object
from .model_privacy import (
    BUDGETS,
    LAWS,
    LEAF_RULES,
    RELATIONS,
    SENSITIVITIES,
    Masses,
    Noise,
    PortRow,
    Privacy,
    Shares,
)

WORDS = {
    "alpha": ("schedule", "raw_strict", "raw_minority"),
    "split_law": LAWS,
    "sensitivity": SENSITIVITIES,
    "node_budget": BUDGETS,
    "leaf": LEAF_RULES,
    "beta": ("noisy_masses", "raw", "constant"),
    "relation": RELATIONS,
}
RowsAndCodes = list[tuple[Mapping[str, Any], tuple[int, ...]]]


@dataclass(frozen=True, slots=True)
class PortProtocol:
    """The choices of a protocol."""

    alpha: str
    split_law: str
    sensitivity: str
    node_budget: str
    leaf: str
    beta: str
    relation: str

    @property
    def one_sided(self) -> bool:
        """Return whether the split law is one-sided."""
        return self.relation == "add_remove" and self.sensitivity == "sharp"


@dataclass(frozen=True, slots=True)
class PortParameters:
    """The parameters of `train`."""

    trees: int
    depth: int
    epsilon: Fraction
    beta_tree: Fraction
    bound: Fraction
    zeta: Fraction
    alphas: Sequence[Fraction]
    boost_alpha: Fraction
    grid: Fraction

    @property
    def shares(self) -> Shares:
        """Return epsilon, beta_tree and the number of trees."""
        return Shares(self.epsilon, self.beta_tree, self.trees)


@dataclass(frozen=True, slots=True)
class PortTape:
    """The choices and the noise of a tree."""

    choices: Sequence[str]
    noise: Sequence[Noise]


@dataclass(slots=True)
class Run:
    """The arguments of `train`, the source of its randomness, and what it has computed so far."""

    protocol: PortProtocol
    parameters: PortParameters
    candidates: Sequence[str]
    rows: Sequence[PortRow]
    tape: Sequence[PortTape] | None
    random: random.Random
    seed: int = 0
    margins: list[Fraction] = field(default_factory=list)
    """The predictions of the rows by all trees."""
    trees: list[PortTree] = field(default_factory=list)


@dataclass(slots=True)
class PortTree:
    """A tree: splits and nodes in level order, the path of every row, and the values of its leaves."""

    run: Run
    index: int
    rows: Sequence[PortRow]
    """The rows with the weights of this tree."""
    paths: list[str]
    splits: list[str] = field(default_factory=list)
    nodes: list[PortNode] = field(default_factory=list)
    values: list[Fraction] = field(default_factory=list)
    masses: list[Masses] = field(default_factory=list)
    noise: Sequence[Noise] = ()
    beta: Fraction = Fraction(1)
    scale: Fraction = Fraction(0)

    def rows_at(self, path: str) -> list[PortRow]:
        """Return the rows that are at a path."""
        return [row for row, at in zip(self.rows, self.paths, strict=True) if at == path]


@dataclass(frozen=True, slots=True)
class PortNode:
    """A node that is split, and what the law of its split depends on."""

    tree: PortTree
    path: str
    """The way from the root: 1 where a test holds."""
    rows: Sequence[PortRow]
    alpha: Fraction
    budget: Fraction
    sensitivity: Fraction
    candidates: Sequence[str]
    law: str
    one_sided: bool

    @property
    def run(self) -> Run:
        """Return the run of the tree."""
        return self.tree.run


class TrainReader(Privacy):
    """Protocols, parameters, domains, rows and tapes."""

    def generator(self, seed: Any) -> random.Random:
        """Return the generator of a seed."""
        return random.Random(self.read_integer(seed, "seed", 0))

    def read_run(self, args: Args) -> Run:
        """Return the checked arguments of `train`."""
        given = check_object(args["protocol"], "protocol", tuple(WORDS))
        words = {name: self.read_word(given[name], name, allowed) for name, allowed in WORDS.items()}
        protocol, parameters = PortProtocol(**words), self.read_parameters(args["parameters"])
        sizes = self.read_domain(args["domain"])
        candidates = self.candidates(args["domain"], sizes)
        rows = [
            PortRow(codes, self.read_label(row["y"], "y"))
            for row, codes in self.read_rows(args["rows"], sizes, ("x", "y"))
        ]
        if not rows or not candidates:
            raise RefusedError("rows", "a row, and a domain with a candidate", (len(rows), len(candidates)))
        if ("seed" in args) == ("tape" in args):
            raise RefusedError("seed", "either a seed or a tape", sorted(args))
        margins = [Fraction(0)] * len(rows)
        if "seed" in args:
            seed, source = self.read_integer(args["seed"], "seed", 0), self.generator(args["seed"])
            return Run(protocol, parameters, candidates, rows, None, source, seed, margins)
        tape = self.read_tape(args["tape"], protocol.leaf, parameters, candidates)
        return Run(protocol, parameters, candidates, rows, tape, random.Random(0), margins=margins)

    def read_parameters(self, value: Any) -> PortParameters:
        """Return the parameters of `train`."""
        given = check_object(value, "parameters", [each.name for each in fields(PortParameters)])
        names = ("trees", "depth", "epsilon", "bound", "grid", "beta_tree", "boost_alpha")
        numbers = dict(zip(names, self.read(given, *names), strict=True))
        zeta = self.read_share(given["zeta"], "zeta", HALF)
        alphas = self.read_list(given["alphas"], "alphas")
        if not alphas:
            raise RefusedError("alphas", "at least one number", alphas)
        numbers["alphas"] = [self.read_probability(alpha, "alphas") for alpha in alphas]
        return PortParameters(**numbers, zeta=zeta)

    def read_domain(self, value: Any) -> list[int]:
        """Return the number of values of every attribute."""
        given = [
            check_object(part, "domain", ("kind", "n_values")) for part in self.read_list(value, "domain")
        ]
        for part in given:
            self.read_word(part["kind"], "kind", ("quantised", "categorical"))
        return [self.read_integer(part["n_values"], "n_values") for part in given]

    def candidates(self, domain: Sequence[Mapping[str, Any]], sizes: Sequence[int]) -> list[str]:
        """Return all candidates of a domain, in order."""
        candidates = []
        for attribute, (part, size) in enumerate(zip(domain, sizes, strict=True)):
            if part["kind"] == "quantised":
                candidates += [f"x{attribute} >= {cut}" for cut in range(1, size)]
            else:
                candidates += [f"x{attribute} = {code}" for code in range(size if size > 2 else size - 1)]
        return candidates

    def read_rows(self, value: Any, sizes: Sequence[int], names: Sequence[str]) -> RowsAndCodes:
        """Return rows with their codes, checked against the domain."""
        rows = []
        for given in self.read_list(value, "rows"):
            row = check_object(given, "rows", names)
            codes = tuple(self.read_integer(code, "x", 0) for code in self.read_list(row["x"], "x"))
            if len(codes) != len(sizes) or any(code >= size for code, size in zip(codes, sizes, strict=True)):
                raise RefusedError("x", f"codes below {list(sizes)}", codes)
            rows.append((row, codes))
        return rows

    def read_tape(
        self, value: Any, leaf: str, parameters: PortParameters, candidates: Sequence[str]
    ) -> list[PortTape]:
        """Return a checked tape."""
        trees: list[PortTape] = []
        leaves = 1 << parameters.depth
        for entry in self.read_list(value, "tape"):
            given = check_object(entry, "tape", ("choices", "noise"))
            choices, noise = (self.read_list(given[name], name) for name in ("choices", "noise"))
            if len(choices) != leaves - 1 or len(noise) != leaves:
                raise RefusedError("tape", f"{leaves - 1} choices and {leaves} noises", entry)
            for choice in choices:
                self.read_word(choice, "choices", candidates)
            trees.append(PortTape(choices, [self.read_noise(part, leaf) for part in noise]))
        if len(trees) != parameters.trees:
            raise RefusedError("tape", f"{parameters.trees} trees", len(trees))
        return trees
