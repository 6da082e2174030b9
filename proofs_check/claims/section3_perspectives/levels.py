"""Ours: the privacy cost of splitting a level by the exponential mechanism and by permute-and-flip.

An example added to a node raises the risk of both children of every split, in sum, by 0 to Delta. So all
scores of a node fall together, and the odds of any split change by a factor of at most exp(epsilon / 2) where
the scores are multiplied by epsilon / (2 Delta). Under add/remove one node of a level is touched; under
exchange one is left and one entered, or one is touched twice.

| here | meaning |
|---|---|
| `s`, `s2` | a score without and with the example; `D` the sensitivity Delta of the scores |
| `N`, `N2` | the weight exp(rate · score) of one split, without and with the example |
| `Z`, `Z2` | the sum of the weights of all splits |
| `k` | exp(epsilon / 2) |
| `P`, `P2`, `Q`, `Q2`, `R` | probabilities of the splits of two touched nodes, and of all others |
| `w1`, `v1` | in permute-and-flip: weights with and without the example, so w1 ≤ v1 ≤ k w1 |
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from privboost.proofs_check.claims.common import AT_ZERO, ZERO
from privboost.proofs_check.engines.elementary import Fact
from privboost.proofs_check.entry import Cite, Entry, Induction
from privboost.proofs_check.kernel.certificates import Mirror, Rejected
from privboost.proofs_check.kernel.terms import Claim, Formula, Term
from privboost.proofs_check.language import both, equal, exp, larger, reals
from privboost.proofs_check.proofs import Computed, Identity, Smt, Sum, Use
from privboost.reference.exact import log as exact_log
from privboost.reference.privacy.mechanisms import certainly_less, permute_and_flip_law

from .leaf_risk import example, leaf, shared, with_names
from .sharp import SHARP

a, b, c, d, p, q, m = reals("a b c d p q m")
epsilon, s, s2, D, k = reals("epsilon s s2 D k")
N, N2, Z, Z2, P, P2, Q, Q2, R, J, y = reals("N N2 Z Z2 P P2 Q Q2 R J y")
w1, w2, w3, v1, v2, v3 = reals("w1 w2 w3 v1 v2 v3")
q1, q2, q3 = reals("q1 q2 q3")

_WEIGHTS = (1 <= k, 0 < N2, N2 <= N, N <= k * N2, both(Z2 <= Z, Z <= k * Z2))
_RATE = epsilon / (2 * D)
_SCORES = (0 <= epsilon, 0 < D, s2 <= s, s <= s2 + D)
_TOUCHED = (0 < N2, 0 < Z2, *_SCORES)
_ONE_WEIGHT = Cite(
    "level.weight", {"N": exp(_RATE * s), "N2": exp(_RATE * s2), "k": exp(epsilon / 2)}, _SCORES
)
_ALL_WEIGHTS = Induction(
    None, {"Z": 0, "Z2": 0}, "level.sum-step", {"Z": Z + N, "Z2": Z2 + N2}, given=(0 < N2, *_SCORES)
)
_UNTOUCHED = dict.fromkeys(("k", "N", "N2", "Z", "Z2", "D"), 1) | dict.fromkeys(("epsilon", "s", "s2"), 0)
_BEFORE = -(leaf(a, b) + leaf(c, d))
_AFTER = -(leaf(a + p, b + q) + leaf(c, d))


def _near(low: Term, high: Term) -> tuple[Formula, ...]:
    """State that two weights differ by a factor between 1 and k."""
    return (0 < low, low <= high, high <= k * low)


def _flip_two(first: Term, second: Term) -> Term:
    """Return the probability of the first of two candidates under permute-and-flip."""
    most = larger(first, second)
    return (first / most) * (1 - second / (2 * most))


def _flip_three(first: Term, second: Term, third: Term) -> Term:
    """Return the probability of the first of three candidates under permute-and-flip."""
    most = larger(first, larger(second, third))
    return (first / most) * (1 - (second + third) / (2 * most) + second * third / (3 * most * most))


def _node(more: str, less: str) -> Cite:
    """Cite the bound for a node that an example leaves, for the probabilities of these names."""
    return Cite("level.monotone-node", {more: N / Z, less: N2 / Z2}, _TOUCHED)


def _node_back(more: str, less: str) -> Cite:
    """Cite the bound for a node that an example enters."""
    return Cite("level.monotone-node.back", {more: N2 / Z2, less: N / Z}, _TOUCHED)


def check_flips(candidates: int, height: int, factor: int) -> str:
    """Accept if raising all scores by 0 or 1 changes no probability by more than a factor.

    Scores are integers up to `height`; each increase by 1 doubles the weight.
    """
    laws = {}
    for scores in product(range(height + 2), repeat=candidates):
        law = permute_and_flip_law({i: Fraction(score) for i, score in enumerate(scores)}, exact_log(2))
        laws[scores] = tuple(law.values())
    pairs = 0
    for low in product(range(height + 1), repeat=candidates):
        for move in product((0, 1), repeat=candidates):
            high = tuple(score + step for score, step in zip(low, move, strict=True))
            for first, second in zip(laws[low], laws[high], strict=True):
                if certainly_less(factor * first, second) or certainly_less(factor * second, first):
                    raise Rejected(f"scores {low} and {high}: {first} and {second}")
            pairs += 1
    return f"{pairs} pairs of {candidates} scores"


EXPONENTIAL = (
    Entry(
        "level.scores-fall",
        "An example that enters a node with mass at most m - 1 lowers the score of every split whose "
        "children are not empty, which is minus the sum of their risks, by 0 to m L(1/m).",
        "lemma",
        reading="ours",
        claim=Claim(
            (*shared(a, b), *shared(c, d), a + b + c + d <= m - 1, *example(p, q), AT_ZERO),
            both(_AFTER <= _BEFORE, _BEFORE - SHARP <= _AFTER),
        ),
        proofs=(Smt(uses=(Use("sharp.example.at-most", {}), Use("sharp.example.raises", {}))),),
        control=both(_AFTER <= _BEFORE, _BEFORE - SHARP / 2 <= _AFTER),
        remark="The child that the example does not reach, here with masses c and d, keeps its risk, which "
        "is 0 if it is empty. If the other one is empty, no score moves (level.scores-fall.empty-child).",
    ),
    Entry(
        "level.scores-fall.empty-child",
        "A score does not move where the child that the example enters is empty: with it alone the child "
        "has risk 0.",
        "lemma",
        reading="ours",
        claim=Claim((*example(p, q), AT_ZERO), equal(leaf(p, q), 0)),
        proofs=(Smt((Mirror("L", ZERO),)),),
        control=equal(leaf(p, q), p + q),
    ),
    Entry(
        "level.weight",
        "A score that falls by 0 to Δ lowers the weight exp(ε score / (2 Δ)) by a factor between 1 and "
        "exp(ε / 2).",
        "lemma",
        reading="ours",
        claim=Claim(
            _SCORES,
            both(exp(_RATE * s2) <= exp(_RATE * s), exp(_RATE * s) <= exp(epsilon / 2) * exp(_RATE * s2)),
        ),
        proofs=(
            Smt(
                facts=(
                    Fact("exp(x) <= exp(y) if x <= y", (_RATE * s2, _RATE * s)),
                    Fact("exp(x) <= exp(y) if x <= y", (_RATE * s, epsilon / 2 + _RATE * s2)),
                    Fact("exp(x + y) = exp(x) exp(y)", (epsilon / 2, _RATE * s2)),
                )
            ),
        ),
        control=both(exp(_RATE * s2) <= exp(_RATE * s), exp(_RATE * s) <= exp(_RATE * s2)),
    ),
    Entry(
        "level.sum-step",
        "What holds of each weight holds of their sum: one more weight within a factor of 1 to k keeps the "
        "sum within it.",
        "step",
        reading="ours",
        claim=Claim(_WEIGHTS, both(Z2 + N2 <= Z + N, Z + N <= k * (Z2 + N2))),
        control=both(Z2 + N2 <= Z + N, Z + N <= Z2 + k * N2),
        example=_UNTOUCHED,
        rests_on=(_ONE_WEIGHT,),
    ),
    Entry(
        "level.monotone-node",
        "Where the scores of a node all fall together, the probability of a split grows by a factor of k = "
        "exp(ε / 2) at most when the example is taken away.",
        "theorem",
        reading="ours",
        claim=Claim((*_WEIGHTS, 0 < Z2), N / Z <= k * (N2 / Z2)),
        control=N / Z <= (k + 1) / 2 * (N2 / Z2),
        example=_UNTOUCHED,
        rests_on=(_ONE_WEIGHT, _ALL_WEIGHTS),
        remark="Half the exponent of the general case: numerator and sum move the same way, so that only one "
        "of them counts.",
    ),
    Entry(
        "level.monotone-node.back",
        "Where the scores of a node all fall together, the probability of a split grows by a factor of k = "
        "exp(ε / 2) at most when the example is put back.",
        "theorem",
        reading="ours",
        claim=Claim((*_WEIGHTS, 0 < Z2), N2 / Z2 <= k * (N / Z)),
        control=N2 / Z2 <= (k + 1) / 2 * (N / Z),
        example=_UNTOUCHED,
        rests_on=(_ONE_WEIGHT, _ALL_WEIGHTS),
    ),
    Entry(
        "level.one-sided",
        "At the rate ε / Δ, without the 2, a score that falls by 0 to Δ lowers the weight exp(ε score / Δ) "
        "by a factor of exp(ε) at most.",
        "lemma",
        reading="ours",
        claim=Claim(
            _SCORES,
            exp(epsilon / D * s) <= exp(epsilon) * exp(epsilon / D * s2),
        ),
        proofs=(
            Smt(
                facts=(
                    Fact("exp(x) <= exp(y) if x <= y", (epsilon / D * s, epsilon + epsilon / D * s2)),
                    Fact("exp(x + y) = exp(x) exp(y)", (epsilon, epsilon / D * s2)),
                )
            ),
        ),
        control=exp(epsilon / D * s) <= exp(epsilon / D * s2),
        remark="So a node then costs all of its budget, by the argument of level.monotone-node.",
    ),
    Entry(
        "level.add-remove",
        "Under add/remove one node of a level is touched: the probability of all splits of the level, P R "
        "with R for the other nodes, changes by a factor of k = exp(ε / 2) at most, in both directions.",
        "theorem",
        reading="ours",
        claim=Claim(
            (1 <= k, 0 <= R, P <= k * P2, P2 <= k * P), both(P * R <= k * (P2 * R), P2 * R <= k * (P * R))
        ),
        control=both(P * R <= k * (P2 * R), P2 * R <= P * R),
        rests_on=(_node("P", "P2"),),
        remark="A node that the example does not reach has the same masses and the same law.",
    ),
    Entry(
        "level.exchange",
        "Under exchange, where the example leaves one node and enters another, the probability of all "
        "splits of the level changes by a factor of k^2 = exp(ε) at most.",
        "theorem",
        reading="ours",
        claim=Claim(
            (0 <= R, 0 <= P, 0 <= Q2, 1 <= k, P <= k * P2, Q <= k * Q2), P * Q * R <= k**2 * (P2 * Q2 * R)
        ),
        control=P * Q * R <= k * (P2 * Q2 * R),
        rests_on=(_node("P", "P2"), _node_back("Q", "Q2")),
    ),
    Entry(
        "level.exchange.same-node",
        "Where the exchanged example leaves and enters the same node, that node is touched twice, by way of "
        "the sample without the example: the factor is k^2 again.",
        "theorem",
        reading="ours",
        claim=Claim((0 <= R, 1 <= k, P <= k * Q, Q <= k * P2), P * R <= k**2 * (P2 * R)),
        control=P * R <= k * (P2 * R),
        rests_on=(_node("P", "Q"), _node_back("Q", "P2")),
    ),
)

_TWO = (1 <= k, *_near(w1, v1), *_near(w2, v2))
_THREE = (*_TWO, *_near(w3, v3))
_SWAPPED = with_names(w1=v1, w2=v2, w3=v3, v1=k * w1, v2=k * w2, v3=k * w3)

FLIPS = (
    Entry(
        "level.flip.law",
        "The law of permute-and-flip of three candidates, by the order in which they are tried: the first is "
        "accepted with q1 (1 - (q2 + q3) / 2 + q2 q3 / 3).",
        "lemma",
        reading="ours",
        claim=Claim(
            (),
            equal(
                q1
                * (
                    Fraction(1, 3)
                    + Fraction(1, 6) * ((1 - q2) + (1 - q3))
                    + Fraction(1, 3) * ((1 - q2) * (1 - q3))
                ),
                q1 * (1 - (q2 + q3) / 2 + q2 * q3 / 3),
            ),
        ),
        proofs=(Identity(), Smt()),
        control=equal(q1 * (1 - (q2 + q3) / 2 + q2 * q3 / 2), q1 * (1 - (q2 + q3) / 2 + q2 * q3 / 3)),
        remark="First with probability 1/3, second after either of the others with 1/6 each, last with 1/3. "
        "The best candidate has q = 1, so that one is always accepted.",
    ),
    Entry(
        "level.flip.two",
        "With two candidates whose weights are all raised by factors between 1 and k, the probability of "
        "either grows, and falls, by a factor of k at most.",
        "lemma",
        reading="ours",
        claim=Claim(
            _TWO, both(_flip_two(v1, v2) <= k * _flip_two(w1, w2), _flip_two(w1, w2) <= k * _flip_two(v1, v2))
        ),
        control=_flip_two(v1, v2) <= (k + 1) / 2 * _flip_two(w1, w2),
    ),
    Entry(
        "level.flip.attained",
        "The factor k is attained: of two equal candidates, each with probability 1/2, the one that stays "
        "behind a weight of k times its own keeps 1/(2k).",
        "lemma",
        reading="ours",
        claim=Claim((1 <= k, 0 < w1), equal(_flip_two(w1, w1), k * _flip_two(w1, k * w1))),
        control=equal(_flip_two(w1, w1), _flip_two(w1, k * w1)),
        remark="So the level lemma for permute-and-flip under add/remove cannot be improved.",
    ),
    Entry(
        "level.flip.three",
        "With three candidates whose weights are all raised by factors between 1 and k, the probability of "
        "each grows by a factor of k at most.",
        "lemma",
        reading="ours",
        claim=Claim(_THREE, _flip_three(v1, v2, v3) <= k * _flip_three(w1, w2, w3)),
        control=_flip_three(v1, v2, v3) <= _flip_three(w1, w2, w3),
    ),
    Entry(
        "level.flip.scale",
        "Weights that are all multiplied by k leave the law as it is.",
        "lemma",
        reading="ours",
        claim=Claim(
            (1 <= k, 0 < w1, 0 < w2, 0 < w3),
            equal(_flip_three(k * w1, k * w2, k * w3), _flip_three(w1, w2, w3)),
        ),
        control=equal(_flip_three(k * w1, k * w2, w3), _flip_three(w1, w2, w3)),
    ),
    Entry(
        "level.flip.three.back",
        "With three candidates the probability of each falls by a factor of k at most: from the raised "
        "weights to k times the old ones the factors are between 1 and k again.",
        "lemma",
        reading="ours",
        claim=Claim(_THREE, _flip_three(w1, w2, w3) <= k * _flip_three(v1, v2, v3)),
        proofs=(Smt(uses=(Use("level.flip.three", _SWAPPED), Use("level.flip.scale", {}))),),
        control=_flip_three(w1, w2, w3) <= _flip_three(v1, v2, v3),
    ),
    Entry(
        "level.flip.factor",
        "One factor of the integrand: where v y ≤ 1 and w ≤ v, 1 - v y is between 0 and 1 - w y.",
        "step",
        reading="ours",
        claim=Claim((0 <= y, 0 < w1, w1 <= v1, v1 * y <= 1), both(0 <= 1 - v1 * y, 1 - v1 * y <= 1 - w1 * y)),
        control=both(0 <= 1 - v1 * y, 1 - w1 * y <= 1 - v1 * y),
    ),
    Entry(
        "level.flip.product",
        "Products of numbers ≥ 0 keep an order that each factor has: one more factor.",
        "step",
        reading="ours",
        claim=Claim((0 <= P, P <= Q, 0 <= N, N <= N2), P * N <= Q * N2),
        proofs=(Sum(), Smt()),
        control=Q * N <= P * N2,
    ),
    Entry(
        "level.flip",
        "Permute-and-flip with any number of candidates whose weights are raised by factors between 1 and k:"
        " if the new probability P2 of one of them is at most k times a number J that is at most its old"
        " probability P, then P2 ≤ k P.",
        "step",
        reading="ours",
        claim=Claim((1 <= k, 0 <= J, 0 <= P, 0 <= P2, P2 <= k * J, J <= P), P2 <= k * P),
        proofs=(Sum(degree=2), Smt()),
        control=P2 <= P,
        remark="P is the integral of w times the product of 1 - w_j y over the other candidates j, for y from"
        " 0 to 1 / max w, and J the same up to the raised maximum. That J is such a number is calculus"
        " (integrals keep the order of `level.flip.factor` and `level.flip.product`), which is not formalised"
        " here: for two and three candidates the statement is proved without it, for four it is computed.",
    ),
    Entry(
        "level.flip.four",
        "With four candidates of weights 1 or 2, of which any are doubled, no probability changes by more "
        "than a factor of 2.",
        "lemma",
        reading="ours",
        proofs=(Computed(check_flips, (4, 1, 2), (4, 1, 1), engine="exhaustion"),),
        remark="Exact laws of the reference, compared to within 2^-128.",
    ),
)

ENTRIES = (*EXPONENTIAL, *FLIPS)
