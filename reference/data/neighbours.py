"""Neighbouring samples: two relations, all pairs of a given size, and one pair per orbit of symmetries.

The paper's samples are neighbours when they differ by at most one example. Two readings:
    exchange        one example is replaced; m is public
    add_remove      one example is added or removed; m is private
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from itertools import combinations, combinations_with_replacement, permutations, product

from .domain import Attribute, Categorical, Domain, Observation
from .sample import Example, Sample, all_examples


class Relation(Enum):
    """An interpretation of 'differ by at most one example'.

    Paper: defEDPRIV.
    """

    EXCHANGE = "exchange"
    ADD_REMOVE = "add_remove"


Pair = tuple[Sample, Sample]


def samples_of_size(domain: Domain, size: int) -> Iterator[Sample]:
    """Yield every sample of a given size, as a sorted multiset."""
    return combinations_with_replacement(all_examples(domain), size)


def neighbours(domain: Domain, sample: Sample, relation: Relation) -> Iterator[Sample]:
    """Yield every sample that differs from the given one by exactly one example, as a sorted multiset."""
    removed = {sample[:i] + sample[i + 1 :] for i in range(len(sample))}
    examples = all_examples(domain)
    if relation is Relation.EXCHANGE:
        samples = {_sort((*rest, new)) for rest in removed for new in examples}
    else:
        samples = {_sort(rest) for rest in removed} | {_sort((*sample, new)) for new in examples}
    yield from sorted(samples - {_sort(sample)})


def neighbouring_pairs(domain: Domain, size: int, relation: Relation) -> Iterator[Pair]:
    """Yield every unordered pair of neighbours once; the larger sample has the given size.

    Paper: defEDPRIV.
    """
    for rest in samples_of_size(domain, size - 1):
        if relation is Relation.EXCHANGE:
            for old, new in combinations(all_examples(domain), 2):
                yield _sort((*rest, old)), _sort((*rest, new))
        else:
            for new in all_examples(domain):
                yield rest, _sort((*rest, new))


Symmetry = Callable[[Example], Example]


def symmetries(domain: Domain, *, children_alike: bool = True) -> list[Symmetry]:
    """Return the symmetries of a domain under which a learner is equivariant.

    Symmetries permute attributes of the same kind and size, and flip labels. If the learner does not depend
    on the order in which the children of a node are split (`children_alike`), they also reverse thresholds
    and permute categories, which swaps children. A split law depends only on the class masses of leaves, and
    every Bayes risk is symmetric, so the law of the learner on the image is the image of its law.
    """
    kinds = [(type(attribute), attribute.n_values) for attribute in domain.attributes]
    orders = [order for order in permutations(range(len(kinds))) if [kinds[j] for j in order] == kinds]
    value_maps = list(product(*(_value_maps(each, children_alike) for each in domain.attributes)))
    return [_symmetry(order, maps, flip) for order in orders for maps in value_maps for flip in (1, -1)]


def one_pair_per_orbit(
    domain: Domain, size: int, relation: Relation, *, children_alike: bool = True
) -> Iterator[tuple[Pair, int]]:
    """Yield one pair per orbit of the symmetries, and the number of pairs in that orbit."""
    group = symmetries(domain, children_alike=children_alike)
    seen: set[Pair] = set()
    for pair in neighbouring_pairs(domain, size, relation):
        if pair in seen:
            continue
        orbit = {_normal(pair, symmetry, relation) for symmetry in group}
        members = orbit | ({(b, a) for a, b in orbit} if relation is Relation.EXCHANGE else set())
        seen |= members
        yield pair, len(orbit)


def _normal(pair: Pair, symmetry: Symmetry, relation: Relation) -> Pair:
    """Return the image of a pair; under exchange, with the smaller sample first."""
    first, second = (_sort(tuple(symmetry(example) for example in sample)) for sample in pair)
    if relation is Relation.EXCHANGE and second < first:
        return second, first
    return first, second


def _symmetry(order: tuple[int, ...], maps: tuple[tuple[int, ...], ...], flip: int) -> Symmetry:
    """Return the map whose attribute i is attribute `order[i]` with mapped values."""

    def move(example: Example) -> Example:
        x: Observation = tuple(maps[j][example.x[j]] for j in order)
        return Example(x, flip * example.y)

    return move


def _value_maps(attribute: Attribute, children_alike: bool) -> list[tuple[int, ...]]:
    """Return the permutations of values that map the set of splits to itself, or the identity alone."""
    identity = tuple(range(attribute.n_values))
    if children_alike and isinstance(attribute, Categorical):
        return list(permutations(identity))
    return [identity, identity[::-1]] if children_alike and attribute.n_values > 1 else [identity]


def _sort(sample: Sample) -> Sample:
    """Return a sample as a sorted multiset."""
    return tuple(sorted(sample))
