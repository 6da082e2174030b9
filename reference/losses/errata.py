"""Errata of Sections 2 and 4: printed definitions that do not have the properties stated of them.

The witness of an erratum is computed: `witness()` evaluates the printed definition and the stated property
at a point where they differ, and reports whether they do.
"""

from __future__ import annotations

from privboost.reference.erratum import Erratum

from . import witnesses

ERRATA: tuple[Erratum, ...] = (
    Erratum("zero-one-variable", "sec:def", witnesses.zero_one_variable),
    Erratum("tie-at-half", "defMatsualpha", witnesses.tie_at_half),
    Erratum("malpha-factor", "defMatsualpha", witnesses.malpha_factor),
    Erratum("range-extended", "eqpartialloss", witnesses.range_extended),
    Erratum("link-infinite", "predDT", witnesses.link_infinite),
    Erratum("two-normalisations", "defMatsualpha", witnesses.two_normalisations),
    Erratum("normalise-constant", "sec:def", witnesses.normalise_constant),
    Erratum("square-surrogate", "defLOSSGENR", witnesses.square_surrogate),
    Erratum("inverse-at-zero-alpha", "f-alphaM", witnesses.inverse_at_zero_alpha),
    Erratum("empirical-risk-tie", "defLOSSGENR", witnesses.empirical_risk_tie),
    Erratum("risk-unweighted", "defLOSSGENPROB", witnesses.risk_unweighted),
    Erratum("pointwise-privacy", "defEDPRIV", witnesses.pointwise_privacy),
    Erratum("conjugate-at-zero", "negent", witnesses.conjugate_at_zero),
    Erratum("plateau-half", "feq1", witnesses.plateau_half),
    Erratum("surrogate-curvature-factor", "f-der2", witnesses.surrogate_curvature_factor),
    Erratum("spurious-root", "firsteqZ1", witnesses.spurious_root),
    Erratum("weight-atom", "theoremalpha", witnesses.weight_atom),
    Erratum("curvature-at-one", "f-der2", witnesses.curvature_at_one),
)
