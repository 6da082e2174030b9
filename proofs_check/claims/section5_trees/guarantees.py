"""Section 5, trees, corrected: the boosting theorem, full levels, and the leaf to split.

| here | mathematics |
|---|---|
| `M`, `E`, `M2` | Matsushita and 0/1 risk of a tree, Matsushita risk after more splits, normalised |
| `omega`, `t` | the share of a tree's Matsushita risk that sits in the leaf to be split |
| `c` | gamma^2 / 2 |
| `S`, `Omega`, `D` | the sums over the splits so far of omega times alpha and of omega, the depth |
| `E / 2` | the empirical risk, where a leaf with both classes equally heavy counts as half wrong |
"""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import ours
from privboost.proofs_check.claims.common import HALF, add_up, at
from privboost.proofs_check.engines.elementary import Fact
from privboost.proofs_check.entry import Cite
from privboost.proofs_check.kernel.terms import Claim, Formula, Term, term
from privboost.proofs_check.language import between, equal, exp, larger, log, reals, smaller, sqrt
from privboost.proofs_check.proofs import Identity, Smt, Sum, Use, by_z3

from .corrected import SPLIT_TREE
from .terms import (
    ERROR_BELOW_RISK,
    HALVED,
    HARMONIC,
    LEAF_SPLIT,
    RISK_AFTER_LEVELS,
    SPLIT,
    SUM_OF_SHARES,
    WEAK,
    kept,
    matsushita,
    risk_after_splits,
    unit,
)

q, w, x, y, k, gamma, theta, p, n, omegas = reals("q w x y k gamma theta p n Omega")
omega, c, t, s, size, depth = reals("omega c t S L D")
alpha, xi = reals("alpha xi")
m_old, e_old, m_new = reals("M E M2")


def _state_convergence(shares: Term) -> tuple[Formula, ...]:
    """State that the 0/1 risk is at most the Matsushita risk, which falls with the shares that are split."""
    setting = (0 < gamma, gamma <= 1, 0 < xi, xi <= 1, equal(c, gamma**2 / 2))
    return (*setting, e_old <= m_old, m_old <= exp(-(c * shares)))


CONVERGENCE = _state_convergence(omegas)
RISKLESS = HALVED | dict.fromkeys(("E", "M", "t", "alpha", "omega"), Fraction(0))
AT_ONCE = RISKLESS | at(gamma=1, xi=1, c=HALF, Omega=0)


CLOSE = (
    Fact("exp(x) <= exp(y) if x <= y", (-(c * s), log(xi))),
    Fact("exp(log(x)) = x if x > 0", (xi,)),
    Fact("log(1/x) = -log(x) if x > 0", (xi,)),
)

ENTRIES = (
    ours.Step(
        "boost.theorem.start",
        "The normalised Matsushita risk of the root is at most 1.",
        label="thBoostDT1",
        claim=Claim(unit(q), matsushita(q) <= exp(-c * 0)),
        proof=by_z3(Fact("exp(0) = 1")),
        control=matsushita(q) <= HALF * exp(-c * 0),
    ),
    ours.Step(
        "boost.theorem.step",
        "If the Matsushita risk so far is at most exp(-γ² Ω/2) and a leaf with the share t of it is split"
        " with the γ-WLA, it is at most exp(-γ² (Ω + t)/2) afterwards.",
        label="thBoostDT1",
        given=(
            0 < gamma,
            gamma <= 1,
            *unit(t),
            *between(0, m_old, exp(-(gamma**2) / 2 * omegas)),
            m_new <= (1 - gamma**2 / 2 * t) * m_old,
        ),
        then=m_new <= exp(-(gamma**2) / 2 * (omegas + t)),
        proof=by_z3(
            Fact("exp(x + y) = exp(x) exp(y)", (-(gamma**2) / 2 * omegas, -(gamma**2) / 2 * t)),
            Fact("exp(x) >= 1 + x", (-(gamma**2) / 2 * t,)),
        ),
        control=m_new <= exp(-(gamma**2) * (omegas + t)),
        example=HALVED | at(gamma=1, t=HALF, Omega=0, M=1, M2=HALF),
        rests_on=(Cite("boost.tree-drop", SPLIT_TREE, SPLIT),),
    ),
    ours.Step(
        "boost.error",
        "The 0/1 risk of a tree is at most its Matsushita risk: one more leaf, of weight w and proportion q"
        " of positives, adds 2w min(q, 1 - q) to the one and w 2 sqrt(q(1 - q)) to the other.",
        label="thBoostDT1",
        given=(*unit(q), 0 <= w, e_old <= m_old),
        then=e_old + w * 2 * smaller(q, 1 - q) <= m_old + w * matsushita(q),
        proof=by_z3(Use("boost.error.leaf")),
        control=e_old + w * 2 * larger(q, 1 - q) <= m_old + w * matsushita(q),
    ),
    ours.Lemma(
        "boost.error.leaf",
        "The 0/1 risk of a leaf is at most its Matsushita risk.",
        label="thBoostDT1",
        claim=Claim(unit(q), 2 * smaller(q, 1 - q) <= matsushita(q)),
        control=matsushita(q) <= 2 * smaller(q, 1 - q),
    ),
    ours.Theorem(
        "boost.theorem",
        "The boosting theorem: if every split satisfies the γ-WLA, then the empirical risk after the splits"
        " 1, ..., L is at most ξ/2 as soon as the sum of ω_l α_l, l = 1, ..., L, is at least (2/γ²) log(1/ξ),"
        " where ω_l is the share of the Matsushita risk, not of the weight, in the leaf that is split.",
        label="thBoostDT1",
        also=("eqBOOST11", "lemBCONV"),
        claim=Claim((*CONVERGENCE, s <= omegas, 2 / gamma**2 * log(1 / xi) <= s), e_old / 2 <= xi / 2),
        proof=by_z3(*CLOSE, Fact("exp(x) <= exp(y) if x <= y", (-(c * omegas), -(c * s)))),
        control=e_old / 2 <= xi / 4,
        example=AT_ONCE | at(S=0),
        remark="The empirical risk is at most half of the 0/1 risk E that is 1 at 1/2, and Ω is the sum of"
        " the shares ω. The printed 16 becomes 2.",
        rests_on=(ERROR_BELOW_RISK, risk_after_splits("Omega"), SUM_OF_SHARES),
    ),
    ours.Theorem(
        "boost.any-alpha",
        "Where the splits made satisfy the γ-WLA, no condition on the sequence of α is needed, and the"
        " sum of the shares ω_l of the Matsushita risk in the leaves that are split may be used without"
        " the α: the Matsushita risk bounds the empirical risk whatever α is.",
        label="thBoostDT1",
        claim=Claim((*_state_convergence(s), 2 / gamma**2 * log(1 / xi) <= s), e_old / 2 <= xi / 2),
        proof=by_z3(*CLOSE),
        control=e_old / 2 <= xi / 4,
        example=RISKLESS | at(gamma=1, xi=1, c=HALF, S=0),
        remark="Here S is the sum of the ω_l. So the theorem says nothing about what a small α costs: α"
        " matters only where the WLA holds for some split and the tree takes the one that minimises the Mα"
        " risk (`boost.greedy-split`).",
        rests_on=(ERROR_BELOW_RISK, risk_after_splits("S")),
    ),
    ours.Step(
        "boost.any-alpha.sum",
        "The sum of ω_l α_l is at most the sum of ω_l: the step of the induction.",
        label="thBoostDT1",
        claim=Claim((*unit(alpha, omega), s <= omegas), s + omega * alpha <= omegas + omega),
        control=s + omega <= omegas + omega * alpha,
    ),
    ours.Corollary(
        "boost.printed-index",
        "With the sum of ω_l α_l, l = 1, ..., L, at least (2/γ²) log(1/ξ), also the tree h_L before the"
        " split L has an empirical risk of at most ξ: the last term t is worth a factor exp(1/2) < 2.",
        label="thBoostDT1",
        also=("eqCONV1C",),
        given=(*CONVERGENCE, s <= omegas, *unit(t), 2 / gamma**2 * log(1 / xi) <= s + t),
        then=e_old / 2 <= xi,
        proof=by_z3(
            Fact("exp(x) <= exp(y) if x <= y", (-(c * omegas), c * t + log(xi))),
            Fact("exp(x + y) = exp(x) exp(y)", (c * t, log(xi))),
            Fact("exp(log(x)) = x if x > 0", (xi,)),
            Fact("log(1/x) = -log(x) if x > 0", (xi,)),
            Fact("exp(x) <= exp(y) if x <= y", (c * t, term(HALF))),
            Fact("exp(x) >= 1 + x", (term(-HALF),)),
            Fact("exp(x + y) = exp(x) exp(y)", (term(HALF), term(-HALF))),
            Fact("exp(0) = 1"),
        ),
        control=e_old / 2 <= xi / 2,
        example=AT_ONCE | at(S=0, t=0),
        rests_on=(ERROR_BELOW_RISK, risk_after_splits("Omega"), SUM_OF_SHARES),
    ),
    ours.Step(
        "boost.level-sum",
        "If leaves of a level, split with the γ-WLA, together keep at most the fraction sqrt(1 - γ²) of their"
        " Matsushita risk, so they do with one more such leaf.",
        label="boostCOND",
        line=392,
        given=(*WEAK, gamma <= 1, *unit(q), 0 <= w, m_new <= sqrt(1 - gamma**2) * m_old),
        then=m_new + w * matsushita(q) * kept(x, y) <= sqrt(1 - gamma**2) * (m_old + w * matsushita(q)),
        proof=by_z3(
            Use("boost.leaf-drop"),
            Use("boost.scaled", {"t": w * matsushita(q), "kappa": kept(x, y), "S": 1 - sqrt(1 - gamma**2)}),
        ),
        control=m_new + w * matsushita(q) * kept(x, y) <= (1 - gamma) * (m_old + w * matsushita(q)),
    ),
    ours.Step(
        "boost.level-exponential",
        "After D full levels of splits with the γ-WLA the Matsushita risk is at most exp(-γ² D/2): the"
        " step from D to D + 1.",
        label="boostCOND",
        line=392,
        given=(
            0 < gamma,
            gamma <= 1,
            *between(0, m_old, exp(-(gamma**2) / 2 * depth)),
            m_new <= sqrt(1 - gamma**2) * m_old,
        ),
        then=m_new <= exp(-(gamma**2) / 2 * (depth + 1)),
        proof=by_z3(
            Fact("exp(x + y) = exp(x) exp(y)", (-(gamma**2) / 2 * depth, -(gamma**2) / 2)),
            Fact("exp(x) >= 1 + x", (-(gamma**2) / 2,)),
        ),
        control=m_new <= exp(-(gamma**2) * (depth + 1)),
        example=HALVED | at(gamma=HALF, D=0, M=1, M2=HALF),
        rests_on=(
            add_up(
                "boost.level-sum",
                {"M": m_old + w * matsushita(q), "M2": m_new + w * matsushita(q) * kept(x, y)},
                LEAF_SPLIT,
            ),
        ),
    ),
    ours.Theorem(
        "boost.depth",
        "A tree whose impure leaves are all split with the γ-WLA, level by level, has an empirical risk of"
        " at most ξ at depth D ≥ (2/γ²) log(1/(2ξ)), whatever the α.",
        label="boostCOND",
        line=392,
        given=(
            *(0 < gamma, gamma <= 1, 0 < xi, equal(c, gamma**2 / 2), 0 <= depth),
            e_old <= m_old,
            m_old <= exp(-(c * depth)),
            2 / gamma**2 * log(1 / (2 * xi)) <= depth,
        ),
        then=e_old / 2 <= xi,
        proof=by_z3(
            Fact("exp(x) <= exp(y) if x <= y", (-(c * depth), log(2 * xi))),
            Fact("exp(log(x)) = x if x > 0", (2 * xi,)),
            Fact("log(1/x) = -log(x) if x > 0", (2 * xi,)),
        ),
        control=e_old / 2 <= xi / 2,
        example=RISKLESS | at(gamma=1, xi=HALF, c=HALF, D=0),
        remark="This is how the private trees are grown, so it is the statement they need.",
        rests_on=(ERROR_BELOW_RISK, RISK_AFTER_LEVELS),
    ),
    ours.Lemma(
        "boost.largest-share",
        "Of l leaves, the one with the largest Matsushita risk t = w 2 sqrt(q(1 - q)), w being its weight and"
        " q its proportion of positives, has a share t/M of at least 1/l of the tree's.",
        label="boostCOND",
        line=377,
        claim=Claim((1 <= size, 0 < m_old, m_old <= size * t), 1 / size <= t / m_old),
        proofs=(Sum(), Smt()),
        control=2 / size <= t / m_old,
        rests_on=(
            add_up(
                "boost.largest-share.sum",
                {"M": m_old + w * matsushita(q), "L": size + 1},
                (w * matsushita(q) <= t, *unit(q)),
            ),
        ),
    ),
    ours.Step(
        "boost.largest-share.sum",
        "The risk of l leaves is at most l times the largest one: one more leaf.",
        label="boostCOND",
        line=377,
        given=(m_old <= size * t, w * matsushita(q) <= t, *unit(q)),
        then=m_old + w * matsushita(q) <= (size + 1) * t,
        control=m_old + w * matsushita(q) <= size * t,
    ),
    ours.Corollary(
        "boost.largest-share.size",
        "If splits satisfy the γ-WLA and each time the leaf with the largest Matsushita risk w 2 sqrt(q(1 -"
        " q)) is split, L ≥ (1/ξ)^(2/γ²) splits suffice for an empirical risk of at most ξ/2, whatever the"
        " α.",
        label="boostCOND",
        given=(*CONVERGENCE, exp(2 / gamma**2 * log(1 / xi)) <= size, log(size + 1) <= omegas),
        then=e_old / 2 <= xi / 2,
        proof=by_z3(
            Fact("log(x) <= log(y) if 0 < x <= y", (exp(2 / gamma**2 * log(1 / xi)), size + 1)),
            Fact("log(exp(x)) = x", (2 / gamma**2 * log(1 / xi),)),
            Fact("exp(x) <= exp(y) if x <= y", (-(c * omegas), log(xi))),
            *CLOSE[1:],
        ),
        control=e_old / 2 <= xi / 4,
        example=AT_ONCE | dict.fromkeys(("L", "Omega", "omega"), Fraction(1)),
        remark="Ω is the sum of the shares ω_l, each at least 1/l by `boost.largest-share`.",
        rests_on=(ERROR_BELOW_RISK, risk_after_splits("Omega"), HARMONIC),
    ),
    ours.Lemma(
        "boost.peel",
        "Sending a fraction θ of the positives of a leaf, and none of its negatives, to a leaf of their own"
        " has the edge θ, however few the positives are.",
        label="thBoostDT1",
        claim=Claim((0 < p, 0 < n, 0 < theta, theta < 1), equal(theta * p / p - 0 / n, theta)),
        proofs=(Identity(), Smt()),
        control=equal(theta * p / (p + n) - 0 / n, theta),
        remark="Hence the sum of the weights of the leaves that are split can grow without end while the"
        " risk stays.",
    ),
)
