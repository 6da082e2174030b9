"""Measure the auditor: its sample cost, outputs of many numbers, leaks, low bits of floats, and speed.

    python benchmarks/audit.py [--cost] [--claims] [--many] [--leaks] [--floats] [--speed] [--seeds 20]
        [--first-seed 5000] [--quick] [--only WORDS]

`--only` chooses the rows of --many whose name contains the words; all of them take an hour. All
confidence levels are 95 %. `privboost calibrate` prints the calibration table.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from privboost.auditor.audit import audit
from privboost.auditor.mechanisms.broken import MECHANISMS as BROKEN
from privboost.auditor.mechanisms.learners import mechanism_of
from privboost.auditor.mechanisms.mechanism import Array, Batch, Claimed, Mechanism, OneCall, Rng
from privboost.auditor.mechanisms.private import MECHANISMS, gaussian, gaussian_delta
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.result import AuditResult
from privboost.tables import Format, Table, render

SEEDS, QUICK_SEEDS = 20, 2
FIRST_SEED = 5_000
"""The settings of the auditor were chosen by runs with seeds below this one."""

FEWEST_BEFORE_VIOLATION = 5_000
"""Maximum number of calls of a run that stops at a violation."""

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """A mechanism, and the number of calls to audit it with."""

    known: Claimed
    calls: int


CASES = (
    Case(MECHANISMS["laplace"], 2_000),
    Case(BROKEN["histogram_inverted"], 20_000),
    Case(BROKEN["sparse_vector_open_queries"], 20_000),
    Case(BROKEN["noisy_max_value"], 20_000),
    Case(BROKEN["sparse_vector_unscaled"], 20_000),
)


def mean_and_error(values: Sequence[float], digits: int = 3) -> str:
    """Return mean and standard error."""
    error = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else float("nan")
    return f"{statistics.fmean(values):.{digits}f} ± {error:.{digits}f}"


def costs(seeds: range) -> Iterator[Row]:
    """Yield the mean bound of every case, with its number of calls per side and in total."""
    for case in CASES:
        whole, half = [], []
        for seed in seeds:
            result = _audit(case.known, 2 * case.calls, seed)
            whole.append(result.bound)
            half.append(max(p.bound for p in result.pairs[0].curve if p.calls <= case.calls))
        yield (
            case.known.name,
            f"{case.known.epsilon:g}",
            f"{case.known.exact:.4g}",
            f"{case.calls:,}",
            mean_and_error(whole),
            mean_and_error(half),
        )


def _audit(known: Claimed, calls: int, seed: int) -> AuditResult:
    """Run an audit that does not stop at a violation."""
    return audit(known.mechanism, known.pairs[0], epsilon=known.epsilon, calls=calls, seed=seed, stop=False)


class Counted:
    """A mechanism that counts its calls, including those that are not tested."""

    def __init__(self, known: Claimed) -> None:
        self._known, self.calls = known, 0

    def __call__(self, given: Any, rng: np.random.Generator) -> Any:
        """Count the call, and return its output."""
        self.calls += 1
        return self._known.mechanism.call(given, rng)


def twofold(seeds: range) -> Row:
    """Return the mean number of calls made, and tested, before a twofold violation is detected."""
    known = BROKEN["laplace_twofold"]
    made, tested, violations = [], [], 0
    for seed in seeds:
        counted = Counted(known)
        result = audit(
            counted,
            known.pairs[0],
            epsilon=known.epsilon,
            calls=FEWEST_BEFORE_VIOLATION,
            seed=seed,
            stop=True,
        )
        violations += result.verdict.value == "VIOLATION"
        made.append(float(counted.calls))
        tested.append(float(result.calls))
    return (f"{violations} of {len(seeds)}", mean_and_error(made, 1), mean_and_error(tested, 1))


# Claims --------------------------------------------------------------------------------------------------

DELTAS = (0.1, 0.01, 1e-5)
FALSE_CLAIMS = (("gdp:1", 1.5), ("gdp:1", 2.0), ("zcdp:0.5", 2.0), ("eps:1,delta:0.01", 1.0))
"""Claims about Gaussian noise, and its true mu."""


def gaussian_bounds(seeds: range) -> Iterator[Row]:
    """Yield the mean bound on epsilon of Gaussian noise of mu = 1 after 10,000 calls, for several delta."""
    for delta in DELTAS:
        true = brentq(lambda epsilon, delta=delta: gaussian_delta(epsilon) - delta, 0.0, 20.0)
        ratios = [
            audit(
                _gaussian(1.0), (0.0, 1.0), epsilon=1.0, delta=delta, calls=10_000, seed=seed, stop=False
            ).bound
            / true
            for seed in seeds
        ]
        yield (f"{delta:g}", f"{true:.3f}", mean_and_error(ratios))


def refutations(seeds: range) -> Iterator[Row]:
    """Yield the mean number of calls until a false claim about Gaussian noise is refuted."""
    for claim, mu in FALSE_CLAIMS:
        results = [audit(_gaussian(mu), (0.0, 1.0), claim=claim, calls=20_000, seed=seed) for seed in seeds]
        refuted = sum(result.verdict.value == "VIOLATION" for result in results)
        calls = [float(result.calls) for result in results]
        yield (claim, f"{mu:g}", f"{refuted} of {len(seeds)}", mean_and_error(calls, 0))


def _gaussian(mu: float) -> Mechanism:
    return Mechanism("gaussian", OneCall(partial(_noisy, mu)), partial(_noisy, mu))


def _noisy(mu: float, given: float, rng: np.random.Generator, calls: int) -> Any:
    return gaussian(mu * given, rng, calls)


# Outputs of many numbers -----------------------------------------------------------------------------------


def shifted_normals(direction: Array, given: float, rng: Rng, calls: int) -> Array:
    """Add standard normal noise to a multiple of a vector."""
    return given * direction + rng.normal(size=(calls, direction.size))


def parallel_laplaces(width: int, given: float, rng: Rng, calls: int) -> Array:
    """Publish a number several times, each time with Laplace noise for its share of epsilon = 1."""
    return given + rng.laplace(scale=width, size=(calls, width))


def prefix_sums(given: Sequence[float], rng: Rng, calls: int) -> Array:
    """Publish all prefix sums, each with Laplace noise for its share of epsilon = 1."""
    sums = np.cumsum(given)
    return sums + rng.laplace(scale=sums.size, size=(calls, sums.size))


def _random_signs(width: int) -> Array:
    return np.random.default_rng(0).choice([-1.0, 1.0], width) / np.sqrt(width)


DIRECTIONS: dict[str, Array] = {
    "normal, 1 number": np.ones(1),
    "normal, 200 numbers, one shifted": np.eye(200)[66],
    "normal, 200 numbers, all shifted alike": np.ones(200) / np.sqrt(200),
    "normal, 200 numbers, shifted by random signs": _random_signs(200),
    "normal, 1,000 numbers, one shifted": np.eye(1_000)[333],
    "normal, 1,000 numbers, all shifted alike": np.ones(1_000) / np.sqrt(1_000),
    "normal, 1,000 numbers, shifted by random signs": _random_signs(1_000),
}
"""Directions of a shift of length 1."""

FIRST_ROW = ([0.0] * 8, [1.0] + [0.0] * 7)


def many_numbers(seeds: range, only: str) -> Iterator[Row]:
    """Yield bound / true epsilon for outputs of many numbers whose name contains `only`."""
    for name, direction in DIRECTIONS.items():
        for delta in (0.01, 1e-5) if only in name else ():
            batch = partial(shifted_normals, direction)
            yield _many_row(
                name,
                batch,
                (0.0, 1.0),
                exact=_normal_epsilon(delta),
                delta=delta,
                calls=10_000,
                seeds=seeds,
            )
    laplaces = partial(parallel_laplaces, 20)
    cases: list[tuple[str, Batch, tuple[Any, Any]]] = [
        ("Laplace, 20 numbers of scale 20", laplaces, (0.0, 1.0)),
        ("8 prefix sums, Laplace of scale 8", prefix_sums, FIRST_ROW),
    ]
    for case in cases:
        if only in case[0]:
            yield _many_row(*case, exact=1.0, delta=0.0, calls=20_000, seeds=seeds)


def _many_row(
    name: str, batch: Batch, pair: tuple[Any, Any], *, exact: float, delta: float, calls: int, seeds: range
) -> Row:
    mechanism = Mechanism(name, OneCall(batch), batch)
    shares = [
        audit(mechanism, pair, epsilon=exact, delta=delta, calls=calls, seed=seed, stop=False).bound / exact
        for seed in seeds
    ]
    return (name, f"{delta:g}", f"{exact:.3f}", f"{calls:,}", mean_and_error(shares))


def _normal_epsilon(delta: float) -> float:
    """Return the epsilon of normal noise with a shift of one standard deviation."""

    def excess(epsilon: float) -> float:
        return float(ndtr(0.5 - epsilon) - np.exp(epsilon) * ndtr(-0.5 - epsilon)) - delta

    return float(brentq(excess, 0.0, 20.0))


# Leaks ---------------------------------------------------------------------------------------------------

LEAKS: tuple[tuple[str, str, int], ...] = (
    ("leaf-noise-before-clamp", "leaf=link_noise_clamp,beta=constant", 2_000),
    ("raw-leverage", "beta=raw", 2_000),
    ("raw-alpha-50", "alpha=raw_strict,part=splits", 4_000),
    ("raw-alpha", "alpha=raw_strict,part=splits", 40_000),
)
"""Every leak of the printed protocol, the choice that opens it in SOUND, and the maximum number of calls.

Alpha leaks through the splits; an audit of the splits alone needs fewer calls.
"""


def leaks(quick: bool) -> Iterator[Row]:
    """Yield the audit of every leak: alone, in AS_PRINTED, and in protocols without it."""
    for key, choice, budget in LEAKS:
        calls = min(budget, 2_000) if quick else budget
        for protocol in (f"sound,{choice}", "as_printed", "sound", "sound_net"):
            mechanism, (pair,) = mechanism_of(f"fast:{protocol},leak={key}")
            yield _leak_row(f"fast:{protocol}", key, mechanism, pair, calls)


def _leak_row(target: str, key: str, mechanism: Mechanism, pair: Pair, calls: int) -> Row:
    result = audit(mechanism, pair, epsilon=1.0, calls=calls, seed=1, stop=True)
    caught = [f"{power.epsilon:.2f}" if power.epsilon else "none" for power in result.power]
    above = pair.exact is not None and result.bound > pair.exact
    return (
        key,
        target,
        "unknown" if pair.exact is None else f"{pair.exact:.4g}",
        result.verdict.value,
        f"{result.bound:.3g}{' ABOVE THE EXACT LOSS' if above else ''}",
        f"{result.calls:,} of {calls:,}",
        " / ".join(caught),
        f"{result.seconds:.0f}",
    )


# Floats and speed ----------------------------------------------------------------------------------------


def floats(seeds: range) -> Iterator[Row]:
    """Yield audits of the lowest bits of doubles, for textbook noise and for noise on a grid."""
    grid, (pair,) = mechanism_of("fast:discrete_laplace")
    textbook, numpy = BROKEN["laplace_textbook"], BROKEN["laplace_numpy"]
    for mechanism in (textbook.mechanism, numpy.mechanism, grid):
        for low_bits in (True, False):
            results = [
                audit(mechanism, pair, epsilon=1.0, calls=20_000, seed=seed, low_bits=low_bits, stop=False)
                for seed in seeds
            ]
            violations = sum(result.verdict.value == "VIOLATION" for result in results)
            bounds = [result.bound for result in results]
            yield (mechanism.name, str(low_bits), f"{violations} of {len(seeds)}", mean_and_error(bounds))


def speed() -> Iterator[Row]:
    """Yield the time of an audit with a million calls."""
    for known in (MECHANISMS["laplace"], MECHANISMS["noisy_masses"], MECHANISMS["noisy_tree"]):
        assert known.mechanism.batch is not None
        started = time.perf_counter()
        known.mechanism.batch(known.pairs[0].left, np.random.default_rng(0), 1_000_000)
        alone = time.perf_counter() - started
        result = _audit(known, 1_000_000, 0)
        yield (
            known.name,
            f"{alone:.2f}",
            f"{result.seconds:.2f}",
            f"{result.bound:.3f}",
            f"{known.exact:.3f}",
        )


COST_COLUMNS = (
    "mechanism",
    "claim",
    "true",
    "calls",
    "bound, calls per side",
    "bound, calls in total",
)
GAUSSIAN_COLUMNS = ("δ", "true ε", "bound / true")
REFUTED_COLUMNS = ("claim", "true μ", "refuted", "calls")
TWOFOLD_COLUMNS = ("violations", "calls made", "calls tested")
MANY_COLUMNS = ("mechanism", "δ", "true ε", "calls", "bound / true ε")
LEAK_COLUMNS = (
    "pair", "protocol", "exact loss", "verdict", "bound", "calls", "ε caught, seen on 1/2, 1/10, 1/100", "s",
)  # fmt: skip
FLOAT_COLUMNS = ("noise", "lowest bits", "violations", "bound for a claim of 1")
SPEED_COLUMNS = ("mechanism", "s of 1,000,000 calls alone", "s audited", "bound", "true")


def main() -> None:
    """Print the chosen tables, or all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for name in ("cost", "claims", "many", "leaks", "floats", "speed", "quick"):
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument(
        "--seeds", type=int, default=None, help=f"default {SEEDS}, {QUICK_SEEDS} with --quick"
    )
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED, help=f"default {FIRST_SEED}")
    parser.add_argument("--only", default="", help="rows of --many whose name contains this")
    options = parser.parse_args()
    first = options.first_seed
    seeds = range(first, first + (options.seeds or (QUICK_SEEDS if options.quick else SEEDS)))
    parts: dict[str, Callable[[], list[Table]]] = {
        "cost": lambda: [
            Table(
                "cost",
                COST_COLUMNS,
                tuple(costs(seeds)),
                summary=f"means over {len(seeds)} seeds, claim tested at 95 %",
            ),
            Table(
                "twofold",
                TWOFOLD_COLUMNS,
                (twofold(range(first, first + 10 * len(seeds))),),
                summary="Laplace that claims 1, true 2",
            ),
        ],
        "claims": lambda: [
            Table("gaussian", GAUSSIAN_COLUMNS, tuple(gaussian_bounds(seeds)), summary="10,000 calls, μ = 1"),
            Table("refuted", REFUTED_COLUMNS, tuple(refutations(seeds)), summary="Gaussian noise"),
        ],
        "many": lambda: [Table("many numbers", MANY_COLUMNS, tuple(many_numbers(seeds, options.only)))],
        "leaks": lambda: [Table("leaks", LEAK_COLUMNS, tuple(leaks(options.quick)))],
        "floats": lambda: [Table("floats", FLOAT_COLUMNS, tuple(floats(seeds[: max(len(seeds) // 4, 1)])))],
        "speed": lambda: [Table("speed", SPEED_COLUMNS, tuple(speed()))],
    }
    chosen = [name for name in parts if getattr(options, name)] or list(parts)
    for name in chosen:
        for table in parts[name]():
            print(render(table, Format.TEXT), flush=True)


if __name__ == "__main__":
    main()
