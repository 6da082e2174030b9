"""Read and check the arguments of `train` and `predict`."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .model_losses import Args
from .model_numbers import HALF, RefusedError, checked_object
from .model_privacy import LAWS, LEAF_RULES, RELATIONS, Privacy, Shares

WORDS = {
    "alpha": ("schedule", "raw_strict", "raw_minority"),
    "split_law": LAWS,
    "sensitivity": ("printed", "sharp"),
    "node_budget": ("printed", "level"),
    "leaf": LEAF_RULES,
    "beta": ("noisy_masses", "raw", "constant"),
    "relation": RELATIONS,
}
PARAMETERS = (
    *("trees", "depth", "epsilon", "beta_tree", "bound"),
    *("zeta", "alphas", "boost_alpha", "grid"),
)
Row = tuple[tuple[int, ...], int]


@dataclass(slots=True)
class Run:
    """The arguments of `train`, and the source of its randomness."""

    words: Mapping[str, str]
    numbers: Mapping[str, Any]
    candidates: Sequence[str]
    rows: Sequence[Row]
    tape: Sequence[Mapping[str, Any]] | None
    random: random.Random
    seed: int = 0
    weights: Sequence[Fraction] = ()
    """The weights of the tree that is grown."""
    first_noise: Sequence[Mapping[str, Any]] = ()
    """The noise of the first tree, for a mistake that uses it again."""

    @property
    def shares(self) -> Shares:
        """Return epsilon, beta_tree and the number of trees."""
        return self.numbers["epsilon"], self.numbers["beta_tree"], self.numbers["trees"]

    @property
    def one_sided(self) -> bool:
        """Return whether the split law is one-sided."""
        return self.words["relation"] == "add_remove" and self.words["sensitivity"] == "sharp"


class TrainReading(Privacy):
    """Protocols, parameters, domains, rows and tapes."""

    def generator(self, seed: Any) -> random.Random:
        """Return the generator of a seed."""
        return random.Random(self.integer(seed, "seed", 0))

    def run_of(self, args: Args) -> Run:
        """Return the checked arguments of `train`."""
        given = checked_object(args["protocol"], "protocol", tuple(WORDS))
        words = {name: self.word(given[name], name, allowed) for name, allowed in WORDS.items()}
        numbers = self.parameters(args["parameters"])
        sizes = self.domain(args["domain"])
        candidates = self.candidates(args["domain"], sizes)
        rows = [(codes, self.label(row["y"])) for row, codes in self.rows(args["rows"], sizes, ("x", "y"))]
        if not rows or not candidates:
            raise RefusedError("rows", "a row, and a domain with a candidate", (len(rows), len(candidates)))
        if ("seed" in args) == ("tape" in args):
            raise RefusedError("seed", "either a seed or a tape", sorted(args))
        if "seed" in args:
            seed = self.integer(args["seed"], "seed", 0)
            return Run(words, numbers, candidates, rows, None, self.generator(args["seed"]), seed)
        tape = self.tape(args["tape"], words["leaf"], numbers, candidates)
        return Run(words, numbers, candidates, rows, tape, random.Random(0))

    def parameters(self, value: Any) -> dict[str, Any]:
        """Return the parameters of `train`."""
        given = checked_object(value, "parameters", PARAMETERS)
        numbers: dict[str, Any] = {name: self.integer(given[name], name) for name in ("trees", "depth")}
        numbers |= {name: self.positive(given[name], name) for name in ("epsilon", "bound", "grid")}
        numbers["beta_tree"] = self.share(given["beta_tree"], "beta_tree")
        numbers["zeta"] = self.share(given["zeta"], "zeta", HALF)
        numbers["boost_alpha"] = self.probability(given["boost_alpha"], "boost_alpha")
        alphas = self.listed(given["alphas"], "alphas")
        numbers["alphas"] = [self.probability(alpha, "alphas") for alpha in alphas]
        if not alphas:
            raise RefusedError("alphas", "at least one number", alphas)
        return numbers

    def domain(self, value: Any) -> list[int]:
        """Return the number of values of every attribute."""
        given = [
            checked_object(part, "domain", ("kind", "n_values")) for part in self.listed(value, "domain")
        ]
        for part in given:
            self.word(part["kind"], "kind", ("quantised", "categorical"))
        return [self.integer(part["n_values"], "n_values") for part in given]

    def candidates(self, domain: Sequence[Mapping[str, Any]], sizes: Sequence[int]) -> list[str]:
        """Return all candidates of a domain, in order."""
        candidates = []
        for attribute, (part, size) in enumerate(zip(domain, sizes, strict=True)):
            if part["kind"] == "quantised":
                candidates += [f"x{attribute} >= {cut}" for cut in range(1, size)]
            else:
                candidates += [f"x{attribute} = {code}" for code in range(size if size > 2 else size - 1)]
        return candidates

    def rows(
        self, value: Any, sizes: Sequence[int], names: Sequence[str]
    ) -> list[tuple[Mapping[str, Any], tuple[int, ...]]]:
        """Return rows with their codes, checked against the domain."""
        rows = []
        for given in self.listed(value, "rows"):
            row = checked_object(given, "rows", names)
            codes = tuple(self.integer(code, "x", 0) for code in self.listed(row["x"], "x"))
            if len(codes) != len(sizes) or any(code >= size for code, size in zip(codes, sizes, strict=True)):
                raise RefusedError("x", f"codes below {list(sizes)}", codes)
            rows.append((row, codes))
        return rows

    def tape(
        self, value: Any, leaf: str, numbers: Mapping[str, Any], candidates: Sequence[str]
    ) -> list[Mapping[str, Any]]:
        """Return a checked tape."""
        trees: list[Mapping[str, Any]] = []
        leaves = 1 << numbers["depth"]
        for entry in self.listed(value, "tape"):
            given = checked_object(entry, "tape", ("choices", "noise"))
            choices, noise = (self.listed(given[name], name) for name in ("choices", "noise"))
            if len(choices) != leaves - 1 or len(noise) != leaves:
                raise RefusedError("tape", f"{leaves - 1} choices and {leaves} noises", entry)
            for choice in choices:
                self.word(choice, "choices", candidates)
            trees.append({"choices": choices, "noise": [self.noise_of(part, leaf) for part in noise]})
        if len(trees) != numbers["trees"]:
            raise RefusedError("tape", f"{numbers['trees']} trees", len(trees))
        return trees
