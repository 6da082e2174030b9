"""Public domains, samples, weights and neighbouring pairs."""

from __future__ import annotations

from .domain import (
    Attribute,
    Categorical,
    Domain,
    Observation,
    OneVersusRest,
    Quantised,
    Split,
    Threshold,
    binary_domain,
    splits,
)
from .neighbours import (
    Relation,
    neighbouring_pairs,
    neighbours,
    one_pair_per_orbit,
    samples_of_size,
    symmetries,
)
from .sample import (
    Example,
    Sample,
    WeightedSample,
    Weights,
    all_examples,
    initial_weights,
    sample_of,
    text_of,
    unit_weights,
)

__all__ = [
    "Attribute",
    "Categorical",
    "Domain",
    "Example",
    "Observation",
    "OneVersusRest",
    "Quantised",
    "Relation",
    "Sample",
    "Split",
    "Threshold",
    "WeightedSample",
    "Weights",
    "all_examples",
    "binary_domain",
    "initial_weights",
    "neighbouring_pairs",
    "neighbours",
    "one_pair_per_orbit",
    "sample_of",
    "samples_of_size",
    "splits",
    "symmetries",
    "text_of",
    "unit_weights",
]
