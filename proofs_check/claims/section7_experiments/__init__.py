"""Section 7 and the appendix on experiments: printed numbers, settings, references, labels without claims."""

from __future__ import annotations

from . import counts, readings, references, settings, structure

MODULES = (counts, settings, readings, references, structure)
