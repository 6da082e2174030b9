"""The interval engine: cut a box until interval arithmetic shows a comparison on every piece."""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check.kernel.certificates import Rejected, Split, box_of, check_boxes
from privboost.proofs_check.kernel.terms import Claim, term
from privboost.proofs_check.language import reals


def find_cuts(claim: Claim, precision: int, limit: int) -> Split | None:
    """Return at most `limit` cuts of the box of a claim, always halving the widest side."""
    budget = [limit]

    def cut(ends: dict[str, tuple[Fraction, Fraction]]) -> Split | None:
        try:
            check_boxes(_over(claim, ends), None, precision)
        except (Rejected, ValueError):
            budget[0] -= 1
            name = max(ends, key=lambda name: ends[name][1] - ends[name][0], default="")
            lo, hi = ends.get(name, (Fraction(0), Fraction(0)))
            if budget[0] < 0 or hi - lo < Fraction(1, 2**precision):
                raise Rejected(f"not proved with {limit} cuts; last box {ends}") from None
            middle = (lo + hi) / 2
            return Split(name, cut({**ends, name: (lo, middle)}), cut({**ends, name: (middle, hi)}))
        return None

    return cut(box_of(claim.given))


def _over(claim: Claim, ends: dict[str, tuple[Fraction, Fraction]]) -> Claim:
    """Return the claim over another box."""
    sides = [(reals(name)[0], lo, hi) for name, (lo, hi) in ends.items()]
    return Claim(tuple(f for x, lo, hi in sides for f in (term(lo) <= x, x <= hi)), claim.then)


def pieces(cuts: Split | None) -> int:
    """Return the number of boxes that the cuts leave."""
    return 1 if cuts is None else pieces(cuts.below) + pieces(cuts.above)
