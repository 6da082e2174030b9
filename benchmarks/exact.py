"""Time the exact numbers of the reference against mpmath's intervals.

Every call has new arguments, so that no result is cached. Both libraries cache constants: the reference the
logarithms of primes, which makes it faster on small rationals, and mpmath log 2. Each figure is the median of
several repeats. The two libraries alternate, so that other load affects both.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import partial

from mpmath import iv

from privboost.reference.exact import Exact, enclose, exact_sum, exp, log, sqrt

BITS = 256
TERMS = 1000
REPEATS = 9

Work = Callable[[Sequence[Fraction]], object]


@dataclass(frozen=True, slots=True)
class Task:
    """A computation to time: by the reference, by the peer, and the arguments of one call."""

    name: str
    ours: Work
    peer: Work
    source: Callable[[int], Iterator[Fraction]]
    arguments: int
    calls: int


@dataclass(frozen=True, slots=True)
class Result:
    """Calls per second of both libraries, and the slowdown of the reference."""

    name: str
    ours_per_second: float
    peer_per_second: float
    ratio: float


def ours_sum(numbers: Sequence[Fraction]) -> bool:
    """Build a sum of square roots and compare it."""
    return exact_sum(map(sqrt, numbers)) > len(numbers)


def peer_sum(numbers: Sequence[Fraction]) -> bool:
    """Build the same sum of square roots as an interval and compare it."""
    return bool(sum((iv.sqrt(iv.mpf(n.numerator)) for n in numbers), iv.mpf(0)) > len(numbers))


def peer_rational(number: Fraction) -> object:
    """Return the interval of a rational."""
    return iv.mpf(number.numerator) / iv.mpf(number.denominator)


def fresh_integers(seed: int) -> Iterator[Fraction]:
    """Yield the integers below a million in random order."""
    return map(Fraction, random.Random(seed).sample(range(2, 10**6), 10**6 - 2))


def fresh_rationals(seed: int, size: int) -> Iterator[Fraction]:
    """Yield random rationals with numerators and denominators of `size` bits, without end."""
    source = random.Random(seed)
    while True:
        yield Fraction(source.getrandbits(size) | 1 << size, source.getrandbits(size) | 1 << size)


def compare(ours: Callable[[Fraction], Exact], peer: Callable[[object], object]) -> tuple[Work, Work]:
    """Return how both libraries enclose a function of some numbers."""
    return (
        lambda numbers: [enclose(ours(x), BITS) for x in numbers],
        lambda numbers: [peer(peer_rational(x)) for x in numbers],
    )


small_rationals = partial(fresh_rationals, size=16)
large_rationals = partial(fresh_rationals, size=60)

TASKS = (
    Task(f"sum of {TERMS} surds, built and compared", ours_sum, peer_sum, fresh_integers, TERMS, 1),
    Task(f"exp to {BITS} bits, of 60-bit rationals", *compare(exp, iv.exp), large_rationals, 1, 200),
    Task(f"log to {BITS} bits, of 16-bit rationals", *compare(log, iv.log), small_rationals, 1, 200),
    Task(f"log to {BITS} bits, of 60-bit rationals", *compare(log, iv.log), large_rationals, 1, 100),
)


def seconds(work: Work, batches: Sequence[Sequence[Fraction]]) -> float:
    """Return the mean time of a call, in seconds."""
    start = time.perf_counter()
    for batch in batches:
        work(batch)
    return (time.perf_counter() - start) / len(batches)


def measure(task: Task, quick: bool) -> Result:
    """Return the median speeds of a task; both libraries see the same arguments in each repeat."""
    source = task.source(1)
    calls, repeats = (min(task.calls, 3), 1) if quick else (task.calls, REPEATS)
    ours, peer = [], []
    for _ in range(repeats):
        batches = [[next(source) for _ in range(task.arguments)] for _ in range(calls)]
        ours.append(seconds(task.ours, batches))
        peer.append(seconds(task.peer, batches))
    ratio = statistics.median(a / b for a, b in zip(ours, peer, strict=True))
    return Result(task.name, 1 / statistics.median(ours), 1 / statistics.median(peer), ratio)


def main() -> None:
    """Run the benchmark, with the peer at the same precision, and print its results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--quick", action="store_true", help="one short repeat, for a rough result")
    options = parser.parse_args()
    iv.prec = BITS
    results = [measure(task, options.quick) for task in TASKS]
    if options.json:
        print(json.dumps({"bits": BITS, "results": [asdict(r) for r in results]}, indent=2))
        return
    print(f"{'task':42} {'privboost /s':>14} {'mpmath.iv /s':>14} {'times slower':>14}")
    for r in results:
        print(f"{r.name:42} {r.ours_per_second:14.1f} {r.peer_per_second:14.1f} {r.ratio:14.2f}")


if __name__ == "__main__":
    main()
