"""The result of a search for counterexamples to a claim of stability."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any

from privboost.auditor.pairs.pair import Pair
from privboost.auditor.result import Reported

from .claim import StabilityClaim
from .metrics import Move


class StabilityVerdict(StrEnum):
    """The three answers of a search; none of them says that a claim is true."""

    COUNTEREXAMPLE = "COUNTEREXAMPLE"
    """The claim is false: two inputs show it, and no confidence is needed."""
    NONE_FOUND = "NONE FOUND"
    """None of the inputs that were tried shows that the claim is false."""
    INCONCLUSIVE = "INCONCLUSIVE"
    """No pair of inputs could be tried: the target has no results."""


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """Two inputs, their results, and how far these are apart."""

    pair: Pair
    outputs: tuple[Any, Any]
    """The two results as plain values; a call without a result is one of `values.failures`."""
    moved: Move
    claim: StabilityClaim
    apart: int = 1
    """The distance of the inputs."""

    @property
    def left(self) -> Any:
        """Return the left input."""
        return self.pair.left

    @property
    def right(self) -> Any:
        """Return the right input."""
        return self.pair.right

    @property
    def bound(self) -> Fraction:
        """Return the bound of the claim at the distance of the inputs, as a fraction."""
        return self.claim.bounds[self.apart - 1]

    @property
    def classes(self) -> tuple[str, ...]:
        """Return the hostile classes of the inputs."""
        return self.pair.classes

    @property
    def is_rounding(self) -> bool:
        """Return whether rounding of doubles in the target explains it."""
        return self.moved.is_rounding(self.bound)


@dataclass(frozen=True, slots=True)
class StabilityResult(Reported):
    """The verdict on a claim of stability, with the smallest counterexample, if there is one.

    `print(result)` prints the report, a notebook shows it, and `result.save("report.html")` writes it.
    """

    target: str
    claim: StabilityClaim
    described: str
    """The description of the inputs."""
    seed: int
    verdict: StabilityVerdict
    inputs: int
    """The number of pairs of described inputs that were tried."""
    classes: Mapping[str, int] = field(repr=False)
    """The hostile classes that were tried, and how many of these pairs are of each."""
    counterexample: ComparedPair | None = None
    greatest: Move | None = None
    """The greatest distance of results in what was tried, if there was any."""
    failures: Mapping[str, int] = field(default_factory=dict)
    """Pairs with no result on either side, by what happened on the left one."""
    beyond: tuple[ComparedPair, ...] = ()
    """Counterexamples among inputs beyond the description, which never change the verdict."""
    inputs_beyond: int = 0
    """The number of pairs that were tried of which an input is beyond the description."""
    calls: int = 0
    seconds: float = 0.0
    interrupted: bool = False
    cut_short: str = ""
    """Why the search ended early, if not by an interrupt."""

    def __repr__(self) -> str:
        return f"<StabilityResult {self.verdict}: {self.target}, {self.inputs:,} pairs of inputs>"

    def assert_none_found(self) -> None:
        """Raise AssertionError with the report unless no counterexample was found, as tests need it."""
        if self.verdict is not StabilityVerdict.NONE_FOUND:
            raise AssertionError(str(self))
