"""The one-run bound of opake-auditing for (epsilon, delta), at a threshold that is chosen from other scores.

Half of the scores choose the threshold, the other half are counted.
"""

from importlib.metadata import version

import numpy as np
from bounds import best_threshold, serve, split
from opake.auditing import canary_scores, one_run
from opake.auditing.types import CoinFlip


def bound(left, right, level, delta):
    (left, left_counted), (right, right_counted) = split(left), split(right)
    scores = np.array([*right_counted, *left_counted])
    indices, is_in = np.arange(len(scores)), np.arange(len(scores)) < len(right_counted)
    flip = CoinFlip(len(scores), indices, is_in, indices[is_in], indices[~is_in], len(scores))
    estimate = one_run(canary_scores(scores, canary_indices=indices), coin_flip=flip)
    threshold = best_threshold(left, right)
    return estimate.eps_delta().epsilon_at(delta=delta, significance=level, threshold=threshold)


serve("opake-auditing eps_delta", version("opake-auditing"), bound)
