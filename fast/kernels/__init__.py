"""The passes over rows: compiled by numba if it is installed, otherwise in NumPy."""

from __future__ import annotations

import os

from .twins import TWINS, Passes


def compiled_passes() -> Passes:
    """Return the passes compiled by numba; raise ImportError if it is not installed."""
    from .compiled import PASSES

    return PASSES


def choose_passes() -> Passes:
    """Return the compiled passes, or the NumPy ones if numba is missing or PRIVBOOST_NUMPY_ONLY is set."""
    if os.environ.get("PRIVBOOST_NUMPY_ONLY"):
        return TWINS
    try:
        return compiled_passes()
    except ImportError:
        return TWINS


KERNELS = choose_passes()
"""The passes in use."""
