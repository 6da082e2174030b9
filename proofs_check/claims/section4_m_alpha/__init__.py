"""Section 4: the M-alpha loss, its Bayes risk, links and surrogate."""

from __future__ import annotations

from privboost.proofs_check.entry import Symbols

MODULES = ("sensitivity", "text", "definition", "risk", "links", "surrogate", "proof", "maxima")

SYMBOLS = Symbols("A B C D L Z a alpha alpha2 b c d e i j k l m p p2 q q2 r s t u v x y z")
