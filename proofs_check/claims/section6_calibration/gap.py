"""Section 6: the decrease of the risk of a tree by a split, the Gap assumption, and the efficiency of a node.

| here | paper |
|---|---|
| `a`, `b` | share of a leaf's positive and negative mass that a split sends right; its edge is abs(a - b) |
| `tree`, `drop` | risk of the whole tree, and its decrease by a split |
| `leaf_m`, `leaf_e` | Matsushita risk and 0/1 risk of the leaf that is split |
| `share`, `power` | normalised weight of a node, and 2 to the power of its depth |
"""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import meant, ours, paper
from privboost.proofs_check.claims.common import HALF, at
from privboost.proofs_check.entry import Entry, Severity
from privboost.proofs_check.kernel.terms import Claim
from privboost.proofs_check.language import absolute, between, both, either, equal, implies, larger, reals
from privboost.proofs_check.proofs import Counterexample, Smt, Sum, Use, Witness, by_z3

from .computations import check_efficiency, check_small_gain
from .terms import KEPT

alpha, gamma, err, share, power = reals("alpha gamma err share power")
a, b, p, q, r, tau, u, u2, high = reals("a b p q r tau u u2 high")
drop, tree, leaf_m, leaf_e, drop_e, kept = reals("drop tree leaf_m leaf_e drop_e kept")

FAINT = Fraction(1, 10_000)
"""The mass of the minority class in a nearly pure leaf."""

UNIT = (*between(0, a, 1), *between(0, b, 1))
EFFICIENCY = 8 * share * err**2 / power

ENTRIES: tuple[Entry, ...] = (
    paper.Equation(
        "condGAP",
        "For every tree, leaf and split the drop of the risk is u γ² α w/16 times the risk, for some u ≥ 0: "
        "that is, the factor of u is positive, or the drop is 0.",
        line=486,
        given=(
            0 < gamma,
            *between(0, alpha, 1),
            *between(0, share, 1),
            *between(0, drop, tree),
            drop <= share,
        ),
        then=either(0 < gamma**2 * alpha * share / 16 * tree, equal(drop, 0)),
        added=(implies(equal(alpha, 0), equal(tree, 0)),),
        hypothesis="α = 0 only where the tree makes no mistake, as fixALPHA has it",
        control=0 < gamma**2 * alpha * share / 16 * tree,
        without=Counterexample(
            at(gamma=1, alpha=0, share=1, drop=1, tree=1), at(gamma=1, alpha=1, share=1, drop=1, tree=1)
        ),
    ),
    meant.Step(
        "condGAP.witness",
        "Where its factor is positive, u is the drop over that factor, and is ≥ 0.",
        line=486,
        given=(0 <= drop, 0 < high, equal(high, gamma**2 * alpha * share / 16 * tree)),
        then=both(0 <= drop / high, equal(drop, drop / high * (gamma**2 * alpha * share / 16) * tree)),
        control=both(0 < drop / high, equal(drop, drop / high * (gamma**2 * alpha * share / 16) * tree)),
    ),
    paper.Text(
        "condGAP.at-least-one",
        "Every split that meets the γ-WLA has u ≥ 1, where u γ² α w/16 is the fraction of the tree's Mα"
        " risk that the split of a leaf of normalised weight w takes off.",
        lines=(490, 2140),
        also=("eqKM1bb",),
        refutation=Witness(check_small_gain, (FAINT,), (Fraction(1),)),
        correction="condGAP.own-risk",
        severity=Severity.THEOREM,
        remark="Follows from eqKM1. A leaf can lose no more than its own risk, and condGAP asks for a"
        " share of the whole tree's: not even a perfect split of a nearly pure leaf has that.",
    ),
    ours.Text(
        "condGAP.own-risk",
        "With the leaf's own risk in place of the tree's, splits that meet the γ-WLA have u ≥ 8 in"
        " condGAP: the drop of the Mα-risk α M + (1 - α) E of a leaf, M and E being its Matsushita and"
        " 0/1 risk, is at least γ² α/2 times M, and M is at least that risk.",
        line=490,
        given=(
            *(*UNIT, 0 < gamma, gamma <= absolute(a - b), *between(0, alpha, 1)),
            *(0 <= leaf_e, leaf_e <= leaf_m, 0 <= drop_e),
        ),
        then=both(
            gamma**2 * alpha / 2 * leaf_m <= alpha * leaf_m * (1 - KEPT) + (1 - alpha) * drop_e,
            alpha * leaf_m + (1 - alpha) * leaf_e <= leaf_m,
        ),
        proof=by_z3(Use("boost.leaf-drop-half", {"x": a, "y": b}), Use("condGAP.mixed-drop", {"kept": KEPT})),
        control=gamma**2 / 2 * leaf_m <= alpha * leaf_m * (1 - KEPT) + (1 - alpha) * drop_e,
        remark="With a single leaf the two risks are one, so u ≥ 1 is right for the first split of a tree.",
    ),
    ours.Step(
        "condGAP.mixed-drop",
        "A leaf that keeps at most 1 - γ²/2 of its Matsushita risk M loses at least γ² α/2 times M of its "
        "Mα-risk α M + (1 - α) E, because E does not rise.",
        line=490,
        given=(*between(0, alpha, 1), 0 <= leaf_m, 0 <= drop_e, kept <= 1 - gamma**2 / 2),
        then=gamma**2 * alpha / 2 * leaf_m <= alpha * leaf_m * (1 - kept) + (1 - alpha) * drop_e,
        proofs=(Smt(), Sum(degree=3)),
        control=gamma**2 / 2 * leaf_m <= alpha * leaf_m * (1 - kept) + (1 - alpha) * drop_e,
    ),
    meant.Text(
        "condGAP.gap-by-gain",
        "Among finitely many splits with u < 1 in condGAP the greatest u is a δ < 1 (two of them; then"
        " one more each).",
        line=490,
        claim=Claim((u < 1, u2 < 1), both(larger(u, u2) < 1, u <= larger(u, u2), u2 <= larger(u, u2))),
        control=both(larger(u, u2) < 1, larger(u, u2) <= u),
        remark="So the Gap assumption always holds when splits are called fat for u ≥ 1, but then fat is"
        " not what meets the weak learning assumption.",
    ),
    paper.Equation(
        "condGAP.efficiency",
        "The tree-efficiency J = 8 w err²/2^depth of a node of normalised weight w in a tree of empirical"
        " risk err is in [0, 1].",
        lines=(494, 2079, 2338),
        refutation=Witness(check_efficiency, (2, 3), (1, 9)),
        correction="condGAP.efficiency-range",
        severity=Severity.SLIP,
        erratum="efficiency-range",
    ),
    meant.Equation(
        "condGAP.efficiency-range",
        "The tree-efficiency J = 8 w err²/2^depth of a node of normalised weight w is in [0, 2], with the"
        " empirical risk err ≤ 1/2 of the tree; 2 is reached at a root with as much of both classes.",
        lines=(494, 2079, 2338),
        given=(*between(0, share, 1), *between(0, err, HALF), 1 <= power),
        then=both(0 <= EFFICIENCY, EFFICIENCY <= 2),
        control=both(0 <= EFFICIENCY, EFFICIENCY < 2),
    ),
)
