"""The computations that `section7_experiments.md` cites: function, arguments, and wrong ones."""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check.claims.section3_privacy.computations import leak
from privboost.proofs_check.proofs import Computed

from .computations import (
    DOMAINS,
    EPSILONS,
    GRID,
    INDEXED,
    PRINTED,
    PRIVATE_GRID,
    SORTED_DOMAINS,
    WINS,
    check_between,
    check_cells,
    check_count,
    check_differ,
    check_edges,
    check_falling,
    check_full,
    check_increasing,
    check_infinite_prediction,
    check_inside,
    check_missing_proof_section,
    check_models,
    check_not_increasing,
    check_not_ordered,
    check_ordered,
    check_orders,
    check_outside,
    check_proof_sections,
    check_reference,
    check_refines,
    check_repeated,
    check_same,
    check_shape_depends,
    check_shown,
    check_smooth_sensitivity,
    check_span,
    check_spare_search,
    check_split_counts,
    check_ties,
    check_totals,
)

F_DP_ALPHA_TIES = Computed(
    check_ties,
    (WINS, 19),
    (
        (
            (Fraction(1, 100), (14, 3, 5)),
            (Fraction(1, 10), (13, 2, 6)),
            (Fraction(1), (9, 3, 9)),
            (Fraction(10), (5, 4, 11)),
            (Fraction(25), (8, 6, 6)),
            (Fraction(1), (14, 3, 2)),
        ),
        19,
    ),
    trust=PRINTED,
)
F_DP_ALPHA_ALPHA_LIST = Computed(
    check_same,
    (("O.C", Fraction(1, 10), Fraction(1)), GRID["alpha"]),
    (("O.C", Fraction(1, 10)), GRID["alpha"]),
    trust=PRINTED,
)
F_DP_ALPHA_EPSILON_LIST = Computed(
    check_same,
    (
        (Fraction(1, 100), Fraction(1, 10), Fraction(1), Fraction(10), Fraction(25)),
        EPSILONS,
        (Fraction(1, 100), Fraction(1, 10), Fraction(1), Fraction(10), Fraction(25)),
    ),
    (
        (Fraction(1, 100), Fraction(1, 10), Fraction(1), Fraction(10), Fraction(25)),
        (Fraction(1, 100), Fraction(1, 10), Fraction(1), Fraction(10)),
    ),
    trust=PRINTED,
)
F_DP_ALPHA_HIGH_PRIVACY = Computed(
    check_orders,
    (
        WINS,
        (
            (Fraction(1, 100), "O > 1 > t"),
            (Fraction(1, 10), "O > 1 > t"),
            (Fraction(1), "O = 1 > t"),
            (Fraction(10), "1 > O > t"),
            (Fraction(25), "O > 1 = t"),
        ),
    ),
    (WINS, ((Fraction(1), "O > 1 > t"),)),
    trust=PRINTED,
)
SEC_CONC_BEST_MODELS = Computed(
    check_totals,
    (WINS, (49, 18, 37)),
    (((Fraction(1), (9, 3, 9)), (Fraction(10), (5, 4, 11))), (14, 7, 20)),
    trust=PRINTED,
)
T_S_UCI_NINETEEN = Computed(check_count, (DOMAINS, 19), (DOMAINS, 20), trust=PRINTED)
T_S_UCI_SPAN = Computed(check_span, (DOMAINS, 3000, 200000), (DOMAINS, 2992, 200000), trust=PRINTED)
T_S_UCI_INCREASING = Computed(check_not_increasing, (DOMAINS,), (SORTED_DOMAINS,), trust=PRINTED)
T_S_UCI_SORTED = Computed(check_increasing, (SORTED_DOMAINS,), (DOMAINS,), trust=PRINTED)
T_S_UCI_FOOTNOTES = Computed(
    check_cells,
    (DOMAINS, (("Cardiotocography", "n", 9), ("CreditCardSmall", "m", 1000))),
    (DOMAINS, (("Cardiotocography", "n", 8),)),
    trust=PRINTED,
)
SUB_SEC_GEN_SAME_LISTS = Computed(
    check_same, ((2, 5, 10, 20), GRID["T"]), ((2, 10, 20), GRID["T"]), trust=PRINTED
)
SUB_SEC_GEN_SAME_LISTS_2 = Computed(
    check_same, ((1, 2, 3, 4, 5, 6), GRID["d"]), ((0, 1, 2, 3, 4, 5), GRID["d"]), trust=PRINTED
)
SUB_SEC_GEN_SAME_LISTS_3 = Computed(
    check_same,
    ((Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)), PRIVATE_GRID["beta_tree"]),
    ((Fraction(1, 10), Fraction(9, 10)), PRIVATE_GRID["beta_tree"]),
    trust=PRINTED,
)
SUB_SEC_GEN_MILLION = Computed(
    check_models,
    ((GRID, PRIVATE_GRID, (), 10, 19), 1000000, 2000000),
    ((GRID, PRIVATE_GRID, (), 10, 19), 0, 1000000),
    trust=PRINTED,
)
SUB_SEC_GEN_MODELS_WITH_M = Computed(
    check_models,
    ((GRID, PRIVATE_GRID, ("M",), 10, 19), 1300000, 1313280),
    ((GRID, PRIVATE_GRID, (), 10, 19), 1300000, 1313280),
    trust=PRINTED,
)
SUB_SEC_GEN_MODELS_WITH_M_2 = Computed(
    check_models,
    ((GRID, PRIVATE_GRID, (), 10, 19), 0, 1300000),
    ((GRID, PRIVATE_GRID, ("M",), 10, 19), 0, 1300000),
    trust=PRINTED,
)
T_BVSRF_GRID = Computed(check_inside, ((2, 4, 6), GRID["d"]), ((2, 4, 8), GRID["d"]), trust=PRINTED)
T_BVSRF_GRID_2 = Computed(check_inside, ((2, 20), GRID["T"]), ((2, 21), GRID["T"]), trust=PRINTED)
F_SUMMARY1050_DOMAINS = Computed(
    check_same,
    (("banknote", "winered", "qsar", "winewhite"), ("qsar", "winewhite", "banknote", "winered")),
    (("banknote", "winered", "qsar", "winewhite"), ("qsar", "banknote", "winered")),
    trust=PRINTED,
)
SUB_SEC_GEN_SPLIT_COUNT = Computed(
    check_split_counts, (DOMAINS, (10, 50), Fraction(49, 9)), (DOMAINS, (10, 50), Fraction(5))
)
SUB_SEC_1050_FIVE_TIMES = Computed(
    check_same, ((Fraction(5),), (Fraction(5),)), ((Fraction(49, 9),), (Fraction(5),)), trust=PRINTED
)
SUB_SEC_1050_FIVE_TIMES_2 = Computed(
    check_split_counts, (DOMAINS, (10, 50), Fraction(49, 9)), (DOMAINS, (10, 50), Fraction(5))
)
SUB_SEC_1050_REFINES = Computed(check_refines, (10, 50), (10, 45))
SUB_SEC_GEN_NO_EXHAUSTIVE_SEARCH = Computed(
    check_spare_search,
    (
        ((Fraction(1, 8), -1), (Fraction(3, 8), 1), (Fraction(5, 8), 1), (Fraction(7, 8), 1)),
        2,
        4,
        Fraction(1, 2),
    ),
    (
        ((Fraction(1, 8), -1), (Fraction(3, 8), 1), (Fraction(5, 8), 1), (Fraction(7, 8), 1)),
        4,
        8,
        Fraction(1, 2),
    ),
    engine="witness",
)
SUB_SEC_GEN_VALUES_NOT_TOO_FEW = Computed(
    check_edges,
    (
        ((Fraction(1, 8), 1), (Fraction(3, 8), -1), (Fraction(5, 8), -1), (Fraction(7, 8), 1)),
        (1, 2),
        4,
        Fraction(1, 2),
    ),
    (
        ((Fraction(1, 8), 1), (Fraction(3, 8), -1), (Fraction(5, 8), -1), (Fraction(7, 8), 1)),
        (1, 4),
        4,
        Fraction(1, 2),
    ),
    engine="witness",
)
SUB_SEC_GEN_FULL_TREES = Computed(check_full, (GRID["d"], 64), (GRID["d"], 63))
SUB_SEC_GEN_PURITY_LEAKS = Computed(
    check_shape_depends, ((1, 1, 1), (1, 1, -1)), ((1, 1, -1), (1, -1, -1)), engine="witness"
)
SUB_SEC_SUM_IMP_NOISE_THEN_CLAMP = Computed(
    leak, ("leaf-noise-before-clamp", "leaking"), ("leaf-noise-before-clamp", "closed"), engine="witness"
)
SUB_SEC_SUM_IMP_WEIGHTS_INSIDE = Computed(
    check_infinite_prediction, (Fraction(1), Fraction(1)), (Fraction(1), Fraction(9999, 10000))
)
SUB_SEC_SUM_IMP_SMOOTH_SENSITIVITY = Computed(check_smooth_sensitivity, (3,), (1,), engine="witness")
F_S_TRANSFUSION_PANELS = Computed(check_repeated, (("left", "left"),), (("left", "right"),), trust=PRINTED)
F_S_TRANSFUSION_PANELS_INTENDED = Computed(
    check_count, (("left", "right"), 2), (("left", "left"), 2), trust=PRINTED
)
F_S_TRANSFUSION_AGGREGATED = Computed(
    check_differ, (("alpha",), ("alpha", "T", "d")), (("alpha", "T", "d"), ("alpha", "T", "d")), trust=PRINTED
)
F_S_TRANSFUSION_AGGREGATED_INTENDED = Computed(
    check_same,
    (("alpha", "T", "d", "epsilon", "beta_tree"), ("T", "alpha", "d", "epsilon", "beta_tree")),
    (("alpha", "epsilon", "beta_tree"), ("T", "alpha", "d", "n_v", "epsilon", "beta_tree", "M")),
    trust=PRINTED,
)
F_S_TRANSFUSION2_CURVES = Computed(
    check_falling,
    ((Fraction(1, 10), Fraction(1, 5), Fraction(3, 10)), Fraction(1, 10), Fraction(1, 5)),
    ((Fraction(1, 10), Fraction(1, 5), Fraction(3, 10)), Fraction(1, 5), Fraction(1, 5)),
    trust=PRINTED,
)
SEC_EXP_GLOBAL_SENSITIVITY = Computed(check_outside, ("defEDPRIV", 185), ("defEDPRIV", 183), trust=INDEXED)
SEC_EXP_GLOBAL_SENSITIVITY_PLACE = Computed(
    check_between, (185, "defEDPRIV", "sec:priv"), (192, "defEDPRIV", "sec:priv"), trust=INDEXED
)
SUB_SEC_EXP_RES_SUBSET = Computed(
    check_shown, (DOMAINS, ("winewhite",), 54), (DOMAINS, (), 57), trust=INDEXED
)
TABCON_ORDER = Computed(
    check_not_ordered,
    (
        (
            "proof_proofs",
            "proof_th3P",
            "proof_lemcurv",
            "proof_lemPhiProof",
            "proof_theoremalpha",
            "proof_thBoostDT1",
            "proof_thBoostLC1",
            "proof_thBOOSTDP1",
            "exp_expes",
            "sub-sec-sum-imp",
            "sub-sec-gen",
            "sub-sec-sum",
            "sub-sec-transfusion",
            "sub-sec-banknote",
            "sub-sec-breastwisc",
            "sub-sec-ionosphere",
            "sub-sec-sonar",
            "sub-sec-yeast",
            "sub-sec-winered",
            "sub-sec-cardiotocography",
            "sub-sec-creditcardsmall",
            "sub-sec-abalone",
            "sub-sec-qsar",
            "sub-sec-page",
            "sub-sec-mice",
            "sub-sec-hillnoise",
            "sub-sec-hillnonoise",
            "sub-sec-firmteacher",
            "sub-sec-magic",
            "sub-sec-eeg",
            "sub-sec-sumdT",
            "sub-sec-AlphavsRF",
            "sub-sec-1050",
        ),
    ),
    (
        (
            "proof_proofs",
            "proof_th3P",
            "proof_lemcurv",
            "proof_lemPhiProof",
            "proof_theoremalpha",
            "proof_thBoostDT1",
            "proof_thBoostLC1",
            "proof_thBOOSTDP1",
            "exp_expes",
            "sub-sec-gen",
            "sub-sec-sum-imp",
            "sub-sec-sum",
            "sub-sec-transfusion",
            "sub-sec-banknote",
            "sub-sec-breastwisc",
            "sub-sec-ionosphere",
            "sub-sec-sonar",
            "sub-sec-yeast",
            "sub-sec-winered",
            "sub-sec-cardiotocography",
            "sub-sec-creditcardsmall",
            "sub-sec-abalone",
            "sub-sec-qsar",
            "sub-sec-page",
            "sub-sec-mice",
            "sub-sec-hillnoise",
            "sub-sec-hillnonoise",
            "sub-sec-firmteacher",
            "sub-sec-magic",
            "sub-sec-eeg",
            "sub-sec-sumdT",
            "sub-sec-AlphavsRF",
            "sub-sec-1050",
        ),
    ),
    trust=INDEXED,
)
TABCON_ORDER_MENDED = Computed(
    check_ordered,
    (
        (
            "proof_proofs",
            "proof_th3P",
            "proof_lemcurv",
            "proof_lemPhiProof",
            "proof_theoremalpha",
            "proof_thBoostDT1",
            "proof_thBoostLC1",
            "proof_thBOOSTDP1",
            "exp_expes",
            "sub-sec-gen",
            "sub-sec-sum-imp",
            "sub-sec-sum",
            "sub-sec-transfusion",
            "sub-sec-banknote",
            "sub-sec-breastwisc",
            "sub-sec-ionosphere",
            "sub-sec-sonar",
            "sub-sec-yeast",
            "sub-sec-winered",
            "sub-sec-cardiotocography",
            "sub-sec-creditcardsmall",
            "sub-sec-abalone",
            "sub-sec-qsar",
            "sub-sec-page",
            "sub-sec-mice",
            "sub-sec-hillnoise",
            "sub-sec-hillnonoise",
            "sub-sec-firmteacher",
            "sub-sec-magic",
            "sub-sec-eeg",
            "sub-sec-sumdT",
            "sub-sec-AlphavsRF",
            "sub-sec-1050",
        ),
    ),
    (
        (
            "proof_proofs",
            "proof_th3P",
            "proof_lemcurv",
            "proof_lemPhiProof",
            "proof_theoremalpha",
            "proof_thBoostDT1",
            "proof_thBoostLC1",
            "proof_thBOOSTDP1",
            "exp_expes",
            "sub-sec-sum-imp",
            "sub-sec-gen",
            "sub-sec-sum",
            "sub-sec-transfusion",
            "sub-sec-banknote",
            "sub-sec-breastwisc",
            "sub-sec-ionosphere",
            "sub-sec-sonar",
            "sub-sec-yeast",
            "sub-sec-winered",
            "sub-sec-cardiotocography",
            "sub-sec-creditcardsmall",
            "sub-sec-abalone",
            "sub-sec-qsar",
            "sub-sec-page",
            "sub-sec-mice",
            "sub-sec-hillnoise",
            "sub-sec-hillnonoise",
            "sub-sec-firmteacher",
            "sub-sec-magic",
            "sub-sec-eeg",
            "sub-sec-sumdT",
            "sub-sec-AlphavsRF",
            "sub-sec-1050",
        ),
    ),
    trust=INDEXED,
)
TABCON_ALL_PROOFS = Computed(check_missing_proof_section, (682,), (290,), engine="witness", trust=INDEXED)
TABCON_PROOFS_BUT_ONE = Computed(check_proof_sections, (("sensALPHA",), 682), ((), 682), trust=INDEXED)
SENSALPHA_CITED_AS_LEMMA = Computed(
    check_reference, ("another kind", "sensALPHA", 473), ("another kind", "thBoostDT1", 2186), trust=INDEXED
)
EQCONST111_DEFINED_TWICE = Computed(
    check_reference, ("twice", "eqCONST111", 1977), ("twice", "eqCONST1111", 1925), trust=INDEXED
)
SEC_EXP_UNNUMBERED = Computed(
    check_reference, ("no number", "sub-sec-sumdT", 638), ("no number", "sec-solv", 638), trust=INDEXED
)
SEC_EXP_UNNUMBERED_2 = Computed(
    check_reference, ("no number", "sub-sec-AlphavsRF", 644), ("no number", "sec-solv", 644), trust=INDEXED
)
SEC_EXP_UNNUMBERED_3 = Computed(
    check_reference, ("no number", "sub-sec-1050", 666), ("no number", "sec-solv", 666), trust=INDEXED
)
