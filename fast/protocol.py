"""The readings of the paper that the fast learner offers, and its public parameters.

Names and values are those of the reference, so that a transcript of the one can be replayed by the other; the
code is not shared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any, TypeVar

from privboost.errors import PreconditionError

GRID = 1024
"""Steps per unit: weights, masses, noise and leaf values are whole multiples of 1 / GRID."""

Choice = TypeVar("Choice", bound=StrEnum)


class Relation(StrEnum):
    """Which samples are neighbours."""

    EXCHANGE = "exchange"
    ADD_REMOVE = "add_remove"


class AlphaRule(StrEnum):
    """Where the alpha of a node's loss comes from."""

    RAW_STRICT = "raw_strict"
    RAW_MINORITY = "raw_minority"
    NOISY_MINORITY = "noisy_minority"
    SCHEDULE = "schedule"


class SplitLaw(StrEnum):
    """How a split is chosen."""

    EXPONENTIAL = "exponential"
    PERMUTE_AND_FLIP = "permute_and_flip"
    UNIFORM = "uniform"


class SensitivityRule(StrEnum):
    """The sensitivity in the law of a split."""

    PRINTED = "printed"
    SHARP = "sharp"


class BudgetRule(StrEnum):
    """The budget of a node."""

    PRINTED = "printed"
    LEVEL = "level"


class LeafRule(StrEnum):
    """How leaf values are made private."""

    LINK_NOISE_CLAMP = "link_noise_clamp"
    LINK_CLAMP_NOISE = "link_clamp_noise"
    NOISY_MASSES = "noisy_masses"
    NOISY_NET = "noisy_net"


class BetaRule(StrEnum):
    """How the coefficient of a tree is computed."""

    RAW = "raw"
    NOISY_MASSES = "noisy_masses"
    CONSTANT = "constant"


CHOICES: dict[str, type[StrEnum]] = {
    "alpha": AlphaRule,
    "split_law": SplitLaw,
    "sensitivity": SensitivityRule,
    "node_budget": BudgetRule,
    "leaf": LeafRule,
    "beta": BetaRule,
    "relation": Relation,
}
"""The choices of a protocol, by the names of its fields."""


def chosen(choices: type[Choice], value: Any, name: str) -> Choice:
    """Return the choice that a string names."""
    try:
        return choices(value)
    except ValueError:
        raise PreconditionError(name, f"one of {[choice.value for choice in choices]}", repr(value)) from None


@dataclass(frozen=True, slots=True)
class Protocol:
    """One reading of the private learner."""

    name: str
    alpha: AlphaRule
    split_law: SplitLaw
    sensitivity: SensitivityRule
    node_budget: BudgetRule
    leaf: LeafRule
    beta: BetaRule
    relation: Relation = Relation.EXCHANGE

    def __post_init__(self) -> None:
        if self.leaf is LeafRule.NOISY_NET and self.beta is not BetaRule.CONSTANT:
            raise PreconditionError("cboost", "a constant coefficient with noisy_net leaves", self.beta)
        if self.split_law is SplitLaw.UNIFORM and self.alpha is AlphaRule.NOISY_MINORITY:
            raise PreconditionError("fixALPHA", "no estimate of alpha with uniform splits", self.alpha)

    @property
    def is_sound(self) -> bool:
        """Return whether nothing is read from raw data but through a mechanism that is paid for."""
        return (
            not self.reads_raw_alpha
            and self.beta is not BetaRule.RAW
            and self.leaf is not LeafRule.LINK_NOISE_CLAMP
        )

    @property
    def reads_raw_alpha(self) -> bool:
        """Return whether splits are chosen with an alpha of the raw data; uniform splits read none."""
        raw = (AlphaRule.RAW_STRICT, AlphaRule.RAW_MINORITY)
        return self.alpha in raw and self.split_law is not SplitLaw.UNIFORM

    @property
    def one_sided(self) -> bool:
        """Return whether the 2 of the law of splits is dropped: under add/remove all scores move one way."""
        return self.relation is Relation.ADD_REMOVE and self.sensitivity is SensitivityRule.SHARP

    @classmethod
    def of(cls, name: str, choices: Mapping[str, str], base: Protocol | None = None) -> Protocol:
        """Return a protocol from the values of its choices; the others are those of `base`, or of SOUND."""
        fields = {key: chosen(CHOICES[key], value, key) for key, value in choices.items()}
        return replace(SOUND if base is None else base, name=name, **fields)  # type: ignore[arg-type]

    def changed(self, **fields: object) -> Protocol:
        """Return the protocol with some fields changed, and the change in its name."""
        name = self.name + "".join(f" {key}={value}" for key, value in fields.items())
        return replace(self, name=name, **fields)  # type: ignore[arg-type]


AS_PRINTED = Protocol(
    "AS_PRINTED",
    AlphaRule.RAW_STRICT,
    SplitLaw.EXPONENTIAL,
    SensitivityRule.PRINTED,
    BudgetRule.PRINTED,
    LeafRule.LINK_NOISE_CLAMP,
    BetaRule.RAW,
)

SOUND = Protocol(
    "SOUND",
    AlphaRule.SCHEDULE,
    SplitLaw.EXPONENTIAL,
    SensitivityRule.SHARP,
    BudgetRule.LEVEL,
    LeafRule.NOISY_MASSES,
    BetaRule.NOISY_MASSES,
)

SOUND_NET = SOUND.changed(split_law=SplitLaw.UNIFORM, leaf=LeafRule.NOISY_NET, beta=BetaRule.CONSTANT)
"""SOUND with splits that do not look at the data and one noisy net mass per leaf: the estimators' default."""

PRESETS = {"as_printed": AS_PRINTED, "sound": SOUND, "sound_net": SOUND_NET}
"""The presets by the names that users give: estimators, auditor and study mean the same by them."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """The public parameters of a run; numbers are exact, and floats are taken at the value they print."""

    trees: int
    depth: int
    epsilon: Fraction
    beta_tree: Fraction = Fraction(1, 2)
    bound: Fraction = Fraction(10)
    zeta: Fraction = Fraction(1, 10**4)
    alphas: tuple[Fraction, ...] = (Fraction(1),)
    alpha_share: Fraction = Fraction(1, 4)
    boost_alpha: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        self._within("trees", self.trees >= 1, "a whole number >= 1")
        # Leaves are numbered in two bytes.
        self._within("depth", 1 <= self.depth <= 16, "a whole number from 1 to 16")
        self._within("epsilon", self.epsilon > 0, "a number > 0")
        self._within("beta_tree", 0 < self.beta_tree < 1, "a number between 0 and 1")
        self._within(
            "bound", self.bound > 0 and (self.bound * GRID).denominator == 1, f"a multiple of 1/{GRID}"
        )
        self._within("zeta", 0 < self.zeta < Fraction(1, 2), "a number between 0 and 1/2")
        self._within(
            "alphas", bool(self.alphas) and all(0 <= a <= 1 for a in self.alphas), "numbers in [0, 1]"
        )
        self._within("alpha_share", 0 < self.alpha_share < 1, "a number between 0 and 1")
        self._within("boost_alpha", 0 < self.boost_alpha <= 1, "a number in (0, 1]")

    def _within(self, name: str, holds: bool, requirement: str) -> None:
        if not holds:
            raise PreconditionError(name, requirement, getattr(self, name))

    def alpha_of_level(self, level: int) -> Fraction:
        """Return the public alpha of a level."""
        return self.alphas[min(level, len(self.alphas) - 1)]


class Mechanism(StrEnum):
    """How a leaf of a forest is made private: noise on its counts, or its class drawn exponentially."""

    LAPLACE = "laplace"
    EXPONENTIAL = "exponential"


class Accounting(StrEnum):
    """How a tree's budget is spread over its leaves: evenly, or whole, because an example is in one leaf."""

    PRINTED = "printed"
    TIGHT = "tight"


@dataclass(frozen=True, slots=True)
class ForestParameters:
    """The public parameters of a private forest."""

    trees: int
    depth: int
    epsilon: Fraction
    mechanism: Mechanism
    accounting: Accounting
    relation: Relation


def exact_number(value: object, name: str) -> Fraction:
    """Return a number as the fraction that it prints as: 0.1 is one tenth."""
    try:
        return Fraction(repr(float(value))) if isinstance(value, float) else Fraction(str(value))
    except (TypeError, ValueError, OverflowError):
        raise PreconditionError(name, "a finite number", value) from None
