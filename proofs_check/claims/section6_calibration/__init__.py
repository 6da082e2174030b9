"""Section 6: objective calibration, Theorem thBOOSTDP1, its proof and its correction."""

from __future__ import annotations

from privboost.proofs_check.claims.common import HALF
from privboost.proofs_check.entry import Symbols
from privboost.proofs_check.language import reals

MODULES = ("mechanism", "gap", "theorem", "corrected", "proof", "split", "sequence", "bounds", "probability")

err, err1, err2, sum_fat, sum_slim = reals("err err1 err2 sum_fat sum_slim")

SYMBOLS = Symbols(
    "a alpha alpha2 b best beta c count count0 count1 delta depth depth2 efficiency eps eta exponent factor "
    "fat first gamma greater high k kappa l1 l2 leaf leaf_e leaf_m lesser log_rho low m mean minority minus "
    "minus1 minus2 mu n number p p1 p2 plus plus1 plus2 polylog power power2 q r rate rest rest_m rho root s "
    "same scale second sens share share2 size slim spend sum_y t tau tests trees u u2 unit unsure v w w2 "
    "weight weight0 weight1 whole x xi xi2 y z",
    positive="chance chance2 drop drop_e err err1 err2 odds sum_fat sum_slim tree zero_one",
    meaning=(err <= HALF, err1 <= HALF, err <= err1, err2 <= err, 0 < sum_fat, 0 < sum_slim),
    stands_for="""
        fat: 0; fat → fat + 1
        slim: 0; slim → slim + 1
        sum_fat: 0; sum_fat → sum_fat + exp(kappa·v·unit)
        sum_slim: 0; sum_slim → sum_slim + exp(kappa·u·unit)
        rho = fat/slim
        odds = sum_fat/sum_slim
        err: 0; err → err + w·min(q, 1 - q)/(mean·m)
        tree: 0; tree → tree + w·(alpha·2·sqrt(q·(1 - q)) + (1 - alpha)·2·min(q, 1 - q))
    """,
)
