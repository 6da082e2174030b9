"""Coverage: which operations, and which of their variants, were answered in a run."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import astuple, dataclass
from typing import Any

from privboost.gate.protocol.hello import Hello
from privboost.gate.protocol.variants import Variant, variants_of

from .check import REFUSAL, Outcome, Status
from .profile import Profile


@dataclass(frozen=True, slots=True)
class Coverage:
    """What was asked and answered. A refusal alone is no answer."""

    answered: frozenset[str] = frozenset()
    """Operations with a case that was judged."""
    asked: frozenset[Variant] = frozenset()
    """Variants with a case, but for those that `hello` leaves out."""
    judged: frozenset[Variant] = frozenset()
    """Variants with a case that was judged."""
    n_judged: int = 0
    """Number of cases of all levels that were judged."""
    n_skipped: int = 0

    def missing(self, required: Collection[str]) -> frozenset[str]:
        """Return the operations that are required and not answered."""
        return frozenset(required) - self.answered

    def missing_variants(self, required: Collection[str]) -> tuple[Variant, ...]:
        """Return the variants of required operations that were asked and not answered, if others were."""
        unanswered = sorted(self.asked - self.judged)
        return tuple(each for each in unanswered if each.operation in self.answered.intersection(required))

    def is_short_of(self, required: Collection[str]) -> bool:
        """Return whether a required operation or one of its variants was not answered."""
        return bool(self.missing(required) or self.missing_variants(required))

    def to_plain(self) -> list[Any]:
        """Return lists, strings and numbers, for another process."""
        variants = ([astuple(each) for each in sorted(part)] for part in (self.asked, self.judged))
        return [sorted(self.answered), *variants, self.n_judged, self.n_skipped]

    @staticmethod
    def from_plain(plain: list[Any]) -> Coverage:
        """Return the coverage that `to_plain` has written."""
        answered, *parts, n_judged, n_skipped = plain
        asked, judged = (frozenset(Variant(*each) for each in part) for part in parts)
        return Coverage(frozenset(answered), asked, judged, n_judged, n_skipped)

    def __or__(self, other: Coverage) -> Coverage:
        """Return the coverage of two runs of different checks together."""
        return Coverage(
            self.answered | other.answered,
            self.asked | other.asked,
            self.judged | other.judged,
            self.n_judged + other.n_judged,
            self.n_skipped + other.n_skipped,
        )


def coverage_of(profile: Profile, hello: Hello | None, outcomes: Iterable[Outcome]) -> Coverage:
    """Return the coverage of the outcomes of a run."""
    answered: set[str] = set()
    asked: set[Variant] = set()
    judged: set[Variant] = set()
    counts = {True: 0, False: 0}
    for each in outcomes:
        is_judged = each.status is not Status.SKIP
        counts[is_judged] += 1
        request = each.request or {"op": "", "args": {}}
        operation = profile.operations.get(request["op"])
        if operation is None or each.level == REFUSAL:
            continue
        variants = set(variants_of(operation, request["args"]))
        if is_judged:
            answered.add(operation.name)
            judged |= variants
        if is_judged or hello is None or not any(map(hello.leaves_out, variants)):
            asked |= variants
    return Coverage(frozenset(answered), frozenset(asked), frozenset(judged), counts[True], counts[False])
