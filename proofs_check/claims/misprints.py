"""Misprints of the whole paper: a symbol, an index, a name or a reference that is not the one meant.

What is printed is one token of the line, so that a test can look for it in the source of the paper.
"""

from __future__ import annotations

from dataclasses import dataclass

from privboost.proofs_check import paper
from privboost.proofs_check.claims.section7_experiments.computations import check_reference
from privboost.proofs_check.claims.section7_experiments.proofs import Indexed
from privboost.proofs_check.entry import Entry, Severity


@dataclass(frozen=True, slots=True)
class Misprint:
    """A misprint: key, label and line, what is printed there in TeX, and the correction in words."""

    key: str
    label: str
    line: int
    printed: str
    words: str

    @property
    def entry(self) -> Entry:
        """Return the entry of the ledger."""
        return paper.Text(
            self.key,
            self.words,
            label=self.label,
            line=self.line,
            severity=Severity.SLIP,
            remark=f"Printed as `{self.printed}`.",
        )


MISPRINTS = (
    Misprint("defLOSSGENPROB.tree", "defLOSSGENPROB", 167, "$H$", "ℓ(x) is the leaf of h, not of H."),
    Misprint(
        "f-alphaM.sensitivity-name",
        "f-alphaM",
        265,
        r"\Delta_{\bayesalpharisk}(m)",
        "The plotted sensitivity is the bound Δ*(m) of sensALPHA; Δ itself has no argument m.",
    ),
    Misprint("thBOOSTDP1.index", "thBOOSTDP1", 514, r"{\setfat}_t", "The sets of splits have the index ℓ."),
    Misprint(
        "th3P.case-headings",
        "th3P",
        858,
        "changes vs",
        "A_1 and B_2 are the cases without a change; the headings name the cases in the same order twice.",
    ),
    Misprint(
        "eq42.lemma",
        "eq42",
        939,
        r"\ref{lemI}",
        "That L does not increase from 1/2 to 0 is part (A) of Lemma lemI2, not Lemma lemI.",
    ),
    Misprint(
        "f-tree-not.domain",
        "f-tree-not",
        1565,
        r"\mathbb{R} \rightarrow",
        "A test g is a function on the observations X, not on the reals (again at line 1608).",
    ),
    Misprint("wlaKM.observation", "wlaKM", 1594, r"\ve(x)_i", "The observation is x_i, in bold."),
    Misprint(
        "defDELTA1.omega",
        "defDELTA1",
        1614,
        r"\omega(\leaf)",
        "The decrease is w(λ), the normalised weight of the leaf, times Δ(q, τ, δ); ω is never defined.",
    ),
    Misprint("tekLEM.leaf", "tekLEM", 1708, "at left", "The split is put at the leaf λ_ℓ."),
    Misprint(
        "condKMOT1.name",
        "condKMOT1",
        1758,
        r"$\Gamma$-monotonicity",
        "The main text calls it K-monotonicity, with K = γ²/16.",
    ),
    Misprint("condKMOT1.first-index", "condKMOT1", 1759, r"t\defeq 1", "The first split has ℓ = 1."),
    Misprint(
        "eqCONV1C.which-alpha",
        "eqCONV1C",
        1768,
        r"\bayesalpharisk(h_{L})",
        "The bound is on the risk with α_L, that of the last split.",
    ),
    Misprint(
        "cboost.first-weights",
        "cboost",
        1800,
        "$w_i = 1/2",
        "The initial weights are w_1i; M, which the step a needs, is an input of the algorithm.",
    ),
    Misprint(
        "defYY.points",
        "defYY",
        1863,
        r"\subset",
        "Z is a set of m reals, or one point of R^m, not a set of points of R^m (again at 1880 and 1891).",
    ),
    Misprint("bY.relation", "bY", 1897, r"& & \left(1", "The last line of the display begins with =."),
    Misprint(
        "bb1.index",
        "bb1",
        2228,
        r"\ell = 1, 2, ..., L",
        "The ξ_ℓ are those of the splits in the set L, which need not be all splits.",
    ),
    Misprint(
        "boundM1.bound-variable",
        "boundM1",
        2246,
        r"\sum_{\leaf_\ell",
        "The sum is over all leaves λ of h_ℓ; λ_ℓ is the one that is split.",
    ),
    Misprint("condJJ.order", "condJJ", 2372, r"\theta(1)", "Q' is Θ(1); θ is a margin in Section 5."),
    Misprint(
        "f-s-transfusion3.crop",
        "f-s-transfusion3",
        2646,
        "left plot",
        "The cropped part is marked in the plots of the top row; there is no left plot.",
    ),
    Misprint(
        "t-sumdT.file",
        "t-sumdT",
        3191,
        "sub-sec-sum-imp",
        "No file of results is described in the section that the caption refers to.",
    ),
)

REFERENCES = (
    paper.Text(
        "sensALPHA.cited-as-lemma",
        "The bound that line 473 calls Lemma sensALPHA is a corollary.",
        line=473,
        severity=Severity.SLIP,
        proof=Indexed(
            check_reference, ("another kind", "sensALPHA", 473), ("another kind", "thBoostDT1", 2186)
        ),
    ),
    paper.Equation(
        "eqCONST111.defined-twice",
        "Two equations have the label eqCONST111.",
        lines=(1977, 1953),
        severity=Severity.SLIP,
        proof=Indexed(check_reference, ("twice", "eqCONST111", 1977), ("twice", "eqCONST1111", 1925)),
    ),
    paper.Text(
        "sec-exp.unnumbered",
        "Section 7 refers three times to sections of the appendix that have no number.",
        lines=(638, 644, 666),
        severity=Severity.SLIP,
        proofs=tuple(
            Indexed(check_reference, ("no number", label, line), ("no number", "sec-solv", line))
            for label, line in (("sub-sec-sumdT", 638), ("sub-sec-AlphavsRF", 644), ("sub-sec-1050", 666))
        ),
    ),
)

ENTRIES = (*(misprint.entry for misprint in MISPRINTS), *REFERENCES)
