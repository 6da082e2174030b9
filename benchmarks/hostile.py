"""Search on described inputs: planted mistakes, sound functions and private mechanisms, and its cost.

python benchmarks/hostile.py planted            30 and more mistakes, and the same functions without them
python benchmarks/hostile.py sound              200 sound chains of steps: no counterexample
python benchmarks/hostile.py sound --opendp     200 sound chains of OpenDP's, which has to be installed
python benchmarks/hostile.py private            200 private mechanisms of 10 kinds at their exact epsilon;
                                                --record FILE keeps what was audited, and continues after it
python benchmarks/hostile.py fast               fits of our learner to hostile tables, for both relations
python benchmarks/hostile.py cost               calls to refute with pairs and with a description
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import planted_idioms  # noqa: F401 - its functions are registered
import planted_published  # noqa: F401 - its functions are registered
from planted import PLANTED, Planted

from privboost.auditor import audit
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.result import Sight, Verdict
from privboost.auditor.running.looks import FORMS
from privboost.auditor.stability.check import check_stability
from privboost.auditor.stability.result import StabilityResult, StabilityVerdict
from privboost.fast import Domain, PrivateBoostedTreesClassifier

Rng = np.random.Generator


# Planted mistakes -----------------------------------------------------------------------------------------


def run_planted(options: argparse.Namespace) -> int:
    """Print a row for every mistake: whether it is found, its class, calls and seconds, and its twin."""
    missed = 0
    print("| mistake | claim | found | class | inputs or calls | CPU s | without it |")
    print("|---|---|---|---|---|---|---|")
    for planted in PLANTED:
        if options.only and options.only not in planted.name:
            continue
        begun = time.process_time()
        found, classes, calls = _search(planted, planted.wrong, options)
        seconds = time.process_time() - begun
        named = bool(planted.classes & set(classes))
        twin = "-" if options.quick else ("found" if _search(planted, planted.right, options)[0] else "none")
        missed += not (found and named) or twin == "found"
        claim = f"≤ {planted.bound}" if planted.bound is not None else f"ε = {planted.epsilon:g}"
        verdict = ("yes" if named else "yes, other class") if found else "no"
        row = (planted.name, claim, verdict, ", ".join(classes), f"{calls:,}", f"{seconds:.1f}", twin)
        print(f"| {' | '.join(row)} |", flush=True)
    print(f"{len(PLANTED)} mistakes, {missed} missed or found without the mistake")
    return missed


def _search(
    planted: Planted, function: Callable[..., Any], options: argparse.Namespace
) -> tuple[bool, tuple[str, ...], int]:
    """Return whether the claim is refuted, the classes of the witness, and the number of inputs or calls."""
    if planted.epsilon is None:
        result = check_stability(
            function,
            inputs=planted.inputs,
            relation=planted.relation,
            distance=planted.distance,
            bound=planted.bound,
            seed=options.seed,
            beyond=planted.beyond,
        )
        # What is beyond the description is listed, and never a counterexample.
        examples = result.beyond if planted.beyond else (result.counterexample,)
        classes = tuple(dict.fromkeys(key for example in examples if example for key in example.classes))
        is_wrong = planted.beyond and result.verdict is not StabilityVerdict.NONE_FOUND
        return bool(classes) and not is_wrong, classes, result.inputs + result.inputs_beyond
    tested = audit(
        function,
        inputs=planted.inputs,
        relation=planted.relation,
        epsilon=planted.epsilon,
        seed=options.seed,
        calls=20_000,
    )
    refuted = [entry for entry in tested.pairs if entry.refuted]
    classes = tuple(key for entry in refuted for key in tested.tried.classes_of(entry.pair.name))
    return bool(refuted), classes, tested.calls


# Sound chains ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Drawn:
    """The drawn parameters of a chain."""

    low: Fraction
    high: Fraction
    size: int
    relation: str

    @property
    def width(self) -> Fraction:
        """Return the width of the range to which rows are clamped."""
        return self.high - self.low

    def clamp(self, rows: list[Any]) -> list[Fraction]:
        """Return numbers in the range; NaN is the least."""
        return [self._clamp(row) for row in rows]

    def _clamp(self, row: float) -> Fraction:
        if math.isnan(row) or row == -math.inf:
            return self.low
        return self.high if row == math.inf else min(max(Fraction(row), self.low), self.high)

    def per_row(self, change: Fraction | int) -> Fraction | int:
        """Return how far one row moves a result to which each row adds at most `change`."""
        return 2 * change if self.relation == "exchange" else change


def _resized_sum(drawn: Drawn, rows: list[Any]) -> Fraction:
    ordered = sorted(drawn.clamp(rows))[: drawn.size]
    return sum(ordered, Fraction(0)) + drawn.low * (drawn.size - len(ordered))


def _histogram(drawn: Drawn, rows: list[Any]) -> list[int]:
    counts = Counter(math.floor(4 * (row - drawn.low)) for row in drawn.clamp(rows))
    return [counts[index] for index in range(math.floor(4 * drawn.width) + 1)]


def _median(drawn: Drawn, rows: list[Any]) -> Fraction:
    ordered = sorted(drawn.clamp(rows))
    return ordered[len(ordered) // 2] if ordered else drawn.low


def _extremes(drawn: Drawn, rows: list[Any]) -> list[Fraction]:
    clamped = drawn.clamp(rows) or [drawn.low]
    return [min(clamped), max(clamped)]


def _bound_of_sum(drawn: Drawn) -> Fraction:
    return drawn.width if drawn.relation == "exchange" else max(abs(drawn.low), abs(drawn.high))


Query = tuple[Callable[[Drawn, list[Any]], Any], str, Callable[[Drawn], Fraction | int]]
MEAN = "mean of a fixed number of rows"
QUERIES: dict[str, Query] = {
    "sum": (lambda drawn, rows: sum(drawn.clamp(rows), Fraction(0)), "absolute", _bound_of_sum),
    MEAN: (
        lambda drawn, rows: sum(drawn.clamp(rows), Fraction(0)) / drawn.size,
        "absolute",
        lambda drawn: drawn.width / drawn.size,
    ),
    "resized sum": (_resized_sum, "absolute", lambda drawn: drawn.width),
    "histogram": (_histogram, "l1", lambda drawn: drawn.per_row(1)),
    "count": (lambda drawn, rows: sum(row > drawn.low for row in drawn.clamp(rows)), "absolute", lambda _: 1),
    "median": (_median, "absolute", lambda drawn: drawn.width),
    "clamp": (
        lambda drawn, rows: list(map(float, drawn.clamp(rows))),
        "symmetric",
        lambda drawn: drawn.per_row(1),
    ),
    "extremes": (_extremes, "linf", lambda drawn: drawn.width),
}
"""By name: a query on clamped rows, the metric of its results, and how far one row moves them at most."""


def sound_chains(count: int, seed: int) -> Iterator[tuple[str, str, Drawn]]:
    """Yield the name of a query, a description of inputs and parameters."""
    random = Random(seed)
    for index in range(count):
        low = Fraction(random.randint(-8, 4), random.choice((1, 2, 3)))
        high = low + Fraction(random.randint(0, 12), random.choice((1, 4, 7)))
        size, relation = random.randint(1, 12), random.choice(("exchange", "add_remove", "insert_delete"))
        inputs = random.choice((f"vector:{size}", f"integers:{size}", f"vector:{size},low=-3,high=5"))
        name = list(QUERIES)[index % len(QUERIES)]
        if name == MEAN:
            inputs, relation = f"{inputs},size={size}", "exchange"
        yield name, inputs, Drawn(low, high, size, relation)


def run_sound(options: argparse.Namespace) -> int:
    """Search counterexamples to true claims, and print every one that is found."""
    searches, begun = _opendp_searches if options.opendp else _own_searches, time.monotonic()
    false, tried = 0, 0
    for name, result in searches(options):
        tried += result.inputs
        if result.verdict is not StabilityVerdict.NONE_FOUND:
            false += 1
            print(f"{name}: {result}", flush=True)
    seconds = time.monotonic() - begun
    print(f"{options.count} sound chains, {tried:,} inputs, {false} other than none found, {seconds:,.0f} s")
    return false


def _own_searches(options: argparse.Namespace) -> Iterator[tuple[str, StabilityResult]]:
    for name, inputs, drawn in sound_chains(options.count, options.seed):
        query, distance, bound = QUERIES[name]
        result = check_stability(
            partial(query, drawn),
            inputs=inputs,
            relation=drawn.relation,
            distance=distance,
            bound=bound(drawn),
            seed=options.seed,
            n_inputs=options.inputs,
        )
        yield f"{name}, {inputs}, {drawn}", result


def _opendp_searches(options: argparse.Namespace) -> Iterator[tuple[str, StabilityResult]]:
    from opendp_chains import opendp_chains

    for name, chain in opendp_chains(options.count, options.seed):
        yield f"{name}, {chain}", check_stability(chain, seed=options.seed, n_inputs=options.inputs)


# Private mechanisms ---------------------------------------------------------------------------------------


def _whole(row: Any) -> float:
    return 0.0 if isinstance(row, float) and math.isnan(row) else float(min(max(row, 0), 1))


def _two_sided(rng: Rng, epsilon: float) -> int:
    chance = 1 - math.exp(-epsilon)
    return int(rng.geometric(chance)) - int(rng.geometric(chance))


def _exponential(scores: list[float], epsilon: float, rng: Rng) -> int:
    weights = np.exp(epsilon * (np.array(scores) - max(scores)))
    return int(rng.choice(len(scores), p=weights / weights.sum()))


def _noisy_median(rows: list[Any], epsilon: float, rng: Rng) -> int:
    below = [sum(_whole(row) <= cut / 8 for row in rows) for cut in range(8)]
    return _exponential([-abs(2 * count - len(rows)) / 2 for count in below], epsilon, rng)


def _bins(rows: list[Any]) -> list[int]:
    counts = Counter(min(int(4 * _whole(row)), 3) for row in rows)
    return [counts[index] for index in range(4)]


KINDS: dict[str, Callable[[list[Any], float, Rng], Any]] = {
    "laplace sum": lambda rows, e, rng: sum(map(_whole, rows)) + rng.laplace(0, 1 / e),
    "geometric count": lambda rows, e, rng: len(rows) + _two_sided(rng, e),
    "count above": lambda rows, e, rng: sum(_whole(row) > 0.5 for row in rows) + _two_sided(rng, e),
    "histogram": lambda rows, e, rng: [count + _two_sided(rng, e) for count in _bins(rows)],
    "exponential mode": lambda rows, e, rng: _exponential([float(c) for c in _bins(rows)], e, rng),
    "median": _noisy_median,
    "noisy max": lambda rows, e, rng: int(np.argmax([c + rng.exponential(1 / e) for c in _bins(rows)])),
    "positive or not": lambda rows, e, rng: bool(
        rng.random() < (math.exp(e) if any(_whole(row) for row in rows) else 1) / (1 + math.exp(e))
    ),
    "sum and count": lambda rows, e, rng: (
        sum(map(_whole, rows)) + rng.laplace(0, 2 / e),
        len(rows) + _two_sided(rng, e / 2),
    ),
    "rounded sum": lambda rows, e, rng: round(sum(map(_whole, rows)) + rng.laplace(0, 1 / e), 2),
}
"""Mechanisms of exactly epsilon under add/remove, by name."""


def run_private(options: argparse.Namespace) -> int:
    """Audit private mechanisms on hostile neighbours, and count the violations."""
    known = _read_record(options.record)
    random, false, verdicts = Random(options.seed), 0, Counter[tuple[float, str]]()
    for index in range(options.count):
        name = list(KINDS)[index % len(KINDS)]
        epsilon = random.choice((0.25, 0.5, 1.0, 2.0))
        inputs = random.choice((f"vector:{random.randint(1, 20)}", f"integers:{random.randint(1, 9)}"))
        audited = {"kind": name, "epsilon": epsilon, "inputs": inputs, "calls": options.calls}
        audited["seed"] = options.seed * 1_000 + index
        key = json.dumps(audited)
        if key not in known:
            known[key] = _audit_private(**audited)
            if options.record is not None:
                with options.record.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([audited, *known[key]]) + "\n")
        verdict, bound = known[key]
        verdicts[epsilon, verdict] += 1
        if verdict == Verdict.VIOLATION.value:
            false += 1
            print(f"{name}, ε = {epsilon:g}, {inputs}, seed {audited['seed']}: {bound:.3f}", flush=True)
    for (epsilon, verdict), count in sorted(verdicts.items()):
        print(f"ε = {epsilon:g}: {count} {verdict}")
    print(f"{options.count} private mechanisms: {false} violations; stated: at most 5 %")
    return int(false > 0.05 * options.count)


def _read_record(file: Path | None) -> dict[str, tuple[str, float]]:
    """Return the verdicts and bounds of an earlier run, by what was audited."""
    if file is None or not file.exists():
        return {}
    rows = (json.loads(line) for line in file.read_text("utf-8").splitlines())
    return {json.dumps(audited): (verdict, bound) for audited, verdict, bound in rows}


def _audit_private(kind: str, epsilon: float, inputs: str, calls: int, seed: int) -> tuple[str, float]:
    """Return the verdict on a private mechanism, and the bound."""

    def mechanism(rows: list[Any], rng: Rng) -> Any:
        return KINDS[kind](rows, epsilon, rng)

    result = audit(mechanism, inputs=inputs, relation="add_remove", epsilon=epsilon, seed=seed, calls=calls)
    return result.verdict.value, result.bound


# The learner ----------------------------------------------------------------------------------------------

SCHEMA = """
[age]
lo = 0
hi = 120
missing = true
[income]
lo = 100
hi = 1e6
spacing = "ratio"
[joined]
first = "2020-01-01"
last = "2023-12-31"
missing = true
[smoker]
categories = ["no", "yes"]
[label]
categories = ["a", "b"]
"""
PROBES = [
    [30.0, 1e3, "2020-02-29", "no"],
    [90.0, 1e5, "2023-01-01", "yes"],
    [10.0, 200.0, None, "no"],
    [None, 1e4, "2021-06-01", "yes"],
]


def run_fast(options: argparse.Namespace) -> int:
    """Audit fits to tables of a schema under both relations, also to tables beyond it."""
    differences = 0
    with TemporaryDirectory() as folder:
        schema = Path(folder, "schema.toml")
        schema.write_text(SCHEMA, "utf-8")
        domain = Domain(Domain.from_schema(schema).features[:-1])
        for relation, given in (("exchange", {}), ("add_remove", {"relation": "add_remove", "size": 6})):

            def fit(table: Any, rng: Rng, given: dict[str, Any] = given) -> list[float]:
                state = int(rng.integers(2**31))
                model = PrivateBoostedTreesClassifier(
                    classes=("a", "b"), domain=domain, n_trees=1, depth=1, random_state=state, **given
                )
                return model.fit(table["X"], table["y"]).decision_function(PROBES).tolist()

            result = audit(
                fit,
                inputs=f"table:{schema},rows=6,label=label",
                relation=relation,
                epsilon=1,
                seed=options.seed,
                calls=options.calls,
                beyond=True,
            )
            tried = (*result.tried.pairs, *result.tried.beyond)
            sights = Counter(str(entry.sight) for entry in tried if entry.sight is not Sight.NOTHING)
            differences += sum(sights[each] for each in FORMS) + (result.verdict is Verdict.VIOLATION)
            print(
                f"{relation}: {result.verdict.value}, {result.calls:,} calls, bound {result.bound:.3f}; "
                f"{len(tried)} pairs of {len(set(result.tried.classes))} classes, {len(result.tried.beyond)} "
                f"beyond the schema; what a few calls show of them: {dict(sights) or 'nothing'}",
                flush=True,
            )
    return differences


# Cost -----------------------------------------------------------------------------------------------------


def twofold(rows: list[float], rng: Rng) -> float:
    """Release a sum with half of the noise that the claim needs."""
    return sum(map(_whole, rows)) + float(rng.laplace(0.0, 0.5))


def run_cost(options: argparse.Namespace) -> int:
    """Print the calls to refute twice the claim, with a pair and with a description: mean and standard error.

    With a description, the calls by which pairs are chosen count as well.
    """
    given: dict[str, Any] = {"pair": Pair("one row", [1.0] * 10, [1.0] * 9)}
    described: dict[str, Any] = {"inputs": "vector:10,low=0,high=1", "relation": "add_remove"}
    print("| seed | calls with a pair | with a description | of them to choose pairs |\n|---|---|---|---|")
    rows = []
    for seed in range(options.count):
        results = [audit(twofold, epsilon=1, seed=seed, calls=100_000, **own) for own in (given, described)]
        chosen = results[1].tried.calls
        rows.append((results[0].calls, results[1].calls + chosen, chosen))
        print(f"| {seed} | {' | '.join(map(str, rows[-1]))} |", flush=True)
        if any(result.verdict is not Verdict.VIOLATION for result in results):
            print(f"seed {seed}: not refuted")
            return 1
    means = [
        f"{statistics.mean(own):,.0f} ± {statistics.stdev(own) / math.sqrt(len(own)):,.0f}"
        for own in zip(*rows, strict=True)
    ]
    print(f"| mean | {' | '.join(means)} |")
    return 0


def main() -> int:
    """Run one of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = {
        "planted": run_planted,
        "sound": run_sound,
        "private": run_private,
        "fast": run_fast,
        "cost": run_cost,
    }
    parser.add_argument("what", choices=commands)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, help="number of chains, mechanisms or seeds")
    parser.add_argument("--inputs", type=int, default=5_000, help="inputs for each sound chain")
    parser.add_argument("--calls", type=int, default=20_000, help="calls for each private mechanism")
    parser.add_argument("--record", type=Path, help="a file with the private mechanisms audited so far")
    parser.add_argument("--opendp", action="store_true", help="chains of OpenDP's transformations")
    parser.add_argument("--only", help="part of the name of a mistake")
    parser.add_argument("--quick", action="store_true", help="leave out the functions without the mistake")
    options = parser.parse_args()
    options.count = options.count or {"cost": 20}.get(options.what, 200)
    return commands[options.what](options)


if __name__ == "__main__":
    raise SystemExit(main())
