"""Section 6: splits by the exponential mechanism, and alpha and epsilon by objective calibration.

| here | paper |
|---|---|
| `err`, `err1` | empirical risk of the tree h_l and of its root h_1: the share of mass in minority classes |
| `plus1`, `minus1`, `plus2`, `minus2` | masses of the two classes on the two sides of a split |
| `trees`, `depth`, `power` | T, d, and 2 to the power of a leaf's depth |
"""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import meant, paper
from privboost.proofs_check.claims.common import HALF, at
from privboost.proofs_check.engines.elementary import Fact
from privboost.proofs_check.entry import Entry, Severity
from privboost.proofs_check.kernel.terms import Claim
from privboost.proofs_check.language import between, both, equal, exp, reals, smaller, sqrt
from privboost.proofs_check.proofs import Cited, Counterexample, Identity, Smt, Sum, Witness, by_z3

from .computations import check_alpha_rises, check_alpha_undefined

alpha, alpha2, beta, eps, gamma, m, err, err1 = reals("alpha alpha2 beta eps gamma m err err1")
power, depth, trees, low, high, gain, worse = reals("power depth trees low high gain worse")
(leaf_m,) = reals("leaf_m")
plus1, minus1, plus2, minus2, rest = reals("plus1 minus1 plus2 minus2 rest")
count1, count0, weight1, weight0 = reals("count1 count0 weight1 weight0")

TIED = (((0,), 1), ((0,), 1), ((0,), -1), ((1,), -1))
UNTIED = (((0,), 1), ((0,), 1), ((0,), 1), ((1,), -1))
RISING = (((0, 0), 1), ((0, 0), 1), ((0, 0), -1), ((0, 1), -1), ((1, 0), 1))
FALLING = (((0, 0), 1), ((0, 0), 1), ((0, 0), 1), ((0, 1), -1), ((1, 0), 1))

AFTER = smaller(plus1, minus1) + smaller(plus2, minus2)
BEFORE = smaller(plus1 + plus2, minus1 + minus2)
ALPHA_BEFORE, ALPHA_AFTER = (rest + BEFORE) / err1, (rest + AFTER) / err1

_MECHANISM = (
    paper.Definition(
        "sec-solv.public",
        "Public: the domain of the attributes, and a number of values into which continuous ones are cut.",
        line=466,
    ),
    paper.Text(
        "sec-solv.pruning",
        "Boosted trees can generalise well without pruning.",
        line=466,
        proof=Cited("Schapire et al. 1998, Section 2.1; Bartlett and Mendelson 2002, Theorems 16, 17"),
    ),
    paper.Definition(
        "expSPLIT",
        "The split of a leaf is drawn with probability proportional to exp(-ε w(S) F / (2 Δ*)), F the risk "
        "of the tree after the split, Δ* = 3 + 2 α (√m - 1).",
        also_lines=(473,),
        remark="Δ* is cited from a Lemma that is a Corollary (sensALPHA).",
    ),
    paper.Text(
        "expSPLIT.uniform",
        "Earlier work spends its budget uniformly over the splits.",
        line=473,
        proof=Cited("Fletcher and Islam 2019, survey of private trees"),
    ),
    paper.Text(
        "expSPLIT.support-weak",
        "The mass that reaches a node does not increase from a node to its children.",
        lines=(474, 2105),
        claim=Claim((0 <= low, 0 <= high), low <= low + high),
        proofs=(Sum(), Smt()),
        control=low + high <= low,
        remark="It stays the same where a split sends every example one way.",
    ),
    paper.Text(
        "expSPLIT.more-budget",
        "More budget makes the exponential mechanism pick splits that meet the weak learning assumption at"
        " least as often. Shown for each pair of a gain `gain` of such a split and a gain `worse` of"
        " another: the sums over all pairs compare the odds under two budgets.",
        line=474,
        given=(0 <= low, low <= high),
        then=exp(low * gain + high * worse) <= exp(high * gain + low * worse),
        added=(worse <= gain,),
        hypothesis="no other split gains more than one that meets the assumption, as the Gap assumption asks",
        proof=by_z3(
            Fact("exp(x) <= exp(y) if x <= y", (low * gain + high * worse, high * gain + low * worse))
        ),
        control=exp(low * gain + high * worse) < exp(high * gain + low * worse),
        without=Counterexample(at(low=0, high=1, gain=0, worse=1), at(low=0, high=1, gain=1, worse=0)),
    ),
)

_ALPHA = (
    paper.Equation(
        "fixALPHA",
        "α_l = err(h_l) / err(h_1), counting examples with y h(x) < 0, is a number in [0, 1].",
        lines=(477, 2268),
        refutation=Witness(check_alpha_undefined, (TIED,), (UNTIED,)),
        correction="fixALPHA.range",
        severity=Severity.GAP,
        erratum="alpha-undefined",
        remark="Where both classes of the root weigh the same, α is 0/0 or x/0.",
    ),
    meant.Equation(
        "fixALPHA.range",
        "With err the share of mass in minority classes, α_l = err(h_l) / err(h_1) is in [0, 1].",
        lines=(477, 2268),
        claim=Claim((0 <= err, err <= err1, equal(alpha * err1, err)), both(0 <= alpha, alpha <= 1)),
        added=(0 < err1,),
        hypothesis="the root holds both classes",
        control=both(0 <= alpha, alpha < 1),
        without=Counterexample(at(err=0, err1=0, alpha=2), at(err=1, err1=1, alpha=1)),
    ),
    paper.Step(
        "fixALPHA.refinement",
        "A split does not raise the mass of minority classes: min(p1, n1) + min(p2, n2) ≤ "
        "min(p1 + p2, n1 + n2).",
        lines=(482, 2019, 2271),
        also=("eq1BSUP",),
        claim=Claim((), AFTER <= BEFORE),
        control=BEFORE <= AFTER,
    ),
    paper.Text(
        "fixALPHA.unweighted",
        "The empirical risk of a tree, a mean over examples without weights, is at most 1/2 also for"
        " trees whose leaves predict by weighted majority. Here for one leaf with count1 positives of"
        " weight weight1 each and count0 negatives of weight weight0 each, the positives weighing more.",
        line=2265,
        given=(
            0 < count1,
            0 < count0,
            *between(0, weight1, 1),
            *between(0, weight0, 1),
            weight0 * count0 < weight1 * count1,
        ),
        then=count0 / (count0 + count1) <= HALF,
        refutation=Counterexample(
            at(count1=1, count0=2, weight1=HALF, weight0=Fraction(1, 8)),
            at(count1=2, count0=1, weight1=HALF, weight0=HALF),
        ),
        correction="boundM1.half",
        severity=Severity.GAP,
        remark="One positive of weight 1/2 outweighs two negatives of weight 1/8: the share of errors is"
        " 2/3, above 1/2. From the second tree on weights differ; with risks counted without them α can"
        " exceed 1 and J can reach 8. Weights must be the same in the risk and in the tree.",
    ),
    paper.Text(
        "fixALPHA.rises",
        "Counting as mistakes the examples with y h(x) < 0, α does not rise from a tree to the next, and"
        " so the sequence is (1/16)-monotonic.",
        lines=(482, 2271),
        refutation=Witness(check_alpha_rises, (RISING,), (FALLING,)),
        correction="fixALPHA.nonincreasing",
        severity=Severity.GAP,
        erratum="empirical-risk-tie",
        remark="A tied leaf counts no mistakes until it is split.",
    ),
    meant.Text(
        "fixALPHA.nonincreasing",
        "With the mass of minority classes, α does not rise from a tree to the next, so not along a path; "
        "the weight 1 - α of the 0/1 risk does not fall. `rest` is the minority mass of the other leaves.",
        lines=(482, 2271),
        given=(0 < err1, 0 <= rest),
        then=both(ALPHA_AFTER <= ALPHA_BEFORE, 1 - ALPHA_BEFORE <= 1 - ALPHA_AFTER),
        control=ALPHA_AFTER < ALPHA_BEFORE,
        remark="α belongs to the whole tree, not to a path: what was split elsewhere in between counts as"
        " well. It need not fall at a split, not even at one that meets the weak learning assumption.",
    ),
    paper.Text(
        "fixALPHA.root",
        "The root is split with α = 1, the Matsushita risk.",
        line=482,
        claim=Claim((0 <= err1, equal(alpha * err1, err1)), equal(alpha, 1)),
        added=(0 < err1,),
        hypothesis="the root holds both classes",
        control=equal(alpha, 2),
        without=Counterexample(at(alpha=0, err1=0), at(alpha=1, err1=1)),
    ),
    paper.Text(
        "fixALPHA.optimal",
        "The Matsushita risk guarantees the optimal boosting rate of top-down induction.",
        line=482,
        proof=Cited("Kearns and Mansour 1999"),
    ),
    paper.Text(
        "fixALPHA.rate",
        "What a split is guaranteed to take off the risk, γ² α/2 of its leaf's Matsushita risk, does not"
        " fall as α grows.",
        lines=(474, 482),
        given=(0 <= leaf_m, alpha2 <= alpha),
        then=gamma**2 * alpha2 / 2 * leaf_m <= gamma**2 * alpha / 2 * leaf_m,
        control=gamma**2 * alpha / 2 * leaf_m <= gamma**2 * alpha2 / 2 * leaf_m,
    ),
    meant.Text(
        "fixALPHA.sensitivity",
        "A smaller α makes the sensitivity Δ* = 3 + 2 α (√m - 1) smaller, or as small.",
        lines=(482, 474),
        given=(1 <= m, alpha2 <= alpha),
        then=3 + 2 * alpha2 * (sqrt(m) - 1) <= 3 + 2 * alpha * (sqrt(m) - 1),
        control=3 + 2 * alpha * (sqrt(m) - 1) <= 3 + 2 * alpha2 * (sqrt(m) - 1),
    ),
    paper.Definition("fixEPSILON", "A split at a leaf of depth k gets the budget β ε / (T d 2^k).", line=479),
    paper.Text(
        "fixEPSILON.halves",
        "A split one level deeper gets half the budget: low-depth splits get more. `power` is 2^k.",
        lines=(474, 479),
        given=(0 < trees, 0 < depth, 0 < power),
        then=equal(beta * eps / (trees * depth * (2 * power)), beta * eps / (trees * depth * power) / 2),
        proofs=(Identity(), Smt()),
        control=equal(beta * eps / (trees * depth * (2 * power)), beta * eps / (trees * depth * power)),
    ),
)

ENTRIES: tuple[Entry, ...] = (*_MECHANISM, *_ALPHA)
