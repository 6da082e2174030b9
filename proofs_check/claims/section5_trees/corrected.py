"""Section 5, trees, corrected: the gain of one split, with the best constant.

| here | mathematics |
|---|---|
| `x`, `y` | the fractions of a leaf's positives and negatives that a split sends right; its edge is x - y |
| `G` | 2 sqrt(q (1 - q)), the Matsushita risk of a leaf with a proportion q of positives |
| `kept(x, y)` | sqrt(x y) + sqrt((1 - x)(1 - y)), the children's Matsushita risk over that of the leaf |
| `M`, `E`, `M2`, `E2` | Matsushita and 0/1 risk of a tree before and after a split, normalised |
| `omega` | w G(q) / M, the share of a tree's Matsushita risk that sits in the leaf to be split |
| `c` | gamma^2 omega / 2, or a factor of gamma^2 |
| `kappa`, `S`, `t` | the fraction kept, the fraction lost, and the quantity they refer to |
"""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import ours
from privboost.proofs_check.claims.common import HALF
from privboost.proofs_check.entry import Cite
from privboost.proofs_check.kernel.terms import Claim
from privboost.proofs_check.language import equal, exp, reals, smaller, sqrt
from privboost.proofs_check.proofs import Computed, Smt, Sum, Use, by_z3

from .algebra import DROPPED
from .computations import every_small_split_drops
from .terms import ERROR_BELOW_RISK, MEANS, MIXED_NEW, MIXED_OLD, RISKS, SPLIT, WEAK, kept, matsushita, unit

q, r, tau, x, y, gamma = reals("q r tau x y gamma")
w, rest, omega, c, t, s = reals("w R omega c t S")
alpha, beta, kappa = reals("alpha beta kappa")
m_old, e_old, m_new, e_new, m_best, e_best = reals("M E M2 E2 M3 E3")


tree_before = w * matsushita(q) + rest
tree_after = w * matsushita(q) * kept(x, y) + rest
SHARE = w * matsushita(q) / tree_before
SPLIT_TREE = {"M": tree_before, "M2": tree_after, "t": SHARE}
"""What the risks of a tree are, before and after the split of one leaf."""

DROP = gamma**2 / 2 * t
"""The fraction by which a split with the γ-WLA of a leaf with the share t lowers the Matsushita risk."""

children_error = 2 * w * (smaller(q * x, (1 - q) * y) + smaller(q * (1 - x), (1 - q) * (1 - y)))
SPLIT_ERROR = {"E": 2 * w * smaller(q, 1 - q) + rest, "E2": children_error + rest}
"""What the 0/1 risks of a tree are, before and after the split of one leaf; R is that of the other leaves."""

HALF_DROP = Use("boost.leaf-drop-half", {"x": x, "y": y, "gamma": gamma})

ENTRIES = (
    ours.Lemma(
        "boost.child-risk",
        "A child with the fraction x of the positives and y of the negatives of a leaf has sqrt(x y) times"
        " its Matsushita risk.",
        label="eqKM1",
        given=(0 < q, q < 1, *unit(x, y), 0 < tau, equal(tau * r, q * x), equal(tau * (1 - r), (1 - q) * y)),
        then=equal(tau * matsushita(r), matsushita(q) * sqrt(x * y)),
        control=equal(tau * matsushita(r), 2 * matsushita(q) * sqrt(x * y)),
    ),
    ours.Lemma(
        "boost.leaf-drop-square",
        "The children keep at most the fraction sqrt(1 - edge^2) of a leaf's Matsushita risk, by the"
        " inequality of the means.",
        label="eqKM1",
        claim=Claim(unit(x, y), kept(x, y) ** 2 <= 1 - (x - y) ** 2),
        control=kept(x, y) ** 2 <= 1 - 2 * (x - y) ** 2,
    ),
    ours.Theorem(
        "boost.leaf-drop",
        "Under the γ-WLA the children keep at most the fraction sqrt(1 - γ²) of a leaf's Matsushita risk.",
        label="eqKM1",
        claim=Claim(WEAK, kept(x, y) <= sqrt(1 - gamma**2)),
        proof=by_z3(Use("boost.leaf-drop-square", {"x": x, "y": y})),
        control=kept(x, y) <= 1 - gamma,
        remark="This replaces what the paper takes from Kearns and Mansour, so that nothing rests on them.",
    ),
    ours.Corollary(
        "boost.leaf-drop-half",
        "A split with the γ-WLA lowers a leaf's Matsushita risk by the fraction γ²/2 at least: 8 times"
        " the printed 1/16.",
        label="eqKM1",
        claim=Claim(WEAK, kept(x, y) <= 1 - gamma**2 / 2),
        proofs=(
            by_z3(Use("boost.leaf-drop", {"x": x, "y": y, "gamma": gamma})),
            Computed(every_small_split_drops, (HALF,), (Fraction(3, 5),), engine="exhaustion"),
        ),
        control=kept(x, y) <= 1 - gamma**2,
    ),
    ours.Lemma(
        "boost.leaf-drop-best",
        "The fraction sqrt(1 - γ²) is attained when x = (1 + γ)/2 and y = (1 - γ)/2, for every q: no smaller"
        " one would do.",
        label="eqKM1",
        given=(0 <= gamma, gamma <= 1),
        then=equal(kept((1 + gamma) / 2, (1 - gamma) / 2), sqrt(1 - gamma**2)),
        control=equal(kept((1 + gamma) / 2, (1 - gamma) / 2), 1 - gamma**2 / 2),
    ),
    ours.Lemma(
        "boost.half-best",
        "The factor 1/2 of γ² is the best: for every c > 1/2 the splits of `boost.leaf-drop-best` with a"
        " small γ keep more than 1 - c γ².",
        label="eqKM1",
        given=(0 < gamma, gamma <= 1, HALF < c, c**2 * gamma**2 < 2 * c - 1, c * gamma**2 <= 1),
        then=1 - c * gamma**2 < sqrt(1 - gamma**2),
        control=1 - gamma**2 / 4 < sqrt(1 - gamma**2),
    ),
    ours.Step(
        "boost.scaled",
        "A fraction k ≤ 1 - z of something non-negative that is kept means that the fraction z is lost.",
        label="eqKM1",
        claim=Claim((0 <= t, kappa <= 1 - s), t * s <= t * (1 - kappa)),
        proofs=(Smt(), Sum()),
        control=t * s <= t * (1 - 2 * kappa),
    ),
    ours.Corollary(
        "boost.leaf-drop-amount",
        "Under the γ-WLA the Matsushita risk of a leaf drops by γ²/2 times itself at least.",
        label="eqKM1",
        claim=Claim((*WEAK, *unit(q)), matsushita(q) * (gamma**2 / 2) <= matsushita(q) * (1 - kept(x, y))),
        proof=by_z3(HALF_DROP),
        control=matsushita(q) * gamma**2 <= matsushita(q) * (1 - kept(x, y)),
    ),
    ours.Theorem(
        "boost.tree-drop.amount",
        "Splitting a leaf of weight w and proportion q of positives with the γ-WLA lowers the Matsushita"
        " risk of a tree by (γ²/2) w 2 sqrt(q(1 - q)) at least.",
        label="eqKM1",
        given=(*WEAK, 0 < q, q < 1, 0 < w, w <= 1, 0 <= rest),
        then=w * matsushita(q) * kept(x, y) + rest
        <= w * matsushita(q) + rest - gamma**2 / 2 * (w * matsushita(q)),
        proof=by_z3(
            HALF_DROP, Use("boost.scaled", {"t": w * matsushita(q), "kappa": kept(x, y), "S": gamma**2 / 2})
        ),
        control=w * matsushita(q) * kept(x, y) + rest
        <= w * matsushita(q) + rest - gamma**2 * (w * matsushita(q)),
    ),
    ours.Theorem(
        "boost.tree-drop",
        "Splitting a leaf of weight w and proportion q of positives with the γ-WLA multiplies the"
        " Matsushita risk M = w 2 sqrt(q(1 - q)) + R of the tree by at most 1 - (γ²/2) ω, where"
        " ω = w 2 sqrt(q(1 - q))/M is the leaf's share of that risk.",
        label="eqKM1",
        given=(*WEAK, 0 < q, q < 1, 0 < w, w <= 1, 0 <= rest),
        then=tree_after <= (1 - gamma**2 / 2 * SHARE) * tree_before,
        proof=by_z3(
            Use("boost.tree-drop.amount"),
            Use("boost.tree-drop.share", {"t": w * matsushita(q), "R": rest, "M2": tree_after}),
        ),
        control=tree_after <= (1 - gamma**2 * SHARE) * tree_before,
    ),
    ours.Step(
        "boost.tree-drop.share",
        "A drop by (γ²/2) t of something that is t + R is a drop by the fraction (γ²/2) t/(t + R).",
        label="eqKM1",
        given=(0 < t, 0 <= rest, m_new <= t + rest - gamma**2 / 2 * t),
        then=m_new <= (1 - gamma**2 / 2 * (t / (t + rest))) * (t + rest),
        control=m_new <= (1 - gamma**2 * (t / (t + rest))) * (t + rest),
    ),
    ours.Lemma(
        "boost.error.split",
        "Splitting a leaf does not raise the 0/1 risk of a tree.",
        label="tekLEM",
        line=1711,
        claim=Claim((*unit(x, y, q), 0 < w), SPLIT_ERROR["E2"] <= SPLIT_ERROR["E"]),
        control=SPLIT_ERROR["E"] <= SPLIT_ERROR["E2"],
    ),
    ours.Lemma(
        "boost.one-split",
        "A split with the γ-WLA of a leaf with the share ω of the Matsushita risk lowers that risk by the"
        " fraction c = γ² ω/2 and does not raise the 0/1 risk. If α ≤ β exp(c (1 - β)), then the Mα risk"
        " after it is at most 1 - c α times the Mβ risk before it; α is α_l and β is α_(l-1).",
        label="tekLEM",
        line=1711,
        also=("bONEITER",),
        given=(
            *MEANS,
            *RISKS,
            *(0 < gamma, gamma <= 1, *unit(t)),
            m_new <= (1 - DROP) * m_old,
            e_new <= e_old,
            alpha <= beta * exp(DROP * (1 - beta)),
        ),
        then=MIXED_NEW <= (1 - DROP * alpha) * MIXED_OLD,
        proof=by_z3(
            Use("approxEQ1.from-exponential", {"alpha": alpha, "beta": beta, "c": DROP}),
            Use(
                "tekLEM.assembled",
                {"alpha": alpha, "beta": beta, "c": DROP, "M": m_old, "E": e_old, "M2": m_new, "E2": e_new},
            ),
        ),
        control=MIXED_NEW <= (1 - DROP) * MIXED_OLD,
        example=dict.fromkeys(("alpha", "beta", "q"), HALF)
        | dict.fromkeys(("M", "E", "gamma", "t", "w", "x"), Fraction(1))
        | dict.fromkeys(("M2", "E2", "R", "y"), Fraction(0)),
        rests_on=(
            ERROR_BELOW_RISK,
            Cite("boost.tree-drop", SPLIT_TREE, SPLIT),
            Cite("boost.error.split", SPLIT_ERROR, (*unit(x, y, q), 0 < w)),
        ),
        remark="ω is `t` here; the weight of the leaf in its place is the paper's mistake.",
    ),
    ours.Step(
        "boost.greedy-split",
        "The bound of `boost.one-split` also holds where the WLA is met by some split of some leaf and"
        " the tree takes the split that minimises the Mα risk: a better split has no larger Mα risk.",
        label="tekLEM",
        line=1711,
        given=(
            *DROPPED,
            e_new <= e_old,
            alpha * (1 - c * (1 - beta)) <= beta,
            alpha * m_best + (1 - alpha) * e_best <= MIXED_NEW,
        ),
        then=alpha * m_best + (1 - alpha) * e_best <= (1 - c * alpha) * MIXED_OLD,
        control=m_best <= (1 - c * alpha) * m_old,
    ),
)
