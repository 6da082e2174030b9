"""Opacus (github.com/meta-pytorch/opacus): its accountants, and the noise of its optimiser."""

from importlib.metadata import version

import torch
from opacus.accountants.analysis import gdp, rdp
from opacus.accountants.rdp import RDPAccountant
from opacus.accountants.utils import get_noise_multiplier
from opacus.optimizers.optimizer import _generate_noise
from serve import serve
from values import decimal, factor

ORDERS = RDPAccountant.DEFAULT_ALPHAS


def gaussian_sigma(epsilon, delta, sensitivity: factor):
    """Return the noise of one step on the whole data set."""
    given = {"target_epsilon": epsilon, "target_delta": delta, "sample_rate": 1.0, "steps": 1}
    return sensitivity * get_noise_multiplier(**given)


def gaussian(value: decimal, epsilon, delta, sensitivity: factor, count):
    values = torch.full((count,), value, dtype=torch.float64)
    return values + _generate_noise(gaussian_sigma(epsilon, delta, sensitivity), values)


def zcdp_epsilon(rho, delta):
    return rdp.get_privacy_spent(orders=ORDERS, rdp=[rho * order for order in ORDERS], delta=delta)[0]


RULES = {
    "gaussian_sigma": gaussian_sigma,
    "gdp_delta": lambda mu, at_epsilon: gdp.delta_eps_mu(eps=at_epsilon, mu=mu),
    "zcdp_epsilon": zcdp_epsilon,
}
serve("opacus", version("opacus"), {"gaussian": gaussian}, RULES)
