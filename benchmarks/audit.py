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
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import brentq

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


CASES = (
    (MECHANISMS["laplace"], 2_000),
    (BROKEN["histogram_inverted"], 20_000),
    (BROKEN["sparse_vector_open_queries"], 20_000),
    (BROKEN["noisy_max_value"], 20_000),
    (BROKEN["sparse_vector_unscaled"], 20_000),
)
"""Mechanisms, and the number of calls to audit each with."""


def mean_and_error(values: Sequence[float], digits: int = 3) -> str:
    """Return mean and standard error."""
    error = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else float("nan")
    return f"{statistics.fmean(values):.{digits}f} ± {error:.{digits}f}"


def audit_all(mechanism: Mechanism, pair: Any, seeds: Iterable[int], **claim: Any) -> list[AuditResult]:
    """Return an audit for every seed, which does not stop at a violation."""
    return [audit(mechanism, pair, seed=seed, stop=False, **claim) for seed in seeds]


def costs(seeds: range) -> Table:
    """Return the mean bound of every case, with its number of calls per side and in total."""
    rows = []
    for known, calls in CASES:
        results = audit_all(known.mechanism, known.pairs[0], seeds, epsilon=known.epsilon, calls=2 * calls)
        half = [max(p.bound for p in result.pairs[0].curve if p.calls <= calls) for result in results]
        whole = mean_and_error([result.bound for result in results])
        claims = (f"{known.epsilon:g}", f"{known.exact:.4g}", f"{calls:,}")
        rows.append((known.name, *claims, whole, mean_and_error(half)))
    columns = ("mechanism", "claim", "true", "calls", "bound, calls per side", "bound, calls in total")
    summary = f"means over {len(seeds)} seeds, claim tested at 95 %"
    return Table("cost", columns, tuple(rows), summary=summary)


class Counted:
    """A mechanism that counts its calls, including those that are not tested."""

    def __init__(self, known: Claimed) -> None:
        self._known, self.calls = known, 0

    def __call__(self, given: Any, rng: np.random.Generator) -> Any:
        """Count the call, and return its output."""
        self.calls += 1
        return self._known.mechanism.call(given, rng)


def twofold(seeds: range) -> Table:
    """Return the mean number of calls made, and tested, before a twofold violation is detected."""
    known = BROKEN["laplace_twofold"]
    pair, calls = known.pairs[0], FEWEST_BEFORE_VIOLATION
    made, tested, violations = [], [], 0
    for seed in seeds:
        counted = Counted(known)
        result = audit(counted, pair, epsilon=known.epsilon, calls=calls, seed=seed, stop=True)
        violations += result.verdict.value == "VIOLATION"
        made.append(float(counted.calls))
        tested.append(float(result.calls))
    row = (f"{violations} of {len(seeds)}", mean_and_error(made, 1), mean_and_error(tested, 1))
    columns = ("violations", "calls made", "calls tested")
    return Table("twofold", columns, (row,), summary="Laplace that claims 1, true 2")


# Claims --------------------------------------------------------------------------------------------------

DELTAS = (0.1, 0.01, 1e-5)
FALSE_CLAIMS = (("gdp:1", 1.5), ("gdp:1", 2.0), ("zcdp:0.5", 2.0), ("eps:1,delta:0.01", 1.0))
"""Claims about Gaussian noise, and its true mu."""


def gaussian_bounds(seeds: range) -> Table:
    """Return the mean bound on epsilon of Gaussian noise of mu = 1 after 10,000 calls, for several delta."""
    rows = []
    for delta in DELTAS:
        true = _gaussian_epsilon(delta)
        results = audit_all(_gaussian(1.0), (0.0, 1.0), seeds, epsilon=1.0, delta=delta, calls=10_000)
        rows.append(
            (f"{delta:g}", f"{true:.3f}", mean_and_error([result.bound / true for result in results]))
        )
    return Table("gaussian", ("δ", "true ε", "bound / true"), tuple(rows), summary="10,000 calls, μ = 1")


def refutations(seeds: range) -> Table:
    """Return the mean number of calls until a false claim about Gaussian noise is refuted."""
    rows = []
    for claim, mu in FALSE_CLAIMS:
        results = [audit(_gaussian(mu), (0.0, 1.0), claim=claim, calls=20_000, seed=seed) for seed in seeds]
        calls = [float(result.calls) for result in results]
        rows.append((claim, f"{mu:g}", _violations(results), mean_and_error(calls, 0)))
    return Table("refuted", ("claim", "true μ", "refuted", "calls"), tuple(rows), summary="Gaussian noise")


def _violations(results: Sequence[AuditResult]) -> str:
    return f"{sum(result.verdict.value == 'VIOLATION' for result in results)} of {len(results)}"


def _gaussian_epsilon(delta: float) -> float:
    """Return the epsilon of Gaussian noise with a shift of one standard deviation."""
    return float(brentq(lambda epsilon: gaussian_delta(epsilon) - delta, 0.0, 20.0))


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


def many_numbers(seeds: range, only: str) -> Table:
    """Return bound / true epsilon for outputs of many numbers whose name contains `only`."""
    cases: list[tuple[str, Batch, tuple[Any, Any], float, float, int]] = [
        (name, partial(shifted_normals, direction), (0.0, 1.0), _gaussian_epsilon(delta), delta, 10_000)
        for name, direction in DIRECTIONS.items()
        for delta in (0.01, 1e-5)
    ]
    laplaces = partial(parallel_laplaces, 20)
    cases += [
        ("Laplace, 20 numbers of scale 20", laplaces, (0.0, 1.0), 1.0, 0.0, 20_000),
        ("8 prefix sums, Laplace of scale 8", prefix_sums, FIRST_ROW, 1.0, 0.0, 20_000),
    ]
    rows = []
    for name, batch, pair, exact, delta, calls in cases:
        if only in name:
            mechanism = Mechanism(name, OneCall(batch), batch)
            results = audit_all(mechanism, pair, seeds, epsilon=exact, delta=delta, calls=calls)
            shares = mean_and_error([result.bound / exact for result in results])
            rows.append((name, f"{delta:g}", f"{exact:.3f}", f"{calls:,}", shares))
    return Table("many numbers", ("mechanism", "δ", "true ε", "calls", "bound / true ε"), tuple(rows))


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


def leaks(quick: bool) -> Table:
    """Return the audit of every leak: alone, in AS_PRINTED, and in protocols without it."""
    rows = []
    for key, choice, budget in LEAKS:
        calls = min(budget, 2_000) if quick else budget
        for protocol in (f"sound,{choice}", "as_printed", "sound", "sound_net"):
            mechanism, (pair,) = mechanism_of(f"fast:{protocol},leak={key}")
            rows.append(_leak_row(f"fast:{protocol}", key, mechanism, pair, calls))
    power = "ε caught, seen on 1/2, 1/10, 1/100"
    columns = ("pair", "protocol", "exact loss", "verdict", "bound", "calls", power, "s")
    return Table("leaks", columns, tuple(rows))


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


def floats(seeds: range) -> Table:
    """Return audits of the lowest bits of doubles, for textbook noise and for noise on a grid."""
    grid, (pair,) = mechanism_of("fast:discrete_laplace")
    rows = []
    for mechanism in (BROKEN["laplace_textbook"].mechanism, BROKEN["laplace_numpy"].mechanism, grid):
        for low_bits in (True, False):
            results = audit_all(mechanism, pair, seeds, epsilon=1.0, calls=20_000, low_bits=low_bits)
            bounds = mean_and_error([result.bound for result in results])
            rows.append((mechanism.name, str(low_bits), _violations(results), bounds))
    return Table("floats", ("noise", "lowest bits", "violations", "bound for a claim of 1"), tuple(rows))


def speed() -> Table:
    """Return the time of an audit with a million calls."""
    rows = []
    for known in (MECHANISMS["laplace"], MECHANISMS["noisy_masses"], MECHANISMS["noisy_tree"]):
        pair = known.pairs[0]
        assert known.mechanism.batch is not None
        started = time.perf_counter()
        known.mechanism.batch(pair.left, np.random.default_rng(0), 1_000_000)
        alone = time.perf_counter() - started
        (result,) = audit_all(known.mechanism, pair, [0], epsilon=known.epsilon, calls=1_000_000)
        bounds = (f"{result.bound:.3f}", f"{known.exact:.3f}")
        rows.append((known.name, f"{alone:.2f}", f"{result.seconds:.2f}", *bounds))
    columns = ("mechanism", "s of 1,000,000 calls alone", "s audited", "bound", "true")
    return Table("speed", columns, tuple(rows))


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
        "cost": lambda: [costs(seeds), twofold(range(first, first + 10 * len(seeds)))],
        "claims": lambda: [gaussian_bounds(seeds), refutations(seeds)],
        "many": lambda: [many_numbers(seeds, options.only)],
        "leaks": lambda: [leaks(options.quick)],
        "floats": lambda: [floats(seeds[: max(len(seeds) // 4, 1)])],
        "speed": lambda: [speed()],
    }
    chosen = [name for name in parts if getattr(options, name)] or list(parts)
    for name in chosen:
        for table in parts[name]():
            print(render(table, Format.TEXT), flush=True)


if __name__ == "__main__":
    main()
