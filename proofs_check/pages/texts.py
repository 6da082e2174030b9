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
    Severity.CONSTANT: "The statement survives with another constant, range or exponent.",
    Severity.HARMLESS: "Slips, and gaps in proofs of statements that do hold: everything else stands.",
}
"""What each severity means, the gravest first."""

HEADLINES = {
    "thBoostDT1": "The boosting theorem for trees is false as printed. It counts the weight of the leaves"
    " that are split, "
    "so a heavy leaf that is nearly pure can be split again and again while the error stays elsewhere."
    " What must be counted "
    "is the leaf's share of the Matsushita risk; then it holds, with 2 in place of 16 (`boost.theorem`),"
    " and no condition on "
    "the α is needed (`boost.any-alpha`). Where all leaves are split level by level, the printed"
    " guarantee is right "
    "(`boostCOND.levels`).",
    "thBOOSTDP1": "The theorem on private boosting is false as printed, for every choice of its hidden"
    " constants, because a "
    "split that satisfies the weak learning assumption need not gain what `lemPRELIM` says. It holds if"
    " the gap is measured "
    "in the leaf's own risk (`thBOOSTDP1.corrected`), and with other constants if the gain is granted "
    "(`thBOOSTDP1.granted`).",
    "thBoostLC1": "The theorem on linear combinations fails for the weight update as printed, which"
    " forgets margins on the "
    "plateau of the link. With accumulated margins it is true (`thBoostLC1.accumulated`), but for a ="
    " α/M² its condition can "
    "never be met for ξ ≤ 3/7 (`thBoostLC1.out-of-reach`); with a larger step a number of rounds suffices "
    "(`thBoostLC1.rounds`).",
    "sec-solv.two-places": "The learner is not private if coefficients are released from raw labels,"
    " which is the second of "
    "the two ways that the paper offers; in the first one every leaf moves with the coefficient"
    " (`sec-solv.all-leaves-move`). "
    "Leaves that are clamped after the noise leak if the noise is made for the clamped range "
    "(`sub-sec-sum-imp.noise-then-clamp`), and so does α from raw data where ties count as no mistake"
    " (`fixALPHA.leak`).",
    "th3P.cases": "The sensitivity theorem is true for every Bayes risk. The cases of its printed proof"
    " do not exhaust the "
    "neighbours, several use a lemma outside its range, and it bounds one leaf where a split has two"
    " (`expSPLIT.one-leaf`). "
    "The exact value, for any partition, is m L(1/m) (`sharp.exchange`, `sharp.partition`).",
    "defMatsualpha.proper": "The partial losses of the Mα-loss are printed with 2α where α is meant, and"
    " both labels pay at "
    "u = 1/2, so that the loss is not proper at 1/2. Risk, link, inverse link and surrogate are right,"
    " apart from u = 0, 1 "
    "and α = 0.",
    "lemcurv": "The curvature lemma misses the factor 1/2 of Taylor's formula.",
}
"""What a reader should know first: refuted entries, with what became of them."""

GLOSSARY = {
    "L, L(q)": "a Bayes risk: concave and symmetric on [0, 1], 0 at 0, 1 at 1/2",
    "G(q)": "2 sqrt(q (1 - q)), the Matsushita risk; Φ_M(h), Φ_α(h): mean risk of a tree's leaves",
    "w, w1, δ": "weight of a leaf, its part of class 1, and the change by one example (proof of th3P)",
    "edge, WLA": "the correlation of a split with the labels; the weak learning assumption asks for at"
    " least γ",
    "share ω": "the part of the tree's Matsushita risk that a leaf holds: w̃ G(q) / Φ_M(h)",
    "(A) to (D)": "the parts of Lemma lemI2",
    "plateau": "the margins |z| ≤ 2(1 - α), where the inverse link is 1/2 (Section 4)",
    "fat, slim": "the two sets of splits in Section 6; u is the gain of a split in units of the right"
    " side of condGAP",
    "M": "the bound on |h|, to which leaves are clamped",
    "loss": "where privacy is meant: the logarithm of the ratio of two chances, to be held against ε",
}
"""Symbols and words that many entries use."""

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
    "kernel": "the kernel, on exact arithmetic; certificates are found by z3 but not believed",
    "z3": "the SMT solver z3: its `unsat` is believed",
    "sympy": "derivations in privboost.symbolic, with sympy's algebra",
    "reference": "exact computation with privboost.reference",
    "elementary facts": "facts about exp and log that are not proved here",
    "transcription": "numbers copied from the paper's tables and text",
    "index of the paper": "the committed index of its labels and displays",
}
"""What a verdict can rest on."""
