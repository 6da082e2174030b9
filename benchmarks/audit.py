"""Measure what the auditor finds, and at what cost: sample cost, leaks of the learners, floats, speed.

    python benchmarks/audit.py [--cost] [--leaks] [--floats] [--speed] [--seeds 20] [--quick]

All confidence levels are 95 %. `privboost calibrate` prints the calibration table.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from privboost.auditor.audit import audit
from privboost.auditor.bank import MECHANISMS
from privboost.auditor.broken import MECHANISMS as BROKEN
from privboost.auditor.known import Claimed
from privboost.auditor.learners import subject_of
from privboost.auditor.pair import Pair
from privboost.auditor.result import AuditResult
from privboost.auditor.subject import Mechanism
from privboost.tables import Format, Table, render

SEEDS, QUICK_SEEDS = 20, 2
FEWEST_BEFORE_VIOLATION = 5_000
"""The budget of a run that is to be stopped at the violation."""

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bar:
    """A bound that is to be reached on average with so many calls a side."""

    known: Claimed
    calls: int
    least: float


BARS = (
    Bar(MECHANISMS["laplace"], 2_000, 0.80),
    Bar(BROKEN["histogram_inverted"], 20_000, 6.8),
    Bar(BROKEN["sparse_vector_open_queries"], 20_000, 4.4),
    Bar(BROKEN["noisy_max_value"], 20_000, 3.9),
    Bar(BROKEN["sparse_vector_unscaled"], 20_000, 1.9),
)
MOST_CALLS = 230
"""On average, until a twofold violation is found."""


def mean_text(numbers: Sequence[float], digits: int = 3) -> str:
    """Return mean and standard error."""
    error = statistics.stdev(numbers) / len(numbers) ** 0.5 if len(numbers) > 1 else float("nan")
    return f"{statistics.fmean(numbers):.{digits}f} ± {error:.{digits}f}"


def costs(seeds: int) -> Iterator[Row]:
    """Yield the mean bound of every bar, with its calls read as a side's and as the total."""
    for bar in BARS:
        whole, half = [], []
        for seed in range(seeds):
            found = _audit(bar.known, 2 * bar.calls, seed)
            whole.append(found.bound)
            half.append(max(p.bound for p in found.pairs[0].curve if p.calls <= bar.calls))
        reached = "yes" if statistics.fmean(whole) >= bar.least else "no"
        yield (
            bar.known.name,
            f"{bar.known.epsilon:g}",
            f"{bar.known.exact:.4g}",
            f"≥ {bar.least} at {bar.calls:,}",
            mean_text(whole),
            mean_text(half),
            reached,
        )


def _audit(known: Claimed, calls: int, seed: int) -> AuditResult:
    """Return an audit that is not stopped at the violation."""
    return audit(known.mechanism, known.pairs[0], epsilon=known.epsilon, calls=calls, seed=seed, stop=False)


class Counted:
    """A mechanism that counts its calls, whether they were tested or not."""

    def __init__(self, known: Claimed) -> None:
        self._known, self.calls = known, 0

    def __call__(self, given: Any, rng: np.random.Generator) -> Any:
        """Return one output."""
        self.calls += 1
        return self._known.mechanism.call(given, rng)


def twofold(seeds: int) -> Row:
    """Return how many calls were made, and tested, until a twofold violation was found."""
    known = BROKEN["laplace_twofold"]
    made, tested, found = [], [], 0
    for seed in range(seeds):
        counted = Counted(known)
        result = audit(
            counted,
            known.pairs[0],
            epsilon=known.epsilon,
            calls=FEWEST_BEFORE_VIOLATION,
            seed=seed,
            stop=True,
        )
        found += result.verdict.value == "VIOLATION"
        made.append(float(counted.calls))
        tested.append(float(result.calls))
    reached = "yes" if statistics.fmean(made) <= MOST_CALLS and found == seeds else "no"
    return (f"{found} of {seeds}", f"≤ {MOST_CALLS}", mean_text(made, 1), mean_text(tested, 1), reached)


# Leaks ---------------------------------------------------------------------------------------------------

LEAKS: tuple[tuple[str, str, int], ...] = (
    ("leaf-noise-before-clamp", "leaf=link_noise_clamp,beta=constant", 2_000),
    ("raw-leverage", "beta=raw", 2_000),
    ("raw-alpha-50", "alpha=raw_strict,part=splits", 4_000),
    ("raw-alpha", "alpha=raw_strict,part=splits", 40_000),
)
"""Every leak of the printed protocol, the choice that opens it in SOUND, and the budget of calls.

That of alpha is in the splits; an auditor who looks at them alone needs fewer calls.
"""


def leaks(quick: bool) -> Iterator[Row]:
    """Yield what is found of every leak: alone, in AS_PRINTED, and in protocols that have closed it."""
    for key, choice, budget in LEAKS:
        calls = min(budget, 2_000) if quick else budget
        for protocol in (f"sound,{choice}", "as_printed", "sound", "sound_net"):
            subject, (pair,) = subject_of(f"fast:{protocol},leak={key}")
            yield _leak_row(f"fast:{protocol}", key, subject, pair, calls)


def _leak_row(text: str, key: str, subject: Mechanism, pair: Pair, calls: int) -> Row:
    result = audit(subject, pair, epsilon=1.0, calls=calls, seed=1, stop=True)
    caught = [f"{power.epsilon:.2f}" if power.epsilon else "none" for power in result.power]
    above = pair.exact is not None and result.bound > pair.exact
    return (
        key,
        text,
        "unknown" if pair.exact is None else f"{pair.exact:.4g}",
        result.verdict.value,
        f"{result.bound:.3g}{' ABOVE THE EXACT LOSS' if above else ''}",
        f"{result.calls:,} of {calls:,}",
        " / ".join(caught),
        f"{result.seconds:.0f}",
    )


# Floats and speed ----------------------------------------------------------------------------------------


def floats(seeds: int) -> Iterator[Row]:
    """Yield what the lowest bits of doubles tell, of textbook noise and of noise on a grid."""
    grid, (pair,) = subject_of("fast:discrete_laplace")
    textbook, numpy = BROKEN["laplace_textbook"], BROKEN["laplace_numpy"]
    for subject in (textbook.mechanism, numpy.mechanism, grid):
        for low_bits in (True, False):
            results = [
                audit(subject, pair, epsilon=1.0, calls=20_000, seed=seed, low_bits=low_bits, stop=False)
                for seed in range(seeds)
            ]
            violations = sum(result.verdict.value == "VIOLATION" for result in results)
            bounds = [result.bound for result in results]
            yield (subject.name, str(low_bits), f"{violations} of {seeds}", mean_text(bounds))


def speed() -> Iterator[Row]:
    """Yield how long a million calls take, tested as they come."""
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
    "bar",
    "bound, calls per side",
    "bound, calls in total",
    "reached",
)
TWOFOLD_COLUMNS = ("violations", "bar", "calls made", "calls tested", "reached")
LEAK_COLUMNS = (
    "pair", "protocol", "exact loss", "verdict", "bound", "calls", "ε caught, seen on 1/2, 1/10, 1/100", "s",
)  # fmt: skip
FLOAT_COLUMNS = ("noise", "lowest bits", "violations", "bound for a claim of 1")
SPEED_COLUMNS = ("mechanism", "s of 1,000,000 calls alone", "s audited", "bound", "true")


def main() -> None:
    """Print the tables that are asked for, or all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for name in ("cost", "leaks", "floats", "speed", "quick"):
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument(
        "--seeds", type=int, default=None, help=f"default {SEEDS}, {QUICK_SEEDS} with --quick"
    )
    options = parser.parse_args()
    seeds = options.seeds or (QUICK_SEEDS if options.quick else SEEDS)
    parts: dict[str, Callable[[], list[Table]]] = {
        "cost": lambda: [
            Table(
                "cost",
                COST_COLUMNS,
                tuple(costs(seeds)),
                summary=f"means over {seeds} seeds, claim tested at 95 %",
            ),
            Table(
                "twofold", TWOFOLD_COLUMNS, (twofold(10 * seeds),), summary="Laplace that claims 1, true 2"
            ),
        ],
        "leaks": lambda: [Table("leaks", LEAK_COLUMNS, tuple(leaks(options.quick)))],
        "floats": lambda: [Table("floats", FLOAT_COLUMNS, tuple(floats(max(seeds // 4, 1))))],
        "speed": lambda: [Table("speed", SPEED_COLUMNS, tuple(speed()))],
    }
    chosen = [name for name in parts if getattr(options, name)] or list(parts)
    for name in chosen:
        for table in parts[name]():
            print(render(table, Format.TEXT), flush=True)


if __name__ == "__main__":
    main()
