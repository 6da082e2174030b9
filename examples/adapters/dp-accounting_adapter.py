"""dp-accounting (github.com/google/differential-privacy), which has no mechanisms."""

from importlib.metadata import version

import dp_accounting as dp
from dp_accounting.pld.accountant import advanced_composition
from dp_accounting.pld.common import DifferentialPrivacyParameters
from dp_accounting_losses import DELTAS
from serve import serve
from values import factor

RELATIONS = {
    "add_remove": dp.NeighboringRelation.ADD_OR_REMOVE_ONE,
    "exchange": dp.NeighboringRelation.REPLACE_ONE,
}


def gaussian_sigma(epsilon, delta, sensitivity: factor):
    return sensitivity * dp.get_sigma_gaussian(epsilon, delta)


def clipped_sum_delta(sigma, bound: factor, relation, at_epsilon):
    event = dp.GaussianDpEvent(sigma / bound)
    return dp.rdp.RdpAccountant(neighboring_relation=RELATIONS[relation]).compose(event).get_delta(at_epsilon)


def advanced_composition_epsilon(epsilon, times, delta):
    total = advanced_composition(DifferentialPrivacyParameters(epsilon, 0), times, delta)
    if total is None:
        raise ValueError("no guarantee is possible")
    return total


def zcdp_epsilon(rho, delta):
    return dp.rdp.RdpAccountant().compose(dp.dp_event.ZCDpEvent(rho)).get_epsilon(delta)


NAMED = [gaussian_sigma, clipped_sum_delta, advanced_composition_epsilon, zcdp_epsilon]
serve("dp-accounting", version("dp-accounting"), {}, DELTAS | {each.__name__: each for each in NAMED})
