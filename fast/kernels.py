"""The choice between the compiled passes over rows and their twins in NumPy."""

from __future__ import annotations

import os

from .twins import TWINS, Codes, Passes

__all__ = ["KERNELS", "TWINS", "Codes", "Passes"]


def _compiled() -> Passes:
    """Return the passes compiled by numba, or fail to import them."""
    from .compiled import PASSES

    return PASSES


def _choose() -> Passes:
    """Return the compiled passes, or their twins where numba is missing or PRIVBOOST_NUMPY_ONLY is set."""
    if os.environ.get("PRIVBOOST_NUMPY_ONLY"):
        return TWINS
    try:
        return _compiled()
    except ImportError:
        return TWINS


KERNELS = _choose()
"""The passes in use."""
