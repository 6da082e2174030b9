"""The table of operations: noise, and choices by chance."""

from __future__ import annotations

from privboost.gate.mechanisms.levels import Level
from privboost.gate.protocol.kinds import WordKind
from privboost.gate.protocol.operation import Condition, Operation

from .ranges import (
    ABOVE_ZERO,
    ANY,
    BUDGET,
    CHOICES,
    CODE,
    DRAWN,
    DRAWS,
    INTEGER,
    NUMBERS,
    POSITIVE,
    SCORES,
    SHARE,
)

_DRAWN = {"seed": "1", "count": "2"}
_SCORED = {"scores": {"a": "1", "b": "0"}, "epsilon": "1", "sensitivity": "1", "monotonic": "no"} | _DRAWN

NOISE_OPERATIONS = (
    Operation(
        "laplace",
        "noise",
        "laplace",
        "`count` draws of `value` + Laplace noise",
        {"value": ANY, **BUDGET, **DRAWS},
        ({"value": "0", "epsilon": "1", "sensitivity": "1"} | _DRAWN,),
        tolerance=DRAWN,
        level=Level.LAWS,
        rules="""
            - The noise has the density ε / (2Δ) exp(-ε abs(x) / Δ). Any grid that is finer than 1/1000 of
              Δ / ε is right as well.
        """,
    ),
    Operation(
        "geometric",
        "noise",
        "geometric",
        "`count` draws of `value` + two-sided geometric noise",
        {"value": INTEGER, "epsilon": ABOVE_ZERO, "sensitivity": POSITIVE, **DRAWS},
        ({"value": "0", "epsilon": "1", "sensitivity": "1"} | _DRAWN,),
        tolerance=DRAWN,
        level=Level.LAWS,
        rules="""
            - The noise is an integer k with a probability proportional to exp(-ε abs(k) / Δ).
        """,
    ),
    Operation(
        "gaussian",
        "noise",
        "gaussian",
        "`count` draws of `value` + normal noise that is enough for (ε, δ)",
        {"value": ANY, **BUDGET, "delta": SHARE, **DRAWS},
        ({"value": "0", "epsilon": "1", "sensitivity": "1", "delta": "1/1000"} | _DRAWN,),
        tolerance=DRAWN,
        level=Level.LAWS,
        rules="""
            - The noise is normal with mean 0. Its standard deviation is not below the least σ for which it is
              (ε, δ)-private (`gaussian_sigma` of [Accounting](#accounting)). It may be greater.
        """,
    ),
    Operation(
        "discrete_gaussian",
        "noise",
        "discrete-gaussian",
        "`count` draws of `value` + discrete Gaussian noise",
        {"value": INTEGER, "sigma": ABOVE_ZERO, **DRAWS},
        ({"value": "0", "sigma": "2"} | _DRAWN,),
        tolerance=DRAWN,
        level=Level.LAWS,
        rules="""
            - The noise is an integer k with a probability proportional to exp(-k² / (2σ²)).
        """,
    ),
)

CHOICE_OPERATIONS = (
    Operation(
        "exponential",
        "choices",
        "exponential",
        "`count` candidates drawn by the exponential mechanism",
        {**SCORES, **DRAWS},
        (_SCORED,),
        tolerance=DRAWN,
        level=Level.LAWS,
        rules="""
            - A candidate has a probability proportional to exp(ε score / (2Δ)), or to exp(ε score / Δ) if
              `monotonic` is `yes`.
        """,
    ),
    Operation(
        "permute_and_flip",
        "choices",
        "permute-and-flip",
        "`count` candidates drawn by permute-and-flip",
        {**SCORES, **DRAWS},
        (_SCORED,),
        tolerance=DRAWN,
        level=Level.LAWS,
        rules="""
            - Visit the candidates in random order and choose the first whose coin comes up heads. The coin
              has the probability exp(ε (score - best score) / (2Δ)), without the 2 if `monotonic` is `yes`.
        """,
    ),
    Operation(
        "noisy_max",
        "choices",
        "noisy-max",
        "`count` candidates with the greatest noisy score",
        {"noise": WordKind(("laplace", "exponential", "gumbel")), **SCORES, **DRAWS},
        ({"noise": "laplace"} | _SCORED,),
        tolerance=DRAWN,
        level=Level.LAWS,
        rules="""
            - Independent noise of scale 2Δ / ε is added to every score, of scale Δ / ε if `monotonic` is
              `yes`. `exponential` noise is positive.
        """,
    ),
    Operation(
        "randomised_response",
        "choices",
        "randomised-response",
        "`count` reported categories",
        {"truth": CODE, "categories": CHOICES, "epsilon": ABOVE_ZERO, **DRAWS},
        ({"truth": "0", "categories": "2", "epsilon": "1"} | _DRAWN,),
        tolerance=DRAWN,
        level=Level.LAWS,
        conditions=(
            Condition(
                "`truth` is below `categories`",
                {"truth=categories": {"truth": "2"}},
                lambda a: bool(a["truth"] < a["categories"]),
            ),
        ),
        rules="""
            - The true category has the probability e^ε / (e^ε + k - 1), every other one 1 / (e^ε + k - 1),
              with k = `categories`. The result is a list of integers.
        """,
    ),
    Operation(
        "above_threshold",
        "choices",
        "above-threshold",
        "`count` indices of the first answer above the noisy threshold",
        {"answers": NUMBERS, "threshold": ANY, **BUDGET, **DRAWS},
        ({"answers": ["0", "2"], "threshold": "1", "epsilon": "1", "sensitivity": "1"} | _DRAWN,),
        tolerance=DRAWN,
        level=Level.LAWS,
        rules="""
            - Algorithm 1 of Dwork and Roth (2014, section 3.6): Laplace noise of scale 2Δ / ε is added to
              the threshold once, and of scale 4Δ / ε to every answer. The result is the index, from 0, of
              the first noisy answer that is not below the noisy threshold; without one it is the number
              of answers.
        """,
    ),
)
