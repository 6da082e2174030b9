"""Where the printed definitions of Sections 2 and 4 do not give the properties stated of them.

Each erratum carries an exact witness that is computed, not quoted: `witness()` evaluates the printed
definition and the stated property at a point where they part, and says whether they do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from . import witnesses
from .witnesses import Witness


@dataclass(frozen=True, slots=True)
class Erratum:
    """A place of the paper where the printed text and a stated property disagree."""

    key: str
    label: str
    section: str
    printed: str
    stated: str
    correction: str
    witness: Callable[[], Witness]


ERRATA: tuple[Erratum, ...] = (
    Erratum(
        "zero-one-variable",
        "sec:def",
        "2",
        "the partial 0/1 losses are indicators of pi",
        "a loss in the prediction u; symmetric; its Bayes risk is min(pi, 1 - pi), concave",
        "indicators of u",
        witnesses.zero_one_variable,
    ),
    Erratum(
        "tie-at-half",
        "defMatsualpha",
        "2, 4",
        "at u = 1/2 both labels pay the whole 0/1 part",
        "the loss is proper, strictly for alpha > 0",
        "half the price at u = 1/2: [y u < y/2] + [u = 1/2] / 2; as printed proper for alpha = 1 only",
        witnesses.tie_at_half,
    ),
    Erratum(
        "malpha-factor",
        "defMatsualpha",
        "4",
        "the Matsushita part has the factor 2 alpha",
        "the Bayes risk is alpha * Matsushita + (1 - alpha) * 0/1, which is 1 at 1/2",
        "the factor alpha; as printed the risk is 2 alpha * Matsushita + (1 - alpha) * 0/1",
        witnesses.malpha_factor,
    ),
    Erratum(
        "range-extended",
        "eqpartialloss",
        "2, 4",
        "losses take real values on all of [0, 1]",
        "the log loss and the M-alpha-loss are such losses",
        "values in (-infinity, infinity], with 0 * infinity = 0 in expectations",
        witnesses.range_extended,
    ),
    Erratum(
        "link-infinite",
        "predDT",
        "2, 4",
        "the prediction -L'(q) of a leaf is real",
        "for every leaf and Bayes risk",
        "extended reals; infinite at pure leaves for the log loss and every alpha > 0",
        witnesses.link_infinite,
    ),
    Erratum(
        "two-normalisations",
        "defMatsualpha",
        "2, 4",
        "one symbol for the 0/1 risk: min(pi, 1 - pi), and twice that",
        "the M-alpha risk is the convex combination with it and is 1 at 1/2",
        "2 min(u, 1 - u) in the combination",
        witnesses.two_normalisations,
    ),
    Erratum(
        "normalise-constant",
        "sec:def",
        "2",
        "every Bayes risk can be normalised to 1 at 1/2",
        "without loss of generality",
        "for losses whose fair risk is positive at 1/2",
        witnesses.normalise_constant,
    ),
    Erratum(
        "square-surrogate",
        "defLOSSGENR",
        "2",
        "the square loss of margins is a conjugate of a Bayes risk on [0, 1]",
        "a special case of the dual loss",
        "a parabola between the images of 0 and 1 under the link, straight outside",
        witnesses.square_surrogate,
    ),
    Erratum(
        "inverse-at-zero-alpha",
        "f-alphaM",
        "4",
        "one value of the inverse link at every z, for every alpha",
        "the inverse of the link",
        "[0, 1/2] at z = -2 and [1/2, 1] at z = 2 for alpha = 0; printed is one selection",
        witnesses.inverse_at_zero_alpha,
    ),
    Erratum(
        "empirical-risk-tie",
        "defLOSSGENR",
        "2",
        "the empirical risk counts y h < 0",
        "the 0/1 loss gives the empirical risk min(pi, 1 - pi)",
        "mass of the minority class, or half a mistake where h = 0",
        witnesses.empirical_risk_tie,
    ),
    Erratum(
        "risk-unweighted",
        "defLOSSGENPROB",
        "2",
        "expectation over examples and proportions of examples, without weights",
        "times w(S) it is the weighted sum over leaves",
        "weighted expectation, q = w^1 / w",
        witnesses.risk_unweighted,
    ),
    Erratum(
        "pointwise-privacy",
        "defEDPRIV",
        "2",
        "the inequality is asked of the probability of every single output",
        "a definition of privacy also for real-valued outputs (Laplace mechanism)",
        "the inequality for every event (or for densities)",
        witnesses.pointwise_privacy,
    ),
    Erratum(
        "conjugate-at-zero",
        "negent",
        "appendix of 4",
        "the conjugate is 1/2 at 0",
        "it is the supremum at u = 1/2",
        "1",
        witnesses.conjugate_at_zero,
    ),
    Erratum(
        "plateau-half",
        "feq1",
        "appendix of 4",
        "the plateau condition has 1 + (delta / alpha) (1 - u)",
        "equivalent to the line before it",
        "1 + (delta / alpha) (1/2 - u)",
        witnesses.plateau_half,
    ),
    Erratum(
        "surrogate-curvature-factor",
        "f-der2",
        "appendix of 5",
        "4 alpha^2 / (4 alpha^2 + (|z| - 2 (1 - alpha))^2)^(3/2), with supremum 1 / (2 alpha)",
        "the second derivative of the surrogate",
        "half of it, with supremum 1 / (4 alpha)",
        witnesses.surrogate_curvature_factor,
    ),
)
