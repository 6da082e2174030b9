"""Section 5, trees: the weak learning assumption and the boosting theorem, as printed.

The corrected statements are in `corrected` and `guarantees`.

| here | paper |
|---|---|
| `n1`, `n0`, `q` | numbers of positives and negatives of a leaf, n1/(n1 + n0) |
| `w1`, `w0` | weights of the positives and of the negatives of a leaf |
| `x`, `y` | the fractions of the positives and of the negatives of the leaf that a split sends right |
| `alpha`, `beta`, `K` | α_l, α_(l-1), the constant of K-monotonicity |
| `w` | normalised weight of the leaf that is split |
"""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import meant, ours, paper
from privboost.proofs_check.claims.common import HALF, at
from privboost.proofs_check.engines.elementary import Fact
from privboost.proofs_check.entry import Severity
from privboost.proofs_check.kernel.terms import Claim
from privboost.proofs_check.language import absolute, both, equal, exp, implies, log, reals
from privboost.proofs_check.proofs import Cited, Counterexample, Identity, Smt, Sum, Use, Witness, by_z3

from .computations import printed_theorem_fails, splittable_theorem_fails
from .greedy import greedy_theorem_fails
from .terms import KEARNS_MANSOUR, WEAK, inverse_exp, kept, matsushita, unit

q, x, y, gamma, n1, n0, w0, w1 = reals("q x y gamma n1 n0 w0 w1")
alpha, beta, k, w, total, w_leaf, s, xi = reals("alpha beta K w W v S xi")
leaves, inner, m = reals("leaves inner m")
NINE_TENTHS = Fraction(9, 10)
EXPONENT = k * w * (1 - beta)
FAILING = tuple(((9, 8, 83), NINE_TENTHS, Fraction(1), leaves, Fraction(1, 22)) for leaves in (74, 73))
"""A tree with enough leaves to refute the printed theorem, and one with a leaf too few."""

ENTRIES = (
    paper.Text(
        "sec-boost.optimal",
        "Boosting is optimal at α = 1: for trees no splitting criterion does better than the Matsushita"
        " risk, up to the constant in the exponent.",
        line=316,
        proof=Cited(KEARNS_MANSOUR),
    ),
    paper.Text(
        "sec-boost.minimal",
        "At α = 0 the printed guarantee is empty: its condition holds for ξ = 1 only.",
        line=317,
        given=(0 < gamma, 0 < xi, xi <= 1, equal(s, 0), 16 / gamma**2 * log(1 / xi) <= s),
        then=equal(xi, 1),
        proof=by_z3(Fact("log(1/x) = -log(x) if x > 0", (xi,)), Fact("log(x) <= x - 1 if x > 0", (xi,))),
        control=equal(xi, HALF),
        example=at(gamma=1, xi=1, S=0),
        remark="S is the sum of w_l α_l. This is so of the printed bound; where the splits made satisfy the"
        " WLA, as the theorem supposes, the true guarantee does not depend on α (`boost.any-alpha`).",
    ),
    paper.Text(
        "wlaKMDT.pure",
        "A leaf has weight in both classes iff its q is strictly between 0 and 1.",
        line=326,
        given=(0 <= w1, 0 <= w0, 0 < w1 + w0, equal(q, w1 / (w1 + w0))),
        then=both(
            implies(both(0 < w1, 0 < w0), both(0 < q, q < 1)),
            implies(both(0 < q, q < 1), both(0 < w1, 0 < w0)),
        ),
        control=both(0 < q, q < 1),
    ),
    paper.Definition(
        "wlaKMDT.distribution",
        "The balanced weights of the examples of a leaf, 1/(2q) for each of its n1 positives and 1/(2(1 -"
        " q)) for each of its n0 negatives, where q = n1/(n1 + n0), sum to 1.",
        lines=(328, 330),
        claim=Claim((0 < n1, 0 < n0, equal(q, n1 / (n1 + n0))), equal(n1 / (2 * q) + n0 / (2 * (1 - q)), 1)),
        refutation=Counterexample(at(n1=2, n0=1, q=Fraction(2, 3)), {"n1": HALF, "n0": HALF, "q": HALF}),
        correction="wlaKMDT.distribution-normalised",
        severity=Severity.SLIP,
        erratum="balanced-unnormalised",
        remark="Two positives and one negative: 2/(4/3) + 1/(2/3) = 3, in place of 1; in general n1 + n0."
        " Line 329 calls the weights a distribution, so normalised ones are meant.",
    ),
    meant.Definition(
        "wlaKMDT.distribution-normalised",
        "The weights w_i/(2 w1) of the positives and w_i/(2 w0) of the negatives of a leaf sum to 1, half in"
        " each class.",
        line=328,
        claim=Claim((0 < w1, 0 < w0), both(equal(w1 / (2 * w1), HALF), equal(w0 / (2 * w0), HALF))),
        proofs=(Identity(), Smt()),
        control=both(equal(w1 / (2 * w1), HALF), equal(w0 / w0, HALF)),
    ),
    meant.Definition(
        "wlaKMDT.edge",
        "With normalised balanced weights the edge of a split is x - y, where x and y are the fractions of"
        " the positives and of the negatives of the leaf that it sends right.",
        line=333,
        claim=Claim((), equal(HALF * (x - (1 - x)) - HALF * (y - (1 - y)), x - y)),
        proofs=(Identity(), Smt()),
        control=equal(HALF * (x - (1 - x)) - HALF * (y - (1 - y)), (x - y) / 2),
    ),
    paper.Definition(
        "wlaKMDT",
        "A split of a leaf satisfies the γ-WLA iff the absolute value of its edge is at least γ.",
        line=336,
    ),
    ours.Definition(
        "wlaKMDT.range",
        "With normalised balanced weights no split has an edge beyond 1, so the γ-WLA asks for γ ≤ 1.",
        line=334,
        claim=Claim(WEAK, gamma <= 1),
        control=gamma <= HALF,
    ),
    meant.Text(
        "wlaKMDT.random-independent",
        "A split that does not depend on the class, sending the same fraction of both right, has edge 0 and"
        " satisfies no γ-WLA.",
        line=340,
        claim=Claim((*unit(x, y), equal(x, y), 0 < gamma), absolute(x - y) < gamma),
        control=absolute(x - y) < 0,
    ),
    paper.Text(
        "wlaKMDT.good-splits",
        "The WLA implies a good split by the Matsushita risk, the criterion at α = 1: that risk of the leaf"
        " falls by the fraction γ²/2 at least.",
        line=344,
        claim=Claim((*WEAK, *unit(q)), matsushita(q) * (gamma**2 / 2) <= matsushita(q) * (1 - kept(x, y))),
        proof=by_z3(Use("boost.leaf-drop-amount", {"x": x, "y": y, "gamma": gamma, "q": q})),
        control=matsushita(q) * gamma**2 <= matsushita(q) * (1 - kept(x, y)),
        remark="Not so for the 0/1 risk, which may stay the same (`lemBINFDELTA.same-side`).",
    ),
    paper.Step(
        "sec-boost.leaf-count",
        "The tree h_l has l leaves and l - 1 internal nodes: a split adds one of each. The step of an"
        " induction.",
        lines=(346, 1647),
        claim=Claim((equal(inner, leaves - 1),), equal(inner + 1, (leaves - 1 + 2) - 1)),
        control=equal(inner + 1, leaves - 1),
    ),
    paper.Definition(
        "sec-boost.objective",
        "h_(l+1) is h_l with one leaf split so that the Mα_l risk is least.",
        lines=(350, 1652),
    ),
    paper.Equation(
        "defNW",
        "The normalised weight of a leaf is in [0, 1].",
        given=(0 < total, 0 <= w_leaf, w_leaf <= total),
        then=both(0 <= w_leaf / total, w_leaf / total <= 1),
        control=both(0 < w_leaf / total, w_leaf / total <= 1),
    ),
    paper.Definition(
        "thBoostDT1.monotonic",
        "A sequence of α is K-monotonic iff α_l ≤ α_(l-1) exp(K w_l (1 - α_(l-1))) for l > 2, with α_1 in"
        " [0, 1].",
        line=361,
        remark="The appendix asks for it from l = 1 on, with α_0 = 1, so also for α_2; see"
        " `condKMOT1.main-text`.",
    ),
    paper.Text(
        "thBoostDT1.exponent",
        "The parameter of the exponential is not negative.",
        line=362,
        claim=Claim((0 <= k, *unit(w, beta)), 0 <= EXPONENT),
        proofs=(Smt(), Sum(degree=3)),
        control=0 < EXPONENT,
    ),
    paper.Text(
        "thBoostDT1.growth",
        "Where the condition of K-monotonicity holds, α grows at most by the factor exp(K) in one step.",
        line=363,
        claim=Claim((0 <= k, *unit(w, alpha, beta), alpha <= beta * exp(EXPONENT)), alpha <= beta * exp(k)),
        proof=by_z3(Fact("exp(x) <= exp(y) if x <= y", (EXPONENT, k))),
        control=alpha <= beta,
        example=at(K=1, w=1, alpha=HALF, beta=HALF),
    ),
    meant.Text(
        "thBoostDT1.stays",
        "If α_(l-1) is in [0, 1] and the condition of K-monotonicity holds for α_l, then α_l is at most 1.",
        line=362,
        claim=Claim((0 <= k, *unit(w, beta), 0 <= alpha, alpha <= beta * exp(EXPONENT)), alpha <= 1),
        added=(k <= 1,),
        hypothesis="K ≤ 1, as for K = γ²/16 with γ ≤ 1",
        proof=by_z3(*inverse_exp(EXPONENT), Fact("exp(x) >= 1 + x", (-EXPONENT,))),
        without=Counterexample(
            at(K=4, w=1, beta=HALF, alpha=3), at(K=1, w=1, beta=HALF, alpha=Fraction(4, 5))
        ),
        control=alpha <= HALF,
        example=at(K=1, w=1, alpha=HALF, beta=HALF),
    ),
    paper.Text(
        "thBoostDT1.tunable",
        "α may be tuned while the tree grows: every sequence that does not increase is K-monotonic, for"
        " every K ≥ 0.",
        line=397,
        claim=Claim((0 <= k, *unit(w, alpha, beta), alpha <= beta), alpha <= beta * exp(EXPONENT)),
        proof=by_z3(Fact("exp(x) >= 1 + x", (EXPONENT,))),
        control=2 * alpha <= beta * exp(EXPONENT),
    ),
    paper.Theorem(
        "thBoostDT1",
        "If all splits made satisfy the γ-WLA and the sequence of α is (γ²/16)-monotonic, the empirical risk"
        " of the tree h_L with L leaves is at most ξ as soon as the sum over l = 1, ..., L of w_l α_l, with"
        " w_l the normalised weight of the l-th leaf that is split, is at least (16/γ²) log(1/ξ).",
        also=("eqBOOST11",),
        also_lines=(369,),
        refutation=Witness(printed_theorem_fails, *FAILING),
        correction="boost.theorem",
        severity=Severity.THEOREM,
        remark="The root of it is eqKM1. The weights of the last groups are about 10^-76. The theorem"
        " asks the WLA only of the splits made, and leaf A has none; `thBoostDT1.all-splittable` has a"
        " split for every leaf. The risk is above ξ for h_L and for h_(L+1), by weight and by count, and"
        " every split is the one that lowers the Mα risk most.",
    ),
    paper.Theorem(
        "thBoostDT1.all-splittable",
        "The boosting theorem for trees, as printed, where moreover every leaf with both classes can be split"
        " by some test that satisfies the γ-WLA, and each time the heaviest leaf is split (as in line 377),"
        " by the test that lowers the Mα risk most there.",
        also_lines=(377,),
        refutation=Witness(splittable_theorem_fails, *FAILING),
        correction="boost.theorem",
        severity=Severity.THEOREM,
        remark="Follows from eqKM1. So it is not enough to ask the WLA of every leaf. Nor is it where the"
        " leaf, too, is the one where the Mα risk falls most (`thBoostDT1.greedy`).",
    ),
    meant.Theorem(
        "thBoostDT1.greedy",
        "The boosting theorem for trees for the algorithm of line 1650: each time the leaf and the test are"
        " those that lower the Mα risk most, and every leaf with both classes can be split by some test that"
        " satisfies the γ-WLA.",
        also_lines=(347, 1650),
        refutation=Witness(
            greedy_theorem_fails, (60, 1561, Fraction(1, 1700)), (60, 1461, Fraction(1, 1700))
        ),
        correction="boost.theorem",
        severity=Severity.THEOREM,
        remark="The kindest reading. Follows from eqKM1: when A has been split into 2^k leaves, each has so"
        " little risk that a group of the nearly pure B gains more, and B counts with its whole weight. The"
        " sample has more than 2^1562 examples; drops are equal within a level of A, so all is computed"
        " exactly. By count half of A is wrong, which is nearly half of the sample.",
    ),
    paper.Theorem(
        "thBoostDT1.smaller-alpha",
        "The boosting theorem for trees, as printed, for the constant sequence α = 1/2.",
        refutation=Witness(
            printed_theorem_fails,
            ((18, 16, 166), NINE_TENTHS, HALF, 150, Fraction(1, 23)),
            ((18, 20, 166), NINE_TENTHS, HALF, 150, Fraction(1, 23)),
        ),
        correction="boost.theorem",
        severity=Severity.THEOREM,
        remark="Follows from eqKM1. The construction is that of `thBoostDT1`, so that the failure does"
        " not hang on α = 1.",
    ),
)
