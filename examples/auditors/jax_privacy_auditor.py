"""Lower bounds of jax-privacy: `python jax_privacy_auditor.py epsilon_clopper_pearson`, or another method.

Outputs are scores; the documentation expects greater ones of what was held in, here the right side.
"""

import sys
from importlib.metadata import version

from bounds import serve
from jax_privacy.auditing import CanaryScoreAuditor

method = sys.argv[1]


def bound(left, right, level, delta):
    return getattr(CanaryScoreAuditor(right, left), method)(significance=level, delta=delta)


serve(f"jax-privacy {method}", version("jax-privacy"), bound)
