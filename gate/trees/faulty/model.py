"""An implementation of the whole protocol in small methods; a mistake replaces one of them.

`answer` reads the arguments of an operation and calls the method of its name. Training grows one tree after
the other: `grow` chooses its splits level by level, `release` makes its leaves private, and `update_weights`
returns the weights of the next tree.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate
from math import floor, log
from typing import Any

from .model_losses import Args
from .model_numbers import HALF, RefusedError, check_object, shorten
from .model_privacy import (
    Leverage,
    Masses,
    Noise,
    PortLaw,
    PortLeaf,
    PortRow,
    Update,
    noise_names,
    sum_masses,
)
from .model_training import PortNode, PortTree, Run, TrainReader

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
UPDATES = {"mirror": ("weight", "beta", "value"), "accumulated": ("margin", "weight_bound", "grid")}


class Port(TrainReader):
    """A port of the learner, written from the protocol page alone: the implementation without a mistake."""

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
            required = (*required, *UPDATES[self.read_word(args.get("rule"), "rule", tuple(UPDATES))])
        self.check_names(op, args, required)
        if hasattr(self, f"answer_{op}"):
            return self.write(getattr(self, f"answer_{op}")(args))
        loss = [self.read_loss(args)] if "loss" in required else []
        return self.write(getattr(self, op)(*loss, *self.read(args, *OPERATIONS[op][len(loss) :])))

    def check_names(self, op: str, args: Args, required: Sequence[str]) -> None:
        """Raise RefusedError for missing and unknown arguments."""
        check_object(args, op, required, ("seed", "tape") if op == "train" else ())

    def answer_sample_split(self, args: Args) -> list[str]:
        """Answer `sample_split`."""
        law, source = self.read_law(args), self.generator(args["seed"])
        return self.sample_splits(law, source, self.read_integer(args["count"], "count", 0))

    def sample_splits(self, law: PortLaw, source: random.Random, count: int) -> list[str]:
        """Return candidates drawn from their law."""
        chances = self.split_law(law)
        ends = list(accumulate(float(chance) for chance in chances.values()))
        return source.choices(list(chances), cum_weights=ends, k=count)

    def answer_sample_laplace(self, args: Args) -> list[str]:
        """Answer `sample_laplace`."""
        scale, grid = self.read(args, "scale", "grid")
        source, count = self.generator(args["seed"]), self.read_integer(args["count"], "count", 0)
        return [str(self.sample_laplace(scale, grid, source)) for _ in range(count)]

    def sample_laplace(self, scale: Fraction, grid: Fraction, source: random.Random) -> Fraction:
        """Return noise on the grid: the difference of two geometric numbers of steps."""
        steps = float(scale / grid)
        return grid * (self.sample_geometric(steps, source) - self.sample_geometric(steps, source))

    def sample_geometric(self, steps: float, source: random.Random) -> int:
        """Return k >= 0 with probability proportional to exp(-k / steps)."""
        return floor(-log(1 - source.random()) * steps)

    def answer_train(self, args: Args) -> dict[str, Any]:
        """Answer `train`."""
        run = self.read_run(args)
        weights = self.first_weights(run)
        for index in range(run.parameters.trees):
            rows = [replace(row, weight=weight) for row, weight in zip(run.rows, weights, strict=True)]
            tree = self.grow(run, index, rows)
            run.trees.append(tree)
            self.release(tree)
            if index + 1 < run.parameters.trees:
                weights = self.update_weights(tree)
        expenses = [expense for _ in run.trees for expense in self.expenses(run)]
        return {
            "trees": [self.result_of_tree(tree) for tree in run.trees],
            "expenses": [{"what": description, "epsilon": cost} for description, cost in expenses],
            "total": sum((cost for _, cost in expenses), Fraction(0)),
        }

    def first_weights(self, run: Run) -> list[Fraction]:
        """Return the weights of the first tree."""
        return [HALF] * len(run.rows)

    def result_of_tree(self, tree: PortTree) -> dict[str, Any]:
        """Return a tree as part of the result of `train`."""
        return {
            "splits": tree.splits,
            "values": tree.values,
            "beta": tree.beta,
            "nodes": [
                {"alpha": node.alpha, "budget": node.budget, "sensitivity": node.sensitivity}
                for node in tree.nodes
            ],
            "masses": [{"positive": part.positive, "negative": part.negative} for part in tree.masses],
            "scale": tree.scale,
        }

    def grow(self, run: Run, index: int, rows: Sequence[PortRow]) -> PortTree:
        """Return tree `index` (from 0) with its splits, but without leaf values."""
        tree = PortTree(run, index, rows, [""] * len(rows))
        for path in self.node_order(run.parameters.depth):
            node = self.next_node(tree, path)
            tree.nodes.append(node)
            tree.splits.append(self.choose_split(node))
            self.route(tree, path)
        return tree

    def node_order(self, depth: int) -> list[str]:
        """Return the paths of all nodes in the order in which they are split."""
        return [path for level in range(depth) for path in self.paths_of(level)]

    def paths_of(self, level: int) -> list[str]:
        """Return the paths of all nodes of a level, left to right."""
        return [format(node, f"0{level}b") if level else "" for node in range(2**level)]

    def next_node(self, tree: PortTree, path: str) -> PortNode:
        """Return the node that is split next."""
        run, level = tree.run, len(path)
        alpha = self.node_alpha(tree, level)
        return PortNode(
            tree,
            path,
            tree.rows_at(path),
            alpha,
            self.budget_at(run, level),
            self.node_sensitivity(run, tree.index, alpha),
            run.candidates,
            run.protocol.split_law,
            run.protocol.one_sided,
        )

    def budget_at(self, run: Run, level: int) -> Fraction:
        """Return the budget of a node."""
        return self.node_budget(run.protocol.node_budget, run.parameters.shares, run.parameters.depth, level)

    def node_sensitivity(self, run: Run, index: int, alpha: Fraction) -> Fraction:
        """Return the sensitivity of a node, which does not depend on its rows."""
        return self.sensitivity(run.protocol.sensitivity, alpha, len(run.rows), self.weight_bound(index))

    def weight_bound(self, index: int) -> Fraction:
        """Return the bound on the weights of tree `index`, from 0."""
        return Fraction(1) if index else HALF

    def node_alpha(self, tree: PortTree, level: int) -> Fraction:
        """Return the alpha of the node that is split next."""
        if tree.run.protocol.alpha == "schedule":
            return self.schedule_alpha(tree.run.parameters.alphas, level)
        return self.raw_alpha(tree, [tree.rows_at(path) for path in set(tree.paths)])

    def schedule_alpha(self, alphas: Sequence[Fraction], level: int) -> Fraction:
        """Return the public alpha of a level; the last one repeats."""
        return alphas[min(level, len(alphas) - 1)]

    def raw_alpha(self, tree: PortTree, leaves: Sequence[Sequence[PortRow]]) -> Fraction:
        """Return the alpha that is calibrated by the rows of some leaves."""
        errors = (self.leaf_error(tree.run.protocol.alpha, sum_masses(rows)) for rows in leaves)
        root_error = self.leaf_error(tree.run.protocol.alpha, sum_masses(tree.rows))
        return self.calibrated_alpha(sum(errors, Fraction(0)), root_error)

    def leaf_error(self, rule: str, masses: Masses) -> Fraction:
        """Return the minority mass; 0 if both masses are equal and the rule is `raw_strict`."""
        if rule == "raw_strict" and masses.positive == masses.negative:
            return Fraction(0)
        return min(masses.positive, masses.negative)

    def choose_split(self, node: PortNode) -> str:
        """Return the split of a node: from the tape, or drawn."""
        if node.run.tape is not None:
            return node.run.tape[node.tree.index].choices[len(node.tree.splits)]
        return self.sample_choice(node)

    def sample_choice(self, node: PortNode) -> str:
        """Return the split of a node, drawn by its law."""
        scores = {name: self.score(node.alpha, node.rows, name) for name in node.candidates}
        law = PortLaw(node.law, scores, self.node_rate(node))
        return self.sample_splits(law, node.run.random, 1)[0]

    def node_rate(self, node: PortNode) -> Fraction:
        """Return the factor of the scores in the law of a node."""
        return self.rate_of(node.budget, node.sensitivity, one_sided=node.one_sided)

    def route(self, tree: PortTree, path: str) -> None:
        """Send the rows of a node to its children."""
        self.send(tree, path, tree.splits[-1])

    def send(self, tree: PortTree, path: str, split: str) -> None:
        """Send the rows at a path to the sides of a split."""
        for index, row in enumerate(tree.rows):
            if tree.paths[index] == path:
                tree.paths[index] += str(int(self.holds(split, row.codes)))

    def release(self, tree: PortTree) -> None:
        """Set the private values of the leaves of a tree, and its coefficient."""
        run, n = tree.run, tree.run.parameters
        paths = self.paths_of(n.depth)
        tree.masses = [sum_masses(tree.rows_at(path)) for path in paths]
        budget, rule = self.budget_of_leaves(run), run.protocol.leaf
        if rule == "noisy_masses":
            tree.scale = self.scale_of_masses(run.protocol.relation, budget, self.weight_bound(tree.index))
        else:
            tree.scale = self.scale_of_values(len(paths), budget, n.bound)
        tree.noise = self.tree_noise(tree)
        for masses, noise in zip(tree.masses, tree.noise, strict=True):
            leaf = PortLeaf(rule, n.boost_alpha, n.zeta, n.bound, n.grid, masses, noise)
            tree.values.append(self.leaf_value(leaf))
        tree.beta = self.tree_coefficient(tree)

    def budget_of_leaves(self, run: Run) -> Fraction:
        """Return the budget of the leaves of a tree."""
        return self.leaf_budget(run.parameters.shares)

    def tree_noise(self, tree: PortTree) -> Sequence[Noise]:
        """Return the noise of every leaf: from the tape, or drawn."""
        if tree.run.tape is not None:
            return tree.run.tape[tree.index].noise
        return self.sample_noise(tree)

    def sample_noise(self, tree: PortTree) -> Sequence[Noise]:
        """Return the noise of every leaf, drawn."""
        grid, source = tree.run.parameters.grid, tree.run.random
        names = noise_names(tree.run.protocol.leaf)
        return [
            {name: self.sample_leaf_noise(tree.scale, grid, source) for name in names} for _ in tree.masses
        ]

    def sample_leaf_noise(self, scale: Fraction, grid: Fraction, source: random.Random) -> Fraction:
        """Return one noise of a leaf."""
        return self.sample_laplace(scale, grid, source)

    def tree_coefficient(self, tree: PortTree) -> Fraction:
        """Return the coefficient of a tree."""
        rule, leaf = tree.run.protocol.beta, tree.run.protocol.leaf
        if rule == "constant" or (rule == "noisy_masses" and leaf != "noisy_masses"):
            return Fraction(1)
        masses = tree.masses
        if rule == "noisy_masses":
            masses = [self.noisy_masses(*pair) for pair in zip(tree.masses, tree.noise, strict=True)]
        nets = [each.positive - each.negative for each in masses]
        n = tree.run.parameters
        return self.leverage(Leverage(n.boost_alpha, n.bound, len(tree.rows), tree.values, nets))

    def update_weights(self, tree: PortTree) -> list[Fraction]:
        """Return the weights of the next tree, and add the predictions of this one to the margins."""
        run, n = tree.run, tree.run.parameters
        by_path = dict(zip(self.paths_of(n.depth), tree.values, strict=True))
        weights = []
        for index, row in enumerate(tree.rows):
            prediction = tree.beta * by_path[tree.paths[index]]
            run.margins[index] += prediction
            if run.protocol.beta == "raw":
                weight = shorten(self.mirror(n.boost_alpha, row.y, row.weight, prediction))
            else:
                update = Update(n.boost_alpha, row.y, run.margins[index], Fraction(1), n.grid)
                weight = self.accumulate(update)
            weights.append(weight)
        return weights

    def expenses(self, run: Run) -> list[tuple[str, Fraction]]:
        """Return the expenses of a tree: descriptions and costs."""
        depths = range(run.parameters.depth)
        levels = [(f"level {level}", self.level_expense(run, level)) for level in depths]
        return [*levels, ("leaves", self.leaf_budget(run.parameters.shares))]

    def level_expense(self, run: Run, level: int) -> Fraction:
        """Return the cost of the splits of a level."""
        budget = self.budget_at(run, level)
        if run.protocol.node_budget == "printed":
            return budget * (1 << level)
        return budget if run.protocol.relation == "exchange" or run.protocol.one_sided else budget / 2

    def answer_predict(self, args: Args) -> list[Fraction]:
        """Answer `predict`."""
        sizes = self.read_domain(args["domain"])
        rows = self.read_rows(args["rows"], sizes, ("x",))
        model = args["model"]
        trees = self.read_list(check_object(model, "model", ("trees",), tuple(model))["trees"], "trees")
        for tree in trees:
            self.check_tree(tree, self.candidates(args["domain"], sizes))
        return [self.predict(trees, codes) for _, codes in rows]

    def check_tree(self, tree: Mapping[str, Any], candidates: Sequence[str]) -> None:
        """Raise RefusedError for a tree that is not complete, or not of the domain."""
        check_object(tree, "trees", ("splits", "values", "beta"), tuple(tree))
        splits, values = (self.read_list(tree[name], name) for name in ("splits", "values"))
        for split in splits:
            self.read_word(split, "splits", candidates)
        if len(values) != len(splits) + 1 or len(values) & len(splits):
            raise RefusedError("values", f"{len(splits) + 1} values", values)
        for number in (*values, tree["beta"]):
            self.read_model_number(number)

    def predict(self, trees: Sequence[Mapping[str, Any]], codes: Sequence[int]) -> Fraction:
        """Return H(x)."""
        return sum(
            (self.read_model_number(tree["beta"]) * self.value_at(tree, codes) for tree in trees), Fraction(0)
        )

    def value_at(self, tree: Mapping[str, Any], codes: Sequence[int]) -> Fraction:
        """Return the value of the leaf that a row reaches."""
        splits, node = tree["splits"], 0
        while node < len(splits):
            node = 2 * node + 1 + self.holds(splits[node], codes)
        return self.read_model_number(tree["values"][node - len(splits)])

    def read_model_number(self, value: Any) -> Fraction:
        """Return a number from an earlier answer, which may be a float."""
        return Fraction(value) if isinstance(value, float) else self.read_number(value, "model")
