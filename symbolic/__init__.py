"""Derivations with computer algebra: the paper's statements about its losses, derived again and compared."""
