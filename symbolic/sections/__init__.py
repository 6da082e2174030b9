"""Derivations of the statements of the paper about losses, by section."""
