"""The ledger of the paper's claims, and the engines that check them.

`ledger` judges the entries of `claims`; `record` compares the verdicts with those on record.
"""
