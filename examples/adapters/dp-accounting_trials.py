"""A sum with normal noise of which dp-accounting states the cost, if one row is replaced."""

import random

source = random.SystemRandom()


def clipped_sum(rows):
    """Release the sum of rows, clipped to [-1, 1], with noise of standard deviation 1."""
    return sum(min(max(row, -1.0), 1.0) for row in rows) + source.gauss(0, 1)
