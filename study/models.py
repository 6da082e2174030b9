"""Parameters of the simulation for each configuration, with the budgets and scales of `privboost.fast`.

The paper leaves two points open. A fixed alpha is used for splits, links and weights alike; a calibrated
alpha is used for splits only, and links and weights have alpha = 1. Runs without noise clamp to M too: the
paper clamps "if DP", but its grid has 1.3 million models only if M varies in these runs as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from time import process_time
from typing import Any

import numpy as np

from privboost.fast.budgets import alpha_budget, forest_leaf_budget, leaf_scale, masses_changed, node_budget
from privboost.fast.protocol import (
    AS_PRINTED,
    SOUND,
    SOUND_NET,
    Accounting,
    AlphaRule,
    BetaRule,
    ForestParameters,
    LeafMechanism,
    LeafRule,
    Parameters,
    Protocol,
    Relation,
    SensitivityRule,
    SplitLaw,
)

from . import simulation
from .data import DataSource, folds, load_quantised
from .grid import FOLDS, FORESTS, FREE, PRINTED_FORESTS, Configuration, Learner
from .outcome import FoldErrors

ZETA = Fraction(1, 10**4)

CLOSED: Mapping[Learner, Mapping[str, Any]] = {
    Learner.AS_PRINTED: {},
    Learner.ALPHA_CLOSED: {"alpha": AlphaRule.NOISY_MINORITY},
    Learner.LEAF_CLOSED: {"leaf": LeafRule.LINK_CLAMP_NOISE},
    Learner.BETA_CLOSED: {"beta": BetaRule.CONSTANT},
    Learner.ALL_CLOSED: {
        "alpha": AlphaRule.NOISY_MINORITY,
        "leaf": LeafRule.LINK_CLAMP_NOISE,
        "beta": BetaRule.CONSTANT,
    },
}
"""The changes of the printed protocol that close each leak."""


@dataclass(frozen=True, slots=True)
class Study:
    """The data, and the seed of folds and noise, which all configurations share."""

    source: DataSource
    seed: int = 0


def protocol_of(configuration: Configuration) -> Protocol:
    """Return the protocol of a configuration; a fixed alpha is public.

    Requires: a private boosted ensemble.
    """
    learner = Learner(configuration.learner)
    calibrated = configuration.alpha == "calibrated"
    if learner is Learner.SOUND_NET:
        return SOUND_NET
    if learner is Learner.SOUND:
        return SOUND.changed(alpha=AlphaRule.NOISY_MINORITY) if calibrated else SOUND
    changes = dict(CLOSED[learner])
    if not calibrated:
        changes["alpha"] = AlphaRule.SCHEDULE
    return AS_PRINTED.changed(**changes)


def parameters_of(configuration: Configuration) -> Parameters:
    """Return the public parameters of a private boosted ensemble."""
    alpha = Fraction(1) if configuration.alpha == "calibrated" else Fraction(configuration.alpha)
    chosen = {
        name: Fraction(getattr(configuration, name))
        for name in ("beta_tree", "bound")
        if getattr(configuration, name) != FREE
    }
    return Parameters(
        int(configuration.trees),
        int(configuration.depth),
        Fraction(configuration.epsilon),
        zeta=ZETA,
        alphas=(alpha,),
        boost_alpha=alpha,
        **chosen,
    )


def boosting_of(configuration: Configuration) -> simulation.Boosting:
    """Return the simulation parameters of a boosted ensemble."""
    if configuration.learner == Learner.NOISE_FREE:
        return _noise_free(configuration)
    protocol, parameters = protocol_of(configuration), parameters_of(configuration)
    net = protocol.leaf is LeafRule.NOISY_NET
    later = Fraction(1, 2) if net else Fraction(1)
    estimated = protocol.alpha is AlphaRule.NOISY_MINORITY and parameters.depth > 1
    rules = {AlphaRule.SCHEDULE: simulation.FIXED, AlphaRule.RAW_STRICT: simulation.RAW}
    leaves = {
        LeafRule.LINK_NOISE_CLAMP: simulation.NOISE_CLAMP,
        LeafRule.LINK_CLAMP_NOISE: simulation.CLAMP_NOISE,
        LeafRule.NOISY_MASSES: simulation.MASSES,
        LeafRule.NOISY_NET: simulation.NET,
    }
    betas = {BetaRule.RAW: simulation.BETA_RAW, BetaRule.NOISY_MASSES: simulation.BETA_NOISY}
    return simulation.Boosting(
        trees=parameters.trees,
        depth=parameters.depth,
        uniform=protocol.split_law is SplitLaw.UNIFORM,
        printed_sensitivity=protocol.sensitivity is SensitivityRule.PRINTED,
        alpha_rule=rules.get(protocol.alpha, simulation.NOISY),
        alpha=float(parameters.alphas[0]),
        boost_alpha=float(parameters.boost_alpha),
        leaf_rule=leaves[protocol.leaf],
        beta_rule=betas.get(protocol.beta, simulation.BETA_ONE),
        bound=float(parameters.bound),
        zeta=float(parameters.zeta),
        node_budgets=np.array(
            [float(node_budget(protocol, parameters, level)) for level in range(parameters.depth)]
        ),
        alpha_budget=float(alpha_budget(parameters)) if estimated else 1.0,
        first_scale=float(leaf_scale(protocol, parameters, Fraction(1, 2))),
        later_scale=float(leaf_scale(protocol, parameters, later)),
        later_weight=float(later),
    )


def _noise_free(configuration: Configuration) -> simulation.Boosting:
    """Return the parameters of an ensemble without noise: best splits, raw leaves, pure leaves not split."""
    calibrated = configuration.alpha == "calibrated"
    alpha = 1.0 if calibrated else float(configuration.alpha)
    depth = int(configuration.depth)
    return simulation.Boosting(
        trees=int(configuration.trees),
        depth=depth,
        free=True,
        alpha_rule=simulation.RAW if calibrated else simulation.FIXED,
        alpha=alpha,
        boost_alpha=alpha,
        leaf_rule=simulation.NO_NOISE,
        beta_rule=simulation.BETA_RAW,
        bound=float(configuration.bound),
        zeta=float(ZETA),
        node_budgets=np.zeros(depth),
    )


def forest_of(configuration: Configuration) -> simulation.ForestSettings:
    """Return the simulation parameters of a random forest."""
    laplace = configuration.learner in (Learner.RF_LAP, Learner.RF_LAP_TIGHT)
    printed = configuration.learner in PRINTED_FORESTS
    parameters = ForestParameters(
        trees=int(configuration.trees),
        depth=int(configuration.depth),
        epsilon=Fraction(configuration.epsilon),
        mechanism=LeafMechanism.LAPLACE if laplace else LeafMechanism.EXPONENTIAL,
        accounting=Accounting.PRINTED if printed else Accounting.TIGHT,
        relation=Relation.EXCHANGE,
    )
    budget = forest_leaf_budget(parameters)
    scale = float(masses_changed(parameters.relation) / budget)
    return simulation.ForestSettings(parameters.trees, parameters.depth, laplace, scale, float(budget))


def run_configuration(study: Study, configuration: Configuration) -> FoldErrors:
    """Run all folds of a configuration; the result depends on the study and the configuration only."""
    started = process_time()
    rows = load_quantised(study.source, configuration.domain, int(configuration.values))
    by_fold, ends = folds(study.source, configuration.domain, study.seed, int(configuration.repeat))
    seeds = np.array([configuration.seed(study.seed, fold) for fold in range(FOLDS)], dtype=np.uint64)
    measured = np.empty((FOLDS, 3))
    with np.errstate(over="ignore"):  # random bits wrap around; NumPy warns if numba is not installed
        if configuration.learner in FORESTS:
            simulation.plant_folds(rows, by_fold, ends, forest_of(configuration), seeds, measured)
        else:
            simulation.boost_folds(rows, by_fold, ends, boosting_of(configuration), seeds, measured)
    leaves, depth = measured[:, 1].mean(), measured[:, 2].mean()
    mistakes = tuple(int(count) for count in measured[:, 0])
    return FoldErrors(configuration, mistakes, float(leaves), float(depth), process_time() - started)


def run_batch(study: Study, keys: Sequence[str]) -> list[FoldErrors]:
    """Run several configurations, given by their keys."""
    return [run_configuration(study, Configuration.from_key(key)) for key in keys]
