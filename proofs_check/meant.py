"""Entries for statements of the paper that hold as they are meant, not as they are printed."""

from __future__ import annotations

from functools import partial

from .entry import Entry

Definition = partial(Entry, kind="definition", reading="intended")
Equation = partial(Entry, kind="equation", reading="intended")
Figure = partial(Entry, kind="figure", reading="intended")
Lemma = partial(Entry, kind="lemma", reading="intended")
Remark = partial(Entry, kind="remark", reading="intended")
Step = partial(Entry, kind="step", reading="intended")
Text = partial(Entry, kind="text", reading="intended")
Theorem = partial(Entry, kind="theorem", reading="intended")
