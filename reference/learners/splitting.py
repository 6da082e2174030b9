"""The split of a node of a private tree: its alpha, budget, sensitivity and law.

Notation:
    h_l         current tree with l leaves          err     empirical risk
    w_bar       public bound on the weights         m       public size (of the larger sample)
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from privboost.errors import PreconditionError
from privboost.reference.data import Domain, Relation, Sample, Split, WeightedSample, splits
from privboost.reference.exact import Number, exact
from privboost.reference.losses import m_alpha
from privboost.reference.privacy.accounting import node_budget_as_printed, node_budget_of_level
from privboost.reference.privacy.mechanisms import exponential_law, permute_and_flip_law, rate
from privboost.reference.privacy.sensitivity import bound_sens_alpha, sharp_sensitivity
from privboost.reference.trees.risks import RiskReading, empirical_risk, leaf_masses, leaf_risk
from privboost.reference.trees.tree import Path, Tree, level_of

from .protocol import AlphaRule, BudgetRule, LeafRule, Parameters, Protocol, SensitivityRule, SplitLaw


@dataclass(frozen=True, slots=True)
class Setting:
    """The public information about one tree of a run."""

    protocol: Protocol
    parameters: Parameters
    domain: Domain
    size: int
    weight_bound: Number
    alphas: tuple[Number, ...] = ()
    """The alphas released so far, for the levels below the root of the tree."""

    def __post_init__(self) -> None:
        if self.size < 1:
            raise PreconditionError("sec-solv", "a public size >= 1", self.size)
        if not 0 < exact(self.weight_bound, "weight_bound") <= 1:
            raise PreconditionError("sec:priv", "0 < weight_bound <= 1", self.weight_bound)
        is_net = (self.protocol.split_law, self.protocol.leaf) == (SplitLaw.UNIFORM, LeafRule.NOISY_NET)
        if self.parameters.delta and not is_net:
            raise PreconditionError(
                "sec-solv", "uniform splits and noisy nets with a delta", self.protocol.name
            )
        if all(attribute.n_values < 2 for attribute in self.domain.attributes):
            raise PreconditionError("expSPLIT", "a domain with a split", self.domain)


def check_sample(setting: Setting, sample: Sample) -> None:
    """Raise PreconditionError for a sample that does not fit the public size or the domain.

    Paper: defEDPRIV. Under exchange `size` is m, which is public. Under add/remove `size` is a public bound
    that must hold for every possible sample, because an error would reveal that the sample is larger.
    """
    exchange = setting.protocol.relation is Relation.EXCHANGE
    if len(sample) > setting.size or (exchange and len(sample) != setting.size):
        requirement = f"{setting.size} examples" if exchange else f"at most {setting.size} examples"
        raise PreconditionError("defEDPRIV", requirement, len(sample))
    for example in sample:
        setting.domain.check(example.x)


def check_data(setting: Setting, data: WeightedSample) -> None:
    """Raise PreconditionError for weights above their public bound, or for a sample that does not fit.

    Paper: sec:priv.
    """
    check_sample(setting, data.sample)
    for weight in data.weights:
        if weight > setting.weight_bound:
            raise PreconditionError("sec:priv", f"weights of at most {setting.weight_bound}", weight)


def node_alpha(setting: Setting, data: WeightedSample, tree: Tree, leaf: Path) -> Number:
    """Return the alpha in the loss of a node: err(h_l) / err(h_1) as printed, or a public number.

    Paper: fixALPHA. If err(h_1) = 0 the printed ratio is undefined, and 1 is used as at the root.
    """
    rule = setting.protocol.alpha
    if rule is AlphaRule.SCHEDULE:
        return setting.parameters.alpha_of_level(level_of(leaf))
    if rule is AlphaRule.NOISY_MINORITY:
        if level_of(leaf) > len(setting.alphas):
            raise PreconditionError(
                "fixALPHA", f"a released alpha for level {level_of(leaf)}", setting.alphas
            )
        return (Fraction(1), *setting.alphas)[level_of(leaf)]
    if not data.sample:
        return Fraction(1)
    reading = RiskReading.STRICT if rule is AlphaRule.RAW_STRICT else RiskReading.MINORITY
    loss = m_alpha(1)
    at_root = empirical_risk(Tree(), data, loss, reading)
    return min(empirical_risk(tree, data, loss, reading) / at_root, Fraction(1)) if at_root else Fraction(1)


def split_share(setting: Setting) -> Number:
    """Return the share of the budget for splits: beta_tree, or 0 for splits that do not read the data.

    Paper: sec-solv (beta_tree).
    """
    uniform = setting.protocol.split_law is SplitLaw.UNIFORM
    return Fraction(0) if uniform else setting.parameters.beta_tree


def node_budget(setting: Setting, leaf: Path) -> Number:
    """Return the budget epsilon(h, leaf) of a node, which is 0 for a uniform split.

    Paper: fixEPSILON.
    """
    p, share = setting.parameters, split_share(setting)
    if setting.protocol.alpha is AlphaRule.NOISY_MINORITY and p.depth > 1:
        share *= 1 - p.alpha_share
    if setting.protocol.node_budget is BudgetRule.PRINTED:
        return node_budget_as_printed(p.epsilon, share, p.trees, p.depth, level_of(leaf))
    return node_budget_of_level(p.epsilon, share, p.trees, p.depth)


def node_sensitivity(setting: Setting, alpha: Number) -> Number:
    """Return the sensitivity in the split law.

    Paper: sensALPHA, expSPLIT.
    """
    if setting.protocol.sensitivity is SensitivityRule.PRINTED:
        return bound_sens_alpha(alpha, setting.size)
    return sharp_sensitivity(m_alpha(alpha), setting.size, setting.weight_bound)


def split_scores(
    setting: Setting, data: WeightedSample, tree: Tree, leaf: Path, alpha: Number
) -> dict[Split, Number]:
    """Return the score of every split of a leaf: minus the risk of its two children.

    Paper: expSPLIT. The other leaves contribute the same to w(S) F for every split and cancel in the law.
    """
    loss = m_alpha(alpha)
    reached = data.restricted(lambda x: tree.leaf_of(x) == leaf)
    scores = {}
    for split in splits(setting.domain):
        children = leaf_masses(Tree().grow((), split), reached)
        scores[split] = -sum((leaf_risk(loss, mass) for mass in children.values()), start=Fraction(0))
    return scores


@dataclass(frozen=True, slots=True)
class Node:
    """The numbers that determine the law of a split; `scores` has a score for every split.

    The uniform law depends on the candidates only, but the numbers are computed and recorded all the same.
    """

    alpha: Number
    budget: Number
    sensitivity: Number
    scores: dict[Split, Number]


def node_of(setting: Setting, data: WeightedSample, tree: Tree, leaf: Path) -> Node:
    """Return the numbers that determine the law of the split of a leaf.

    Paper: fixALPHA, fixEPSILON, expSPLIT.
    """
    alpha = node_alpha(setting, data, tree, leaf)
    scores = split_scores(setting, data, tree, leaf, alpha)
    return Node(alpha, node_budget(setting, leaf), node_sensitivity(setting, alpha), scores)


def law_of_node(protocol: Protocol, node: Node) -> dict[Split, Number]:
    """Return the probability of every split of a node.

    Paper: expSPLIT.
    """
    if protocol.split_law is SplitLaw.UNIFORM or not node.sensitivity:
        # With one public example and the sharp sensitivity no risk can change: all splits are equally good.
        return {split: Fraction(1, len(node.scores)) for split in node.scores}
    per_score = rate(node.budget, node.sensitivity, one_sided=protocol.one_sided)
    if protocol.split_law is SplitLaw.PERMUTE_AND_FLIP:
        return permute_and_flip_law(node.scores, per_score)
    return exponential_law(node.scores, per_score)


def split_law(setting: Setting, data: WeightedSample, tree: Tree, leaf: Path) -> dict[Split, Number]:
    """Return the probability of every split of a leaf.

    Paper: expSPLIT, expSPLIT2.
    """
    return law_of_node(setting.protocol, node_of(setting, data, tree, leaf))
