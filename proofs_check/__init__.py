"""The ledger of the paper's claims and the engines that check them.

The ledger is empty so far: the claims about the losses are derived in `privboost.symbolic`, and the places
where the paper is wrong are listed in `privboost.reference.losses`.
"""
