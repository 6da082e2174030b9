"""Labels that carry no claim of their own: sections, and the figures of experiments."""

from __future__ import annotations

from privboost.proofs_check import paper
from privboost.proofs_check.entry import Entry, Kind

from .computations import DOMAINS, line_of

_SHOWN = tuple(row.slug for row in DOMAINS if row.slug != "winewhite")
"""The domains that have a section of figures."""


def _family(key: str, words: str, kind: Kind, labels: tuple[str, ...]) -> Entry:
    """Return one entry for labels of the same kind, with the lines of all of them."""
    return Entry(key, words, kind, labels[0], also=labels[1:], lines=tuple(map(line_of, labels)))


def _section(label: str, words: str) -> Entry:
    """Return the entry of one section."""
    return _family(label, words, "section", (label,))


def _figures(index: str) -> tuple[str, ...]:
    """Return the labels of one of the three figures of every domain; those of firmteacher have an extra 2."""
    return tuple(f"f-s-{slug}{'2' if slug == 'firmteacher' else ''}{index}" for slug in _SHOWN)


MAIN = (
    _section("sec:int", "Introduction: why private boosting of trees is open, and four contributions."),
    _section("sec:def", "Losses, Bayes risks, links, surrogates, trees; privacy and its two mechanisms."),
    _section("sec:priv", "The sensitivity of a leaf's Bayes risk, for every Bayes risk."),
    _section("sec:matalpha", "The Mα-loss, from the 0/1 loss to Matsushita's: link, surrogate, sensitivity."),
    _section("sec-boost", "Convergence of boosting with the Mα-loss, for a tree and for sums of trees."),
    _section("sec-solv", "Objective calibration: the budget and the α of a node, and what boosting keeps."),
    _section("sec-exp", "Summary of experiments on 19 domains, against two private random forests."),
    _section("sec-conc", "Conclusion."),
    _section("sec:ackno", "Thanks."),
    _section("tabcon", "Table of contents of the appendix."),
)

APPENDIX = (
    _family(
        "proof_proofs",
        "The appendix on proofs: one section for each theorem and lemma of the main text.",
        "section",
        (
            "proof_proofs",
            "proof_th3P",
            "proof_lemcurv",
            "proof_lemPhiProof",
            "proof_theoremalpha",
            "proof_thBoostDT1",
            "proof_thBoostLC1",
            "proof_thBOOSTDP1",
        ),
    ),
    _section("exp_expes", "The appendix on experiments."),
    _section("sub-sec-gen", "What is public, and which parameters were varied."),
    _section("sub-sec-sum-imp", "Implementation: clamps of the boosted trees, mechanisms of the forests."),
    _section("sub-sec-exp-res", "Further results, for M = 10 and n_v = 10."),
    _section("sub-sec-sum", "The table of domains with their numbers of examples and features."),
    _family(
        "sub-sec-domains",
        "One section of figures for each domain that is shown.",
        "section",
        tuple(f"sub-sec-{slug}" for slug in _SHOWN),
    ),
    _section("sub-sec-sumdT", "The table of best depths and numbers of trees."),
    _section("sub-sec-AlphavsRF", "The table of comparisons with random forests."),
    _section("sub-sec-1050", "Comparison of n_v = 10 with n_v = 50."),
)

PICTURES = (
    paper.Figure(
        "f-banknote",
        "For banknote, cumulated shares of runs by test error, for three strategies of α, without and with "
        "noise, and the mean number of leaves of the trees; the pictures are not in the source.",
        line=569,
    ),
    _family(
        "f-s-depth-and-leaves",
        "For each domain, mean depth and mean number of leaves of the models with test error at most x, "
        "without and with noise; a bar marks the error of the default class.",
        "figure",
        _figures(""),
    ),
    _family(
        "f-s-by-alpha-and-epsilon",
        "For each domain, cumulated shares of runs by test error: for each strategy of α, without and with "
        "noise, and for each ε, in full and around the best results.",
        "figure",
        _figures("2"),
    ),
    _family(
        "f-s-by-alpha-for-each-epsilon",
        "For each domain and each of five ε, cumulated shares of runs by test error for each strategy of α, "
        "in full and around the best results.",
        "figure",
        _figures("3"),
    ),
    paper.Figure(
        "t-sumdT",
        "For each domain, the depths and numbers of trees of its best private results; the body is empty.",
        line=3189,
    ),
    paper.Figure(
        "t-bvsrf",
        "For each domain and depths 2, 4, 6, the share of runs that boosting wins against each forest among "
        "those with a significant winner, for 2 and for 20 boosted trees; the picture is not in the source.",
        line=3204,
    ),
    paper.Figure(
        "f-summary1050",
        "For four domains, shares of runs by test error with n_v = 10 and n_v = 50, over all ε and at ε = "
        "0.01.",
        line=3260,
    ),
)

ENTRIES: tuple[Entry, ...] = (*MAIN, *APPENDIX, *PICTURES)
