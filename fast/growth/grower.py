"""The growth of one tree: splits are chosen level by level, then the leaves are released."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privboost.fast.arrays import Array
from privboost.fast.budgets import leaf_scale, leaf_variance, node_budget
from privboost.fast.protocol import SplitLaw
from privboost.fast.rows.parts import Rows, class_masses, histograms, route_level, route_tree, to_root

from .alphas import Alphas
from .draws import DrawsOfTree
from .leaves import leaf_record, release_leaves, tree_coefficient
from .setting import Record, Recorder, Setting
from .splits import child_masses, rate, scores_of, sensitivity
from .trees import Candidates, Tree


@dataclass(slots=True)
class Grower:
    """Grows one tree and records its steps."""

    setting: Setting
    rows: Rows
    draws: DrawsOfTree
    record: Recorder | None
    candidates: Candidates
    tree_index: int

    def grow(self) -> Array:
        """Return the chosen candidate of every node, in level order."""
        depth = self.setting.parameters.depth
        nodes = (1 << depth) - 1
        if self.setting.protocol.split_law is SplitLaw.UNIFORM and self.record is None:
            chosen = np.array(self.draws.uniform(len(self.candidates), nodes))
            self.rows.tell(route_tree, *self.candidates.tests(chosen), depth)
            return chosen
        self.rows.tell(to_root)
        chosen = np.empty(nodes, dtype=np.int64)
        alphas = Alphas(self.setting, self.rows, self.draws, self.record, self.tree_index)
        histogram, counted = None, np.ones(1, dtype=np.bool_)
        for level in range(depth):
            alphas.open_level(level)
            histogram = self._histogram(histogram, counted)
            of_level, counted = self._choose_level(level, histogram, alphas)
            chosen[(1 << level) - 1 : (1 << level + 1) - 1] = of_level
            self.rows.tell(route_level, *self.candidates.tests(of_level))
        return chosen

    def _histogram(self, parents: Array | None, counted: Array) -> Array:
        """Return the histograms of a level: count the lighter sibling, and subtract it from the parent."""
        bins = self.setting.domain.bins
        table = self.rows.ask(histograms, counted, bins)
        if parents is None:
            return table
        if table.dtype.kind == "f":
            # Subtraction would round float sums differently, so both siblings are counted.
            return table + self.rows.ask(histograms, ~counted, bins)
        siblings = table.reshape(len(parents), 2, *table.shape[1:])
        rest = parents - siblings.sum(axis=1)
        siblings[~counted.reshape(-1, 2)] = rest
        return siblings.reshape(table.shape)

    def _choose_level(self, level: int, histogram: Array, alphas: Alphas) -> tuple[Array, Array]:
        """Return the chosen candidate of every node of a level, and which children are the lighter ones."""
        setting = self.setting
        budget = node_budget(setting.protocol, setting.parameters, level)
        bound = float(setting.weight_bound(self.tree_index))
        left, right = child_masses(histogram, self.candidates)
        chosen = np.empty(1 << level, dtype=np.int64)
        # Nodes with the same alpha are scored together.
        step = 1 << level if alphas.is_of_level else 1
        for start in range(0, 1 << level, step):
            alpha = alphas.of_node(level)
            part = slice(start, start + step)
            scores = scores_of(left[part], right[part], np.array([alpha]))
            delta = sensitivity(setting.protocol, setting.size, bound, float(alpha))
            per_score = rate(setting.protocol, budget, delta, bound * setting.size)
            chosen[part] = self._draw(scores, per_score)
            if not alphas.is_of_level:
                choice = chosen[start]
                alphas.split(histogram[start], left[start, choice], right[start, choice])
            if self.record is not None:
                public = {"alpha": alpha, "budget": budget, "sensitivity": delta}
                for node in range(start, start + step):
                    path = format(node, f"0{level}b") if level else ""
                    self.record(
                        self._node_record({"leaf": path, **public}, scores[node - start], chosen[node])
                    )
        pick = (np.arange(1 << level), chosen)
        right_lighter = right[pick].sum(axis=1) <= left[pick].sum(axis=1)
        return chosen, np.column_stack((~right_lighter, right_lighter)).ravel()

    def _draw(self, scores: Array, per_score: float) -> list[int]:
        """Return the index of a candidate for every node, drawn by the law of the protocol."""
        law = self.setting.protocol.split_law
        if law is SplitLaw.UNIFORM:
            return self.draws.uniform(len(self.candidates), len(scores))
        return self.draws.splits(law, scores, per_score)

    def _node_record(self, public: Record, scores: Array, choice: int) -> Record:
        names = [self.candidates.name_of(index) for index in range(len(self.candidates))]
        own = {"scores": dict(zip(names, scores.tolist(), strict=True)), "choice": names[choice]}
        return {"kind": "node", "tree": self.tree_index, **public, **own}

    def release(self, chosen: Array) -> tuple[Tree, float]:
        """Return the tree with its private leaf values, and its coefficient."""
        setting, depth = self.setting, self.setting.parameters.depth
        masses = self.rows.ask(class_masses, 1 << depth)
        spread = leaf_variance if setting.parameters.delta else leaf_scale
        scale = spread(setting.protocol, setting.parameters, setting.weight_bound(self.tree_index))
        leaves = release_leaves(setting, masses, scale, self.draws)
        beta = tree_coefficient(setting, leaves)
        if self.record is not None:
            for index, leaf in enumerate(leaves):
                self.record(
                    {"kind": "leaf", "tree": self.tree_index, **leaf_record(setting, index, leaf, scale)}
                )
            self.record({"kind": "beta", "tree": self.tree_index, "value": beta})
        values = np.array([leaf.value for leaf in leaves])
        return Tree(depth, *self.candidates.tests(chosen), values), beta
