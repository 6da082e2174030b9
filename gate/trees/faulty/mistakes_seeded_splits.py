"""Mistakes in the splits of seeded trainings. The numbers that are reported are right, and so are tapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

from .mistake import MistakesIn, remember
from .model import Port
from .model_losses import Args
from .model_numbers import HALF
from .model_privacy import PortRow
from .model_training import PortNode, PortTree, Run

wrong_choice = MistakesIn(Port.sample_choice, "expSPLIT")


def sample_with_budget(right: Port, node: PortNode, budget: Fraction) -> str:
    """Return a split that is drawn with another budget than the reported one."""
    return right.sample_choice(replace(node, budget=budget))


def sample_with_size(right: Port, node: PortNode, m: int) -> str:
    """Return a split that is drawn with the sensitivity of a sample of another size."""
    bound = right.weight_bound(node.tree.index)
    sensitivity = right.sensitivity(node.run.protocol.sensitivity, node.alpha, m, bound)
    return right.sample_choice(replace(node, sensitivity=sensitivity))


@wrong_choice("Training takes the best split.")
def train_greedy(right: Port, node: PortNode) -> str:
    return max(node.candidates, key=lambda candidate: right.score(node.alpha, node.rows, candidate))


@wrong_choice("Training draws all splits alike.")
def train_uniform(right: Port, node: PortNode) -> str:
    return sample_with_budget(right, node, Fraction(0))


@wrong_choice("Every split is drawn with the whole epsilon.")
def train_whole_epsilon(right: Port, node: PortNode) -> str:
    return sample_with_budget(right, node, node.run.parameters.epsilon)


@wrong_choice("Every split is drawn with the whole share of splits, beta epsilon.")
def train_whole_share(right: Port, node: PortNode) -> str:
    return sample_with_budget(right, node, node.run.parameters.beta_tree * node.run.parameters.epsilon)


@wrong_choice("Splits are drawn from epsilon instead of beta epsilon.")
def train_beta_missing(right: Port, node: PortNode) -> str:
    return sample_with_budget(right, node, node.budget / node.run.parameters.beta_tree)


@wrong_choice("Splits are drawn from the share 1 - beta of the leaves.")
def train_beta_inverted(right: Port, node: PortNode) -> str:
    share = node.run.parameters.beta_tree
    return sample_with_budget(right, node, node.budget / share * (1 - share))


@wrong_choice("Splits are drawn with a budget that is not divided by the trees.")
def train_not_over_trees(right: Port, node: PortNode) -> str:
    return sample_with_budget(right, node, node.budget * node.run.parameters.trees)


@wrong_choice("Splits are drawn with a budget that is not divided by the depth.")
def train_not_over_depth(right: Port, node: PortNode) -> str:
    return sample_with_budget(right, node, node.budget * node.run.parameters.depth)


@wrong_choice("Splits are drawn with d + 1 levels in the budget instead of d.")
def train_depth_plus_one(right: Port, node: PortNode) -> str:
    depth = node.run.parameters.depth
    return sample_with_budget(right, node, node.budget * depth / (depth + 1))


@wrong_choice("The last level is drawn with twice its budget.")
def train_last_level_doubled(right: Port, node: PortNode) -> str:
    is_last = len(node.path) == node.run.parameters.depth - 1
    return sample_with_budget(right, node, node.budget * (2 if is_last else 1))


@wrong_choice("Splits below the root are drawn with the budget of the root.")
def train_root_not_halved(right: Port, node: PortNode) -> str:
    return sample_with_budget(right, node, node.tree.nodes[0].budget)


@wrong_choice("Splits are drawn with printed budgets where a level has one.")
def train_printed_for_level(right: Port, node: PortNode) -> str:
    shares, depth = node.run.parameters.shares, node.run.parameters.depth
    return sample_with_budget(right, node, right.node_budget("printed", shares, depth, len(node.path)))


@wrong_choice("The one-sided law of add/remove is drawn with the factor 2.")
def train_two_kept(right: Port, node: PortNode) -> str:
    return right.sample_choice(replace(node, one_sided=False))


@wrong_choice("The exponential law alone keeps the factor 2 where both laws are one-sided.")
def train_two_kept_by_exponential(right: Port, node: PortNode) -> str:
    return right.sample_choice(replace(node, one_sided=node.one_sided and node.law != "exponential"))


@wrong_choice(
    "Training on one row always splits by the first candidate.", missed="no seeded training has one row"
)
def train_one_row_first(right: Port, node: PortNode) -> str:
    choice = right.sample_choice(node)
    return choice if len(node.run.rows) > 1 else node.candidates[0]


@wrong_choice("Training drops the factor 2 of the law under exchange, too.")
def train_one_sided(right: Port, node: PortNode) -> str:
    return right.sample_choice(replace(node, one_sided=True))


@wrong_choice("Later trees draw with the weight bound 1/2 of the first.")
def train_later_bound_half(right: Port, node: PortNode) -> str:
    sensitivity = right.node_sensitivity(node.run, 0, node.alpha)
    return right.sample_choice(replace(node, sensitivity=sensitivity))


@wrong_choice("The first tree draws with the weight bound 1 of later ones.")
def train_first_bound_one(right: Port, node: PortNode) -> str:
    sensitivity = right.node_sensitivity(node.run, 1, node.alpha)
    return right.sample_choice(replace(node, sensitivity=sensitivity))


@wrong_choice("Splits are drawn with the sensitivity at the size of the node.")
def train_sensitivity_of_node(right: Port, node: PortNode) -> str:
    return sample_with_size(right, node, max(1, len(node.rows)))


@wrong_choice(
    "Splits are drawn with the sensitivity at m + 1.",
    missed="rates are off by 4 percent, which 8,200 splits do not show",
)
def train_m_plus_one(right: Port, node: PortNode) -> str:
    return sample_with_size(right, node, len(node.run.rows) + 1)


@wrong_choice("Splits are drawn with the sensitivity of alpha = 1.")
def train_sensitivity_of_one(right: Port, node: PortNode) -> str:
    sensitivity = right.node_sensitivity(node.run, node.tree.index, Fraction(1))
    return right.sample_choice(replace(node, sensitivity=sensitivity))


@wrong_choice("Splits are drawn with the printed sensitivity where the sharp one is reported.")
def train_other_sensitivity(right: Port, node: PortNode) -> str:
    sensitivity = right.printed_sensitivity(node.alpha, len(node.run.rows))
    return right.sample_choice(replace(node, sensitivity=sensitivity))


@wrong_choice("Scores have an alpha that is calibrated by raw labels, though the schedule is reported.")
def train_raw_alpha(right: Port, node: PortNode) -> str:
    leaves = [node.tree.rows_at(path) for path in set(node.tree.paths)]
    return right.sample_choice(replace(node, alpha=right.raw_alpha(node.tree, leaves)))


@wrong_choice("All levels are drawn with the scores of the root's alpha.")
def train_alpha_of_root(right: Port, node: PortNode) -> str:
    return right.sample_choice(replace(node, alpha=node.tree.nodes[0].alpha))


@wrong_choice("Splits are drawn with the scores of alpha = 1.")
def train_alpha_one(right: Port, node: PortNode) -> str:
    return right.sample_choice(replace(node, alpha=Fraction(1)))


@wrong_choice("Splits are drawn with the alpha of the level below.")
def train_alpha_too_deep(right: Port, node: PortNode) -> str:
    alpha = right.schedule_alpha(node.run.parameters.alphas, len(node.path) + 1)
    return right.sample_choice(replace(node, alpha=alpha))


@wrong_choice("Pure nodes take the first candidate instead of drawing one.")
def train_pure_first(right: Port, node: PortNode) -> str:
    choice = right.sample_choice(node)
    return choice if len({row.y for row in node.rows}) > 1 else node.candidates[0]


@wrong_choice("Empty nodes take the first candidate instead of drawing one.")
def train_empty_first(right: Port, node: PortNode) -> str:
    choice = right.sample_choice(node)
    return choice if node.rows else node.candidates[0]


@wrong_choice("All nodes of a level have the split of the first.")
def train_level_shares_split(right: Port, node: PortNode) -> str:
    splits, first = node.tree.splits, (1 << len(node.path)) - 1
    return splits[first] if len(splits) > first else right.sample_choice(node)


@MistakesIn(Port.grow, "expSPLIT")("The generator is seeded again for every tree.")
def train_generator_per_tree(right: Port, run: Run, index: int, rows: Sequence[PortRow]) -> PortTree:
    run.random.seed(run.seed)
    return right.grow(run, index, rows)


@wrong_choice("The generator is seeded again for every node.")
def train_generator_per_node(right: Port, node: PortNode) -> str:
    node.run.random.seed(node.run.seed)
    return right.sample_choice(node)


@MistakesIn(Port.read_run, "expSPLIT")("Training ignores the seed: all requests have the same draws.")
def train_seed_ignored(right: Port, args: Args) -> Run:
    return replace(right.read_run(args), random=Random(0))


@wrong_choice("Training draws by the exponential mechanism where permute-and-flip is asked for.")
def train_permute_and_flip_as_exponential(right: Port, node: PortNode) -> str:
    return right.sample_choice(replace(node, law="exponential"))


@wrong_choice("Training draws by permute-and-flip where the exponential mechanism is asked for.")
def train_exponential_as_permute_and_flip(right: Port, node: PortNode) -> str:
    return right.sample_choice(replace(node, law="permute_and_flip"))


@wrong_choice("Training takes the greatest score with Laplace noise.")
def train_noisy_max(right: Port, node: PortNode) -> str:
    rate, sample = right.node_rate(node), node.run.random.expovariate

    def noisy_score(candidate: str) -> float:
        noise = sample(1) - sample(1)
        return float(rate * right.score(node.alpha, node.rows, candidate)) + noise

    return max(node.candidates, key=noisy_score)


@wrong_choice("Later trees score splits with the weights of the first tree.")
def train_first_weights(right: Port, node: PortNode) -> str:
    return right.sample_choice(replace(node, rows=[replace(row, weight=HALF) for row in node.rows]))


@wrong_choice("Splits are scored on all rows instead of those of the node.")
def train_scores_of_all_rows(right: Port, node: PortNode) -> str:
    return right.sample_choice(replace(node, rows=node.tree.rows))


@wrong_choice("Splits are scored on rows without their duplicates.")
def train_duplicates_dropped(right: Port, node: PortNode) -> str:
    return right.sample_choice(replace(node, rows=list(dict.fromkeys(node.rows))))


@wrong_choice("Splits are drawn by scores that are divided by the mass of the node.")
def train_mean_scores(right: Port, node: PortNode) -> str:
    mass = sum((row.weight for row in node.rows), Fraction(0))
    return sample_with_budget(right, node, node.budget / (mass or 1))


@wrong_choice("The last candidate is never drawn.")
def train_last_candidate_missing(right: Port, node: PortNode) -> str:
    return right.sample_choice(replace(node, candidates=node.candidates[:-1]))


@wrong_choice("A node is never split by the test of its parent.")
def train_parent_test_excluded(right: Port, node: PortNode) -> str:
    splits = node.tree.splits
    parent = splits[(len(splits) - 1) // 2] if splits else None
    while (choice := right.sample_choice(node)) == parent:
        pass
    return choice


@MistakesIn(Port.answer_train, "sec-solv")("A seed gives its model again, whatever the other arguments are.")
def train_model_cached(right: Port, args: Args) -> Any:
    result = right.answer_train(args)
    return remember(right, str(args["seed"]), result) if "seed" in args else result
