"""Record and replay: planted mistakes and their twins, sound mechanisms, and audits of the same mistakes.

`python benchmarks/replay.py planted` prints what is found on one pair; `sound` counts findings on many pairs;
`learner` does so for fits of our learner to hostile tables; `calls` sets the seconds of a replay beside those
of an audit of the same mistake.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from hostile import PROBES, SCHEMA

from privboost.auditor import FindingKind, Pair, ReplayVerdict, audit, mark_release, replay
from privboost.fast import Domain, PrivateBoostedTreesClassifier
from privboost.limits import ADD_REMOVE, EXCHANGE

Rng = np.random.Generator
Function = Callable[[Any, Rng], Any]
K = FindingKind
REAL, WHOLE, MORE, NONE = ([1.0, 0.5], [0.0, 0.5]), ([1, 0], [0, 0]), ([0.5, 1.0], [0.5]), ([0.5], [])
SYSTEM = random.SystemRandom()
P = 1 - math.exp(-1)


@dataclass(frozen=True, slots=True)
class PlantedReplay:
    """A mistake in a mechanism with claim 1, its twin, and the kinds of which one has to be found."""

    name: str
    kinds: frozenset[FindingKind]
    pair: tuple[Any, Any]
    wrong: Function
    right: Function


PLANTED: list[PlantedReplay] = []


def _plant(
    name: str, kinds: FindingKind | tuple[FindingKind, ...], pair: Any, wrong: Function, right: Function
) -> None:
    PLANTED.append(
        PlantedReplay(
            name, frozenset((kinds,) if isinstance(kinds, FindingKind) else kinds), pair, wrong, right
        )
    )


def _sum(rows: Any, rng: Rng) -> float:
    return float(sum(rows) + rng.laplace())


@mark_release(epsilon="epsilon", sensitivity="sensitivity")
def release_value(value: float, rng: Rng, epsilon: float = 1.0, sensitivity: float = 1.0) -> float:
    """Add Laplace noise."""
    return float(value + (rng.laplace(scale=sensitivity / epsilon) if sensitivity else 0.0))


def _release(rows: Any, rng: Rng) -> float:
    return release_value(sum(rows), rng)


def _by_class(rows: Any, rng: Rng, forget: bool) -> list[float]:
    parts = [[row for row in rows if (row > 0.75) == label] for label in (False, True)]
    return [0.0 if forget and not part else float(sum(part) + rng.laplace(scale=2)) for part in parts]


def _choose(rows: Any, rng: Rng, rate: float) -> int:
    weights = np.exp(rate * np.array([sum(rows), 0.0, 0.5]))
    return int(rng.choice(3, p=weights / weights.sum()))


def _two(rows: Any, rng: Rng, scale: float) -> list[float]:
    return [float(sum(rows) + rng.laplace(scale=scale)), float(rows[0] + rng.laplace(scale=scale))]


def _noise_from_seed(seed: Callable[[Rng], Any]) -> Function:
    def noisy(rows: Any, rng: Rng) -> float:
        return float(sum(rows) + np.random.default_rng(seed(rng)).laplace())

    return noisy


def _twice(rows: Any, rng: Rng, same: bool) -> list[float]:
    seeds = rng.integers(1 << 60, size=2).tolist()
    drawn = [np.random.default_rng(seeds[0 if same else each]).laplace(scale=2) for each in (0, 1)]
    return [float(sum(rows) + noise) for noise in drawn]


def _one_noise(rows: Any, rng: Rng) -> list[float]:
    noise = rng.laplace()
    return [float(sum(rows) + noise), float(rows[1] + noise)]


def _histogram(rows: Any, rng: Rng, known: bool) -> Any:
    counts = Counter(rows)
    return {
        str(key): counts[key] + float(rng.laplace(scale=2))
        for key in ([0, 1, 2] if known else sorted(counts))
    }


def _count_or_fail(rows: Any, rng: Rng) -> float:
    return float(1 / len(rows) + rng.laplace())


_plant("no noise", K.UNNOISED_OUTPUT, REAL, lambda rows, _: sum(rows), _sum)
_plant(
    "count beside a noisy sum", K.UNNOISED_OUTPUT, MORE, lambda rows, rng: [_sum(rows, rng), len(rows)], _sum
)
_plant(
    "an empty class without noise",
    K.UNNOISED_OUTPUT,
    ([0.5, 1.0], [0.5, 0.5]),
    lambda rows, rng: _by_class(rows, rng, True),
    lambda rows, rng: _by_class(rows, rng, False),
)
_plant(
    "no rows without noise", K.UNNOISED_OUTPUT, NONE, lambda rows, rng: _sum(rows, rng) if rows else 0.0, _sum
)
_plant("error for no rows", K.UNNOISED_OUTPUT, NONE, _count_or_fail, _sum)
_plant(
    "sum of NaN",
    K.UNNOISED_OUTPUT,
    ([math.nan], [0.5]),
    _sum,
    lambda rows, rng: _sum(np.nan_to_num(rows), rng),
)
_plant(
    "noise rounded away",
    K.UNNOISED_OUTPUT,
    ([2.0**60], [2.0**60 + 4096]),
    _sum,
    lambda rows, rng: _sum(np.clip(rows, 0, 1), rng),
)
_plant(
    "names of groups",
    (K.UNNOISED_OUTPUT, K.NUMBER_OF_DRAWS),
    ([0, 1], [0, 0]),
    lambda rows, rng: _histogram(rows, rng, False),
    lambda rows, rng: _histogram(rows, rng, True),
)
_plant("one noise for two sums", K.UNNOISED_OUTPUT, REAL, _one_noise, lambda rows, rng: _two(rows, rng, 2.0))
_plant(
    "noise taken off again",
    K.UNNOISED_OUTPUT,
    REAL,
    lambda rows, rng: [noise := float(rng.laplace()), sum(rows) + noise],
    _sum,
)
_plant(
    "noise drawn on one branch",
    K.NUMBER_OF_DRAWS,
    REAL,
    lambda rows, rng: _sum(rows, rng) + (float(rng.laplace()) if rows[0] else 0.0),
    _sum,
)
_plant(
    "scale from the greatest row",
    K.SCALE_FROM_DATA,
    REAL,
    lambda rows, rng: sum(rows) + rng.laplace(scale=max(rows)),
    _sum,
)
_plant(
    "noise times the greatest row",
    K.SCALE_FROM_DATA,
    REAL,
    lambda rows, rng: sum(rows) + max(rows) * rng.laplace(),
    _sum,
)
_plant(
    "scale from the number of rows",
    K.SCALE_FROM_DATA,
    MORE,
    lambda rows, rng: sum(rows) / len(rows) + rng.laplace(scale=1 / len(rows)),
    _sum,
)
_plant(
    "Gaussian scale from the data",
    K.SCALE_FROM_DATA,
    REAL,
    lambda rows, _: sum(rows) + random.gauss(0, 1 + max(rows)),
    _sum,
)
_plant("half of the scale", K.LOSS, REAL, lambda rows, rng: sum(rows) + rng.laplace(scale=0.5), _sum)
_plant(
    "budget used twice",
    K.LOSS,
    REAL,
    lambda rows, rng: _two(rows, rng, 1.0),
    lambda rows, rng: _two(rows, rng, 2.0),
)
_plant("rows not clipped", K.LOSS, ([5.0], [0.0]), _sum, lambda rows, rng: _sum(np.clip(rows, 0, 1), rng))
_plant(
    "geometric noise, too small",
    K.LOSS,
    WHOLE,
    lambda rows, rng: int(sum(rows) + rng.geometric(0.9) - rng.geometric(0.9)),
    lambda rows, rng: int(sum(rows) + rng.geometric(P) - rng.geometric(P)),
)
_plant(
    "noise on one side only",
    K.LOSS,
    REAL,
    lambda rows, rng: sum(rows) + rng.exponential(),
    lambda rows, rng: sum(rows) + rng.exponential() - rng.exponential(),
)
_plant("Gaussian noise for pure privacy", K.LOSS, REAL, lambda rows, rng: sum(rows) + rng.normal(), _sum)
_plant(
    "exponential mechanism without the half",
    K.LOSS,
    REAL,
    lambda rows, rng: _choose(rows, rng, 2.0),
    lambda rows, rng: _choose(rows, rng, 0.5),
)
_plant(
    "rate for scale",
    K.LOSS,
    REAL,
    lambda rows, _: sum(rows) + random.expovariate(2.0) - random.expovariate(2.0),
    lambda rows, _: sum(rows) + SYSTEM.expovariate(1.0) - SYSTEM.expovariate(1.0),
)
_plant("fixed seed", K.FIXED_SEED, REAL, _noise_from_seed(lambda _: 0), _sum)
_plant(
    "seed from the clock",
    K.SEED_FROM_CLOCK,
    REAL,
    _noise_from_seed(lambda _: int(time.time())),
    _noise_from_seed(lambda _: None),
)
_plant(
    "one seed for two generators",
    K.REUSED_COINS,
    REAL,
    lambda rows, rng: _twice(rows, rng, True),
    lambda rows, rng: _twice(rows, rng, False),
)
_plant(
    "release with sensitivity 0",
    K.UNNOISED_RELEASE,
    REAL,
    lambda rows, rng: release_value(sum(rows), rng, 1.0, 0.0),
    _release,
)
_plant(
    "release of NaN",
    K.UNNOISED_RELEASE,
    ([math.nan], [0.5]),
    _release,
    lambda rows, rng: _release(np.nan_to_num(rows), rng),
)
_plant(
    "release moves too far",
    K.MOVED_TOO_FAR,
    REAL,
    lambda rows, rng: release_value(3 * sum(rows), rng, 0.1),
    _release,
)
_plant(
    "sensitivity from the data",
    K.SCALE_FROM_DATA,
    REAL,
    lambda rows, rng: release_value(sum(rows), rng, 1.0, max(rows)),
    _release,
)
_plant(
    "two releases for one budget",
    K.LOSS,
    REAL,
    lambda rows, rng: [_release(rows, rng), _release(rows, rng)],
    _release,
)
_plant(
    "release on one branch",
    K.NUMBER_OF_DRAWS,
    REAL,
    lambda rows, rng: [_release(rows, rng)] if rows[0] else [0.0],
    _release,
)


# Sound mechanisms -----------------------------------------------------------------------------------------


def _sparse_vector(rows: Any, rng: Rng) -> list[bool]:
    threshold, above = rng.laplace(scale=2), list[bool]()
    while len(above) < 5 and not any(above):
        above.append(bool(sum(rows) + rng.laplace(scale=4) >= threshold))
    return above


SOUND: dict[str, Function] = {
    "Laplace sum": lambda rows, rng: float(sum(rows) + rng.laplace()),
    "legacy Laplace sum": lambda rows, _: float(sum(rows) + np.random.laplace()),
    "geometric count": lambda rows, rng: int(len(rows) + rng.geometric(P) - rng.geometric(P)),
    "histogram": lambda rows, rng: np.histogram(rows, 8, (0, 1))[0] + rng.laplace(size=8),
    "noisy maximum": lambda rows, rng: int(
        np.argmax(np.histogram(rows, 4, (0, 1))[0] + rng.laplace(scale=2, size=4))
    ),
    "exponential mechanism": lambda rows, rng: _choose(rows, rng, 0.5),
    "randomised response": lambda rows, rng: bool((sum(rows) > 2) == (rng.random() < math.e / (1 + math.e))),
    "sparse vector": _sparse_vector,
    "prefix sums": lambda rows, rng: (
        np.cumsum(np.histogram(rows, 4, (0, 1))[0]) + np.cumsum(rng.laplace(size=4))
    ),
    "difference of exponentials": lambda rows, _: sum(rows) + random.expovariate(1) - random.expovariate(1),
    "two releases": lambda rows, rng: [
        release_value(sum(rows), rng, 0.5),
        release_value(len(rows), rng, 0.5),
    ],
    "noisy mean": lambda rows, rng: (
        (sum(rows) + rng.laplace(scale=2)) / max(len(rows) + rng.laplace(scale=2), 1.0)
    ),
}


def show_planted() -> Iterator[str]:
    """Yield what is found of each mistake on one pair, and whether its twin has no finding."""
    missed = accused = 0
    seconds = 0.0
    for planted in PLANTED:
        result = replay(planted.wrong, planted.pair, epsilon=1.0, seed=1)
        twin = replay(planted.right, planted.pair, epsilon=1.0, seed=1)
        kinds = {finding.kind for finding in result.pairs[0].findings}
        is_found, is_clean = bool(kinds & planted.kinds), twin.verdict is not ReplayVerdict.FINDING
        missed, accused, seconds = missed + (not is_found), accused + (not is_clean), seconds + result.seconds
        names = ", ".join(sorted(map(str, kinds))) or "nothing"
        runs = result.pairs[0].runs
        yield f"{planted.name:38}  {names}  ({runs} runs, {result.seconds:.2f} s; twin {twin.verdict})"
    yield f"{len(PLANTED)} mistakes, {missed} missed, {accused} twins accused, {seconds:.1f} s"


def show_sound(n_pairs: int) -> Iterator[str]:
    """Yield the verdicts on hostile pairs of sound mechanisms."""
    total: Counter[str] = Counter()
    for name, function in SOUND.items():
        result = replay(function, inputs="vector:6,low=0,high=1", epsilon=1.0, seed=1, n_pairs=n_pairs)
        counts = Counter(str(entry.verdict) for entry in result.pairs)
        total += counts
        shown = ", ".join(f"{verdict} {count}" for verdict, count in sorted(counts.items()))
        yield f"{name:28}  {shown}  ({result.seconds:.1f} s)"
        for entry in result.pairs:
            yield from (f"    {finding}" for finding in entry.findings[:1])
    yield ", ".join(f"{verdict} {count}" for verdict, count in sorted(total.items()))


def show_learner(n_pairs: int) -> Iterator[str]:
    """Yield the verdicts on hostile tables of fits of one tree, under both relations."""
    with TemporaryDirectory() as folder:
        schema = Path(folder, "schema.toml")
        schema.write_text(SCHEMA, "utf-8")
        domain = Domain(Domain.from_schema(schema).features[:-1])
        for relation, given in ((EXCHANGE, {}), (ADD_REMOVE, {"relation": ADD_REMOVE, "size": 6})):

            def fit(table: Any, rng: Rng, given: dict[str, Any] = given) -> list[float]:
                model = PrivateBoostedTreesClassifier(
                    classes=("a", "b"),
                    domain=domain,
                    n_trees=1,
                    depth=1,
                    random_state=int(rng.integers(2**31)),
                    **given,
                )
                return model.fit(table["X"], table["y"]).decision_function(PROBES).tolist()

            result = replay(
                fit,
                inputs=f"table:{schema},rows=6,label=label",
                relation=relation,
                epsilon=1.0,
                seed=1,
                n_pairs=n_pairs,
            )
            counts = sorted(Counter(str(entry.verdict) for entry in result.pairs).items())
            yield f"{relation:12}  {', '.join(f'{verdict} {count}' for verdict, count in counts)}"


def show_calls() -> Iterator[str]:
    """Yield the seconds of a replay and of an audit by calls of the same mistake, with both verdicts."""
    for planted in PLANTED:
        pair = Pair("pair", *planted.pair)
        result = replay(planted.wrong, pair, epsilon=1.0, seed=1)
        started = time.monotonic()
        try:
            audited = audit(planted.wrong, pair, epsilon=1.0, calls=20_000, seconds=20.0, seed=1)
            verdict = f"{audited.verdict}, {audited.calls:,} calls"
        except Exception as error:
            # A planted mistake may be a target that cannot be audited at all.
            verdict = type(error).__name__
        yield (
            f"{planted.name:38}  replay {result.pairs[0].runs} runs {result.seconds:.2f} s; "
            f"audit {verdict}, {time.monotonic() - started:.2f} s"
        )


def main() -> None:
    """Run one measurement and print it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("measurement", choices=("planted", "sound", "learner", "calls"))
    parser.add_argument("--pairs", type=int, default=100, help="pairs of each sound mechanism")
    options = parser.parse_args()
    shown = {
        "planted": show_planted,
        "calls": show_calls,
        "sound": lambda: show_sound(options.pairs),
        "learner": lambda: show_learner(options.pairs),
    }
    for line in shown[options.measurement]():
        print(line)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
