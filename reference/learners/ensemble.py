"""The private ensemble for any protocol, and MABoost without noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from privboost.errors import PreconditionError
from privboost.reference.data import Domain, Observation, Sample, WeightedSample, initial_weights
from privboost.reference.exact import Exact, Number, exact
from privboost.reference.losses import Loss, m_alpha
from privboost.reference.privacy.accounting import Ledger
from privboost.reference.privacy.bits import BitSource
from privboost.reference.trees.induction import Order, induce
from privboost.reference.trees.risks import leaf_masses, leaf_predictions
from privboost.reference.trees.weak import Classifier, edge, mean_weight, normalised_weights

from .boosting import Release, margin, mirror_update, mirror_weights, weight_bound_of_tree, weight_rule
from .leaves import clamp
from .private_tree import sample_private_tree
from .protocol import BetaRule
from .records import Recorder, expense_record, ignore, of_tree, total_record
from .spending import spend_conversion
from .splitting import Setting, check_sample


@dataclass(frozen=True, slots=True)
class Ensemble:
    """Released trees and the ledger of what they cost."""

    releases: tuple[Release, ...]
    ledger: Ledger

    def decision(self, x: Observation) -> Number:
        """Return H(x), the sum of coefficients times leaf values."""
        return margin(self.releases, x)

    def predict(self, x: Observation) -> int:
        """Return the sign of H(x), and 1 where it is 0.

        Paper: sec:def (classification by the sign).
        """
        return 1 if self.decision(x) >= 0 else -1


def sample_private_ensemble(
    setting: Setting, sample: Sample, bits: BitSource, *, record: Recorder = ignore
) -> Ensemble:
    """Return T private trees and their ledger, from the setting of the first tree.

    Paper: sec-solv. The setting's size is the public m, or a public bound on it under add/remove.
    Requires: the sample is in the domain and has that size, or at most the bound.
    """
    check_sample(setting, sample)
    ledger = Ledger(setting.protocol.relation)
    data = initial_weights(sample)
    releases: tuple[Release, ...] = ()
    for index in range(setting.parameters.trees):
        current = setting_of_tree(setting, index)
        if index:
            data = next_weights(current, data, releases)
        release, ledger = sample_private_tree(current, data, bits, ledger, record=of_tree(record, index))
        releases = (*releases, release)
    spent = spend_conversion(setting, ledger)
    for expense in spent.expenses[len(ledger.expenses) :]:
        of_tree(record, setting.parameters.trees - 1)(expense_record(expense))
    ledger = spent
    record(total_record(setting, ledger))
    return Ensemble(releases, ledger)


def setting_of_tree(setting: Setting, index: int) -> Setting:
    """Return the setting of tree 0, 1, ..., with the public bound on its weights."""
    return replace(setting, weight_bound=weight_bound_of_tree(setting.protocol, index))


def next_weights(setting: Setting, data: WeightedSample, releases: tuple[Release, ...]) -> WeightedSample:
    """Return the weights of the next tree: from released quantities, or by the printed mirror update.

    Paper: defwunMF.
    """
    if setting.protocol.beta is BetaRule.RAW:
        return mirror_weights(m_alpha(setting.parameters.boost_alpha), data, releases[-1])
    rule = weight_rule(setting, releases)
    return WeightedSample(data.sample, tuple(map(rule, data.sample)))


WeakLearner = Callable[[WeightedSample], Classifier]


@dataclass(frozen=True, slots=True)
class BoostingStep:
    """One round of MABoost: its coefficient, its classifier, and the mean weight of its sample."""

    beta: Number
    classifier: Classifier
    mean_weight: Number


def maboost(
    alpha: Exact, bound: Exact, rounds: int, sample: Sample, weak: WeakLearner, *, pi: Exact = 0
) -> tuple[BoostingStep, ...]:
    """Return T rounds of MABoost with a = (alpha / M^2) (1 + pi), noise-free.

    Paper: cboost.
    Requires: alpha in (0, 1], M > 0, -1 < pi < 1.
    """
    exact_alpha, edge_bound, freedom = exact(alpha, "alpha"), exact(bound, "M"), exact(pi, "pi")
    if not (0 < exact_alpha <= 1 and edge_bound > 0 and -1 < freedom < 1):
        raise PreconditionError(
            "cboost", "alpha in (0, 1], M > 0, |pi| < 1", (exact_alpha, edge_bound, freedom)
        )
    loss = m_alpha(exact_alpha)
    step = exact_alpha / (edge_bound * edge_bound) * (1 + freedom)
    data, rounds_done = initial_weights(sample), []
    for _ in range(rounds):
        classifier = weak(data)
        mean = mean_weight(data)
        beta = step * mean * edge(normalised_weights(data), sample, classifier)
        rounds_done.append(BoostingStep(beta, classifier, mean))
        updated = (mirror_update(loss, w, beta, e.y, exact(classifier(e.x))) for e, w in data)
        data = WeightedSample(sample, tuple(updated))
    return tuple(rounds_done)


def tree_learner(loss: Loss, domain: Domain, depth: int, bound: Exact) -> WeakLearner:
    """Return the weak learner that grows a noise-free tree and clamps its leaf values to M.

    Paper: sec-boost, predDT.
    """
    edge_bound = exact(bound, "M")

    def weak(data: WeightedSample) -> Classifier:
        tree = induce(loss, domain, data, depth=depth, order=Order.ALL_LEAVES)
        predictions = leaf_predictions(loss, leaf_masses(tree, data))
        values = {leaf: clamp(value, edge_bound) for leaf, value in predictions.items()}
        return lambda x: values[tree.leaf_of(x)]

    return weak
