"""Fixed strings of the generated pages: sections, severities, headlines, glossary."""

from __future__ import annotations

from privboost.proofs_check.entry import Severity

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
    Severity.PRIVACY: "The algorithm as printed is not private, or a claim about privacy does not hold.",
    Severity.THEOREM: "A statement that the paper rests on is false as printed.",
    Severity.CONSTANT: "The statement holds with another constant, range or exponent.",
    Severity.HARMLESS: "Small errors, and gaps in proofs of true statements; no result changes.",
}
"""The meaning of each severity, most severe first."""

HEADLINES = {
    "thBoostDT1": "The boosting theorem for trees is false as printed. Its condition sums the weights of the"
    " leaves that are split, so a heavy, nearly pure leaf can be split again and again while the errors of"
    " another leaf remain. With the leaf's share of the Matsushita risk in place of its weight the theorem"
    " holds, with 2 instead of 16 (`boost.theorem`), and needs no condition on α (`boost.any-alpha`). If all"
    " leaves are split level by level, the printed guarantee holds (`boostCOND.levels`).",
    "thBOOSTDP1": "The theorem on private boosting is false as printed, for every choice of its hidden"
    " constants: a split that satisfies the weak learning assumption may gain less than `lemPRELIM` states."
    " The theorem holds if the gap is relative to the leaf's own risk (`thBOOSTDP1.corrected`), and, with"
    " other constants, if the gain is assumed (`thBOOSTDP1.granted`).",
    "thBoostLC1": "The theorem on linear combinations is false for the printed weight update, which loses"
    " margins on the plateau of the link. With accumulated margins it is true (`thBoostLC1.accumulated`),"
    " but for a = α/M² and ξ ≤ 3/7 its condition cannot be met (`thBoostLC1.out-of-reach`). With a larger"
    " step, a number of rounds is sufficient (`thBoostLC1.rounds`).",
    "sec-solv.two-places": "The paper offers two ways to release coefficients. The second computes them from"
    " raw labels, and the learner is then not private. In the first, every leaf changes with the coefficient"
    " (`sec-solv.all-leaves-move`). Leaves that are clamped after the noise leak if the noise has the scale"
    " of the clamped range (`sub-sec-sum-imp.noise-then-clamp`). So does α computed from raw data if ties do"
    " not count as mistakes (`fixALPHA.leak`).",
    "th3P.cases": "The sensitivity theorem is true for every Bayes risk, but its printed proof is not"
    " complete: its cases do not cover all neighbours, and several use a lemma outside its range. It bounds"
    " one leaf, and a split has two (`expSPLIT.one-leaf`). The exact value, for any partition, is m L(1/m)"
    " (`sharp.exchange`, `sharp.partition`).",
    "defMatsualpha.proper": "The partial losses of the Mα-loss are printed with 2α instead of α, and both"
    " labels pay at u = 1/2, so the loss is not proper at 1/2. Risk, link, inverse link and surrogate are"
    " right, except at u = 0, u = 1 and α = 0.",
    "lemcurv": "The curvature lemma omits the factor 1/2 of Taylor's formula.",
}
"""The main errors: a summary by the key of a refuted entry."""

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
    "kernel": "the kernel alone, in exact arithmetic; it checks every certificate that z3 proposes",
    "z3": "the SMT solver z3, whose answer `unsat` is trusted",
    "elementary facts": "z3 with facts about exp and log that are assumed",
    "reference": "exact computation with privboost.reference",
    "sympy": "derivations in privboost.symbolic, which use sympy",
    "transcription": "numbers copied from the paper",
    "index of the paper": "the committed index of the paper's labels and displays",
    "cited source": "sources that are not derived again here",
}
"""What verdicts rest on, in increasing order of what must be trusted, and the meanings."""
