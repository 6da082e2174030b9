"""The samplers of the fast learner of privboost: `privboost gate --profile mechanisms` of our own noise.

They are internal functions, which state what they require and do not check it, so the adapter does.
"""

import numpy as np
from serve import serve
from values import exact, integer, natural, object_of, one_of, positive

from privboost import __version__
from privboost.fast.bits import bits_from, discrete_laplace
from privboost.fast.growth.split_laws import draw
from privboost.fast.protocol import SplitLaw

FINE = 4096
"""Steps of the grid of Laplace noise in its scale."""


def laplace(value: exact, epsilon: positive, sensitivity: positive, seed: natural):
    bits, grid = bits_from(seed), sensitivity / epsilon / FINE
    return lambda: value + grid * discrete_laplace(sensitivity / epsilon / grid, bits)


def geometric(value: integer, epsilon: positive, sensitivity: natural, seed: natural):
    bits, scale = bits_from(seed), positive(str(sensitivity)) / epsilon
    return lambda: value + discrete_laplace(scale, bits)


def choice(law):
    def choose(
        *,
        scores: object_of(exact),
        epsilon: positive,
        sensitivity: positive,
        monotonic: one_of("no", "yes"),
        seed: natural,
        count: natural,
    ):
        names, best = list(scores), max(scores.values())
        rate = epsilon / sensitivity / (1 if monotonic == "yes" else 2)
        table = np.tile([float(score - best) for score in scores.values()], (count, 1))
        return [names[index] for index in draw(law, table, float(rate), bits_from(seed))]

    return choose


DRAWS = {
    "laplace": laplace,
    "geometric": geometric,
    "exponential": choice(SplitLaw.EXPONENTIAL),
    "permute_and_flip": choice(SplitLaw.PERMUTE_AND_FLIP),
}
serve("privboost.fast", __version__, DRAWS)
