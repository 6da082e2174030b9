"""Factor integers, within stated limits of size and effort.

Surds and logarithms are written in terms of primes, so that equal terms cancel. Results stay correct for
an integer that is not factored: surds then compare their radicands in pairs, and comparisons of
logarithms may raise `Undecided`.
"""

from __future__ import annotations

from functools import lru_cache
from math import gcd, isqrt, prod

TRIAL_BOUND = 1024
RHO_BOUND = 1 << 48
"""Greater cofactors are not factored: the time costs more than it gains."""

SIZE_LIMIT = 1 << 12
"""Integers with more bits than this are not factored at all."""

EFFORT = 1 << 15
"""Maximal number of steps of Pollard's rho for one cofactor."""

PRIME_TEST_BOUND = 3_317_044_064_679_887_385_961_981
"""Below this number the first 13 primes decide primality (Sorenson and Webster 2015)."""

_SMALL_PRIMES = tuple(n for n in range(2, TRIAL_BOUND) if all(n % d for d in range(2, isqrt(n) + 1)))


@lru_cache(maxsize=1 << 16)
def factor(number: int) -> tuple[tuple[tuple[int, int], ...], int]:
    """Return ((prime, exponent), ...) in increasing order, and the unfactored cofactor.

    Requires: number >= 1.
    Ensures: number = cofactor * product of prime^exponent; the cofactor is 1 when factoring is complete.
    """
    if number.bit_length() > SIZE_LIMIT:
        return (), number
    exponents: dict[int, int] = {}
    rest = number
    for prime in _SMALL_PRIMES:
        if prime * prime > rest:
            break
        while rest % prime == 0:
            exponents[prime] = exponents.get(prime, 0) + 1
            rest //= prime
    cofactor = 1
    pending = [rest] if rest > 1 else []
    while pending:
        part = pending.pop()
        divisor = part if part < RHO_BOUND and is_prime(part) else _divisor(part)
        if divisor == part:
            exponents[part] = exponents.get(part, 0) + 1
        elif divisor is None:
            cofactor *= part
        else:
            pending += [divisor, part // divisor]
    return tuple(sorted(exponents.items())), cofactor


def square_free(number: int) -> tuple[int, int, bool]:
    """Return (s, f, proven) with number = s^2 * f; f is not a square unless 1, and square-free where proven.

    Requires: number >= 1.
    """
    exponents, cofactor = factor(number)
    side = isqrt(cofactor)
    whole = side * side == cofactor
    return (
        (side if whole else 1) * prod(prime ** (exponent // 2) for prime, exponent in exponents),
        (1 if whole else cofactor) * prod(prime for prime, exponent in exponents if exponent % 2),
        whole,
    )


def is_prime(number: int) -> bool:
    """Return whether a number is proven prime; False from PRIME_TEST_BOUND on, where there is no proof.

    Requires: number >= 2.
    """
    if number < TRIAL_BOUND * TRIAL_BOUND:
        return all(number % prime or number == prime for prime in _SMALL_PRIMES)
    if number >= PRIME_TEST_BOUND:
        return False
    twos = ((number - 1) & (1 - number)).bit_length() - 1
    return all(_passes(number, base, twos) for base in _SMALL_PRIMES[:13])


def _passes(number: int, base: int, twos: int) -> bool:
    """Return whether a number passes the Miller-Rabin test to one base."""
    power = pow(base, (number - 1) >> twos, number)
    if power in (1, number - 1):
        return True
    for _ in range(twos - 1):
        power = power * power % number
        if power == number - 1:
            return True
    return False


def _divisor(number: int) -> int | None:
    """Return a proper divisor of a composite number, or None if none is found within the limits."""
    side = isqrt(number)
    if side * side == number:
        return side
    if number >= RHO_BOUND:
        return None
    slow = fast = 2
    for _ in range(EFFORT // 128):
        saved, product = (slow, fast), 1
        for _ in range(128):
            slow = (slow * slow + 1) % number
            fast = (fast * fast + 1) % number
            fast = (fast * fast + 1) % number
            product = product * (slow - fast) % number
        common = gcd(product, number)
        if common == number:
            common = _step_by_step(number, saved)
        if common > 1:
            return common if common < number else None
    return None


def _step_by_step(number: int, start: tuple[int, int]) -> int:
    """Return the first common divisor, repeating a stretch of Pollard's rho one step at a time."""
    slow, fast = start
    while True:
        slow = (slow * slow + 1) % number
        fast = (fast * fast + 1) % number
        fast = (fast * fast + 1) % number
        common = gcd(slow - fast, number)
        if common > 1:
            return common
