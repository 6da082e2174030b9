"""The learners as mechanisms: `privboost.fast` and the reference under any protocol, with pairs to audit.

`fast:default` is the public class `PrivateBoostedTreesClassifier` with its default parameters: protocol,
number of trees, depth and bound are those that a user gets. Only what has no default is given: domain and
classes, and a seed. Options are epsilon, relation, size, attributes and part.

Other strings name a learner, a protocol and changes to it; without changes they fit one tree of depth 2:

    fast:as_printed      fast:sound      fast:sound_net (one tree under the default protocol)
    fast:sound(leaf=link_noise_clamp, beta=constant, trees=2, epsilon=1/2)
    fast:as_printed(leak=raw-leverage)      reference:sound(depth=1, part=splits)
    fast:discrete_laplace       reference:discrete_laplace (noise on a grid)
    reference:exponential       reference:permute_and_flip

An input is a sample over {0, 1}^k as a list of strings such as "01+"; k and, under exchange, the number of
examples are public. The output is everything that is released: splits, leaf values and coefficients of all
trees.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from privboost.auditor.pairs.exact_settings import binary_domain, exact_setting
from privboost.auditor.pairs.learner_pairs import DEFAULTS, LEAK_PAIRS, worst_pair
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.pairs.samples import Rows, float_above, sample_from
from privboost.errors import PreconditionError, UsageError
from privboost.fast import PrivateBoostedTreesClassifier
from privboost.fast.bits import discrete_laplace as noise_of_fast
from privboost.fast.domain import Domain
from privboost.fast.growth import LocalRows, Sampled
from privboost.fast.growth.fit import fit_trees
from privboost.fast.growth.setting import Setting
from privboost.fast.protocol import CHOICES, GRID, PRESETS, SOUND_NET, Parameters, Protocol, Relation
from privboost.reference.learners.ensemble import sample_private_ensemble
from privboost.reference.privacy.bits import SeededBits
from privboost.reference.privacy.samplers import (
    sample_discrete_laplace,
    sample_exponential_mechanism,
    sample_permute_and_flip,
)
from privboost.targets.arguments import split_options

from .mechanism import Array, Mechanism, Rng

DEFAULT = "fast:default"
FEW = 5
"""Largest number of rows of which the default learner's trees have at most 64 numbers, at epsilon 1."""

WHOLE = ("trees", "depth", "attributes", "size")
NUMBERS = ("epsilon", "beta_tree", "bound", "zeta", "alpha_share", "boost_alpha")

# Learners ------------------------------------------------------------------------------------------------


def _draw_seed(rng: Rng) -> int:
    return int.from_bytes(rng.bytes(16), "big")


@lru_cache(maxsize=64)
def _encode_rows(rows: tuple[str, ...], attributes: int) -> tuple[Domain, Array, Array]:
    """Return the domain, the codes by feature and the labels of a sample."""
    codes = np.array([[int(value) for value in row[:-1]] for row in rows], dtype=np.uint8)
    signs = np.array([1 if row[-1] == "+" else -1 for row in rows], dtype=np.int8)
    return binary_domain(attributes), np.ascontiguousarray(codes.reshape(len(rows), attributes).T), signs


Released = tuple[list[Any], list[float], float]
Fit = Callable[[Protocol, Parameters, tuple[str, ...], int, int, int], list[Released]]
"""Takes protocol, parameters, rows, attributes, public size and seed; returns the released trees."""

PARTS = ("splits", "values", "coefficient")


def fit_fast(
    protocol: Protocol, parameters: Parameters, rows: tuple[str, ...], *public: int
) -> list[Released]:
    """Return the trees of the fast learner; splits are given by the index of their feature."""
    attributes, size, seed = public
    domain, codes, signs = _encode_rows(rows, attributes)
    setting = Setting(protocol, parameters, domain, size)
    fitted = fit_trees(setting, LocalRows.in_memory(codes, signs), Sampled(random.Random(seed)))
    return [(tree.feature.tolist(), tree.values.tolist(), beta) for tree, beta in fitted]


def fit_reference(
    protocol: Protocol, parameters: Parameters, rows: tuple[str, ...], *public: int
) -> list[Released]:
    """Return the trees of the reference's learner; splits are strings, exact numbers are floats."""
    attributes, size, seed = public
    setting = exact_setting(Setting(protocol, parameters, binary_domain(attributes), size))
    ensemble = sample_private_ensemble(setting, sample_from(rows), SeededBits(seed))
    return [
        (
            [str(split) for _, split in release.tree.nodes],
            [float_above(value) for _, value in release.values],
            float_above(release.beta),
        )
        for release in ensemble.releases
    ]


@dataclass(frozen=True, slots=True)
class FitCall:
    """A fit under a protocol; the output is a list of trees."""

    fit: Fit
    protocol: Protocol
    parameters: Parameters
    attributes: int
    size: int | None
    """The public bound on the number of examples under add/remove; None under exchange."""
    part: str | None = None
    """The part of every tree that is the output, one of PARTS; all parts if None."""

    def __call__(self, given: Rows, rng: Rng) -> list[Any]:
        """Return the trees: splits in level order, leaf values, coefficient."""
        attributes = len(given[0]) - 1 if given else self.attributes
        size = len(given) if self.size is None else self.size
        trees = self.fit(self.protocol, self.parameters, tuple(given), attributes, size, _draw_seed(rng))
        return _parts_of(trees, self.part)

    @property
    def epsilon(self) -> Fraction:
        """Return the claim."""
        return self.parameters.epsilon


@dataclass(frozen=True, slots=True)
class DefaultCall:
    """A fit of the public estimator: `given` are the parameters that are not the default."""

    attributes: int
    given: Mapping[str, Any]
    part: str | None = None
    """The part of every tree that is the output, one of PARTS; all parts if None."""

    def __call__(self, given: Rows, rng: Rng) -> list[Any]:
        """Return the trees: splits in level order, leaf values, coefficient."""
        domain, codes, signs = _encode_rows(tuple(given), len(given[0]) - 1 if given else self.attributes)
        model = self.estimator(domain, rng).fit(codes.T.astype(np.float64), signs)
        trees = zip(model.trees_, model.coefficients_.tolist(), strict=True)
        return _parts_of([(t.feature.tolist(), t.values.tolist(), beta) for t, beta in trees], self.part)

    def estimator(self, domain: Domain, rng: Rng) -> PrivateBoostedTreesClassifier:
        """Return the estimator before its fit."""
        return PrivateBoostedTreesClassifier(
            domain=domain, classes=(-1, 1), random_state=_draw_seed(rng), **self.given
        )

    @property
    def epsilon(self) -> Fraction:
        """Return the claim."""
        return Fraction(str(self.given.get("epsilon", PrivateBoostedTreesClassifier().epsilon)))


def _parts_of(trees: Sequence[Released], part: str | None) -> list[Any]:
    if part is not None:
        return [tree[PARTS.index(part)] for tree in trees]
    return [dict(zip(PARTS, tree, strict=True)) for tree in trees]


FITS: dict[str, Fit] = {"fast": fit_fast, "reference": fit_reference}


# Samplers ------------------------------------------------------------------------------------------------


def fast_discrete_laplace(given: int, rng: Rng) -> float:
    """Add the fast learner's noise on its grid, scale 1, to an integer."""
    return given + noise_of_fast(Fraction(GRID), random.Random(_draw_seed(rng))) / GRID


def discrete_laplace(given: int, rng: Rng) -> float:
    """Add the reference's noise on the same grid, scale 1, to an integer."""
    return float(given + sample_discrete_laplace(1, Fraction(1, GRID), SeededBits(_draw_seed(rng))))


def exponential(given: Sequence[int], rng: Rng) -> int:
    """Choose among scores by the reference's exponential mechanism, epsilon 1, sensitivity 1."""
    return sample_exponential_mechanism(given, 1, 1, SeededBits(_draw_seed(rng)))


def permute_and_flip(given: Sequence[int], rng: Rng) -> int:
    """Choose among scores by the reference's permute-and-flip, epsilon 1, sensitivity 1."""
    return sample_permute_and_flip(given, 1, 1, SeededBits(_draw_seed(rng)))


SAMPLERS: dict[str, tuple[Callable[[Any, Rng], Any], str]] = {
    "fast:discrete_laplace": (fast_discrete_laplace, "geometric"),
    "reference:discrete_laplace": (discrete_laplace, "geometric"),
    "reference:exponential": (exponential, "gumbel_max_index"),
    "reference:permute_and_flip": (permute_and_flip, "noisy_max_index"),
}
"""Samplers, each with the mechanism of the bank that has the same pair and the same loss."""


# Names ---------------------------------------------------------------------------------------------------


def mechanism_of(target: str) -> tuple[Mechanism, tuple[Pair, ...]]:
    """Return the learner that a string names, and the pairs on which to audit it.

    Ensures: UsageError with the known names for any other string.
    """
    kind, _, rest = target.partition(":")
    name, options = split_options(rest, target)
    settings = {key: _setting(key, value.strip("'\"")) for key, value in options.items()}
    if f"{kind}:{name}" in SAMPLERS and not options:
        from .private import MECHANISMS

        call, twin = SAMPLERS[f"{kind}:{name}"]
        return Mechanism(target, call, repeats=True), MECHANISMS[twin].pairs
    if f"{kind}:{name}" == DEFAULT:
        return _default_learner(target, settings)
    if kind not in FITS or name not in PRESETS:
        known = [DEFAULT, *(f"{kind}:{name}" for name in PRESETS), *SAMPLERS]
        raise UsageError(f"target: expected one of {', '.join(known)}, got {target!r}")
    return _learner(target, kind, PRESETS[name], settings)


SETTINGS = {
    "leak": f"one of {', '.join(LEAK_PAIRS)}",
    "part": f"one of {', '.join(PARTS)}",
    **dict.fromkeys(WHOLE, "a whole number"),
    **dict.fromkeys(NUMBERS, "a number such as 1/2"),
    **{name: f"one of {', '.join(kind)}" for name, kind in CHOICES.items()},
}
"""Options of a learner under a protocol, and what each expects."""

DEFAULT_SETTINGS = ("epsilon", "relation", "size", "attributes", "part")
"""Options of the default learner."""


def _setting(key: str, value: str) -> Any:
    """Return the value of an option, such as 1 for depth=1."""
    try:
        if key in CHOICES:
            return CHOICES[key](value)
        if key in WHOLE and value.isdecimal():
            return int(value)
        if key in NUMBERS:
            return Fraction(value)
    except (ValueError, ZeroDivisionError):
        pass
    if (key == "leak" and value in LEAK_PAIRS) or (key == "part" and value in PARTS):
        return value
    wanted = f"{key}={SETTINGS[key]}" if key in SETTINGS else f"key=value with one of {', '.join(SETTINGS)}"
    raise UsageError(f"target: expected {wanted}, got '{key}={value}'")


def _learner(
    target: str, kind: str, protocol: Protocol, given: dict[str, Any]
) -> tuple[Mechanism, tuple[Pair, ...]]:
    """Return a learner and its pairs: the pair of one leak, or those of all leaks and the worst pair."""
    leak, part, attributes, size = (given.pop(key, None) for key in ("leak", "part", "attributes", "size"))
    choices = {key: given.pop(key) for key in list(given) if key in CHOICES}
    parameters = LEAK_PAIRS[leak].parameters if leak else DEFAULTS
    try:
        protocol = protocol.changed(**choices) if choices else protocol
        parameters = replace(parameters, **given)
    except PreconditionError as error:
        raise UsageError(f"target: {error}") from None
    exchange = protocol.relation is Relation.EXCHANGE
    attributes, worst_size = attributes or 2, size or 2
    learner = FitCall(FITS[kind], protocol, parameters, attributes, None if exchange else worst_size, part)
    mechanism = Mechanism(target, learner, repeats=True)
    if leak:
        return mechanism, (LEAK_PAIRS[leak].pair(protocol, parameters),)
    leaks = (
        [entry.pair(protocol, parameters) for entry in LEAK_PAIRS.values()] if exchange and not size else []
    )
    return mechanism, (*leaks, worst_pair(protocol, parameters, attributes, worst_size))


def _default_learner(target: str, given: dict[str, Any]) -> tuple[Mechanism, tuple[Pair, ...]]:
    """Return the estimators' default and its pairs: those of small leaks, and the worst one for one tree.

    Under add/remove no row and one row are also a pair.
    """
    attributes, size, part = given.pop("attributes", 2), given.pop("size", None), given.pop("part", None)
    relation = given.get("relation", Relation.EXCHANGE)
    if unknown := set(given) - {"epsilon", "relation"}:
        wanted = f"no options but {', '.join(DEFAULT_SETTINGS)}; name a protocol to change it"
        raise UsageError(f"target: expected {DEFAULT} with {wanted}, got {', '.join(sorted(unknown))}")
    exchange = relation is Relation.EXCHANGE
    public = given if exchange else {**given, "size": size or 2}
    worst = worst_pair(SOUND_NET.changed(relation=relation), DEFAULTS, attributes, size or 2)
    leaks = [leak for leak in LEAK_PAIRS.values() if len(leak.left) <= FEW] if exchange and not size else []
    # The exact losses that are known are those of one tree.
    pairs = [Pair(leak.key, leak.left, leak.right) for leak in leaks]
    if not exchange:
        pairs.append(Pair("no row and one row", [], ["0" * attributes + "+"], relation.value))
    pairs.append(replace(worst, exact=None))
    return Mechanism(target, DefaultCall(attributes, public, part), repeats=True), tuple(pairs)
