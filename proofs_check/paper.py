"""Entries for the statements of the paper, by their kind: `paper.Lemma(key, words, …)`."""

from __future__ import annotations

from functools import partial

from .entry import Entry

Definition = partial(Entry, kind="definition")
Theorem = partial(Entry, kind="theorem")
Lemma = partial(Entry, kind="lemma")
Corollary = partial(Entry, kind="corollary")
Remark = partial(Entry, kind="remark")
Equation = partial(Entry, kind="equation")
Step = partial(Entry, kind="step")
Text = partial(Entry, kind="text")
Figure = partial(Entry, kind="figure")
