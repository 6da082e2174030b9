"""Compare exact sensitivities with the bounds in the paper.

The exact values come from an enumeration of all neighbouring samples; the sharp value is m L(1/m).
"""

from __future__ import annotations

import argparse
from fractions import Fraction
from itertools import product

from privboost.cli.arguments import add_option, whole_number
from privboost.progress import count_progress
from privboost.tables import Table

COLUMNS = ("loss", "m", "relation", "leaves", "exact", "sharp", "paper", "slack of the paper", "attained by")
WEIGHTS = (Fraction(1, 2), Fraction(1))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the size of the samples."""
    add_option(parser, "--size M", whole_number(2, 6), "largest sample size, from 2 to 6", default=4)


def run(options: argparse.Namespace) -> Table:
    """Return the sensitivities up to the sample size in the options."""
    return sensitivities(options.size)


def sensitivities(size: int) -> Table:
    """Return one row for every loss, relation, number of leaves, and sample size from 2 to `size`.

    The table conforms if every exact value equals the sharp value and is at most the bound of the paper.
    """
    from privboost.reference.data import Relation
    from privboost.reference.exact import decimal
    from privboost.reference.losses import MATSUSHITA, SQUARE, ZERO_ONE, m_alpha
    from privboost.reference.privacy.sensitivity import bound_th3p, exact_sensitivity, sharp_sensitivity

    rows = []
    conforming = True
    losses = (SQUARE, ZERO_ONE, MATSUSHITA, m_alpha(Fraction(1, 3)))
    cases = list(product(losses, range(2, size + 1), Relation, (1, 2)))
    for loss, m, relation, leaves in count_progress(cases, "sensitivities computed"):
        sharp, paper = sharp_sensitivity(loss, m), bound_th3p(loss, m)
        exact = exact_sensitivity(loss, m, WEIGHTS, relation, leaves=leaves)
        conforming = conforming and exact.value == sharp <= paper
        pair = " against ".join(
            ", ".join(map(str, sample)) or "nothing" for sample in (exact.first, exact.second)
        )
        numbers = (str(exact.value), str(sharp), str(paper), decimal(paper - sharp, 4))
        rows.append((loss.name, str(m), relation.value, str(leaves), *numbers, pair))
    summary = "weights in {1/2, 1}; exact by enumeration of all neighbours; sharp = m L(1/m)"
    return Table("sensitivity", COLUMNS, tuple(rows), conforming=conforming, summary=summary)
