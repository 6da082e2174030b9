"""Measure wrong verdicts: correct functions that are accused, and broken mechanisms that are acquitted.

    python benchmarks/verdicts.py accusations [--first-seed 7000]
    python benchmarks/verdicts.py acquittals [--only noisy] [--calls 15000] [--seeds 50] [--first-seed 7000]

`accusations` audits correct releases of rows at their exact epsilon through every way of naming inputs that
the documentation suggests. `acquittals` audits mechanisms with twice and four times the claimed epsilon in
runs of several lengths, and counts those that are called CONSISTENT.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from privboost.auditor.audit import audit
from privboost.auditor.mechanisms.broken import MECHANISMS
from privboost.auditor.mechanisms.mechanism import Array, Batch, Mechanism, OneCall
from privboost.auditor.mechanisms.private import (
    geometric,
    gumbel_max,
    laplace,
    noisy_masses,
    noisy_max,
    randomised_response,
)
from privboost.auditor.mechanisms.private_trees import loss_of_laws
from privboost.auditor.pairs.file import pairs_from_file
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.pairs.patterns import answer_pairs
from privboost.auditor.result import Verdict
from privboost.limits import ADD_REMOVE, EXCHANGE
from privboost.progress import Watch
from privboost.reference.privacy.mechanisms import exponential_law, permute_and_flip_law
from privboost.tables import Format, Table, render

Rng = np.random.Generator
Rows = Sequence[float]
CALLS_OF_A_PAIR = 17_000
BISECTIONS = 20
LENGTHS = (30, 100, 300, 1_000, 10_000, 15_000)
"""At the last length all events that an audit has to catch are caught; at the others some are not."""

FACTORS = (2, 4)
BINS = 4


# Correct releases of rows in [0, 1], at epsilon 1 --------------------------------------------------------


def _histogram(data: Rows) -> list[int]:
    counts = Counter(min(int(value * BINS), BINS - 1) for value in data)
    return [counts[k] for k in range(BINS)]


STATISTICS: dict[str, tuple[Callable[[Rows], Any], float, float]] = {
    "count": (len, 1.0, 1.0),
    "sum": (sum, 1.0, 1.0),
    "mean": (lambda d: sum(d) / 5, 0.2, 0.2),
    "sum of squares": (lambda d: sum(v**2 for v in d), 1.0, 1.0),
    "count above 1/2": (lambda d: sum(v > 0.5 for v in d), 1.0, 1.0),
    "histogram": (_histogram, 2.0, 1.0),
    "cumulative counts": (lambda d: np.cumsum(_histogram(d)), 3.0, 4.0),
    "two moments": (lambda d: [sum(d) / 2, sum(v**2 for v in d) / 2], 1.0, 1.0),
    "range count": (lambda d: sum(0.2 < v < 0.8 for v in d), 1.0, 1.0),
    "sum of two columns": (lambda d: [sum(d) / 2] * 2, 1.0, 1.0),
}
"""Functions of rows by name, and by how much one row changes them: by exchange, and by add/remove."""


def _add_noise(statistic: Callable[[Rows], Any], change: float, data: Rows, rng: Rng) -> Any:
    """Return a statistic with Laplace noise for epsilon = 1."""
    value = np.asarray(statistic(np.asarray(data, dtype=float).tolist()), dtype=float)
    return (value + rng.laplace(scale=change, size=value.shape)).tolist()


def _median(sensitivity: float, data: Rows, rng: Rng) -> int:
    """Return a bin by the exponential mechanism; its score is the distance of its rank from the middle."""
    counts = np.cumsum(_histogram(data))
    scores = -np.abs(counts - len(data) / 2)
    # By add/remove a rank moves by 1 and the middle by 1/2 in the same direction or not at all.
    return int(np.argmax(scores + rng.gumbel(scale=2 * sensitivity, size=BINS)))


def _flip_bits(data: Rows, rng: Rng) -> int:
    """Answer by randomised response whether most rows are above 1/2."""
    truth = sum(v > 0.5 for v in data) * 2 > len(data)
    return int(truth if rng.random() < math.e / (1 + math.e) else not truth)


def _stump(data: Rows, rng: Rng) -> dict[str, Any]:
    """Return a model: a cut by the exponential mechanism at 1/2, and the noisy counts of its sides at 1/2."""
    cut, counts = _median(2.0, data, rng), _histogram(data)
    left, right = (sum(side) + rng.laplace(scale=4.0) for side in (counts[:2], counts[2:]))
    return {"cut": cut, "left_": left, "right_": right}


OTHERS: dict[str, Callable[[Rows, Rng], Any]] = {
    "median by exponential mechanism": partial(_median, 1.0),
    "mode by exponential mechanism": lambda d, rng: np.argmax(_histogram(d) + rng.gumbel(0, 2.0, BINS)),
    "majority by randomised response": _flip_bits,
    "geometric count": lambda d, rng: geometric(sum(v > 0.3 for v in d), rng, 1)[0],
    "noisy maximum": lambda d, rng: np.argmax(_histogram(d) + rng.exponential(2.0, BINS)),
    "stump": _stump,
    "mean of squares": lambda d, rng: sum(v**2 for v in d) / 5 + rng.laplace(scale=0.2),
    "rounded sum": lambda d, rng: round(sum(d) + rng.laplace(), 1),
    "sum in words": lambda d, rng: f"the sum is {sum(d) + rng.laplace():.3f}",
    "clamped count": lambda d, rng: min(max(len(d) + rng.laplace(), 0.0), 10.0),
}


def _releases(relation: str) -> dict[str, Callable[[Rows, Rng], Any]]:
    """Return all functions by name, with the noise that the relation needs."""
    noisy = {
        name: partial(_add_noise, statistic, exchange if relation == EXCHANGE else add_remove)
        for name, (statistic, exchange, add_remove) in STATISTICS.items()
    }
    return noisy | OTHERS


INPUTS = {
    EXCHANGE: (([0.1, 0.4, 0.6, 0.9, 1.0], [0.1, 0.4, 0.6, 0.9, 0.0]), ([0, 0, 0, 0, 0], [1, 0, 0, 0, 0])),
    ADD_REMOVE: (([0.1, 0.4, 0.6, 0.9], [0.1, 0.4, 0.6, 0.9, 1.0]), ([0, 0, 0, 0], [1, 0, 0, 0, 0])),
}


def _ways(relation: str) -> Iterator[tuple[str, tuple[Pair, ...] | tuple[Any, Any]]]:
    """Yield every way of naming inputs that the documentation suggests for functions of rows."""
    inputs = INPUTS[relation]
    yield "a tuple", inputs[0]
    yield "arrays", tuple(map(np.array, inputs[1]))
    contents = {
        "a file of lists": [list(pair) for pair in inputs],
        "a file of objects": [
            {"name": f"pair {k}", "left": left, "right": right, "relation": relation}
            for k, (left, right) in enumerate(inputs)
        ],
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, content in contents.items():
            path = Path(folder) / "pairs.json"
            path.write_text(json.dumps(content), "utf-8")
            yield name, pairs_from_file(path)
    yield "pairs of the target", tuple(Pair(f"own {k}", *pair, relation) for k, pair in enumerate(inputs))


def measure_accusations(first_seed: int) -> Table:
    """Return the verdicts on correct functions of rows, by the way of naming their inputs."""
    verdicts: dict[tuple[str, str], Counter[str]] = {}
    accused = []
    with Watch(lambda _, name: f"auditing {name}") as watch:
        for relation in (EXCHANGE, ADD_REMOVE):
            for index, (name, function) in enumerate(_releases(relation).items()):
                watch(f"{name}, {relation}")
                for way, pair in _ways(relation):
                    calls = CALLS_OF_A_PAIR * (1 if way in {"a tuple", "arrays"} else len(pair))
                    result = audit(function, pair, epsilon=1.0, calls=calls, seed=first_seed + index)
                    verdicts.setdefault((way, relation), Counter())[str(result.verdict)] += 1
                    accused += [f"{name} ({relation}, {way})"] if result.verdict is Verdict.VIOLATION else []
    rows = tuple(
        (way, relation, *(str(counts[str(verdict)]) for verdict in Verdict))
        for (way, relation), counts in verdicts.items()
    )
    total = sum(counts.total() for counts in verdicts.values())
    functions = 2 * len(_releases(EXCHANGE))
    summary = f"{len(accused)} of {total} audits of {functions} correct functions accuse: {accused}"
    return Table("accusations", ("inputs by", "relation", *map(str, Verdict)), rows, summary=summary)


# Mechanisms that are too weak by a factor ----------------------------------------------------------------

BY_NAME = {pair.name: pair for pair in answer_pairs(5)}
CHOICE = BY_NAME["one above, rest below"]


def _rate_of(law: Callable[..., Any], loss: float) -> float:
    """Return the rate at which a choice has a loss on its pair."""
    low, high = Fraction(0), Fraction(8)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        scores = [dict(enumerate(map(Fraction, side))) for side in (CHOICE.left, CHOICE.right)]
        laws = [law(by_index, middle) for by_index in scores]
        low, high = (low, middle) if loss_of_laws(*laws) >= loss else (middle, high)
    return float(high)


ENTRIES = 12
WIDTH = 1e-3


def _show_atoms(given: int, rng: Rng, calls: int, *, epsilon: float, share: float, atoms: int) -> Array:
    """Add noise for epsilon 1; a share of the outputs are one of some numbers that show the input instead."""
    answers = randomised_response(given, rng, calls, epsilon) + rng.integers(atoms, size=calls) / (2 * atoms)
    return np.where(rng.random(calls) < share, answers, laplace(given, rng, calls))


def _show_in_ranges(given: int, rng: Rng, calls: int, *, epsilon: float, share: float) -> Array:
    """Do the same with two narrow ranges instead of numbers; noise that falls into them is moved out."""
    noisy = laplace(given, rng, calls)
    noisy += WIDTH * ((noisy % 1 < WIDTH) & (noisy > 0) & (noisy < 2))
    answers = randomised_response(given, rng, calls, epsilon) + WIDTH * rng.random(calls)
    return np.where(rng.random(calls) < share, answers, noisy)


def _show_in_one_entry(given: int, rng: Rng, calls: int, *, epsilon: float, share: float) -> Array:
    """Return a list of numbers without information, and one that shows the input by one of two numbers."""
    entries: Array = rng.laplace(size=(calls, ENTRIES))
    entries[:, ENTRIES // 2] = _show_atoms(given, rng, calls, epsilon=epsilon, share=share, atoms=1)
    return entries


WEAK: dict[str, tuple[Callable[[float], Batch], Pair]] = {
    "Laplace": (lambda e: partial(laplace, scale=1 / e), Pair("0, 1", 0.0, 1.0)),
    "geometric": (lambda e: partial(geometric, rate=e), Pair("0, 1", 0, 1)),
    "randomised response": (lambda e: partial(randomised_response, epsilon=e), Pair("0, 1", 0, 1)),
    "histogram of 5": (lambda e: partial(noisy_masses, scale=1 / e), BY_NAME["one above"]),
    "five answers": (lambda e: partial(noisy_masses, scale=5 / e), BY_NAME["all above"]),
    "noisy maximum": (lambda e: partial(noisy_max, scale=1 / _rate_of(permute_and_flip_law, e)), CHOICE),
    "exponential mechanism": (lambda e: partial(gumbel_max, scale=1 / _rate_of(exponential_law, e)), CHOICE),
    "two numbers in 12 %": (
        lambda e: partial(_show_atoms, epsilon=e, share=0.12, atoms=1),
        Pair("0, 1", 0, 1),
    ),
    "six numbers in 6 %": (
        lambda e: partial(_show_atoms, epsilon=e, share=0.06, atoms=3),
        Pair("0, 1", 0, 1),
    ),
    "six numbers in 3 %": (
        lambda e: partial(_show_atoms, epsilon=e, share=0.03, atoms=3),
        Pair("0, 1", 0, 1),
    ),
    "narrow ranges in 3 %": (lambda e: partial(_show_in_ranges, epsilon=e, share=0.03), Pair("0, 1", 0, 1)),
    "entry of 12 in 4 %": (lambda e: partial(_show_in_one_entry, epsilon=e, share=0.04), Pair("0, 1", 0, 1)),
}
"""By name: the mechanism whose loss on the pair is the given epsilon, and the pair.

Those of the last five have this loss on a share of the calls, and a loss of at most 1 on the others.
"""

SELDOM = "sparse_vector_value"
"""A broken mechanism whose loss is five times the claim, but twice the claim in under 1 % of calls."""


def _weak_mechanisms(words: str) -> Iterator[tuple[str, str, Mechanism, Pair]]:
    """Yield the mechanisms whose name contains the words, with their loss and pair."""
    for name, factor in product([name for name in WEAK if words in name], FACTORS):
        make, pair = WEAK[name]
        batch = make(float(factor))
        yield name, str(factor), Mechanism(name, OneCall(batch), batch), pair
    if words in SELDOM:
        known = MECHANISMS[SELDOM]
        yield SELDOM, f"{known.exact:g}", known.mechanism, known.pairs[0]


def measure_acquittals(seeds: range, words: str, lengths: Sequence[int]) -> Table:
    """Return the share of CONSISTENT runs of mechanisms whose loss is a multiple of the claim."""
    rows = []
    with Watch(lambda _, name: f"auditing {name}") as watch:
        for name, factor, mechanism, pair in _weak_mechanisms(words):
            watch(f"{name}, {factor} times the claim")
            run = partial(audit, mechanism, pair, epsilon=1.0)
            shares = []
            for calls in lengths:
                verdicts = Counter(run(calls=calls, seed=seed).verdict for seed in seeds)
                share = verdicts[Verdict.CONSISTENT] / len(seeds)
                shares.append(f"{share:.0%} ({verdicts[Verdict.VIOLATION]})")
            rows.append((name, factor, *shares))
    summary = f"share of CONSISTENT, in brackets violations, of {len(seeds)} runs; claim 1"
    columns = ("mechanism", "true ε", *(f"{calls:,} calls" for calls in lengths))
    return Table("acquittals", columns, tuple(rows), summary=summary)


def main() -> None:
    """Print the chosen table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("table", choices=("accusations", "acquittals"))
    parser.add_argument("--only", default="", help="rows of acquittals whose name contains this")
    parser.add_argument("--calls", type=int, nargs="+", default=LENGTHS, help="lengths of acquittals")
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--first-seed", type=int, default=7_000)
    options = parser.parse_args()
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    is_accused = options.table == "accusations"
    table = (
        measure_accusations(seeds[0])
        if is_accused
        else measure_acquittals(seeds, options.only, options.calls)
    )
    print(render(table, Format.TEXT))


if __name__ == "__main__":
    main()
