"""All pairs of neighbouring samples of a tiny public domain, ranked by the reference's exact loss.

What is released is one tree: its splits, what its protocol says of its leaves, and its coefficient. Samples
are lists of texts such as "01+": the values of the attributes, and the label.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

from privboost.errors import PreconditionError
from privboost.reference.data import (
    Domain,
    Example,
    Sample,
    initial_weights,
    one_pair_per_orbit,
    sample_of,
    text_of,
)
from privboost.reference.learners.boosting import INITIAL_BOUND
from privboost.reference.learners.loss import exact_losses
from privboost.reference.learners.protocol import AlphaRule, Parameters, Protocol
from privboost.reference.learners.splitting import Setting

from .pair import Pair
from .pair_losses import float_above
from .samples import strings_of

MOST_VALUES = 10
"""Values of an attribute that one digit can name."""


def tiny_pairs(
    protocol: Protocol, parameters: Parameters, domain: Domain, size: int, most: int | None = None
) -> tuple[Pair, ...]:
    """Return one pair for each orbit of a domain's symmetries, greatest loss first, with `exact` filled in.

    The larger sample of a pair has `size` examples; neighbours are those of the protocol. The losses of both
    directions are computed, and the greater one rounded up to a float. Results are remembered.

    Requires: one tree, and no alphas that are released: their law is known for a grid of releases only.
    """
    return _ranked(protocol, parameters, domain, size)[:most]


def exact_of(pair: Pair, protocol: Protocol, parameters: Parameters, domain: Domain) -> Pair:
    """Return a pair of samples of a tiny domain with its exact loss filled in.

    Requires: neighbours of the protocol, as lists of texts such as "01+" or of rows such as ((0, 1), 1).
    """
    first, second = (_sample_from(side, domain) for side in (pair.left, pair.right))
    size = max(len(first), len(second))
    return replace(pair, exact=_loss(_setting(protocol, parameters, domain, size), first, second))


@lru_cache(maxsize=64)
def _ranked(protocol: Protocol, parameters: Parameters, domain: Domain, size: int) -> tuple[Pair, ...]:
    setting = _setting(protocol, parameters, domain, size)
    # A raw alpha is computed anew after every split, so the order of the children matters to it.
    orbits = one_pair_per_orbit(domain, size, protocol.relation, children_alike=not protocol.alpha.is_raw)
    pairs = [
        Pair(
            f"{text_of(first)} against {text_of(second)}",
            strings_of(first),
            strings_of(second),
            protocol.relation.value,
            _loss(setting, first, second),
        )
        for (first, second), _ in orbits
    ]
    return tuple(sorted(pairs, key=lambda pair: -(pair.exact or 0.0)))


def _setting(protocol: Protocol, parameters: Parameters, domain: Domain, size: int) -> Setting:
    """Return what is public about the only tree."""
    if parameters.trees != 1:
        raise PreconditionError("trees", "one tree, whose exact loss is known", parameters.trees)
    if protocol.alpha is AlphaRule.NOISY_MINORITY:
        raise PreconditionError("alpha", "alphas that are not released", protocol.alpha.value)
    values = max(attribute.n_values for attribute in domain.attributes)
    if values > MOST_VALUES:
        raise PreconditionError("domain", f"at most {MOST_VALUES} values of an attribute", values)
    return Setting(protocol, parameters, domain, size, INITIAL_BOUND)


def _loss(setting: Setting, first: Sample, second: Sample) -> float:
    """Return the exact loss of a pair, the greater of both directions, rounded up."""
    losses = exact_losses(setting, initial_weights(first), initial_weights(second))
    return max(float_above(loss.total) for loss in losses)


def _sample_from(rows: Any, domain: Domain) -> Sample:
    """Return a sample from texts such as '01+', or from rows such as ((0, 1), 1)."""
    try:
        read = [_row_from(row) for row in rows]
    except (TypeError, ValueError, IndexError):
        raise PreconditionError("pair", "samples such as ['01+', '00-']", rows) from None
    return sample_of(domain, read)


def _row_from(row: Any) -> tuple[tuple[int, ...], int]:
    if isinstance(row, Example):
        return row.x, row.y
    if isinstance(row, str):
        return tuple(map(int, row[:-1])), {"+": 1, "-": -1}.get(row[-1], 0)
    features, label = row
    return tuple(map(int, features)), int(label)
