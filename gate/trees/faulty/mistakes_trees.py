"""Mistakes in growing trees from right parts: alphas, budgets, expenses, routes, choices."""

# ruff: noqa: D101, D102

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from .mistake import mistake
from .model import Grown, Implementation, NodeRows
from .model_numbers import HALF
from .model_reading import Run


@mistake(
    "alpha-of-leaf", "fixALPHA", "Alpha is calibrated by the error of the leaf instead of the whole tree's."
)
class AlphaOfLeaf(Implementation):
    def error(self, run: Run, tree: Grown, weights: Sequence[Fraction]) -> Fraction:
        masses = self.masses_of(run, tree.paths, weights, tree.leaves)
        up, down = masses[tree.leaves.index(tree.at)]
        return self.leaf_error(run.words["alpha"], up, down)


@mistake("alpha-of-level", "fixALPHA", "Alpha is calibrated once per level instead of before every split.")
class AlphaOfLevel(Implementation):
    def node_alpha(self, run: Run, level: int, tree: Grown, weights: Sequence[Fraction]) -> Fraction:
        first = len(tree.nodes) == 2**level - 1
        if first or run.words["alpha"] == "schedule":
            return super().node_alpha(run, level, tree, weights)
        alpha: Fraction = tree.nodes[-1]["alpha"]
        return alpha


@mistake(
    "strict-as-minority", "fixALPHA", "The strict reading counts half of a draw, as the other reading does."
)
class StrictAsMinority(Implementation):
    def leaf_error(self, rule: str, up: Fraction, down: Fraction) -> Fraction:
        return min(up, down) + 0 * len(rule)


@mistake("minority-as-strict", "fixALPHA", "The minority reading counts no error at a draw.")
class MinorityAsStrict(Implementation):
    def leaf_error(self, rule: str, up: Fraction, down: Fraction) -> Fraction:
        return super().leaf_error("raw_strict" if rule else rule, up, down)


@mistake(
    "majority-error", "fixALPHA", "The error of a leaf is its negative mass, even if it predicts negative."
)
class MajorityError(Implementation):
    def leaf_error(self, rule: str, up: Fraction, down: Fraction) -> Fraction:
        return Fraction(0) if rule == "raw_strict" and up == down else down


@mistake("schedule-from-one", "fixALPHA", "The schedule of alpha is read one level too deep.")
class ScheduleFromOne(Implementation):
    def scheduled(self, alphas: Sequence[Fraction], level: int) -> Fraction:
        return super().scheduled(alphas, level + 1)


@mistake(
    "schedule-wraps",
    "fixALPHA",
    "Below its end the schedule of alpha starts again instead of repeating the last.",
)
class ScheduleWraps(Implementation):
    def scheduled(self, alphas: Sequence[Fraction], level: int) -> Fraction:
        return alphas[level % len(alphas)]


@mistake(
    "first-bound-one",
    "sharp-sensitivity",
    "The first tree has the weight bound 1, though its weights are 1/2.",
)
class FirstBoundOne(Implementation):
    def weight_bound(self, index: int) -> Fraction:
        return Fraction(1) + 0 * index


@mistake(
    "later-bound-half",
    "sharp-sensitivity",
    "Later trees keep the weight bound 1/2, which their weights exceed.",
)
class LaterBoundHalf(Implementation):
    def weight_bound(self, index: int) -> Fraction:
        return HALF + 0 * index


@mistake(
    "sensitivity-of-node",
    "sensALPHA",
    "The sensitivity is at the number of examples in the node, which is private.",
)
class SensitivityOfNode(Implementation):
    def node_sensitivity(self, run: Run, index: int, alpha: Fraction, node_rows: NodeRows) -> Fraction:
        m = max(1, len(node_rows))
        return self.sensitivity_of(run.words["sensitivity"], alpha, m, self.weight_bound(index))


@mistake(
    "train-budget-not-over-trees", "fixEPSILON", "Training gives every tree the whole budget for splits."
)
class TrainBudgetNotOverTrees(Implementation):
    def node_price(self, run: Run, level: int) -> Fraction:
        trees: int = run.numbers["trees"]
        return super().node_price(run, level) * trees


@mistake(
    "train-budget-by-place",
    "fixEPSILON",
    "Training halves the budget from each node to the next in its tree.",
)
class TrainBudgetByPlace(Implementation):
    def node_budget_at(self, run: Run, tree: Grown) -> Fraction:
        if run.words["node_budget"] == "printed":
            return self.node_price(run, 0) / (1 << len(tree.nodes))
        return super().node_budget_at(run, tree)


@mistake(
    "expenses-per-node",
    "fixEPSILON",
    "A level is charged the budgets of all its nodes, though they share one.",
)
class ExpensesPerNode(Implementation):
    def level_price(self, run: Run, level: int) -> Fraction:
        return self.node_price(run, level) * (1 << level)


@mistake("expenses-one-node", "fixEPSILON", "As printed, a level is charged the budget of one of its nodes.")
class ExpensesOneNode(Implementation):
    def level_price(self, run: Run, level: int) -> Fraction:
        if run.words["node_budget"] == "printed":
            return self.node_price(run, level)
        return super().level_price(run, level)


@mistake("expenses-of-one-tree", "fixEPSILON", "The total is that of one tree.")
class ExpensesOfOneTree(Implementation):
    def train(self, args: Mapping[str, Any]) -> Any:
        result = super().train(args)
        count = len(result["expenses"]) // len(result["trees"])
        return result | {
            "total": result["total"] / len(result["trees"]),
            "expenses": result["expenses"][:count],
        }


@mistake("expenses-without-leaves", "fixEPSILON", "Leaves are released, but not charged.")
class ExpensesWithoutLeaves(Implementation):
    def expenses(self, run: Run) -> list[tuple[str, Fraction]]:
        return super().expenses(run)[:-1]


@mistake(
    "expenses-relation",
    "fixEPSILON",
    "Under add/remove a level is charged as under exchange, twice too much.",
)
class ExpensesRelation(Implementation):
    def level_price(self, run: Run, level: int) -> Fraction:
        budget = super().level_price(run, level)
        halved = run.words["relation"] == "add_remove" and run.words["node_budget"] == "level"
        return 2 * budget if halved and not run.one_sided else budget


@mistake(
    "expenses-one-sided",
    "fixEPSILON",
    "Where the factor 2 of the law is dropped, a level is charged half its budget.",
)
class ExpensesOneSided(Implementation):
    def level_price(self, run: Run, level: int) -> Fraction:
        budget = super().level_price(run, level)
        return budget / 2 if run.one_sided and run.words["node_budget"] == "level" else budget


@mistake(
    "spent-twice", "sec-solv", "Leaves get the whole budget of a tree, which pays for the splits as well."
)
class SpentTwice(Implementation):
    def leaf_price(self, run: Run) -> Fraction:
        epsilon, _, trees = run.shares
        return epsilon / trees


@mistake("children-swapped", "defwunMF", "Rows where a test holds go left.")
class ChildrenSwapped(Implementation):
    def route(self, run: Run, tree: Grown) -> None:
        for index, (codes, _) in enumerate(run.rows):
            if tree.paths[index] == tree.at:
                tree.paths[index] += str(int(not self.holds(tree.splits[-1], codes)))


@mistake(
    "nodes-by-depth-first", "defwunMF", "Splits are taken depth first, while they are given level by level."
)
class NodesByDepthFirst(Implementation):
    def node_order(self, depth: int) -> list[str]:
        return sorted(super().node_order(depth))


@mistake("level-shares-test", "defwunMF", "All nodes of a level are split by the test of its first node.")
class LevelSharesTest(Implementation):
    def route(self, run: Run, tree: Grown) -> None:
        first = tree.splits[2 ** len(tree.at) - 1]
        for i, (codes, _) in enumerate(run.rows):
            if tree.paths[i] == tree.at:
                tree.paths[i] += str(int(self.holds(first, codes)))


@mistake(
    "pure-leaves-not-split",
    "defwunMF",
    "The purity test is left on: rows of a pure node stay on its left side.",
)
class PureLeavesNotSplit(Implementation):
    def route(self, run: Run, tree: Grown) -> None:
        labels = {y for (_, y), path in zip(run.rows, tree.paths, strict=True) if path == tree.at}
        if len(labels) > 1:
            super().route(run, tree)
        else:
            tree.paths = [path + "0" if path == tree.at else path for path in tree.paths]


@mistake(
    "thresholds-from-data", "expSPLIT", "Only cuts between values that occur in the node are candidates."
)
class ThresholdsFromData(Implementation):
    def offered(self, run: Run, node_rows: NodeRows) -> Sequence[str]:
        separating = [
            candidate
            for candidate in run.candidates
            if len({self.holds(candidate, row[0]) for row in node_rows}) > 1
        ]
        return separating or super().offered(run, node_rows)


@mistake("schedule-by-node", "fixALPHA", "The schedule of alpha is indexed by the node instead of its level.")
class ScheduleByNode(Implementation):
    def node_alpha(self, run: Run, level: int, tree: Grown, weights: Sequence[Fraction]) -> Fraction:
        return super().node_alpha(run, max(level, len(tree.nodes)), tree, weights)


@mistake("model-cached-by-tape", "defwunMF", "A tape gives its model again, even for other rows.")
class ModelCachedByTape(Implementation):
    def __init__(self) -> None:
        self._models: dict[str, Any] = {}

    def train(self, args: Mapping[str, Any]) -> Any:
        result = super().train(args)
        return self._models.setdefault(repr(args["tape"]), result) if "tape" in args else result


@mistake("attributes-of-one-digit", "expSPLIT", "Of the index of an attribute only the first digit is read.")
class AttributesOfOneDigit(Implementation):
    def test_of(self, candidate: Any) -> tuple[int, str, int]:
        attribute, sign, value = super().test_of(candidate)
        return int(str(attribute)[0]), sign, value


@mistake("codes-of-one-byte", "expSPLIT", "Codes are stored in one byte, so that 256 becomes 0.")
class CodesOfOneByte(Implementation):
    def holds(self, candidate: str, codes: Sequence[int]) -> bool:
        return super().holds(candidate, [code % 256 for code in codes])


@mistake("weight-bound-after-grid", "defwunMF", "A weight is rounded before it is bounded.")
class WeightBoundAfterGrid(Implementation):
    def accumulated(
        self, alpha: Fraction, y: int, margin: Fraction, bound: Fraction, grid: Fraction
    ) -> Fraction:
        weight = self.round_to(self.inverse_at("m_alpha", alpha, -y * margin), grid)
        return Fraction(max(min(weight, bound), grid))
