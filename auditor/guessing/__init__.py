"""Guessers: which of the two data sets an output came from."""
