"""Appendix on experiments, settings and implementation: quantisation, clamps, forests and their budgets.

| here | paper |
|---|---|
| a, q, z | alpha; the proportion of a leaf; a margin |
| E | exp(epsilon) |
| T, K, N, b | trees of a forest, leaves of a tree, leaves that share the budget, the budget of a leaf |
"""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import meant, ours, paper
from privboost.proofs_check.claims.common import HALF
from privboost.proofs_check.claims.section3_privacy.computations import leak
from privboost.proofs_check.engines.elementary import Fact
from privboost.proofs_check.entry import Entry, Severity
from privboost.proofs_check.kernel.terms import Claim, term
from privboost.proofs_check.language import (
    absolute,
    between,
    both,
    either,
    equal,
    exp,
    larger,
    negation,
    reals,
    smaller,
    sqrt,
)
from privboost.proofs_check.proofs import Computed, Counterexample, Identity, Smt, Sum, Witness, by_z3

from .computations import (
    DOMAINS,
    GRID,
    check_edges,
    check_full,
    check_infinite_prediction,
    check_refines,
    check_same,
    check_shape_depends,
    check_smooth_sensitivity,
    check_spare_search,
    check_split_counts,
)
from .proofs import Transcribed

a, q, z, v, v2, M, h, edge, w, c = reals("a q z v v2 M h eta w c")
p, p2, s, E, T, K, N, b, budget, k, j = reals("p p2 s E T K N b epsilon k j")

ZETA = Fraction(1, 10_000)
_beyond = z / 2 - (1 - a)
_weight = (1 + _beyond / sqrt(a**2 + _beyond**2)) / 2
_link = a * (1 - 2 * q) / sqrt(q * (1 - q)) + 2 * (1 - a)
_clamped = larger(-M, smaller(M, v))
_clamped2 = larger(-M, smaller(M, v2))
_FAR = 2**28

_QUARTERS = tuple((Fraction(2 * i + 1, 8), label) for i, label in enumerate((1, -1, -1, 1)))
"""Four examples, one in each quarter of [0, 1], labels + - - +."""
_STEP = tuple((Fraction(2 * i + 1, 8), label) for i, label in enumerate((-1, 1, 1, 1)))
"""The same with labels - + + +."""

QUANTISATION = (
    paper.Text(
        "sub-sec-gen.budget-for-thresholds",
        "A private choice of thresholds that spends no budget has the same law on neighbours: to depend on "
        "the data at all it must spend some.",
        lines=(2451, 466, 2442),
        claim=Claim((0 <= p, 0 <= p2, p <= exp(0) * p2, p2 <= exp(0) * p), equal(p, p2)),
        proof=by_z3(Fact("exp(0) = 1")),
        control=equal(2 * p, p2),
        example={"p": HALF, "p2": HALF},
    ),
    paper.Text(
        "sub-sec-gen.split-count",
        "n_v controls how many splits are searched: in each of the 19 domains, with attributes that have"
        " n_v - 1 thresholds each that separate anything, 49/9 times as many for n_v = 50 as for n_v = 10.",
        lines=(2452, 466, 668, 2461, 2482),
        proof=Computed(
            check_split_counts, (DOMAINS, (10, 50), Fraction(49, 9)), (DOMAINS, (10, 50), Fraction(5))
        ),
        remark="For the numbers of features of the 19 domains, all taken as numeric.",
    ),
    paper.Text(
        "sub-sec-1050.five-times",
        "Going from n_v = 10 to n_v = 50 multiplies the number of splits by five.",
        line=668,
        proof=Transcribed(
            check_same, ((Fraction(50, 10),), (Fraction(5),)), ((Fraction(49, 9),), (Fraction(5),))
        ),
        hypothesis="each of the n_v values counts as a threshold, also the one that separates nothing",
        without=Computed(
            check_split_counts, (DOMAINS, (10, 50), Fraction(49, 9)), (DOMAINS, (10, 50), Fraction(5))
        ),
        remark="Counting splits that separate something the factor is 49/9, more than five.",
    ),
    ours.Text(
        "sub-sec-1050.refines",
        "The cuts of the grid with 10 values are among those of the grid with 50: no split is lost.",
        line=2482,
        proof=Computed(check_refines, (10, 50), (10, 45)),
        remark="So without noise the best training risk of a split can only fall. Under the exponential "
        "mechanism the good splits then compete with more others.",
    ),
    paper.Text(
        "sub-sec-gen.no-exhaustive-search",
        "A split that satisfies the weak learning assumption need not be the best one: a coarse grid can "
        "have an edge of γ and a finer one a greater edge.",
        lines=(2453, 466),
        proof=Witness(check_spare_search, (_STEP, 2, 4, Fraction(1, 2)), (_STEP, 4, 8, Fraction(1, 2))),
    ),
    paper.Text(
        "sub-sec-gen.values-not-too-few",
        "With too few values the weak learning assumption can fail for every γ > 0: one value leaves no "
        "split, and labels + - - + in the four quarters leave no edge with two, but 1/2 with four.",
        line=2455,
        proof=Witness(
            check_edges, (_QUARTERS, (1, 2), 4, Fraction(1, 2)), (_QUARTERS, (1, 4), 4, Fraction(1, 2))
        ),
        remark="What the text adds on depth ('even more if the tree is not too deep') is left unclear there.",
    ),
)

SHAPES = (
    paper.Text(
        "sub-sec-gen.full-trees",
        "Private trees, which are split down to depth d without looking at the data, have all their 2^d "
        "leaves at depth d, for each depth that was run.",
        lines=(2474, 601, 2478),
        proof=Computed(check_full, (GRID["d"], 64), (GRID["d"], 63)),
    ),
    paper.Text(
        "sub-sec-gen.purity-leaks",
        "A purity test on raw data is not free: one changed label makes a root pure or not, so a shape has "
        "probability 1 on a sample and 0 on its neighbour.",
        lines=(2477, 601),
        proof=Witness(check_shape_depends, ((1, 1, 1), (1, 1, -1)), ((1, 1, -1), (1, -1, -1))),
    ),
)

CLAMPS = (
    paper.Text(
        "sub-sec-sum-imp.clamp-q",
        "For q clamped to [ζ, 1 - ζ] with ζ = 10^-4 the prediction of a leaf is finite, for every α in [0, "
        "1]: less than 100 in magnitude.",
        line=2496,
        claim=Claim((term(ZETA) <= q, q <= HALF, 0 <= a, a <= 1), _link < 100),
        control=_link < 99,
        remark="For q ≤ 1/2; the link is odd about 1/2. The greatest value is 9998/sqrt(9999), about "
        "99.985, so a clamp at M = 100 never acts without noise.",
    ),
    meant.Text(
        "sub-sec-sum-imp.two-sided-clamp",
        "Clamping a noisy prediction v to [-M, M] bounds its magnitude by M.",
        lines=(2499, 2472),
        claim=Claim((0 < M,), absolute(_clamped) <= M),
        control=2 * absolute(_clamped) <= M,
    ),
    meant.Text(
        "sub-sec-sum-imp.noise-then-clamp",
        "If the noise of leaf predictions is made for values in [-M, M] (sensitivity 2 M, as line 527 "
        "suggests), clamping to M after the noise only keeps a tree within its budget, its coefficient "
        "being fixed.",
        lines=(2498, 527, 2471),
        refutation=Witness(
            leak, ("leaf-noise-before-clamp", "leaking"), ("leaf-noise-before-clamp", "closed")
        ),
        correction="sub-sec-sum-imp.clamp-then-noise",
        severity=Severity.PRIVACY,
        remark="Half of ε for the leaves and half of that for each leaf: scale 2 M/(1/4) = 8. Leaf x = 0 "
        "moves from -0.707 (q = 1/3) to -99.985 (q clamped to 10^-4), leaf x = 1 from 0 (empty) to -99.985: "
        "(99.278 + 99.985)/8 = 24.9. The scale itself is not printed. For M = 100 the order does not matter.",
    ),
    ours.Text(
        "sub-sec-sum-imp.clamp-then-noise",
        "The value of a leaf, clamped to [-M, M] before the noise, moves by at most 2 M, the sensitivity "
        "that its noise is made for.",
        line=2498,
        claim=Claim((0 < M,), absolute(_clamped - _clamped2) <= 2 * M),
        control=absolute(_clamped - _clamped2) <= M,
        remark="A second clamp, after the noise, is free: `defEDPRIV.post-processing`.",
    ),
)

WEIGHTS = (
    paper.Text(
        "sub-sec-sum-imp.weights-inside",
        "For α > 0 the weight that belongs to a margin is neither 0 nor 1.",
        line=2500,
        claim=Claim((0 < a, a <= 1, 2 * (1 - a) <= z), both(0 < _weight, _weight < 1)),
        control=both(0 < _weight, 2 * _weight < 1),
        hypothesis="margins are finite, which the clamp of q makes them",
        without=Computed(check_infinite_prediction, (Fraction(1), Fraction(1)), (Fraction(1), 1 - ZETA)),
        remark="For z ≥ 2 (1 - α); on the plateau the weight is 1/2, and below it is 1 minus that of -z. A "
        "pure leaf has an infinite prediction, and then the weight is 0 or 1 in theory too.",
    ),
    paper.Text(
        "sub-sec-sum-imp.weights-round",
        "A weight can be so near 1 that the nearest binary64 number is 1: for α = 1 and z = 2^29 it is "
        "above 1 - 2^-54.",
        line=2501,
        claim=Claim((), term(1 - Fraction(1, 2**54)) < (1 + term(_FAR) / sqrt(1 + term(_FAR) ** 2)) / 2),
        control=term(1 - Fraction(1, 2**60)) < (1 + term(_FAR) / sqrt(1 + term(_FAR) ** 2)) / 2,
    ),
    ours.Text(
        "sub-sec-sum-imp.step-bounded",
        "With the coefficients of the algorithm, a w eta for a ≤ 2 α / M^2, a tree with |h| ≤ M moves a "
        "margin by at most 2 α.",
        line=2500,
        given=(
            0 < a,
            0 < M,
            absolute(h) <= M,
            absolute(edge) <= M,
            *between(0, w, 1),
            0 <= c,
            c * M**2 <= 2 * a,
        ),
        then=absolute(c * w * edge * h) <= 2 * a,
        control=absolute(c * w * edge * h) <= a,
    ),
    ours.Text(
        "sub-sec-sum-imp.weights-far",
        "After at most 20 trees weights are at most 1 - 1/2000, and by symmetry at least 1/2000: far from "
        "where rounding gives 0 or 1.",
        line=2501,
        claim=Claim((0 < a, a <= 1, 2 * (1 - a) <= z, z <= 40 * a), _weight <= Fraction(1999, 2000)),
        control=_weight <= Fraction(999, 1000),
        remark="The exceptional cases of the text need other coefficients, or sums that lose digits.",
    ),
    paper.Text(
        "sub-sec-sum-imp.zeta-prime",
        "Weights that come out as 0 or 1 are replaced by ζ' or 1 - ζ'; the value of ζ' is not given.",
        line=2502,
        severity=Severity.GAP,
        remark="Any small public value will do, such as the 10^-4 of ζ.",
    ),
)

FORESTS = (
    paper.Text(
        "sub-sec-sum-imp.random-splits",
        "A tree whose splits do not depend on the data costs nothing: if they have probability s on both "
        "neighbours and the leaves are within E, so is the whole tree.",
        lines=(2507, 582, 2515),
        claim=Claim((0 <= s, s <= 1, 0 <= p, 0 <= p2, 1 <= E, p <= E * p2), s * p <= E * (s * p2)),
        proofs=(Sum(), Smt()),
        control=s * p <= s * p2,
        remark="Features and thresholds must both be drawn without the data, from the public domain.",
    ),
    paper.Text(
        "sub-sec-sum-imp.no-ties",
        "A forest with an odd number of trees never ties.",
        also=("t-bvsrf",),
        lines=(585, 3205),
        claim=Claim((0 <= j, 0 <= k, k <= 2 * j + 1), negation(equal(k, 2 * j + 1 - k))),
        added=(either(k <= j, j + 1 <= k),),
        control=negation(equal(k, 2 * j - k)),
        hypothesis="every tree casts one whole vote (k of the 2 j + 1 votes are for label 1, k is whole)",
        without=Counterexample({"j": 10, "k": Fraction(21, 2)}, {"j": 10, "k": 10}),
        remark="Votes that are averaged, or a tree that abstains because its noisy counts are equal, can "
        "tie.",
    ),
    paper.Text(
        "sub-sec-sum-imp.even-split",
        "With the budget split evenly over leaves, a forest of T trees with K ≥ 2 leaves each spends no "
        "more than ε: an exchanged example touches two leaves of every tree.",
        line=2518,
        claim=Claim((1 <= T, 2 <= K, 0 < budget, 1 <= N, equal(b * N, budget)), 2 * T * b <= budget),
        added=(equal(N, T * K),),
        control=3 * T * b <= budget,
        hypothesis="the leaves of all trees share the budget, not those of each tree",
        without=Counterexample(
            {"T": 21, "K": 4, "N": 4, "b": Fraction(1, 4), "epsilon": 1},
            {"T": 1, "K": 4, "N": 4, "b": Fraction(1, 4), "epsilon": 1},
        ),
        remark="The text does not say among which leaves. Split within each of 21 trees of depth 2, the "
        "forest would spend 10.5 ε.",
    ),
    ours.Text(
        "sub-sec-sum-imp.even-split-wasteful",
        "The even split spends 2 ε / K only, because the leaves of a tree are disjoint: 1/32 of the budget "
        "at depth 6.",
        line=2518,
        claim=Claim((1 <= T, 2 <= K), equal(2 * T * (budget / (T * K)), 2 * budget / K)),
        proof=Identity(),
        control=equal(2 * T * (budget / (T * K)), budget / K),
        remark="The forests that the paper compares with are noisier than they need be.",
    ),
    paper.Text(
        "sub-sec-sum-imp.smooth-sensitivity",
        "Smooth sensitivity depends on the data: that of the median of three bits is 1 where two bits are "
        "the same and one differs, and exp(-β) where all are the same.",
        line=2513,
        proof=Witness(check_smooth_sensitivity, (3,), (1,)),
    ),
)

ENTRIES: tuple[Entry, ...] = (*QUANTISATION, *SHAPES, *CLAMPS, *WEIGHTS, *FORESTS)
