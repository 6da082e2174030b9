"""Many canaries in one run: what privacy says about coins that the output does not show.

| here | meaning |
|---|---|
| `x`, `y` | probability of an output with a right and with a wrong guess of a coin |
| `c`, `d` | exp(epsilon), and delta |
| `p1`, `q1` | the same for one value of a coin that is not revealed |
| `q`, `p` | chance that a guess is right, and c / (1 + c) |
"""

from __future__ import annotations

from privboost.proofs_check import ours
from privboost.proofs_check.language import both, equal, reals
from privboost.proofs_check.proofs import Cited, Smt, Sum

c, d, f, g, k, p, p1, p2, q, q1, q2 = reals("c d f g k p p1 p2 q q1 q2")
r, s, t, u, v, w, x, y = reals("r s t u v w x y")
CHANCE = (0 < c, 0 <= q, q * (1 + c) <= c)

ENTRIES = (
    ours.Lemma(
        "one-run.odds",
        "Canaries are in or out by independent fair coins. Given an output and the coins of all other "
        "canaries, the guess of a coin is right with chance q ≤ c / (1 + c): the output has probability x if "
        "the guess is right and y if it is wrong, x ≤ c y, and both were equally likely before.",
        line=181,
        given=(0 < c, 0 <= x, 0 <= y, 0 < x + y, x <= c * y, equal(q * (x + y), x)),
        then=q * (1 + c) <= c,
        proof=Smt(),
        control=q * (2 + c) <= c,
        also=("defEDPRIV",),
    ),
    ours.Lemma(
        "one-run.hidden",
        "The same given the output and the coins of some of the others: the coins that are not revealed are "
        "averaged. Here one coin with values 1 and 2, and the chance r. So the order of the guesses may "
        "depend on the output and on all coins revealed before.",
        line=181,
        given=(
            *(0 < c, 0 <= p1, 0 <= p2, 0 <= q1, 0 <= q2, 0 < p1 + p2 + q1 + q2),
            *(p1 <= c * q1, p2 <= c * q2, equal(r * (p1 + p2 + q1 + q2), p1 + p2)),
        ),
        then=r * (1 + c) <= c,
        proof=Smt(),
        control=r * (2 + c) <= c,
        also=("defEDPRIV",),
    ),
    ours.Lemma(
        "one-run.bet",
        "A stake f / c on a guess, f from 0 to 1, multiplies wealth by 1 + f / c if it is right and by 1 - f "
        "if it is wrong: by at most 1 in the mean (here times c). So wealth is a supermartingale, canary by "
        "canary and fit by fit.",
        line=181,
        given=(*CHANCE, 0 <= f, f <= 1),
        then=q * (c + f) + (1 - q) * (c * (1 - f)) <= c,
        proof=Smt(),
        control=q * (c + f) + (1 - q) * (c * (1 - f)) <= c * (1 - f),
        also=("defEDPRIV",),
    ),
    ours.Lemma(
        "one-run.count",
        "The chance that right guesses ever reach limits that were fixed before is greatest if every guess "
        "is right with chance p, independently. One step backwards: v and w are the chances after a right "
        "and after a wrong guess, w ≤ v.",
        line=181,
        given=(w <= v, q <= p),
        then=q * v + (1 - q) * w <= p * v + (1 - p) * w,
        proofs=(Sum(), Smt()),
        control=p * v + (1 - p) * w <= q * v + (1 - q) * w,
        also=("defEDPRIV",),
    ),
    ours.Lemma(
        "one-run.delta",
        "If x ≤ c y + d, then right guesses of probability t = d / (1 + c) ≤ d / 2 can be counted as wrong "
        "ones, after which the chance is as without d. Under (ε, δ)-privacy the d of all outputs add up to "
        "at most δ / 2 for either value of a coin. So over m canaries guesses are changed with probability "
        "at most m δ / 2.",
        line=181,
        given=(1 <= c, 0 <= d, x <= c * y + d, equal(t * (1 + c), d)),
        then=both(x - t <= c * (y + t), 2 * t <= d),
        proof=Smt(),
        control=both(x - t <= c * y, 2 * t <= d),
        also=("defEDPRIV",),
        remark="What is valid at every time without delta thus stays so with the error probability alpha + m "
        "δ / 2. Charging δ to every bet, as for independent calls, is not enough within one run: an output "
        "may show all coins at once with probability δ.",
    ),
    ours.Theorem(
        "one-run.f-dp",
        "f-DP in one run: of r guesses, which depend on the output alone, n are right with probability p_n. "
        "For every n0 the sum of n p_n over n ≥ n0, divided by m, is at most 1 - f of the sum of (r - n) p_n "
        "over n ≥ n0 - 1, divided by m.",
        line=181,
        proof=Cited(
            "Mahloujifar, Melis and Chaudhuri 2024, Auditing f-differential privacy in one run; for (ε, δ) "
            "also Steinke, Nasr and Jagielski 2023, Privacy auditing with one (1) training run"
        ),
        also=("defEDPRIV",),
        remark="Flipping one coin under the same output turns a right guess into a wrong one and lowers n by "
        "1; 1 - f is concave, so that the mean over canaries and coins stays below.",
    ),
    ours.Step(
        "one-run.least-mass",
        "How one-run.f-dp bounds the chance of many right guesses. Let G(n) be the chance of n or more. Then "
        "k G(n - 1) ≥ s + w, with k = r - n + 1, the sum s of G(n), G(n + 1), … and w, which grows with "
        "them. If these were greater (u ≥ s, v ≥ w), then what is possible for G(n - 1) would be possible "
        "now: the least values follow one from the other, and G(0) ≤ 1 refutes a tail that is too heavy.",
        line=181,
        given=(1 <= k, s <= u, w <= v, u + v <= k * g),
        then=s + w <= k * g,
        proofs=(Sum(), Smt()),
        control=s + w <= g,
        also=("defEDPRIV",),
    ),
)
