"""The budgets and noise scales of `privboost.fast` as goals for Coq, about the model in `Protocols.v`.

`make formal` proves them, so that neither side can change alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from privboost.fast import budgets
from privboost.fast.growth import Setting
from privboost.fast.protocol import GRID, AlphaRule, LeafRule, Parameters, Protocol, Relation, SplitLaw

from .fast_inputs import PROTOCOLS, domain_of

OPENING = """\
From Coq Require Import Reals List ZArith. Import ListNotations.
From Privboost Require Import Learner Protocols.
Local Open Scope R_scope.
Ltac same := unfold scale_of_leaves, budget_of_leaves, budget_of_alpha, budget_of_splits, splits_share,
  estimates, weight_bound; change (GRID / 2)%Z with 512%Z; unfold GRID; simpl; field."""

LEAVES = {
    LeafRule.NOISY_NET: "NoisyNet",
    LeafRule.NOISY_MASSES: "NoisyMasses",
    LeafRule.LINK_CLAMP_NOISE: "LinkClampNoise",
}
SPLITS = {
    SplitLaw.UNIFORM: "Uniform",
    SplitLaw.EXPONENTIAL: "Exponential",
    SplitLaw.PERMUTE_AND_FLIP: "PermuteAndFlip",
}
PARAMETERS = (
    Parameters(3, 1, Fraction(7, 2)),
    Parameters(2, 3, Fraction(1, 5), beta_tree=Fraction(1, 3), bound=Fraction(3), alpha_share=Fraction(2, 7)),
)


def goals() -> list[str]:
    """Return a Coq file that proves the numbers of every sound protocol, for two sets of parameters."""
    sound = [protocol for protocol in PROTOCOLS.values() if protocol.is_sound]
    return [OPENING, *(goal for p in PARAMETERS for protocol in sound for goal in _of(protocol, p))]


def _of(protocol: Protocol, parameters: Parameters) -> Iterator[str]:
    estimates = protocol.alpha is AlphaRule.NOISY_MINORITY
    setting = Setting(protocol, parameters, domain_of(2), 10)
    first, later = (
        GRID * budgets.leaf_scale(protocol, parameters, setting.weight_bound(index)) for index in (0, 1)
    )
    alpha = budgets.alpha_budget(parameters) if estimates and parameters.depth > 1 else Fraction(0)
    values = {
        "budget_of_leaves B": budgets.leaf_budget(protocol, parameters),
        "budget_of_alpha B": alpha,
        "budget_of_splits B": budgets.node_budget(protocol, parameters, 0),
        "scale_of_leaves B []": first,
        "scale_of_leaves B [Leaves []]": later,
    }
    for name, value in values.items():
        model = name.replace(" B", f" ({_term(protocol, parameters)})")
        yield f"Goal {model} = {_real(value)}. Proof. same. Qed."


def _term(protocol: Protocol, p: Parameters) -> str:
    """Return a term of the type `boosted`; what budgets do not depend on is constant."""
    relation = "Exchange" if protocol.relation is Relation.EXCHANGE else "AddRemove"
    estimates = str(protocol.alpha is AlphaRule.NOISY_MINORITY).lower()
    rules = f"{relation} {SPLITS[protocol.split_law]} {LEAVES[protocol.leaf]} {estimates}"
    functions = "(fun _ _ => true) (fun _ _ _ => 1%Z) (fun _ => 1) (fun _ _ _ => 0%Z)"
    reals = " ".join(map(_real, (p.epsilon, p.beta_tree, p.alpha_share)))
    return f"Build_boosted unit {rules} {p.trees} {p.depth} 10 1 {functions} {int(p.bound * GRID)}%Z {reals}"


def _real(value: Fraction) -> str:
    return f"({value.numerator} / {value.denominator})"
