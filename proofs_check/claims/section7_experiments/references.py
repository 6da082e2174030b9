"""Captions, references and the table of contents: their claims on figures, definitions and sections."""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import meant, ours, paper
from privboost.proofs_check.entry import Entry, Severity
from privboost.proofs_check.kernel.terms import Claim
from privboost.proofs_check.language import reals
from privboost.proofs_check.proofs import Smt, Sum, Witness

from .computations import (
    DOMAINS,
    GRID,
    INDEXED,
    PRIVATE_GRID,
    check_between,
    check_count,
    check_differ,
    check_falling,
    check_missing_proof_section,
    check_not_ordered,
    check_ordered,
    check_outside,
    check_proof_sections,
    check_repeated,
    check_same,
    check_shown,
)
from .proofs import Indexed, Transcribed

x, y, error = reals("x y e")

MAIN_TEXT = 682
"""The line at which the main text ends."""

CONTENTS = (
    *(
        f"proof_{name}"
        for name in (
            "proofs",
            "th3P",
            "lemcurv",
            "lemPhiProof",
            "theoremalpha",
            "thBoostDT1",
            "thBoostLC1",
            "thBOOSTDP1",
        )
    ),
    "exp_expes",
    "sub-sec-sum-imp",
    "sub-sec-gen",
    "sub-sec-sum",
    *(f"sub-sec-{row.slug}" for row in DOMAINS if row.slug != "winewhite"),
    "sub-sec-sumdT",
    "sub-sec-AlphavsRF",
    "sub-sec-1050",
)
"""The table of contents, in the printed order."""
ORDERED_CONTENTS = (*CONTENTS[:9], CONTENTS[10], CONTENTS[9], *CONTENTS[11:])

_ERRORS = tuple(Fraction(tenths, 10) for tenths in (1, 2, 3))

ENTRIES: tuple[Entry, ...] = (
    paper.Figure(
        "f-s-transfusion.panels",
        "The caption names the two panels, without and with noise, by different names.",
        line=2583,
        refutation=Transcribed(check_repeated, (("left", "left"),), (("left", "right"),)),
        correction="f-s-transfusion.panels-intended",
        severity=Severity.SLIP,
    ),
    meant.Figure(
        "f-s-transfusion.panels-intended",
        "The left panel is without noise and the right one with it, as the head of the table says.",
        line=2573,
        proof=Transcribed(check_count, (("left", "right"), 2), (("left", "left"), 2)),
    ),
    paper.Figure(
        "f-s-transfusion.aggregated",
        "The parameters over which the caption aggregates, α without noise and α, ε, β with it, are all "
        "that vary at M = 10 and n_v = 10.",
        line=2585,
        refutation=Transcribed(check_differ, (("alpha",), ("alpha", "T", "d")), (("alpha", "T", "d"),) * 2),
        correction="f-s-transfusion.aggregated-intended",
        severity=Severity.SLIP,
        remark="T and the depth vary too; only what is on the y axis is not aggregated over.",
    ),
    ours.Figure(
        "f-s-transfusion.aggregated-intended",
        "At M = 10 and n_v = 10 the runs vary α, T and the depth, and with noise ε and beta_tree besides.",
        line=2585,
        proof=Transcribed(
            check_same,
            (
                ("alpha", "T", "d", "epsilon", "beta_tree"),
                tuple(name for name in (*GRID, *PRIVATE_GRID) if name not in ("n_v", "M")),
            ),
            (("alpha", "epsilon", "beta_tree"), (*GRID, *PRIVATE_GRID)),
        ),
    ),
    paper.Figure(
        "f-s-transfusion2.curves",
        "The curves of the appendix, shares of runs with error no less than x, are drawn by the convention "
        "of the main text, where they are shares with error at most x.",
        also=("f-s-transfusion3", "f-banknote"),
        lines=(2606, 2642, 569),
        refutation=Transcribed(
            check_falling, (_ERRORS, _ERRORS[0], _ERRORS[1]), (_ERRORS, _ERRORS[1], _ERRORS[1])
        ),
        correction="f-s-transfusion2.curves-intended",
        severity=Severity.SLIP,
        remark="One curve falls and the other grows; the text reads the curves as shares with error at most "
        "x, when it says that 2/3 of the runs have error ≤ 20 %.",
    ),
    meant.Figure(
        "f-s-transfusion2.curves-intended",
        "A run with error at most x has error at most any greater y too: the cumulated share never falls.",
        also=("f-banknote",),
        lines=(2606, 569),
        claim=Claim((error <= x, x <= y), error <= y),
        proofs=(Sum(), Smt()),
        control=error < y,
    ),
    paper.Text(
        "sec-exp.global-sensitivity",
        "Definition defEDPRIV is where the global sensitivity is defined.",
        line=582,
        refutation=Indexed(check_outside, ("defEDPRIV", 185), ("defEDPRIV", 183)),
        correction="sec-exp.global-sensitivity-place",
        severity=Severity.SLIP,
    ),
    ours.Text(
        "sec-exp.global-sensitivity-place",
        "The global sensitivity is defined in the running text of Section 2, after that definition.",
        lines=(582, 185),
        proof=Indexed(check_between, (185, "defEDPRIV", "sec:priv"), (192, "defEDPRIV", "sec:priv")),
    ),
    paper.Text(
        "sub-sec-exp-res.subset",
        "Figures are shown for a part of the domains: all but wine-white, three for each, 54 in all.",
        line=2564,
        proof=Indexed(check_shown, (DOMAINS, ("winewhite",), 54), (DOMAINS, (), 57)),
        remark="The pictures themselves are missing from the source.",
    ),
    paper.Text(
        "tabcon.order",
        "The table of contents lists the sections of the appendix in their order.",
        line=715,
        refutation=Indexed(check_not_ordered, (CONTENTS,), (ORDERED_CONTENTS,)),
        correction="tabcon.order-mended",
        severity=Severity.SLIP,
    ),
    ours.Text(
        "tabcon.order-mended",
        "With the general setting before the implementation, every line of the table of contents names a "
        "section of the appendix, in order.",
        lines=(715, 696),
        proof=Indexed(check_ordered, (ORDERED_CONTENTS,), (CONTENTS,)),
    ),
    paper.Text(
        "tabcon.all-proofs",
        "The appendix has a proof of every statement of the main text.",
        lines=(125, 696),
        refutation=Witness(check_missing_proof_section, (MAIN_TEXT,), (290,), trust=INDEXED),
        correction="tabcon.proofs-but-one",
        severity=Severity.PEDANTRY,
        remark="Corollary sensALPHA has none; the text before it calls it not hard to show.",
    ),
    ours.Text(
        "tabcon.proofs-but-one",
        "Every theorem and lemma of the main text has a section of proof in the appendix; the corollary on "
        "the sensitivity of the Mα-loss alone has none.",
        line=125,
        proof=Indexed(check_proof_sections, (("sensALPHA",), MAIN_TEXT), ((), MAIN_TEXT)),
    ),
)
