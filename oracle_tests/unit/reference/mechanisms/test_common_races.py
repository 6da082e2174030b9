"""Report noisy max and above threshold: closed forms against integrals and sums of mpmath, and their privacy.

Every law has a wrong twin, which the same comparison rejects.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import mpmath
import pytest

from privboost.errors import InexactInputError, PreconditionError
from privboost.oracle_tests.support.divergences import Density, Real, is_near, laplace, on_integers, to_mpf
from privboost.oracle_tests.support.exact_losses import is_private
from privboost.reference.exact import Exact, Number, enclose, exact_sum, log, sqrt
from privboost.reference.mechanisms.above_threshold import above_threshold, above_threshold_scales
from privboost.reference.mechanisms.noisy_max import Noise, Ties, noisy_max, noisy_max_scale

HALF, ONE, ZERO = Fraction(1, 2), Fraction(1), Fraction(0)


SHIFTS = list(product([-1, 0, 1], repeat=3))


# Races of noisy values -----------------------------------------------------------------------------------


def continuous(noise: Noise, scale: Real) -> tuple[Density, Density]:
    """Return the density and the distribution function of noise."""
    e = mpmath.exp
    if noise is Noise.LAPLACE:
        return laplace(0, scale), lambda x: e(x / scale) / 2 if x < 0 else 1 - e(-x / scale) / 2
    if noise is Noise.EXPONENTIAL:
        return (
            lambda x: e(-x / scale) / scale if x >= 0 else mpmath.mpf(0),
            lambda x: 1 - e(-x / scale) if x >= 0 else mpmath.mpf(0),
        )
    return (
        lambda x: e(-x / scale - e(-x / scale)) / scale,
        lambda x: e(-e(-x / scale)),
    )


def noisy_max_by_integral(scores: Sequence[Exact], scale: Exact, noise: Noise) -> list[Real]:
    """Return the integral over t of the density of each value times the chances of all others below t."""
    width, centres = to_mpf(scale), [to_mpf(score) for score in scores]
    density, below = continuous(noise, width)
    points = sorted({*centres, min(centres) - 60 * width, max(centres) + 60 * width})
    points[1:-1] = sorted({c + d * width for c in points[1:-1] for d in (-3, -1, 0, 1, 3, 10)})

    def integrand(i: int) -> Density:
        return lambda t: (
            density(t - centres[i])
            * mpmath.fprod(below(t - centre) for j, centre in enumerate(centres) if j != i)
        )

    with mpmath.workdps(20):
        return [mpmath.quad(integrand(i), points) for i in range(len(centres))]


@pytest.mark.parametrize("noise", [Noise.LAPLACE, Noise.EXPONENTIAL, Noise.GUMBEL])
@pytest.mark.parametrize("scores", [[0, 1, HALF], [2, 2], [1, -3, 0, 1]], ids=str)
@pytest.mark.parametrize("scale", [ONE, Fraction(5, 2)], ids=str)
def test_noisy_max__law_is_the_integral(noise: Noise, scores: Sequence[Exact], scale: Exact) -> None:
    law = noisy_max(scores, scale, noise)
    expected = noisy_max_by_integral(scores, scale, noise)
    assert 0 in enclose(exact_sum(law.values()) - 1, 100)
    assert all(is_near(law[i], value) for i, value in enumerate(expected))
    others = [noisy_max(scores, scale, other) for other in Noise if other not in (noise, Noise.GEOMETRIC)]
    assert len(scores) == 2 or not any(is_near(other[0], expected[0]) for other in others)


def test_noisy_max__any_exact_scale() -> None:
    law = noisy_max([0, 1], 1 / log(2), Noise.LAPLACE)
    # Two scores: the difference of two Laplace variables is above x with (1/2 + x / 4) e^-x, x in scales.
    assert 0 in enclose(law[0] - (HALF + log(2) / 4) / 2, 100)


def noisy_max_by_sum(scores: Sequence[int], scale: Exact, ties: Ties) -> list[Real]:
    """Return the law with noise on the integers, by summing over all noises at a distance of up to 40."""
    law = on_integers(laplace(0, to_mpf(scale)), 40)
    below = {k: mpmath.fsum(law[j] for j in range(-40, k + 1)) for k in law}
    chances = [mpmath.mpf(0)] * len(scores)
    for i, t in product(range(len(scores)), range(-40, 41)):
        others = [(law.get(t - s, 0), below.get(t - s - 1, 0)) for j, s in enumerate(scores) if j != i]
        for tied in product([False, True], repeat=len(others)):
            chance = mpmath.fprod(
                equal if tie else less for tie, (equal, less) in zip(tied, others, strict=True)
            )
            first = not any(tied[:i])
            share = mpmath.mpf(1) / (1 + sum(tied)) if ties is Ties.UNIFORM else mpmath.mpf(first)
            chances[i] += law.get(t - scores[i], 0) * chance * share
    return chances


@pytest.mark.parametrize("ties", list(Ties))
@pytest.mark.parametrize("scores", [[0, 1], [2, 2, 0], [1, -3, 0, 1]], ids=str)
def test_noisy_max__law_on_the_integers_is_the_sum(ties: Ties, scores: list[int]) -> None:
    law = noisy_max(scores, Fraction(3, 4), Noise.GEOMETRIC, ties)
    expected = noisy_max_by_sum(scores, Fraction(3, 4), ties)
    assert all(is_near(law[i], value) for i, value in enumerate(expected))
    wrong = noisy_max(scores, Fraction(3, 4), Noise.LAPLACE)
    assert not is_near(wrong[0], expected[0]) or (scores, ties) == ([2, 2], Ties.UNIFORM)


def test_noisy_max__refusals() -> None:
    with pytest.raises(PreconditionError, match="at least one score"):
        noisy_max([], 1, Noise.LAPLACE)
    with pytest.raises(PreconditionError, match="integers"):
        noisy_max([HALF], 1, Noise.GEOMETRIC)
    with pytest.raises(InexactInputError):
        noisy_max([0.5], 1, Noise.LAPLACE)  # type: ignore[list-item]


@pytest.mark.parametrize("noise", list(Noise))
@pytest.mark.parametrize("monotonic", [False, True])
def test_noisy_max__epsilon_holds_for_all_shifts_of_scores(noise: Noise, monotonic: bool) -> None:
    epsilon, scores = ONE, (0, 1, -1)
    shifts = [shift for shift in SHIFTS if not monotonic or min(shift) >= 0]
    scale = noisy_max_scale(epsilon, 1, monotonic=monotonic)

    def law(shift: Sequence[int], width: Exact) -> dict[int, Number]:
        moved = [score + move for score, move in zip(scores, shift, strict=True)]
        return noisy_max(moved, width, noise)

    assert all(is_private(law((0, 0, 0), scale), law(shift, scale), epsilon) for shift in shifts)
    # Half the scale is too small: the worst shift exceeds epsilon.
    assert not all(is_private(law((0, 0, 0), scale / 2), law(shift, scale / 2), epsilon) for shift in shifts)


def above_threshold_by_sum(answers: Sequence[int], threshold: int, scales: tuple[Exact, Exact]) -> list[Real]:
    """Return the law with noise on the integers, by summing over the noise of the threshold."""
    first, second = (on_integers(laplace(0, to_mpf(scale)), 150) for scale in scales)
    chances = [mpmath.mpf(0)] * (len(answers) + 1)
    for k, chance in first.items():
        for index, answer in enumerate(answers):
            above = mpmath.fsum(value for j, value in second.items() if answer + j >= threshold + k)
            chances[index] += chance * above
            chance *= 1 - above  # noqa: PLW2901
        chances[-1] += chance
    return chances


def above_threshold_by_integral(
    answers: Sequence[Exact], threshold: Exact, scales: tuple[Exact, Exact], index: int
) -> Real:
    """Return the probability that an answer is the first above, by an integral over the noisy threshold."""
    density, _ = continuous(Noise.LAPLACE, to_mpf(scales[0]))
    _, below = continuous(Noise.LAPLACE, to_mpf(scales[1]))
    centres, bar = [to_mpf(answer) for answer in answers], to_mpf(threshold)
    points = sorted({*centres, bar, *(bar + d * to_mpf(scales[0]) for d in (-60, -10, -3, 3, 10, 60))})

    def integrand(t: Real) -> Real:
        before = mpmath.fprod(below(t - centre) for centre in centres[:index])
        return density(t - bar) * before * (1 - below(t - centres[index]) if index < len(centres) else 1)

    with mpmath.workdps(20):
        return mpmath.quad(integrand, points)


@pytest.mark.parametrize("answers", [[0], [-1, 2, 0, 2]], ids=str)
@pytest.mark.parametrize("scales", [(ONE, Fraction(2)), (Fraction(3, 2), Fraction(3, 2))], ids=str)
def test_above_threshold__law_is_the_integral_and_the_sum(
    answers: list[int], scales: tuple[Fraction, Fraction]
) -> None:
    law, grid = (above_threshold(answers, 1, *scales, grid=on_grid) for on_grid in (False, True))
    sums = above_threshold_by_sum(answers, 1, scales)
    for index in range(len(answers) + 1):
        assert is_near(law[index], above_threshold_by_integral(answers, 1, scales, index))
        assert is_near(grid[index], sums[index])
    assert not is_near(law[0], sums[0])
    # One noise for the threshold and for each answer, drawn afresh, is another law.
    assert 0 in enclose(exact_sum(law) - 1, 100)


@pytest.mark.parametrize("grid", [False, True])
@pytest.mark.parametrize("monotonic", [False, True])
def test_above_threshold__epsilon_holds_for_all_shifts_of_answers(grid: bool, monotonic: bool) -> None:
    epsilon, answers = ONE, (0, 2)
    scales = above_threshold_scales(epsilon, 1, monotonic=monotonic)
    shifts = [shift for shift in product([-1, 0, 1], repeat=2) if not monotonic or min(shift) >= 0]

    def law(shift: Sequence[int], *widths: Number) -> dict[int, Number]:
        moved = [answer + move for answer, move in zip(answers, shift, strict=True)]
        return dict(enumerate(above_threshold(moved, 1, *widths, grid=grid)))

    assert all(is_private(law((0, 0), *scales), law(shift, *scales), epsilon) for shift in shifts)
    # A sixth of both scales is too small for these pairs alone.
    small = (scales[0] / 6, scales[1] / 6)
    assert not all(is_private(law((0, 0), *small), law(shift, *small), epsilon) for shift in shifts)


def test_above_threshold__refusals() -> None:
    with pytest.raises(PreconditionError, match="a rational number"):
        above_threshold([0], 1, 1, sqrt(2))
    with pytest.raises(PreconditionError, match="integers"):
        above_threshold([HALF], 1, 1, 1, grid=True)
