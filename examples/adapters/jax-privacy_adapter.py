"""JAX-Privacy (github.com/google-deepmind/jax_privacy): calibration, and the noise of one step."""

from importlib.metadata import version

import jax
import jax.numpy as jnp
from jax_privacy import accounting, noise_addition
from serve import serve
from values import decimal, factor, natural

jax.config.update("jax_enable_x64", True)


def gaussian_sigma(epsilon, delta, sensitivity: factor):
    """Return the noise of one step on the whole data set; a PLD takes minutes at epsilon 100."""
    accountant = accounting.analysis.DpsgdTrainingAccountant(
        dp_accountant_config=accounting.accountants.RdpAccountantConfig()
    )
    return sensitivity * accounting.calibrate.calibrate_noise_multiplier(
        target_epsilon=epsilon,
        accountant=accountant,
        batch_sizes=1,
        num_samples=1,
        num_updates=1,
        target_delta=delta,
    )


def gaussian(*, value: decimal, epsilon, delta, sensitivity: factor, seed: natural, count):
    sigma = gaussian_sigma(epsilon, delta, sensitivity)
    privatizer = noise_addition.gaussian_privatizer(stddev=sigma, prng_key=jax.random.key(seed))
    values = jnp.full(count, value, jnp.float64)
    return privatizer.update(values, privatizer.init(values))[0]


serve("jax-privacy", version("jax-privacy"), {"gaussian": gaussian}, {"gaussian_sigma": gaussian_sigma})
