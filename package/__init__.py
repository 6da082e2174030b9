"""Check implementations, privacy claims and proofs of differentially private boosted decision trees.

Importing this package imports nothing else: `privboost.reference` runs on the standard library alone.
"""

__all__ = ["__version__"]

__version__ = "0.1.0"
