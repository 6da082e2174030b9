"""The configurations of the study: the paper's experiments, our additions, and subsets of both."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from itertools import product

from privboost.errors import UsageError

FOLDS = 10

FREE = "none"
"""The epsilon of runs without noise, and the value of choices that do not apply to a learner."""

CONTROL = "0.000001"
"""The epsilon of the zero-budget control, with which a private learner can learn nothing."""


class Learner(StrEnum):
    """The paper's ensemble, without noise or under one of several protocols, and random forests."""

    NOISE_FREE = "noise_free"
    AS_PRINTED = "as_printed"
    ALPHA_CLOSED = "alpha_closed"
    LEAF_CLOSED = "leaf_closed"
    BETA_CLOSED = "beta_closed"
    ALL_CLOSED = "all_closed"
    SOUND = "sound"
    SOUND_NET = "sound_net"
    RF_LAP = "rf_lap"
    RF_EXP = "rf_exp"
    RF_LAP_TIGHT = "rf_lap_tight"
    RF_EXP_TIGHT = "rf_exp_tight"


PRINTED_FORESTS = (Learner.RF_LAP, Learner.RF_EXP)
"""The paper's forests, which split the budget of a tree evenly among its leaves."""
FORESTS = (*PRINTED_FORESTS, Learner.RF_LAP_TIGHT, Learner.RF_EXP_TIGHT)
"""The paper's forests, and forests that give every leaf the whole budget of its tree."""
PRINTED = (
    Learner.AS_PRINTED,
    Learner.ALPHA_CLOSED,
    Learner.LEAF_CLOSED,
    Learner.BETA_CLOSED,
    Learner.ALL_CLOSED,
)
"""The printed learner, and variants with some of its leaks closed."""

ALPHAS = ("0.1", "1", "calibrated")
TREES = ("2", "5", "10", "20")
DEPTHS = ("1", "2", "3", "4", "5", "6")
EPSILONS = ("0.01", "0.1", "1", "10", "25")
BETAS = ("0.1", "0.5", "0.9")
BOUNDS = ("1", "10", "100")
VALUES = ("10", "50")
FOREST_TREES = "21"
ORDER = 1
"""Seed of the order of configurations."""
COMPARED_DEPTHS = ("2", "4", "6")
"""The depths at which the paper compares with forests."""


@dataclass(frozen=True, slots=True, order=True)
class Configuration:
    """One configuration, all values being strings; each of its ten folds is a model."""

    domain: str
    learner: str
    values: str
    depth: str
    trees: str
    alpha: str
    epsilon: str
    beta_tree: str
    bound: str
    repeat: str = "0"
    """Index of the repeat; each has its own folds and noise."""

    @property
    def key(self) -> str:
        """Return the key of the configuration in a store."""
        return "/".join(map(self.__getattribute__, NAMES))

    @classmethod
    def from_key(cls, key: str) -> Configuration:
        """Return the configuration of a key."""
        return cls(*key.split("/"))

    def seed(self, study_seed: int, fold: int) -> int:
        """Return the seed of one model, which does not depend on the order of runs."""
        name = f"{study_seed}/{self.key}/{fold}"
        return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little")


NAMES = tuple(field.name for field in fields(Configuration))


@dataclass(frozen=True, slots=True)
class Grid:
    """All combinations of the given values, for each of the given learners."""

    learners: tuple[Learner, ...]
    alphas: Sequence[str] = ALPHAS
    trees: Sequence[str] = TREES
    depths: Sequence[str] = DEPTHS
    epsilons: Sequence[str] = EPSILONS
    betas: Sequence[str] = BETAS
    bounds: Sequence[str] = BOUNDS
    values: Sequence[str] = VALUES

    def of(self, domain: str, repeats: int = 1) -> Iterator[Configuration]:
        """Return the configurations of a domain."""
        for learner in self.learners:
            choices = [*self._choices(learner).values(), [str(repeat) for repeat in range(repeats)]]
            yield from (Configuration(domain, learner, *chosen) for chosen in product(*choices))

    def _choices(self, learner: Learner) -> dict[str, Sequence[str]]:
        """Return the values of each choice for a learner, which are only `FREE` if it does not apply."""
        no_choice = (FREE,)
        choices = {
            "values": self.values,
            "depth": self.depths,
            "trees": self.trees,
            "alpha": self.alphas,
            "epsilon": self.epsilons,
            "beta_tree": self.betas,
            "bound": self.bounds,
        }
        if learner is Learner.NOISE_FREE:
            choices |= {"epsilon": no_choice, "beta_tree": no_choice}
        elif learner is Learner.SOUND_NET:
            # Splits are uniform and leaves are nets: no calibrated alpha, no M, and a single budget.
            kept = [alpha for alpha in self.alphas if alpha != "calibrated"]
            choices |= {"alpha": kept, "beta_tree": no_choice, "bound": no_choice}
        elif learner in FORESTS:
            choices |= {"trees": (FOREST_TREES,), **dict.fromkeys(("alpha", "beta_tree", "bound"), no_choice)}
        elif learner is Learner.ALPHA_CLOSED:
            # A fixed alpha does not leak.
            choices |= {"alpha": [alpha for alpha in self.alphas if alpha == "calibrated"]}
        return choices


WITH_CONTROL = (CONTROL, *EPSILONS)
MAIN_BOUND = MAIN_VALUES = "10"
"""The part of its grid that the paper reports: M = 10 and n_v = 10."""

_COMPARED = (Learner.AS_PRINTED, Learner.SOUND, Learner.SOUND_NET, *FORESTS)
_MAIN = Grid(_COMPARED, epsilons=WITH_CONTROL, bounds=(MAIN_BOUND,), values=(MAIN_VALUES,))
_QUICK = replace(_MAIN, trees=("2", "20"), depths=COMPARED_DEPTHS, betas=("0.5",))
_ONE_SIZE = replace(_QUICK, trees=("20",), depths=("4",))

GRIDS: Mapping[str, tuple[Grid, ...]] = {
    "paper": (Grid((Learner.NOISE_FREE, Learner.AS_PRINTED)), Grid(PRINTED_FORESTS)),
    "full": (
        Grid((Learner.NOISE_FREE,)),
        Grid((*PRINTED, Learner.SOUND, Learner.SOUND_NET, *FORESTS), epsilons=WITH_CONTROL),
    ),
    "main": (Grid((Learner.NOISE_FREE,), bounds=(MAIN_BOUND,), values=(MAIN_VALUES,)), _MAIN),
    "quick": (
        Grid((Learner.NOISE_FREE,), trees=("2", "20"), depths=COMPARED_DEPTHS, bounds=(MAIN_BOUND,)),
        _QUICK,
        replace(_ONE_SIZE, learners=PRINTED[1:], alphas=("1", "calibrated")),
        replace(
            _ONE_SIZE, learners=(Learner.AS_PRINTED, Learner.SOUND), epsilons=("0.01", "1"), values=("50",)
        ),
    ),
}
"""The paper's grid; the same with our additions; the part that the paper reports; a small grid."""

CHOICES: Mapping[str, tuple[str, ...]] = {
    "learner": tuple(map(str, Learner)),
    "values": VALUES,
    "depth": DEPTHS,
    "trees": (*TREES, FOREST_TREES),
    "alpha": (*ALPHAS, FREE),
    "epsilon": (*WITH_CONTROL, FREE),
    "beta_tree": (*BETAS, FREE),
    "bound": (*BOUNDS, FREE),
}
"""All values of each choice in any grid, in the order of tables."""


def configurations(
    grid: str, domains: Iterable[str], subset: Mapping[str, Sequence[str]] | None = None, repeats: int = 1
) -> list[Configuration]:
    """Return the configurations of a grid, each once, restricted to chosen values of some names.

    Ensures: a fixed pseudorandom order, so that the first N are a uniform sample.
    """
    wanted = subset or {}
    unknown = sorted(set(wanted) - set(NAMES))
    if unknown:
        raise UsageError(f"only: expected one of {', '.join(NAMES)}, got '{unknown[0]}'")
    listed = list(
        dict.fromkeys(c for domain in domains for part in GRIDS[grid] for c in part.of(domain, repeats))
    )
    chosen = listed
    for name, allowed in wanted.items():
        known = {getattr(c, name) for c in listed}
        unknown = [value for value in allowed if value not in known]
        if unknown:
            raise UsageError(f"only: expected {name} among {', '.join(sorted(known))}, got '{unknown[0]}'")
        chosen = [c for c in chosen if getattr(c, name) in allowed]
    return sorted(chosen, key=lambda c: c.seed(ORDER, 0))
