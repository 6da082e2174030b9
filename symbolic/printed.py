"""The closed forms in Sections 2 and 4 and in the appendix, as printed.

Names end in `_APPENDIX` if the form is printed in the proof of theoremalpha. A set-valued
form is transcribed twice, by its least and its greatest value.
"""

from __future__ import annotations

from sympy import Abs, Expr, Min, Or, Piecewise, S, exp, log, sign, sqrt

from privboost.symbolic.algebra.regions import ALPHA, DELTA, HALF, PLATEAU_END, M, U, Z

from .partial_losses import iverson

_ROOT = sqrt(U * (1 - U))
_OUTSIDE = iverson(Or(Z < -PLATEAU_END, Z > PLATEAU_END))
_BEYOND = sqrt(ALPHA**2 + (Abs(Z) / 2 - (1 - ALPHA)) ** 2)

# pbr: the risks after it. Those of the log and 0/1 losses are printed as functions of u, with pi inside.
SQUARE_RISK = HALF * U * (1 - U)
LOG_RISK = -U * log(U) - (1 - U) * log(1 - U)
ZERO_ONE_RISK = Min(U, 1 - U)

# defLOSSGENR: the margin losses named after it, in the scale of the un-normalised risks above.
SQUARE_MARGIN_LOSS = HALF * (HALF - Z) ** 2
LOGISTIC_LOSS = log(1 + exp(-Z))

# lemPhiProof: (m + 1) L(1 / (m + 1)) of the normalised risks, in its proof.
MATSUSHITA_RISK = 2 * _ROOT
PERSPECTIVES = {
    "matsushita": 2 * sqrt(M),
    "log": (log(M + 1) + M * log((M + 1) / M)) / log(2),
    "square": 4 * M / (M + 1),
    "zero_one": S(2),
}

# defMatsualpha: the risk after it, with the normalised risk of the 0/1 loss.
M_ALPHA_RISK = ALPHA * MATSUSHITA_RISK + (1 - ALPHA) * 2 * ZERO_ONE_RISK
M_ALPHA_RISK_APPENDIX = 2 * (ALPHA * _ROOT + (1 - ALPHA) * Min(U, 1 - U))

# f-alphaM: link, inverse link and surrogate.
_SIDE = ((1, U < HALF), (-1, U > HALF))
_SMOOTH_LINK = ALPHA * (2 * U - 1) / _ROOT
LINK_LOWER = _SMOOTH_LINK - PLATEAU_END * Piecewise(*_SIDE, (1, True))
LINK_UPPER = _SMOOTH_LINK - PLATEAU_END * Piecewise(*_SIDE, (-1, True))
INVERSE_LINK = HALF * (1 + _OUTSIDE * (Z / 2 - sign(Z) * (1 - ALPHA)) / _BEYOND)
SURROGATE = 1 - Z / 2 + _OUTSIDE * (_BEYOND - ALPHA)

# theoremalpha: the steps of its proof, in their order.
CONJUGATE_AT_ZERO_APPENDIX = HALF
CONJUGATE_OF_ZERO_ONE_APPENDIX = Piecewise((0, Z < -2), (1 + Z / 2, Z <= 2), (Z, True))
PLATEAU_LEFT_APPENDIX = 1 + DELTA / ALPHA * (1 - U)
PLATEAU_RIGHT_APPENDIX = 1 - DELTA / ALPHA * (U - HALF)


def _argument(slope: Expr, orientation: int) -> Expr:
    """Return 1/2 + orientation |slope| / (2 sqrt(4 + slope^2)), the argument of the maximum.

    Paper: firsteqZ1.
    """
    return HALF + orientation * Abs(slope) / (2 * sqrt(4 + slope**2))


def _maximum(distance: Expr, orientation: int) -> Expr:
    """Return the value printed for the maximum over one half of [0, 1].

    Paper: eqzz1, eqzz2.
    """
    top = 4 * ALPHA**2 + orientation * Abs(distance) * distance
    return 1 - ALPHA + Z / 2 + top / (2 * sqrt(4 * ALPHA**2 + distance**2))


ARGUMENT_LEFT_APPENDIX = _argument((Z + PLATEAU_END) / ALPHA, -1)
ARGUMENT_RIGHT_APPENDIX = _argument((Z - PLATEAU_END) / ALPHA, 1)
MAXIMUM_LEFT_APPENDIX = _maximum(Z + PLATEAU_END, -1)
MAXIMUM_RIGHT_APPENDIX = _maximum(Z - PLATEAU_END, 1)
CONJUGATE_CASES_APPENDIX = Piecewise(
    (1 - ALPHA + Z / 2 + sqrt(4 * ALPHA**2 + (Z + PLATEAU_END) ** 2) / 2, Z < -PLATEAU_END),
    (1 + Z / 2, Z <= PLATEAU_END),
    (1 - ALPHA + Z / 2 + sqrt(4 * ALPHA**2 + (Z - PLATEAU_END) ** 2) / 2, True),
)
CONJUGATE_APPENDIX = 1 + Z / 2 + _OUTSIDE * (_BEYOND - ALPHA)
INVERSE_LINK_APPENDIX = HALF * (1 + _OUTSIDE * sign(Z) * (Abs(Z) / 2 - (1 - ALPHA)) / _BEYOND)

# f-der2: the second derivative of the surrogate, off the ends of the plateau, and its supremum (bY).
CURVATURE = Piecewise(
    (0, (Z > -PLATEAU_END) & (Z < PLATEAU_END)),
    (4 * ALPHA**2 / (4 * ALPHA**2 + (Abs(Z) - PLATEAU_END) ** 2) ** (S(3) / 2), True),
)
CURVATURE_SUPREMUM = 1 / (2 * ALPHA)
