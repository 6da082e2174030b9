"""Makers of entries, by reading and kind of the statement: `paper.Lemma(key, words, …)`, `ours.Step(…)`."""

from __future__ import annotations

from functools import partial

from .entry import Entry, Reading


class Makers:
    """One maker of entries for every kind of statement, all with the same reading."""

    def __init__(self, reading: Reading) -> None:
        self.Definition = partial(Entry, kind="definition", reading=reading)
        self.Theorem = partial(Entry, kind="theorem", reading=reading)
        self.Lemma = partial(Entry, kind="lemma", reading=reading)
        self.Corollary = partial(Entry, kind="corollary", reading=reading)
        self.Remark = partial(Entry, kind="remark", reading=reading)
        self.Equation = partial(Entry, kind="equation", reading=reading)
        self.Step = partial(Entry, kind="step", reading=reading)
        self.Text = partial(Entry, kind="text", reading=reading)
        self.Figure = partial(Entry, kind="figure", reading=reading)


paper = Makers("literal")
"""For statements of the paper as they are printed."""
meant = Makers("intended")
"""For statements of the paper that hold as they are meant, not as they are printed."""
ours = Makers("ours")
"""For claims that the paper does not make: corrections, and steps of our own proofs."""
