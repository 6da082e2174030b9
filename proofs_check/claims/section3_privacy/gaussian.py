"""Nets with Gaussian noise: their distance between neighbours, and the exponent of a Renyi divergence.

| here | meaning |
|---|---|
| `w` | bound on the weights |
| `k` | order of the divergence |
| `d` | change of a net |
"""

from __future__ import annotations

from privboost.proofs_check import ours
from privboost.proofs_check.language import both, either, equal, reals, smaller
from privboost.proofs_check.proofs import Identity, Smt

d, k, u, v, w, x, y, z = reals("d k u v w x y z")

LABELS = (either(equal(y, 1), equal(y, -1)), either(equal(z, 1), equal(z, -1)))

ENTRIES = (
    ours.Text(
        "sec-solv.nets-euclidean",
        "With weights capped at w the nets of all leaves move by at most 2 w in L2 under exchange, and by w "
        "under add/remove. An example (weight u before the cap, label y) becomes another (v, z) in its leaf, "
        "or goes to another leaf. One flipped label of weight w attains 2 w, so √2 w is not enough.",
        line=527,
        given=(0 <= u, 0 <= v, 0 <= w, *LABELS),
        then=both(
            (smaller(u, w) * y - smaller(v, w) * z) * (smaller(u, w) * y - smaller(v, w) * z) <= 4 * w * w,
            smaller(u, w) * y * smaller(u, w) * y + smaller(v, w) * z * smaller(v, w) * z <= 4 * w * w,
            smaller(u, w) * y * smaller(u, w) * y <= w * w,
            equal((w - -w) * (w - -w), 4 * w * w),
        ),
        proof=Smt(),
        control=both(
            (smaller(u, w) * y - smaller(v, w) * z) * (smaller(u, w) * y - smaller(v, w) * z) <= 2 * w * w,
            smaller(u, w) * y * smaller(u, w) * y <= w * w,
        ),
        remark="The wrong twin is √2 w, the distance if the two examples are in different leaves.",
    ),
    ours.Text(
        "sec-solv.gaussian-exponent",
        "k times the exponent of a Gaussian at 0 and 1 - k times that of one at d are the exponent of one at "
        "(1 - k) d, and k (1 - k) d² is left: the divergence of order k of noise of variance σ² is "
        "k d² / (2 σ²), for noise on a grid at most that (Canonne, Kamath and Steinke 2020, Proposition 5).",
        line=527,
        then=equal(
            k * (x * x) + (1 - k) * ((x - d) * (x - d)),
            (x - (1 - k) * d) * (x - (1 - k) * d) + k * (1 - k) * (d * d),
        ),
        proof=Identity(),
        control=equal(
            k * (x * x) + (1 - k) * ((x - d) * (x - d)),
            (x - (1 - k) * d) * (x - (1 - k) * d) + k * (d * d),
        ),
        remark="Trees that cost ρ / T each cost ρ together (Bun and Steinke 2016, Lemma 1.7).",
    ),
)
