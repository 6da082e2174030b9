"""Interpretations of the paper: every choice that it leaves open or gets wrong.

There are three presets: AS_PRINTED, which is not epsilon-DP, and SOUND and SOUND_NET, which are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from typing import get_type_hints

from privboost.errors import PreconditionError
from privboost.reference.data import Relation
from privboost.reference.exact import Number, exact
from privboost.reference.exact.functions import natural
from privboost.reference.mechanisms.concentrated import enclose_zcdp_delta


class AlphaRule(Enum):
    """The source of the alpha in the loss of a node.

    Paper: fixALPHA.
    """

    RAW_STRICT = "raw_strict"
    """err(h_l) / err(h_1) of the raw sample, err counting y h < 0, as printed."""
    RAW_MINORITY = "raw_minority"
    """The same ratio with err the mass of the minority classes."""
    NOISY_MINORITY = "noisy_minority"
    """The minority mass of each level, released with Laplace noise and its own budget."""
    SCHEDULE = "schedule"
    """A public number per level."""

    @property
    def is_raw(self) -> bool:
        """Return whether alpha is computed from the raw sample."""
        return self in (AlphaRule.RAW_STRICT, AlphaRule.RAW_MINORITY)


class SplitLaw(Enum):
    """The mechanism that chooses a split.

    Paper: expSPLIT.
    """

    EXPONENTIAL = "exponential"
    PERMUTE_AND_FLIP = "permute_and_flip"
    UNIFORM = "uniform"
    """All splits are equally likely, whatever the data. This is free, so the leaves get the whole budget."""


class SensitivityRule(Enum):
    """The sensitivity in the split law.

    Paper: sensALPHA.
    """

    PRINTED = "printed"
    """3 + 2 alpha (sqrt(m) - 1)."""
    SHARP = "sharp"
    """w_bar m L(1/m)."""


class BudgetRule(Enum):
    """The budget of a node.

    Paper: fixEPSILON.
    """

    PRINTED = "printed"
    """beta_tree epsilon / (T d 2^depth), added over nodes."""
    LEVEL = "level"
    """beta_tree epsilon / (T d) for every node of a level."""


class LeafRule(Enum):
    """The mechanism that makes leaf values private.

    Paper: sec-solv (private predictions), sub-sec-sum-imp.
    """

    LINK_NOISE_CLAMP = "link_noise_clamp"
    """Link of the clamped proportion, Laplace noise of scale 2 M / budget, then clamped to [-M, M]."""
    LINK_CLAMP_NOISE = "link_clamp_noise"
    """The same with the clamp to [-M, M] also before the noise."""
    NOISY_MASSES = "noisy_masses"
    """Laplace noise on both class masses of all leaves together; link and clamp are post-processing."""
    NOISY_NET = "noisy_net"
    """Laplace noise on w^1 - w^-1 of all leaves together; the value is a quarter of it over a public mass."""


class BetaRule(Enum):
    """The computation of the leveraging coefficient beta_t.

    Paper: defwunMF, cboost (step 2.2).
    """

    RAW = "raw"
    """(a / m) sum of w_i y_i h_t(x_i) over the raw sample."""
    NOISY_MASSES = "noisy_masses"
    """The same formula on the noisy masses."""
    CONSTANT = "constant"
    """1: leaf values include the coefficient, and nothing else is released."""


@dataclass(frozen=True, slots=True)
class Protocol:
    """The choices that define a private learner."""

    name: str
    alpha: AlphaRule
    split_law: SplitLaw
    sensitivity: SensitivityRule
    node_budget: BudgetRule
    leaf: LeafRule
    beta: BetaRule
    relation: Relation = Relation.EXCHANGE
    """Neighbours: one example exchanged (m public), or added or removed. Paper: defEDPRIV."""

    def __post_init__(self) -> None:
        if self.leaf is LeafRule.NOISY_NET and self.beta is not BetaRule.CONSTANT:
            raise PreconditionError("cboost", "a constant coefficient with noisy nets", self.beta.value)
        if self.split_law is SplitLaw.UNIFORM and self.alpha is AlphaRule.NOISY_MINORITY:
            # The estimate would use budget and have no effect.
            raise PreconditionError("fixALPHA", "no estimate of alpha with uniform splits", self.alpha.value)

    @property
    def one_sided(self) -> bool:
        """Return whether the split law drops the factor 2: scores move in one direction under add/remove."""
        return self.relation is Relation.ADD_REMOVE and self.sensitivity is SensitivityRule.SHARP


CHOICES: dict[str, type[Enum]] = {
    name: kind for name, kind in get_type_hints(Protocol).items() if name != "name"
}
"""The fields of a protocol other than its name, and the choices for each."""

AS_PRINTED = Protocol(
    name="AS_PRINTED",
    alpha=AlphaRule.RAW_STRICT,
    split_law=SplitLaw.EXPONENTIAL,
    sensitivity=SensitivityRule.PRINTED,
    node_budget=BudgetRule.PRINTED,
    leaf=LeafRule.LINK_NOISE_CLAMP,
    beta=BetaRule.RAW,
)

SOUND = Protocol(
    name="SOUND",
    alpha=AlphaRule.SCHEDULE,
    split_law=SplitLaw.EXPONENTIAL,
    sensitivity=SensitivityRule.SHARP,
    node_budget=BudgetRule.LEVEL,
    leaf=LeafRule.NOISY_MASSES,
    beta=BetaRule.NOISY_MASSES,
)

SOUND_NET = replace(
    SOUND, name="SOUND_NET", split_law=SplitLaw.UNIFORM, leaf=LeafRule.NOISY_NET, beta=BetaRule.CONSTANT
)
"""SOUND with splits independent of the data and one noisy net per leaf: the default of the fast learner."""

PRESETS = {"sound_net": SOUND_NET, "sound": SOUND, "as_printed": AS_PRINTED}


@dataclass(frozen=True, slots=True)
class Parameters:
    """The public parameters of a run.

    Paper: sec-solv, sub-sec-gen, sub-sec-sum-imp.
    """

    trees: int = 1
    depth: int = 1
    epsilon: Number = Fraction(1)
    beta_tree: Number = Fraction(1, 2)
    """Share of the budget for splits; not used for uniform splits, which are free."""
    bound: Number = Fraction(10)
    """M, the greatest absolute value of a leaf. Not used for noisy nets, whose values are at most 1/4."""
    zeta: Number = Fraction(1, 10**4)
    """Proportions are clamped to [zeta, 1 - zeta] before the link. Paper: sub-sec-sum-imp."""
    alphas: tuple[Number, ...] = (Fraction(1),)
    """Public schedule of alpha by level; the last entry applies to all deeper levels."""
    alpha_share: Number = Fraction(1, 4)
    """Share of the budget for splits that goes to estimates of alpha, if the protocol makes any."""
    grid: Fraction = Fraction(1, 1024)
    """Weights, masses and noise are multiples of this, so that low-order digits reveal nothing."""
    boost_alpha: Number = Fraction(1)
    """The alpha of the M-alpha-loss that links weights, leaves and margins. Paper: defwunMF."""
    delta: Number = Fraction(0)
    """0 for Laplace noise. Otherwise noisy nets have Gaussian noise, and the total is (epsilon, delta)."""
    rho: Number = Fraction(0)
    """The budget of zero-concentrated privacy that all trees share, if there is a delta."""

    def __post_init__(self) -> None:
        numbers = ("epsilon", "beta_tree", "bound", "zeta", "alpha_share", "grid", "boost_alpha")
        for name in (*numbers, "delta", "rho"):
            object.__setattr__(self, name, exact(getattr(self, name), name))
        object.__setattr__(self, "alphas", tuple(exact(alpha, "alphas") for alpha in self.alphas))
        for name in ("trees", "depth"):
            count = natural(getattr(self, name), name)
            self._require(count >= 1, f"{name} >= 1", count)
        self._require(self.epsilon > 0, "epsilon > 0", self.epsilon)
        self._require(0 < self.beta_tree < 1, "0 < beta_tree < 1", self.beta_tree)
        self._require(self.bound > 0, "bound > 0", self.bound)
        self._require(0 < self.zeta < Fraction(1, 2), "0 < zeta < 1/2", self.zeta)
        self._require(all(0 <= alpha <= 1 for alpha in self.alphas), "alphas in [0, 1]", self.alphas)
        self._require(len(self.alphas) > 0, "at least one alpha", self.alphas)
        self._require(0 < self.alpha_share < 1, "0 < alpha_share < 1", self.alpha_share)
        self._require(self._on_grid(Fraction(1, 2)), "1/2 a multiple of grid", self.grid)
        self._require(self._on_grid(self.bound), "bound a multiple of grid", self.bound)
        self._require(0 < self.boost_alpha <= 1, "0 < boost_alpha <= 1", self.boost_alpha)
        self._require(0 <= self.delta < 1, "0 <= delta < 1", self.delta)
        self._require((self.rho > 0) == (self.delta > 0), "rho > 0 if and only if delta > 0", self.rho)
        if self.delta:
            least = enclose_zcdp_delta(self.rho, self.epsilon).hi
            self._require(least <= self.delta, "a rho whose conversion promises (epsilon, delta)", self.rho)

    def _on_grid(self, value: Number) -> bool:
        """Return whether a value is an integer multiple of the grid, which must be rational and positive."""
        steps = value / self.grid if self.grid > 0 else None
        return isinstance(steps, Fraction) and steps.denominator == 1

    @staticmethod
    def _require(holds: bool, requirement: str, value: object) -> None:
        """Raise PreconditionError if a requirement does not hold."""
        if not holds:
            raise PreconditionError("sec-solv", requirement, value)

    def alpha_of_level(self, level: int) -> Number:
        """Return the public alpha of a level; the schedule ends with its last entry."""
        return self.alphas[min(level, len(self.alphas) - 1)]

    @property
    def step(self) -> Number:
        """Return a = alpha / M^2, the middle of the allowed interval.

        Paper: cboost.
        """
        return self.boost_alpha / (self.bound * self.bound)
