"""An implementation of the whole protocol in small methods; a mistake overrides one or two of them.

`answer` calls the method of an operation. `train` grows one tree after the other: `grow` chooses its splits
level by level, `release` makes its leaves private, and `next_weights` returns the weights of the next tree.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate
from math import floor, log
from typing import Any

from .model_losses import Args
from .model_numbers import HALF, RefusedError, checked_object, rounded
from .model_privacy import Noise
from .model_reading import Run, TrainReading

LAW_ARGS = ("scores", "epsilon", "sensitivity", "law")
OPERATIONS: dict[str, tuple[str, ...]] = {
    "bayes_risk": ("loss", "u"),
    "partial_loss": ("loss", "y", "u"),
    "link": ("loss", "u"),
    "inverse_link": ("loss", "z"),
    "surrogate": ("loss", "z"),
    "perspective": ("loss", "u", "v"),
    "leaf_risk": ("alpha", "positive", "negative"),
    "sensitivity": ("rule", "alpha", "m", "weight_bound"),
    "node_budget": ("rule", "epsilon", "beta_tree", "trees", "depth", "level"),
    "leaf_budget": ("epsilon", "beta_tree", "trees"),
    "leaf_scale": (
        *("rule", "relation", "epsilon", "beta_tree", "trees", "leaves"),
        *("bound", "weight_bound"),
    ),
    "calibrated_alpha": ("error", "root_error"),
    "split_scores": ("alpha", "rows", "candidates"),
    "split_law": LAW_ARGS,
    "leaf_value": ("rule", "alpha", "zeta", "bound", "grid", "positive", "negative", "noise"),
    "leverage": ("alpha", "bound", "m", "values", "nets"),
    "update_weight": ("rule", "alpha", "y"),
    "sample_split": (*LAW_ARGS, "seed", "count"),
    "sample_laplace": ("scale", "grid", "seed", "count"),
    "train": ("protocol", "parameters", "domain", "rows"),
    "predict": ("model", "domain", "rows"),
}
NodeRows = Sequence[tuple[Any, int, Fraction]]
"""Rows with their labels and weights."""
UPDATES = {"mirror": ("weight", "beta", "value"), "accumulated": ("margin", "weight_bound", "grid")}


@dataclass(slots=True)
class Grown:
    """A tree: splits and nodes in level order, the path of every row, and the values of its leaves."""

    at: str = ""
    """The path of the node that is split next."""
    leaves: list[str] = field(default_factory=lambda: [""])
    splits: list[str] = field(default_factory=list)
    nodes: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    values: list[Fraction] = field(default_factory=list)
    masses: list[list[Fraction]] = field(default_factory=list)
    beta: Fraction = Fraction(1)
    scale: Fraction = Fraction(0)


class Implementation(TrainReading):
    """The implementation without a mistake."""

    def answer(self, op: str, args: Args) -> Any:
        """Return the result of an operation."""
        if op == "hello":
            return {"name": "plain", "version": "1", "protocol": 1, "operations": list(OPERATIONS)}
        if op not in OPERATIONS:
            raise NotImplementedError(f"there is no operation {op!r}")
        required = OPERATIONS[op]
        if "loss" in required and args.get("loss") == "m_alpha":
            required = (*required, "alpha")
        if op == "update_weight":
            required = (*required, *UPDATES[self.word(args.get("rule"), "rule", tuple(UPDATES))])
        self.check_names(op, args, required)
        return getattr(self, op)(args)

    def check_names(self, op: str, args: Args, required: Sequence[str]) -> None:
        """Raise RefusedError for missing and unknown arguments."""
        checked_object(args, op, required, ("seed", "tape") if op == "train" else ())

    def sample_split(self, args: Args) -> Any:
        """Answer `sample_split`."""
        law, scores, rate = self.law_args(args)
        source, count = self.generator(args["seed"]), self.integer(args["count"], "count", 0)
        return self.drawn_splits(law, scores, rate, source, count)

    def drawn_splits(
        self, law: str, scores: Mapping[str, Fraction], rate: Fraction, source: random.Random, count: int
    ) -> list[str]:
        """Return candidates drawn from their law."""
        chances = self.law_of(law, scores, rate)
        ends = list(accumulate(float(chance) for chance in chances.values()))
        return source.choices(list(chances), cum_weights=ends, k=count)

    def sample_laplace(self, args: Args) -> Any:
        """Answer `sample_laplace`."""
        scale, grid = self.positive(args["scale"], "scale"), self.positive(args["grid"], "grid")
        source, count = self.generator(args["seed"]), self.integer(args["count"], "count", 0)
        return [str(self.laplace(scale, grid, source)) for _ in range(count)]

    def laplace(self, scale: Fraction, grid: Fraction, source: random.Random) -> Fraction:
        """Return noise on the grid: the difference of two geometric numbers of steps."""
        steps = float(scale / grid)
        return grid * (self.geometric(steps, source) - self.geometric(steps, source))

    def geometric(self, steps: float, source: random.Random) -> int:
        """Return k >= 0 with probability proportional to exp(-k / steps)."""
        return floor(-log(1 - source.random()) * steps)

    def train(self, args: Args) -> Any:
        """Answer `train`."""
        run = self.run_of(args)
        weights, margins = self.first_weights(run), [Fraction(0)] * len(run.rows)
        trees: list[Grown] = []
        for index in range(run.numbers["trees"]):
            tree = self.grow(run, index, weights)
            self.release(run, index, tree, weights)
            trees.append(tree)
            if index + 1 < run.numbers["trees"]:
                weights = self.next_weights(run, tree, weights, margins)
        expenses = [expense for _ in trees for expense in self.expenses(run)]
        return {
            "trees": [self.result_of_tree(tree) for tree in trees],
            "expenses": [
                {"what": description, "epsilon": self.written(cost)} for description, cost in expenses
            ],
            "total": self.written(sum((cost for _, cost in expenses), Fraction(0))),
        }

    def first_weights(self, run: Run) -> list[Fraction]:
        """Return the weights of the first tree."""
        return [HALF] * len(run.rows)

    def result_of_tree(self, tree: Grown) -> dict[str, Any]:
        """Return a tree as part of the result of `train`."""
        return {
            "splits": tree.splits,
            "values": [self.written(value) for value in tree.values],
            "beta": self.written(tree.beta),
            "nodes": [{name: self.written(part) for name, part in node.items()} for node in tree.nodes],
            "masses": [
                {"positive": self.written(up), "negative": self.written(down)} for up, down in tree.masses
            ],
            "scale": self.written(tree.scale),
        }

    def grow(self, run: Run, index: int, weights: Sequence[Fraction]) -> Grown:
        """Return tree `index` (from 0) with its splits, but without leaf values."""
        tree = Grown(paths=[""] * len(run.rows))
        run.weights = weights
        for tree.at in self.node_order(run.numbers["depth"]):
            node_rows = [
                (*row, weight)
                for row, weight, at in zip(run.rows, weights, tree.paths, strict=True)
                if at == tree.at
            ]
            alpha = self.node_alpha(run, len(tree.at), tree, weights)
            budget = self.node_budget_at(run, tree)
            delta = self.node_sensitivity(run, index, alpha, node_rows)
            tree.nodes.append({"alpha": alpha, "budget": budget, "sensitivity": delta})
            tree.splits.append(self.choice(run, index, tree, node_rows))
            self.route(run, tree)
            tree.leaves.remove(tree.at)
            tree.leaves += [tree.at + "0", tree.at + "1"]
        return tree

    def node_order(self, depth: int) -> list[str]:
        """Return the paths of all nodes in the order in which they are split."""
        return [path for level in range(depth) for path in self.paths_of(level)]

    def node_budget_at(self, run: Run, tree: Grown) -> Fraction:
        """Return the budget of the node that is split next."""
        return self.node_price(run, len(tree.at))

    def node_sensitivity(self, run: Run, index: int, alpha: Fraction, node_rows: NodeRows) -> Fraction:
        """Return the sensitivity of a node, which does not depend on its rows."""
        del node_rows
        return self.sensitivity_of(run.words["sensitivity"], alpha, len(run.rows), self.weight_bound(index))

    def paths_of(self, level: int) -> list[str]:
        """Return the paths of all nodes of a level, left to right."""
        return [format(node, f"0{level}b") if level else "" for node in range(2**level)]

    def weight_bound(self, index: int) -> Fraction:
        """Return the bound on the weights of tree `index`, from 0."""
        return Fraction(1) if index else HALF

    def node_price(self, run: Run, level: int) -> Fraction:
        """Return the budget of a node."""
        return self.budget_of_node(run.words["node_budget"], run.shares, run.numbers["depth"], level)

    def node_alpha(self, run: Run, level: int, tree: Grown, weights: Sequence[Fraction]) -> Fraction:
        """Return the alpha of the node that is split next."""
        rule = run.words["alpha"]
        if rule == "schedule":
            return self.scheduled(run.numbers["alphas"], level)
        return self.alpha_of_errors(self.error(run, tree, weights), self.error(run, self.root(run), weights))

    def root(self, run: Run) -> Grown:
        """Return the tree that is a single leaf."""
        return Grown(paths=[""] * len(run.rows))

    def scheduled(self, alphas: Sequence[Fraction], level: int) -> Fraction:
        """Return the public alpha of a level; the last one repeats."""
        return alphas[min(level, len(alphas) - 1)]

    def error(self, run: Run, tree: Grown, weights: Sequence[Fraction]) -> Fraction:
        """Return the summed error of the leaves of a tree so far."""
        masses = self.masses_of(run, tree.paths, weights, tree.leaves)
        return sum((self.leaf_error(run.words["alpha"], up, down) for up, down in masses), Fraction(0))

    def leaf_error(self, rule: str, up: Fraction, down: Fraction) -> Fraction:
        """Return the minority mass; 0 at a draw if the rule is `raw_strict`."""
        return Fraction(0) if rule == "raw_strict" and up == down else min(up, down)

    def masses_of(
        self, run: Run, paths: Sequence[str], weights: Sequence[Fraction], leaves: Sequence[str]
    ) -> list[list[Fraction]]:
        """Return the masses of both classes in every leaf."""
        masses = {leaf: [Fraction(0), Fraction(0)] for leaf in leaves}
        for (_, y), weight, at in zip(run.rows, weights, paths, strict=True):
            masses[at][y < 0] += weight
        return list(masses.values())

    def choice(self, run: Run, index: int, tree: Grown, node_rows: NodeRows) -> str:
        """Return the split of the next node: from the tape, or drawn."""
        if run.tape is not None:
            taped: str = run.tape[index]["choices"][len(tree.splits)]
            return taped
        return self.drawn_choice(run, index, tree, node_rows)

    def drawn_choice(self, run: Run, index: int, tree: Grown, node_rows: NodeRows) -> str:
        """Return the split of the next node, drawn by its law."""
        alpha = self.drawn_alpha(run, index, tree, node_rows)
        scores = {
            candidate: self.score(alpha, self.scored_rows(run, index, node_rows), candidate)
            for candidate in self.offered(run, node_rows)
        }
        rate = self.drawn_rate(run, index, tree, node_rows)
        return self.drawn_splits(self.drawn_law(run), scores, rate, run.random, 1)[0]

    def drawn_alpha(self, run: Run, index: int, tree: Grown, node_rows: NodeRows) -> Fraction:
        """Return the alpha of the scores of the next node."""
        del run, index, node_rows
        alpha: Fraction = tree.nodes[-1]["alpha"]
        return alpha

    def drawn_rate(self, run: Run, index: int, tree: Grown, node_rows: NodeRows) -> Fraction:
        """Return the factor of the scores in the law of the next node."""
        del index, node_rows
        node = tree.nodes[-1]
        return self.rate_of(node["budget"], node["sensitivity"], one_sided=run.one_sided)

    def drawn_law(self, run: Run) -> str:
        """Return the name of the law of splits."""
        return run.words["split_law"]

    def scored_rows(self, run: Run, index: int, node_rows: NodeRows) -> NodeRows:
        """Return the rows that the scores of a node are computed from."""
        del run, index
        return node_rows

    def offered(self, run: Run, node_rows: NodeRows) -> Sequence[str]:
        """Return the candidates of a node, which do not depend on its rows."""
        del node_rows
        return run.candidates

    def route(self, run: Run, tree: Grown) -> None:
        """Send the rows of a node to its children."""
        for i, (codes, _) in enumerate(run.rows):
            if tree.paths[i] == tree.at:
                tree.paths[i] += str(int(self.holds(tree.splits[-1], codes)))

    def release(self, run: Run, index: int, tree: Grown, weights: Sequence[Fraction]) -> None:
        """Set the private values of the leaves of a tree, and its coefficient."""
        n, rule = run.numbers, run.words["leaf"]
        leaves = self.paths_of(n["depth"])
        tree.masses = self.masses_of(run, tree.paths, weights, leaves)
        budget = self.leaf_price(run)
        if rule == "noisy_masses":
            tree.scale = self.scale_of_masses(run.words["relation"], budget, self.weight_bound(index))
        else:
            tree.scale = self.scale_of_values(len(leaves), budget, n["bound"])
        noise = self.tree_noise(run, index, tree)
        for masses, part in zip(tree.masses, noise, strict=True):
            tree.values.append(self.value_of_leaf(rule, n, masses, part))
        tree.beta = self.tree_coefficient(run, tree, noise)

    def leaf_price(self, run: Run) -> Fraction:
        """Return the budget of the leaves of a tree."""
        return self.budget_of_leaves(run.shares)

    def tree_noise(self, run: Run, index: int, tree: Grown) -> Sequence[Noise]:
        """Return the noise of every leaf: from the tape, or drawn."""
        if run.tape is not None:
            taped: Sequence[Noise] = run.tape[index]["noise"]
            return taped
        return self.drawn_noise(run, index, tree)

    def drawn_noise(self, run: Run, index: int, tree: Grown) -> Sequence[Noise]:
        """Return the noise of every leaf, drawn."""
        scale, grid = self.noise_scale(run, index, tree), run.numbers["grid"]
        names = ("positive", "negative") if run.words["leaf"] == "noisy_masses" else ("value",)
        return [{name: self.leaf_noise(scale, grid, run.random) for name in names} for _ in tree.masses]

    def noise_scale(self, run: Run, index: int, tree: Grown) -> Fraction:
        """Return the scale of the noise that is drawn."""
        del run, index
        return tree.scale

    def leaf_noise(self, scale: Fraction, grid: Fraction, source: random.Random) -> Fraction:
        """Return one draw of noise."""
        return self.laplace(scale, grid, source)

    def tree_coefficient(self, run: Run, tree: Grown, noise: Sequence[Noise]) -> Fraction:
        """Return the coefficient of a tree."""
        rule = run.words["beta"]
        if rule == "constant" or (rule == "noisy_masses" and run.words["leaf"] != "noisy_masses"):
            return Fraction(1)
        masses: Sequence[Sequence[Fraction]] = tree.masses
        if rule == "noisy_masses":
            masses = [self.noisy_masses(raw, part) for raw, part in zip(tree.masses, noise, strict=True)]
        nets = [up - down for up, down in masses]
        n = run.numbers
        return self.coefficient(n["boost_alpha"], n["bound"], len(run.rows), tree.values, nets)

    def next_weights(
        self, run: Run, tree: Grown, weights: Sequence[Fraction], margins: list[Fraction]
    ) -> list[Fraction]:
        """Return the weights of the next tree, and add the predictions of this one to the margins."""
        alpha, grid = run.numbers["boost_alpha"], run.numbers["grid"]
        by_path = dict(zip(self.paths_of(run.numbers["depth"]), tree.values, strict=True))
        updated = []
        for i, ((_, y), weight) in enumerate(zip(run.rows, weights, strict=True)):
            value = by_path[tree.paths[i]]
            margins[i] += tree.beta * value
            if run.words["beta"] == "raw":
                updated.append(rounded(self.mirror(alpha, y, weight, tree.beta, value)))
            else:
                updated.append(self.accumulated(alpha, y, margins[i], Fraction(1), grid))
        return updated

    def expenses(self, run: Run) -> list[tuple[str, Fraction]]:
        """Return the expenses of a tree: descriptions and costs."""
        depths = range(run.numbers["depth"])
        levels = [(f"level {level}", self.level_price(run, level)) for level in depths]
        return [*levels, ("leaves", self.budget_of_leaves(run.shares))]

    def level_price(self, run: Run, level: int) -> Fraction:
        """Return the cost of the splits of a level."""
        budget = self.node_price(run, level)
        if run.words["node_budget"] == "printed":
            return budget * (1 << level)
        return budget if run.words["relation"] == "exchange" or run.one_sided else budget / 2

    def predict(self, args: Args) -> Any:
        """Answer `predict`."""
        sizes = self.domain(args["domain"])
        rows = self.rows(args["rows"], sizes, ("x",))
        model = args["model"]
        trees = self.listed(checked_object(model, "model", ("trees",), tuple(model))["trees"], "trees")
        for tree in trees:
            self.check_tree(tree, self.candidates(args["domain"], sizes))
        return [self.written(self.margin(trees, codes)) for _, codes in rows]

    def check_tree(self, tree: Mapping[str, Any], candidates: Sequence[str]) -> None:
        """Raise RefusedError for a tree that is not complete, or not of the domain."""
        checked_object(tree, "trees", ("splits", "values", "beta"), tuple(tree))
        splits, values = (self.listed(tree[name], name) for name in ("splits", "values"))
        for split in splits:
            self.word(split, "splits", candidates)
        if len(values) != len(splits) + 1 or len(values) & len(splits):
            raise RefusedError("values", f"{len(splits) + 1} values", values)
        for number in (*values, tree["beta"]):
            self.answered_number(number)

    def margin(self, trees: Sequence[Mapping[str, Any]], codes: Sequence[int]) -> Fraction:
        """Return H(x)."""
        return sum(
            (self.answered_number(tree["beta"]) * self.value_at(tree, codes) for tree in trees), Fraction(0)
        )

    def value_at(self, tree: Mapping[str, Any], codes: Sequence[int]) -> Fraction:
        """Return the value of the leaf that a row reaches."""
        splits, node = tree["splits"], 0
        while node < len(splits):
            node = 2 * node + 1 + self.holds(splits[node], codes)
        return self.answered_number(tree["values"][node - len(splits)])

    def answered_number(self, value: Any) -> Fraction:
        """Return a number from an earlier answer, which may be a float."""
        return Fraction(value) if isinstance(value, float) else self.number(value, "model")
