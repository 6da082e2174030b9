"""Described inputs: what a data set may be, its hostile neighbours, and the smallest pair with a mistake."""
