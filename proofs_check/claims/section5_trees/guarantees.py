"""Section 5, trees, corrected: the boosting theorem, full levels, and the leaf to split.

| here | mathematics |
|---|---|
| `M`, `E`, `M2` | Matsushita and 0/1 risk of a tree, Matsushita risk after more splits, normalised |
| `omega`, `t` | the share of a tree's Matsushita risk that sits in the leaf to be split |
| `c` | gamma^2 / 2 |
| `S`, `D` | the sum over the splits so far of omega times alpha, the depth |
| `err` | the empirical risk, half of the 0/1 risk that is 1 at 1/2 |
"""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check.claims.common import HALF
from privboost.proofs_check.engines.elementary import Fact
from privboost.proofs_check.entry import Entry
from privboost.proofs_check.kernel.terms import Claim, term
from privboost.proofs_check.language import equal, exp, log, reals, sqrt
from privboost.proofs_check.proofs import Smt

from .terms import matsushita, unit

q, gamma, theta, p, n = reals("q gamma theta p n")
rest, rest2, omega, c, t, s, size, power, depth = reals("R R2 omega c t S L P D")
alpha, xi, err, kappa = reals("alpha xi err kappa")
m_old, e_old, m_new = reals("M E M2")


CLOSE = (
    Fact("exp(x) <= exp(y) if x <= y", (-(c * s), log(xi))),
    Fact("exp(log(x)) = x if x > 0", (xi,)),
    Fact("log(1/x) = -log(x) if x > 0", (xi,)),
)

ENTRIES = (
    Entry(
        "boost.theorem.start",
        "The normalised Matsushita risk of the root is at most 1.",
        "step",
        label="thBoostDT1",
        line=365,
        reading="ours",
        claim=Claim(unit(q), matsushita(q) <= exp(-c * 0)),
        proofs=(Smt(facts=(Fact("exp(0) = 1"),)),),
        control=matsushita(q) <= HALF * exp(-c * 0),
    ),
    Entry(
        "boost.theorem.step",
        "If the risk so far is at most exp(-γ² S/2) and a split multiplies it by at most 1 - (γ²/2) t, it is"
        " at most exp(-γ² (S + t)/2) afterwards.",
        "step",
        label="thBoostDT1",
        line=365,
        reading="ours",
        claim=Claim(
            (
                0 < gamma,
                gamma <= 1,
                *unit(t),
                0 <= m_old,
                m_old <= exp(-(gamma**2) / 2 * s),
                m_new <= (1 - gamma**2 / 2 * t) * m_old,
            ),
            m_new <= exp(-(gamma**2) / 2 * (s + t)),
        ),
        proofs=(
            Smt(
                facts=(
                    Fact("exp(x + y) = exp(x) exp(y)", (-(gamma**2) / 2 * s, -(gamma**2) / 2 * t)),
                    Fact("exp(x) >= 1 + x", (-(gamma**2) / 2 * t,)),
                )
            ),
        ),
        control=m_new <= exp(-(gamma**2) * (s + t)),
        example={"gamma": Fraction(1), "t": HALF, "S": Fraction(0), "M": Fraction(1), "M2": HALF},
    ),
    Entry(
        "boost.theorem",
        "The boosting theorem: if every split satisfies the γ-WLA, then the empirical risk after the splits"
        " 1, ..., L is at most ξ/2 as soon as the sum of ω_l α_l, l = 1, ..., L, is at least (2/γ²)"
        " log(1/ξ), where ω_l is the share of the Matsushita risk, not of the weight, in the leaf that is"
        " split.",
        "theorem",
        label="thBoostDT1",
        line=365,
        also=("eqBOOST11", "lemBCONV"),
        reading="ours",
        claim=Claim(
            (
                0 < gamma,
                gamma <= 1,
                0 < xi,
                xi <= 1,
                equal(c, gamma**2 / 2),
                2 * err <= e_old,
                e_old <= m_old,
                m_old <= exp(-(c * s)),
                2 / gamma**2 * log(1 / xi) <= s,
            ),
            err <= xi / 2,
        ),
        proofs=(Smt(facts=CLOSE),),
        control=err <= xi / 4,
        example={
            "gamma": Fraction(1),
            "xi": Fraction(1),
            "c": HALF,
            "err": Fraction(0),
            "E": Fraction(0),
            "M": Fraction(0),
            "S": Fraction(0),
        },
        remark="The bound exp(-c S) on the risk is `boost.theorem.start` and, once for each split,"
        " `boost.tree-drop`, `boost.one-split` and `boost.theorem.step`. The printed 16 becomes 2.",
        rests_on=(
            "boost.theorem.start",
            "boost.tree-drop",
            "boost.one-split",
            "boost.theorem.step",
        ),
    ),
    Entry(
        "boost.any-alpha",
        "Where the splits made satisfy the γ-WLA, no condition on the sequence of α is needed, and the"
        " sum of the shares ω_l of the Matsushita risk in the leaves that are split may be used without"
        " the α: the Matsushita risk bounds the empirical risk whatever α is.",
        "theorem",
        label="thBoostDT1",
        line=365,
        reading="ours",
        claim=Claim(
            (
                0 < gamma,
                gamma <= 1,
                0 < xi,
                xi <= 1,
                equal(c, gamma**2 / 2),
                2 * err <= e_old,
                e_old <= m_old,
                m_old <= exp(-(c * (s + t))),
                0 <= t,
                2 / gamma**2 * log(1 / xi) <= s,
            ),
            err <= xi / 2,
        ),
        proofs=(Smt(facts=(*CLOSE, Fact("exp(x) <= exp(y) if x <= y", (-(c * (s + t)), -(c * s))))),),
        control=err <= xi / 4,
        example={
            "gamma": Fraction(1),
            "xi": Fraction(1),
            "c": HALF,
            "err": Fraction(0),
            "E": Fraction(0),
            "M": Fraction(0),
            "S": Fraction(0),
            "t": Fraction(0),
        },
        remark="S is the sum of ω α and S + t that of ω, by `boost.any-alpha.sum`. So the theorem says"
        " nothing about what a small α costs: α matters only where the WLA holds for some split and the tree"
        " takes the one that minimises the Mα risk (`boost.greedy-split`).",
        rests_on=(
            "boost.any-alpha.sum",
            "boost.theorem.start",
            "boost.tree-drop",
            "boost.theorem.step",
        ),
    ),
    Entry(
        "boost.any-alpha.sum",
        "The sum of ω_l α_l is at most the sum of ω_l: the step of the induction.",
        "step",
        label="thBoostDT1",
        line=365,
        reading="ours",
        claim=Claim((*unit(alpha, omega), s <= t), s + omega * alpha <= t + omega),
        proofs=(Smt(),),
        control=s + omega <= t + omega * alpha,
    ),
    Entry(
        "boost.printed-index",
        "With the sum up to L, as printed, also the tree h_L before the split L has an empirical risk of at"
        " most ξ: the last term is worth a factor exp(1/2) < 2.",
        "corollary",
        label="thBoostDT1",
        line=365,
        also=("eqCONV1C",),
        reading="ours",
        claim=Claim(
            (
                0 < gamma,
                gamma <= 1,
                0 < xi,
                xi <= 1,
                equal(c, gamma**2 / 2),
                *unit(t),
                2 * err <= exp(-(c * (s - t))),
                2 / gamma**2 * log(1 / xi) <= s,
            ),
            err <= xi,
        ),
        proofs=(
            Smt(
                facts=(
                    *CLOSE,
                    Fact("exp(x + y) = exp(x) exp(y)", (-(c * s), c * t)),
                    Fact("exp(x) <= exp(y) if x <= y", (c * t, term(HALF))),
                    Fact("exp(x) >= 1 + x", (term(-HALF),)),
                    Fact("exp(x + y) = exp(x) exp(y)", (term(HALF), term(-HALF))),
                    Fact("exp(0) = 1"),
                )
            ),
        ),
        control=err <= xi / 2,
        example={
            "gamma": Fraction(1),
            "xi": Fraction(1),
            "c": HALF,
            "err": Fraction(0),
            "t": Fraction(0),
            "S": Fraction(0),
        },
    ),
    Entry(
        "boost.level-sum",
        "If every leaf of a level keeps at most the fraction κ of its risk, so does the level: the step of"
        " the induction over leaves.",
        "step",
        label="boostCOND",
        line=392,
        reading="ours",
        claim=Claim(
            (*unit(kappa), 0 <= m_old, m_new <= kappa * m_old, 0 <= rest, rest2 <= kappa * rest),
            m_new + rest2 <= kappa * (m_old + rest),
        ),
        proofs=(Smt(),),
        control=m_new + rest2 <= kappa * m_old + rest * kappa**2,
    ),
    Entry(
        "boost.level",
        "Splitting every impure leaf of a level with the γ-WLA multiplies the Matsushita risk by at most"
        " sqrt(1 - γ²): after D levels its square is at most (1 - γ²)^D.",
        "step",
        label="boostCOND",
        line=392,
        reading="ours",
        claim=Claim(
            (
                0 < gamma,
                gamma <= 1,
                0 <= m_old,
                0 <= m_new,
                m_old**2 <= power,
                m_new <= sqrt(1 - gamma**2) * m_old,
            ),
            m_new**2 <= (1 - gamma**2) * power,
        ),
        proofs=(Smt(),),
        control=m_new**2 <= (1 - gamma) * power,
    ),
    Entry(
        "boost.level-exponential",
        "After D full levels of splits with the γ-WLA the Matsushita risk is at most exp(-γ² D/2): the"
        " step from D to D + 1.",
        "step",
        label="boostCOND",
        line=392,
        reading="ours",
        claim=Claim(
            (
                0 < gamma,
                gamma <= 1,
                0 <= m_old,
                m_old <= exp(-(gamma**2) / 2 * depth),
                m_new <= sqrt(1 - gamma**2) * m_old,
            ),
            m_new <= exp(-(gamma**2) / 2 * (depth + 1)),
        ),
        proofs=(
            Smt(
                facts=(
                    Fact("exp(x + y) = exp(x) exp(y)", (-(gamma**2) / 2 * depth, -(gamma**2) / 2)),
                    Fact("exp(x) >= 1 + x", (-(gamma**2) / 2,)),
                )
            ),
        ),
        control=m_new <= exp(-(gamma**2) * (depth + 1)),
        example={"gamma": HALF, "D": Fraction(0), "M": Fraction(1), "M2": HALF},
    ),
    Entry(
        "boost.depth",
        "A tree whose impure leaves are all split with the γ-WLA, level by level, has an empirical risk of"
        " at most ξ at depth D ≥ (2/γ²) log(1/(2ξ)), whatever the α.",
        "theorem",
        label="boostCOND",
        line=392,
        reading="ours",
        claim=Claim(
            (
                0 < gamma,
                gamma <= 1,
                0 < xi,
                equal(c, gamma**2 / 2),
                2 * err <= m_old,
                m_old <= exp(-(c * depth)),
                2 / gamma**2 * log(1 / (2 * xi)) <= depth,
            ),
            err <= xi,
        ),
        proofs=(
            Smt(
                facts=(
                    Fact("exp(x) <= exp(y) if x <= y", (-(c * depth), log(2 * xi))),
                    Fact("exp(log(x)) = x if x > 0", (2 * xi,)),
                    Fact("log(1/x) = -log(x) if x > 0", (2 * xi,)),
                )
            ),
        ),
        control=err <= xi / 2,
        example={
            "gamma": Fraction(1),
            "xi": HALF,
            "c": HALF,
            "err": Fraction(0),
            "M": Fraction(0),
            "D": Fraction(0),
        },
        remark="This is how the private trees are grown, so it is the statement they need.",
    ),
    Entry(
        "boost.largest-share",
        "Of l leaves, the one with the largest Matsushita risk w 2 sqrt(q(1 - q)), w being its weight and"
        " q its proportion of positives, has a share ω of at least 1/l of the tree's.",
        "lemma",
        label="boostCOND",
        line=377,
        reading="ours",
        claim=Claim((1 <= size, 0 < m_old, m_old <= size * t, equal(omega, t / m_old)), 1 / size <= omega),
        proofs=(Smt(),),
        control=2 / size <= omega,
        remark="t is the largest of l numbers with the sum M, so M ≤ l t.",
    ),
    Entry(
        "boost.largest-share.size",
        "Splitting the leaf with the largest Matsushita risk w 2 sqrt(q(1 - q)) each time, L ≥"
        " (1/ξ)^(2/(α γ²)) splits suffice for a constant α > 0 (and (1/ξ)^(2/γ²) by `boost.any-alpha`).",
        "corollary",
        label="boostCOND",
        line=381,
        reading="ours",
        claim=Claim(
            (
                0 < gamma,
                gamma <= 1,
                0 < alpha,
                alpha <= 1,
                0 < xi,
                xi <= 1,
                exp(2 / (alpha * gamma**2) * log(1 / xi)) <= size,
                log(size + 1) <= s,
            ),
            2 / gamma**2 * log(1 / xi) <= alpha * s,
        ),
        proofs=(
            Smt(
                facts=(
                    Fact(
                        "log(x) <= log(y) if 0 < x <= y",
                        (exp(2 / (alpha * gamma**2) * log(1 / xi)), size + 1),
                    ),
                    Fact("log(exp(x)) = x", (2 / (alpha * gamma**2) * log(1 / xi),)),
                )
            ),
        ),
        control=4 / gamma**2 * log(1 / xi) <= alpha * s,
        example={
            "gamma": Fraction(1),
            "alpha": Fraction(1),
            "xi": Fraction(1),
            "L": Fraction(1),
            "S": Fraction(1),
        },
        remark="S is the sum of the shares ω_l ≥ 1/l, at least log(L + 1) by `boostCOND.harmonic`.",
    ),
    Entry(
        "boost.peel",
        "Sending a fraction θ of the positives of a leaf, and none of its negatives, to a leaf of their own"
        " has the edge θ, however few the positives are, and keeps the weight of the negatives.",
        "lemma",
        label="thBoostDT1",
        line=365,
        reading="ours",
        claim=Claim((0 < p, 0 < n, 0 < theta, theta < 1), equal(theta * p / p - 0 / n, theta)),
        proofs=(Smt(),),
        control=equal(theta * p / (p + n) - 0 / n, theta),
        remark="Hence the sum of the weights of the leaves that are split can grow without end while the"
        " risk stays.",
    ),
)
