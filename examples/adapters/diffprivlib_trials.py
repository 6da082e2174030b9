"""Functions of diffprivlib at epsilon 1, with all parameters that its documentation asks for."""

import numpy as np
from diffprivlib.mechanisms import GaussianAnalytic, Laplace
from diffprivlib.models import LinearRegression
from diffprivlib.tools import quantile

noise = Laplace(epsilon=1, sensitivity=1)
normal_noise = GaussianAnalytic(epsilon=1, delta=1e-6, sensitivity=1)


def linear_regression(rows):
    """Release the coefficient of y = c x, for rows (x, y) with numbers in [0, 1]."""
    model = LinearRegression(epsilon=1, bounds_X=(0, 1), bounds_y=(0, 1), fit_intercept=False)
    table = np.array(rows, float)
    return model.fit(table[:, :1], table[:, 1]).coef_


def laplace(rows):
    """Release the sum of rows in [0, 1]."""
    return noise.randomise(float(sum(rows)))


def gaussian(rows):
    """Release the sum of rows in [0, 1]."""
    return normal_noise.randomise(float(sum(rows)))


def median(rows):
    """Release the median of rows in [0, 1]."""
    return quantile(np.array(rows), 0.5, epsilon=1, bounds=(0, 1))
