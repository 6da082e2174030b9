"""Entries for claims that the paper does not make: corrections, and steps of our own proofs."""

from __future__ import annotations

from functools import partial

from .entry import Entry

Definition = partial(Entry, kind="definition", reading="ours")
Theorem = partial(Entry, kind="theorem", reading="ours")
Lemma = partial(Entry, kind="lemma", reading="ours")
Corollary = partial(Entry, kind="corollary", reading="ours")
Remark = partial(Entry, kind="remark", reading="ours")
Equation = partial(Entry, kind="equation", reading="ours")
Step = partial(Entry, kind="step", reading="ours")
Text = partial(Entry, kind="text", reading="ours")
Figure = partial(Entry, kind="figure", reading="ours")
