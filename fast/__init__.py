"""The vectorised learner, independent of `privboost.reference` so that their agreement is evidence.

There is no learner here yet.
"""
