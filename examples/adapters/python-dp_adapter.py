"""python-dp (github.com/OpenMined/PyDP), which wraps google/differential-privacy.

Its counts are rounded and the number of rows of its means is private, so that both have other laws.
"""

from importlib.metadata import version

from pydp.algorithms.laplacian import BoundedSum
from pydp.algorithms.numerical_mechanisms import GaussianMechanism, LaplaceMechanism
from pydp.algorithms.partition_selection import create_laplace_partition_strategy
from serve import serve
from values import decimal, each, natural


def laplace(value: decimal, epsilon, sensitivity):
    mechanism = LaplaceMechanism(epsilon, sensitivity)
    return lambda: mechanism.add_noise(value)


def gaussian(value: decimal, epsilon, delta, sensitivity):
    mechanism = GaussianMechanism(epsilon, delta, sensitivity)
    return lambda: mechanism.add_noise(value)


def bounded_sum(rows, lower, upper, epsilon, relation="add_remove"):
    return lambda: BoundedSum(epsilon, 0, lower, upper, dtype="float").quick_result(rows)


def stable_histogram(rows: each(natural), epsilon, delta):
    strategy = create_laplace_partition_strategy(epsilon, delta, 1)
    sizes = {code: rows.count(code) for code in rows}
    return lambda: [code for code, size in sizes.items() if strategy.should_keep(size)]


DRAWS = [laplace, gaussian, bounded_sum, stable_histogram]
RULES = {
    "gaussian_sigma": lambda epsilon, delta, sensitivity: GaussianMechanism(epsilon, delta, sensitivity).std,
    "laplace_threshold": lambda epsilon, delta: (
        create_laplace_partition_strategy(epsilon, delta, 1).threshold
    ),
}
serve("python-dp", version("python-dp"), {each.__name__: each for each in DRAWS}, RULES)
