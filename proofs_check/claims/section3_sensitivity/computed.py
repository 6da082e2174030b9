"""The computations that `section3_sensitivity.md` cites: function, arguments, and wrong ones."""

from __future__ import annotations

from privboost.proofs_check.proofs import Computed

from .computations import exhaust

TH3P_SMALL = Computed(exhaust, ((1, 2, 3), 0), ((1, 2, 3), 2), engine="exhaustion")
