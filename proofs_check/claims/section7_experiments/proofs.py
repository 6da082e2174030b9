"""Proofs by computation on printed numbers, and on the indexes of lines and labels."""

from __future__ import annotations

from functools import partial

from privboost.proofs_check.proofs import Computed

from .computations import INDEXED, PRINTED

Transcribed = partial(Computed, trust=PRINTED)
Indexed = partial(Computed, trust=INDEXED)
