"""Fixed strings of the generated pages: sections, severities, glossary, statements, assumptions."""

from __future__ import annotations

from privboost.proofs_check.entry import Severity

PAPER_TITLE = "Boosted and Differentially Private Ensembles of Decision Trees"
PAPER_AUTHORS = "Richard Nock and Wilko Henecka"
PAPER_ADDRESS = "https://arxiv.org/abs/2001.09384"
PAPER_VERSION = "arXiv:2001.09384, January 2020, second version February 2020"

SECTIONS = {
    "sec:int": "Section 1",
    "sec:def": "Section 2",
    "sec:priv": "Section 3",
    "sec:matalpha": "Section 4",
    "sec-boost": "Section 5",
    "sec-solv": "Section 6",
    "sec-exp": "Section 7",
    "sec-conc": "Section 8",
    "tabcon": "Appendix",
    "proof_th3P": "Appendix, proof of Theorem th3P",
    "proof_lemcurv": "Appendix, proof of Lemma lemcurv",
    "proof_lemPhiProof": "Appendix, proof of Lemma lemPhiProof",
    "proof_theoremalpha": "Appendix, proof of Theorem theoremalpha",
    "proof_thBoostDT1": "Appendix, proof of Theorem thBoostDT1",
    "proof_thBoostLC1": "Appendix, proof of Theorem thBoostLC1",
    "proof_thBOOSTDP1": "Appendix, proof of Theorem thBOOSTDP1",
    "exp_expes": "Appendix on experiments",
}
"""The sections of the paper by their labels."""

SEVERITIES = {
    Severity.PRIVACY: "False: the printed algorithm is not private, or a claim about privacy fails.",
    Severity.THEOREM: "False: a statement that the paper rests on.",
    Severity.CONSTANT: "False: the statement holds with another constant, range or exponent.",
    Severity.GAP: "The statement is true, and an argument or a hypothesis is missing or wrong.",
    Severity.SLIP: "A misprint; what is meant is clear and right.",
    Severity.PEDANTRY: "It fails only where nobody looks, at an end point or in a degenerate case.",
}
"""The kinds of errors and their meanings, the most severe first."""

FALSE = (Severity.PRIVACY, Severity.THEOREM, Severity.CONSTANT)
"""The kinds of errors that make a statement false."""

GLOSSARY = {
    "L, L(q)": "a Bayes risk: concave and symmetric on [0, 1], 0 at 0, 1 at 1/2",
    "G(q)": "2 sqrt(q (1 - q)), the Matsushita risk; Φ_M(h), Φ_α(h): mean risk of a tree's leaves",
    "w, w1, δ": "weight of a leaf, weight of its class 1, and the change by one example (proof of th3P)",
    "edge, WLA": "the correlation of a split with the labels; the weak learning assumption requires an"
    " edge of at least γ",
    "share ω": "a leaf's share of the Matsushita risk of the tree: w̃ G(q) / Φ_M(h)",
    "(A) to (D)": "the parts of Lemma lemI2",
    "plateau": "the margins |z| ≤ 2(1 - α), where the inverse link is 1/2 (Section 4)",
    "fat, slim": "the two sets of splits in Section 6; u is the gain of a split in units of the right"
    " side of condGAP",
    "M": "the bound on |h|; the values of leaves are clamped to [-M, M]",
    "loss": "in claims on privacy: the logarithm of the ratio of two probabilities, to be compared with ε",
}
"""Symbols and terms used by many entries."""

STATEMENTS = {
    "th3P": "proof_th3P",
    "lemcurv": "proof_lemcurv",
    "lemPhiProof": "proof_lemPhiProof",
    "sensALPHA": "",
    "theoremalpha": "proof_theoremalpha",
    "thBoostDT1": "proof_thBoostDT1",
    "thBoostLC1": "proof_thBoostLC1",
    "thBOOSTDP1": "proof_thBOOSTDP1",
    "lemI": "",
    "lemI2": "",
    "lemBCONV": "",
    "lemBINFDELTA": "",
    "tekLEM": "",
    "lemPRELIM": "",
    "lem-rtnode": "",
}
"""The theorems, lemmas and the corollary, each with the label of the section of its proof, if any."""

TRUST = {
    "nothing": "definitions and references, with nothing to check",
    "coq": "Coq and the axioms of its real numbers: the formula was proved there (`make formal`)",
    "kernel": "the kernel, in exact arithmetic: it checks every certificate that z3 proposes, or shows that a"
    " formula proved in Coq is defined",
    "z3": "the SMT solver z3, whose answer `unsat` is trusted",
    "elementary facts": "z3 with facts about exp and log that are assumed",
    "reference": "exact computation with privboost.reference",
    "sympy": "derivations in privboost.symbolic, which use sympy",
    "transcription": "numbers copied from the paper",
    "index of the paper": "the committed index of the paper's labels and displays",
    "cited source": "sources that are not derived again here",
}
"""What verdicts rest on, in increasing order of what must be trusted, and the meanings."""
