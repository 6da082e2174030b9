"""Domains and metrics of OpenDP, and how its adapter reads what it only makes scales of noise from."""

from math import isnan

import opendp.prelude as dp
from values import READERS, each, factor

dp.enable_features("contrib")
ROWS = dp.symmetric_distance()
READERS |= dict.fromkeys(("epsilon", "sensitivity", "rho"), factor)
READERS |= dict.fromkeys(("epsilons", "rhos"), each(factor))


def atoms(kind):
    return dp.atom_domain(T=float, nan=False) if kind is float else dp.atom_domain(T=kind)


def space(rows, kind=float, size=None):
    if any(row is None or isnan(row) for row in rows):
        raise NotImplementedError("missing rows")
    return dp.vector_domain(atoms(kind), size), ROWS
