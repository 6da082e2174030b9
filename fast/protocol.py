"""Protocols of the fast learner, each one reading of the paper, and the public parameters of a fit.

Names and values are those of the reference, so that the reference can replay transcripts of the fast
learner. No code is shared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any, TypeVar, get_type_hints

from privboost.errors import PreconditionError

from .concentrated import greatest_rho

GRID = 1024
"""Grid steps per unit: weights, masses, noise and leaf values are multiples of 1 / GRID."""

DEEPEST = 16
"""Largest depth of a tree: the index of a leaf is stored in two bytes."""

Choice = TypeVar("Choice", bound=StrEnum)


class Relation(StrEnum):
    """Which data sets are neighbours."""

    EXCHANGE = "exchange"
    ADD_REMOVE = "add_remove"


class AlphaRule(StrEnum):
    """Source of the alpha of the loss that scores splits."""

    RAW_STRICT = "raw_strict"
    RAW_MINORITY = "raw_minority"
    NOISY_MINORITY = "noisy_minority"
    SCHEDULE = "schedule"


class SplitLaw(StrEnum):
    """Distribution of a split."""

    EXPONENTIAL = "exponential"
    PERMUTE_AND_FLIP = "permute_and_flip"
    UNIFORM = "uniform"


class SensitivityRule(StrEnum):
    """Sensitivity that the distribution of a split is based on."""

    PRINTED = "printed"
    SHARP = "sharp"


class BudgetRule(StrEnum):
    """How the budget of splits is divided among nodes."""

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


TRUE_NAME = "a name that says how the protocol differs from the preset that it begins with"


def choose(choices: type[Choice], value: Any, name: str) -> Choice:
    """Return the member of an enumeration with the given value."""
    try:
        return choices(value)
    except ValueError:
        raise PreconditionError(name, f"one of {[choice.value for choice in choices]}", repr(value)) from None


@dataclass(frozen=True, slots=True)
class Protocol:
    """One reading of the paper's private learner.

    Parameters
    ----------
    name : str
        Name that the ledger and saved models show.
    alpha : AlphaRule
        Source of the alpha of the loss that scores splits.
    split_law : SplitLaw
        Distribution of a split.
    sensitivity : SensitivityRule
        Sensitivity that the distribution of a split is based on.
    node_budget : BudgetRule
        How the budget of splits is divided among nodes.
    leaf : LeafRule
        How leaf values are made private.
    beta : BetaRule
        How the coefficient of a tree is computed.
    relation : Relation, default=Relation.EXCHANGE
        Which data sets are neighbours.

    Attributes
    ----------
    is_sound : bool
        Whether all raw data are read through a mechanism with a budget.
    reads_raw_alpha : bool
        Whether splits are scored with an alpha computed from raw data.
    one_sided : bool
        Whether all scores change in one direction between neighbours.
    needs_row_bound : bool
        Whether the cost depends on a public bound on the number of rows, which is secret.
    choices : dict from str to str
        Values of all fields but the name.
    is_named_truly : bool
        Whether the name says how the protocol differs from the preset that it begins with.

    Examples
    --------
    >>> from privboost.fast import AS_PRINTED, SOUND
    >>> SOUND.is_sound, AS_PRINTED.is_sound
    (True, False)
    """

    name: str
    alpha: AlphaRule
    split_law: SplitLaw
    sensitivity: SensitivityRule
    node_budget: BudgetRule
    leaf: LeafRule
    beta: BetaRule
    relation: Relation = Relation.EXCHANGE

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            # Code asks for members, so that a string must not pass for one.
            object.__setattr__(self, name, choose(choices, getattr(self, name), name))
        if self.leaf is LeafRule.NOISY_NET and self.beta is not BetaRule.CONSTANT:
            raise PreconditionError("cboost", "a constant coefficient with noisy_net leaves", self.beta)
        if self.split_law is SplitLaw.UNIFORM and self.alpha is AlphaRule.NOISY_MINORITY:
            raise PreconditionError("fixALPHA", "no estimate of alpha with uniform splits", self.alpha)

    @property
    def is_sound(self) -> bool:
        """Return whether all raw data are read through a mechanism with a budget."""
        return (
            not self.reads_raw_alpha
            and self.beta is not BetaRule.RAW
            and self.leaf is not LeafRule.LINK_NOISE_CLAMP
        )

    @property
    def reads_raw_alpha(self) -> bool:
        """Return whether splits are scored with an alpha computed from raw data; uniform splits have none."""
        raw = (AlphaRule.RAW_STRICT, AlphaRule.RAW_MINORITY)
        return self.alpha in raw and self.split_law is not SplitLaw.UNIFORM

    @property
    def needs_row_bound(self) -> bool:
        """Return whether the cost depends on a bound on the number of rows, which is secret.

        The sensitivity of scores grows with the number of rows. Uniform splits have no scores.
        """
        return self.relation is Relation.ADD_REMOVE and self.split_law is not SplitLaw.UNIFORM

    @property
    def one_sided(self) -> bool:
        """Return whether all scores change in one direction, which saves a factor 2 in the rate of splits."""
        return self.relation is Relation.ADD_REMOVE and self.sensitivity is SensitivityRule.SHARP

    @property
    def choices(self) -> dict[str, str]:
        """Return the values of all fields but the name."""
        return {name: getattr(self, name).value for name in CHOICES}

    @property
    def is_named_truly(self) -> bool:
        """Return whether the name says how the protocol differs from the preset that it begins with.

        Such a name is that of `changed`: the preset, then the changed fields. All other names are free.
        """
        for preset in (AS_PRINTED, SOUND):
            if self.name.upper().startswith(preset.name):
                first, *words = self.name.removeprefix(preset.name).split(" ")
                changes = {key: value for key, _, value in (word.partition("=") for word in words)}
                return not first and {**preset.choices, **changes} == self.choices
        return True

    @classmethod
    def of(cls, name: str, choices: Mapping[str, str], base: Protocol | None = None) -> Protocol:
        """Return a protocol with fields given by their values, and the other fields of `base`.

        Parameters
        ----------
        name : str
            Name of the protocol.
        choices : mapping from str to str
            Values of fields, such as ``{"split_law": "uniform"}``.
        base : Protocol, default=None
            Source of the other fields. None means `SOUND`.

        Returns
        -------
        protocol : Protocol
            The new protocol.
        """
        return replace(SOUND if base is None else base, name=name, **choices)  # type: ignore[arg-type]

    def changed(self, **fields: object) -> Protocol:
        """Return the protocol with some fields changed, and with the changes appended to its name.

        Parameters
        ----------
        **fields
            Members of the enumerations of the fields to change.

        Returns
        -------
        protocol : Protocol
            The new protocol.
        """
        name = self.name + "".join(f" {key}={value}" for key, value in fields.items())
        return replace(self, name=name, **fields)  # type: ignore[arg-type]


CHOICES: dict[str, type[StrEnum]] = {
    name: kind for name, kind in get_type_hints(Protocol).items() if name != "name"
}
"""The enumeration of each field of a protocol."""

AS_PRINTED = Protocol(
    "AS_PRINTED",
    AlphaRule.RAW_STRICT,
    SplitLaw.EXPONENTIAL,
    SensitivityRule.PRINTED,
    BudgetRule.PRINTED,
    LeafRule.LINK_NOISE_CLAMP,
    BetaRule.RAW,
)
"""The algorithm of the paper, which is not private."""

SOUND = Protocol(
    "SOUND",
    AlphaRule.SCHEDULE,
    SplitLaw.EXPONENTIAL,
    SensitivityRule.SHARP,
    BudgetRule.LEVEL,
    LeafRule.NOISY_MASSES,
    BetaRule.NOISY_MASSES,
)
"""The repaired algorithm: splits by the exponential mechanism, noise on both class masses of each leaf."""

SOUND_NET = SOUND.changed(split_law=SplitLaw.UNIFORM, leaf=LeafRule.NOISY_NET, beta=BetaRule.CONSTANT)
"""SOUND with splits independent of the data and one noisy net mass per leaf: the estimators' default."""

PRESETS = {"as_printed": AS_PRINTED, "sound": SOUND, "sound_net": SOUND_NET}
"""The presets by name, for estimators, auditor, study and command line alike."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """The public parameters of a fit, as exact numbers."""

    trees: int
    depth: int
    epsilon: Fraction
    beta_tree: Fraction = Fraction(1, 2)
    bound: Fraction = Fraction(10)
    zeta: Fraction = Fraction(1, 10**4)
    alphas: tuple[Fraction, ...] = (Fraction(1),)
    alpha_share: Fraction = Fraction(1, 4)
    boost_alpha: Fraction = Fraction(1)
    delta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        self._within("trees", self.trees >= 1, "a whole number >= 1")
        # The index of a leaf is stored in two bytes.
        self._within("depth", 1 <= self.depth <= DEEPEST, f"a whole number from 1 to {DEEPEST}")
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
        self._within("boost_alpha", 0 < float(self.boost_alpha) <= 1, "a number in (0, 1], not 0 as a float")
        self._within("delta", 0 <= self.delta < 1, "0, or a small number below 1, such as 1e-6")

    @property
    def rho(self) -> Fraction:
        """Return the budget of zero-concentrated privacy that the trees share, and 0 without a delta."""
        return greatest_rho(self.epsilon, self.delta) if self.delta else Fraction(0)

    def _within(self, name: str, holds: bool, requirement: str) -> None:
        if not holds:
            raise PreconditionError(name, requirement, getattr(self, name))

    def alpha_of_level(self, level: int) -> Fraction:
        """Return the public alpha of a level."""
        return self.alphas[min(level, len(self.alphas) - 1)]


class LeafMechanism(StrEnum):
    """How a leaf of a forest is made private: noise on its counts, or a draw of its class."""

    LAPLACE = "laplace"
    EXPONENTIAL = "exponential"


class Accounting(StrEnum):
    """Budget of a leaf of a forest: an even share of its tree's, or all of it, as a row is in one leaf."""

    PRINTED = "printed"
    TIGHT = "tight"


@dataclass(frozen=True, slots=True)
class ForestParameters:
    """The public parameters of a private forest."""

    trees: int
    depth: int
    epsilon: Fraction
    mechanism: LeafMechanism
    accounting: Accounting
    relation: Relation

    def __post_init__(self) -> None:
        if not 1 <= self.depth <= DEEPEST:
            raise PreconditionError("depth", f"a whole number from 1 to {DEEPEST}", self.depth)
        if self.epsilon <= 0:
            raise PreconditionError("epsilon", "a number > 0", self.epsilon)


def exact_number(value: object, name: str) -> Fraction:
    """Return a number as the fraction that its decimal representation denotes: 0.1 is one tenth."""
    try:
        return Fraction(repr(float(value))) if isinstance(value, float) else Fraction(str(value))
    except (TypeError, ValueError, OverflowError):
        raise PreconditionError(name, "a finite number", value) from None
