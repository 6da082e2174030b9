"""Pairs of neighbouring data sets."""
