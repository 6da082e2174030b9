"""Section 4: the M-alpha loss, its Bayes risk, links and surrogate."""

from __future__ import annotations

from . import definition, links, maxima, proof, risk, sensitivity, surrogate, text

MODULES = (sensitivity, text, definition, risk, links, surrogate, proof, maxima)
