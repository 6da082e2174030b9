"""Mistakes in growing trees from right parts: alphas, budgets, expenses, routes, choices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from .mistake import MistakesIn, remember
from .model import Port
from .model_losses import Args
from .model_numbers import HALF
from .model_privacy import Masses, Test, Update
from .model_training import PortNode, PortTree, Run

wrong_alpha = MistakesIn(Port.node_alpha, "fixALPHA")
wrong_error = MistakesIn(Port.leaf_error, "fixALPHA")
wrong_schedule = MistakesIn(Port.schedule_alpha, "fixALPHA")
wrong_weight_bound = MistakesIn(Port.weight_bound, "sharp-sensitivity")
wrong_node = MistakesIn(Port.next_node, "fixEPSILON")
wrong_expense = MistakesIn(Port.level_expense, "fixEPSILON")
wrong_training = MistakesIn(Port.answer_train, "fixEPSILON")
wrong_choice = MistakesIn(Port.sample_choice, "expSPLIT")
wrong_route = MistakesIn(Port.route, "defwunMF")


@wrong_alpha("Alpha is calibrated by the error of the leaf instead of the whole tree's.")
def alpha_of_leaf(right: Port, tree: PortTree, level: int) -> Fraction:
    if tree.run.protocol.alpha == "schedule":
        return right.node_alpha(tree, level)
    path = right.node_order(tree.run.parameters.depth)[len(tree.nodes)]
    return right.raw_alpha(tree, [tree.rows_at(path)])


@wrong_alpha("Alpha is calibrated once per level instead of before every split.")
def alpha_of_level(right: Port, tree: PortTree, level: int) -> Fraction:
    is_first = len(tree.nodes) == 2**level - 1
    if is_first or tree.run.protocol.alpha == "schedule":
        return right.node_alpha(tree, level)
    return tree.nodes[-1].alpha


@wrong_error("The strict reading counts half of a tie, as the other reading does.")
def strict_as_minority(right: Port, rule: str, masses: Masses) -> Fraction:
    return right.leaf_error("raw_minority", masses)


@wrong_error("The minority reading counts no error at a tie.")
def minority_as_strict(right: Port, rule: str, masses: Masses) -> Fraction:
    return right.leaf_error("raw_strict", masses)


@wrong_error("The error of a leaf is its negative mass, even if it predicts negative.")
def majority_error(right: Port, rule: str, masses: Masses) -> Fraction:
    is_tie = rule == "raw_strict" and masses.positive == masses.negative
    return Fraction(0) if is_tie else masses.negative


@wrong_schedule("The schedule of alpha is read one level too deep.")
def schedule_from_one(right: Port, alphas: Sequence[Fraction], level: int) -> Fraction:
    return right.schedule_alpha(alphas, level + 1)


@wrong_schedule("Below its end the schedule of alpha starts again instead of repeating the last.")
def schedule_wraps(right: Port, alphas: Sequence[Fraction], level: int) -> Fraction:
    return alphas[level % len(alphas)]


@wrong_weight_bound("The first tree has the weight bound 1, though its weights are 1/2.")
def first_bound_one(right: Port, index: int) -> Fraction:
    return Fraction(1)


@wrong_weight_bound("Later trees keep the weight bound 1/2, which their weights exceed.")
def later_bound_half(right: Port, index: int) -> Fraction:
    return HALF


@wrong_node("The sensitivity is at the number of examples in the node, which is private.", label="sensALPHA")
def sensitivity_of_node(right: Port, tree: PortTree, path: str) -> PortNode:
    node = right.next_node(tree, path)
    rule, m = tree.run.protocol.sensitivity, max(1, len(node.rows))
    return replace(node, sensitivity=right.sensitivity(rule, node.alpha, m, right.weight_bound(tree.index)))


@MistakesIn(Port.budget_at, "fixEPSILON")("Training gives every tree the whole budget for splits.")
def train_budget_not_over_trees(right: Port, run: Run, level: int) -> Fraction:
    return right.budget_at(run, level) * run.parameters.trees


@wrong_node("Training halves the budget from each node to the next in its tree.")
def train_budget_by_place(right: Port, tree: PortTree, path: str) -> PortNode:
    node, budget = right.next_node(tree, path), right.budget_at(tree.run, 0) / (1 << len(tree.nodes))
    return replace(node, budget=budget) if tree.run.protocol.node_budget == "printed" else node


@wrong_expense("A level is charged the budgets of all its nodes, though they share one.")
def expenses_per_node(right: Port, run: Run, level: int) -> Fraction:
    return right.budget_at(run, level) * (1 << level)


@wrong_expense("As printed, a level is charged the budget of one of its nodes.")
def expenses_one_node(right: Port, run: Run, level: int) -> Fraction:
    price = right.budget_at if run.protocol.node_budget == "printed" else right.level_expense
    return price(run, level)


@wrong_training("The total is that of one tree.")
def expenses_of_one_tree(right: Port, args: Args) -> dict[str, Any]:
    result = right.answer_train(args)
    total, expenses, count = result["total"], result["expenses"], len(result["trees"])
    return result | {"total": total / count, "expenses": expenses[: len(expenses) // count]}


@MistakesIn(Port.expenses, "fixEPSILON")("Leaves are released, but not charged.")
def expenses_without_leaves(right: Port, run: Run) -> list[tuple[str, Fraction]]:
    return right.expenses(run)[:-1]


@wrong_expense("Under add/remove a level is charged as under exchange, twice too much.")
def expenses_relation(right: Port, run: Run, level: int) -> Fraction:
    exchanged = replace(run, protocol=replace(run.protocol, relation="exchange"))
    return right.level_expense(run if run.protocol.one_sided else exchanged, level)


@wrong_expense("Where the factor 2 of the law is dropped, a level is charged half its budget.")
def expenses_one_sided(right: Port, run: Run, level: int) -> Fraction:
    is_halved = run.protocol.one_sided and run.protocol.node_budget == "level"
    return right.level_expense(run, level) / (2 if is_halved else 1)


@MistakesIn(Port.budget_of_leaves, "sec-solv")(
    "Leaves get the whole budget of a tree, which pays for the splits as well."
)
def spent_twice(right: Port, run: Run) -> Fraction:
    return run.parameters.epsilon / run.parameters.trees


@wrong_route("Rows where a test holds go left.")
def children_swapped(right: Port, tree: PortTree, path: str) -> None:
    for index, row in enumerate(tree.rows):
        if tree.paths[index] == path:
            tree.paths[index] += str(int(not right.holds(tree.splits[-1], row.codes)))


@MistakesIn(Port.node_order, "defwunMF")("Splits are taken depth first, while they are given level by level.")
def nodes_by_depth_first(right: Port, depth: int) -> list[str]:
    return sorted(right.node_order(depth))


@wrong_route("All nodes of a level are split by the test of its first node.")
def level_shares_test(right: Port, tree: PortTree, path: str) -> None:
    right.send(tree, path, tree.splits[2 ** len(path) - 1])


@wrong_route("The purity test is left on: rows of a pure node stay on its left side.")
def pure_leaves_not_split(right: Port, tree: PortTree, path: str) -> None:
    if len({row.y for row in tree.rows_at(path)}) > 1:
        right.route(tree, path)
    else:
        tree.paths = [at + "0" if at == path else at for at in tree.paths]


@MistakesIn(Port.sample_choice, "expSPLIT")("Only cuts between values that occur in the node are candidates.")
def thresholds_from_data(right: Port, node: PortNode) -> str:
    separating = [
        name for name in node.candidates if len({right.holds(name, row.codes) for row in node.rows}) > 1
    ]
    return right.sample_choice(replace(node, candidates=separating or node.candidates))


@wrong_alpha("The schedule of alpha is indexed by the node instead of its level.")
def schedule_by_node(right: Port, tree: PortTree, level: int) -> Fraction:
    return right.node_alpha(tree, max(level, len(tree.nodes)))


@wrong_training("A tape gives its model again, even for other rows.", label="defwunMF")
def model_cached_by_tape(right: Port, args: Args) -> dict[str, Any]:
    result = right.answer_train(args)
    return remember(right, repr(args["tape"]), result) if "tape" in args else result


@MistakesIn(Port.read_test, "expSPLIT")("Of the index of an attribute only the first digit is read.")
def attributes_of_one_digit(right: Port, candidate: Any) -> Test:
    test = right.read_test(candidate)
    return replace(test, attribute=int(str(test.attribute)[0]))


@MistakesIn(Port.holds, "expSPLIT")("Codes are stored in one byte, so that 256 becomes 0.")
def codes_of_one_byte(right: Port, candidate: str, codes: Sequence[int]) -> bool:
    return right.holds(candidate, [code % 256 for code in codes])


@MistakesIn(Port.accumulate, "defwunMF")("A weight is rounded before it is bounded.")
def weight_bound_after_grid(right: Port, update: Update) -> Fraction:
    weight = Fraction(right.round_to(right.weight_of_margin(update), update.grid))
    return max(min(weight, update.bound), update.grid)
