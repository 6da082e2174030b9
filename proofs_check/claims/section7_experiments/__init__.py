"""Section 7 and the appendix on experiments: printed numbers, settings, references, labels without claims."""

from __future__ import annotations

from privboost.proofs_check.entry import Symbols

MODULES = ("counts", "settings", "readings", "references", "structure")

SYMBOLS = Symbols("E K M N T a b c e epsilon eta gamma h j k p p2 pi q s v v2 w x xi y z")
