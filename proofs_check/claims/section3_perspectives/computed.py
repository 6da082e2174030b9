"""The computations that `section3_perspectives.md` cites: function, arguments, and wrong ones."""

from __future__ import annotations

from privboost.proofs_check.proofs import Computed

from .computations import check_flips

LEVEL_FLIP_FOUR = Computed(check_flips, (4, 1, 2), (4, 1, 1), engine="exhaustion")
