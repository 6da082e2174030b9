"""Record and replay of published mistakes of libraries, and of sound functions of diffprivlib.

    python benchmarks/published.py mistakes [--only WORDS] [--audit]
    python benchmarks/published.py sound [--pairs 170]

Needs diffprivlib 0.6.6 with scikit-learn 1.5 or 1.6 (`make adapters ONLY=diffprivlib` makes such an
environment); what is not installed is skipped. `--audit` adds an audit of each mistake by up to 20,000 calls.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import math
import random
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from privboost.auditor import FindingKind, Pair, ReplayVerdict, audit, replay
from privboost.limits import ADD_REMOVE, EXCHANGE

Rng = np.random.Generator
K = FindingKind
SYSTEM = random.SystemRandom()


@dataclass(frozen=True, slots=True)
class PublishedMistake:
    """A mistake of a released version, and the kinds of findings of which one has to be made."""

    name: str
    package: str
    source: str
    kinds: frozenset[FindingKind]
    pair: Pair
    release: Callable[[Any, Rng], Any]
    epsilon: float = 1.0
    delta: float = 0.0


def _regression(rows: Any, _: Rng, low: float, intercept: bool) -> list[float]:
    from diffprivlib.models import LinearRegression

    model = LinearRegression(epsilon=1, bounds_X=(low, 1), bounds_y=(low, 1), fit_intercept=intercept)
    table = np.array(rows, float)
    fitted = model.fit(table[:, :1], table[:, 1])
    return [float(fitted.coef_[0]), float(fitted.intercept_)]


def _fit_without_mean(rows: Any, rng: Rng) -> list[float]:
    return _regression(rows, rng, 0, False)


def _fit_with_mean(rows: Any, rng: Rng) -> list[float]:
    return _regression(rows, rng, -1, True)


def _naive_bayes(rows: Any, _: Rng) -> list[Any]:
    from diffprivlib.models import GaussianNB

    table = np.array(rows, float)
    fitted = GaussianNB(epsilon=1, bounds=(0, 1)).fit(table[:, :1], table[:, 1])
    return [fitted.classes_.tolist(), fitted.theta_.tolist()]


def _sum(rows: Any, _: Rng) -> float:
    from diffprivlib import tools

    return float(tools.sum(np.array(rows, float), epsilon=1, bounds=(0, 1)))


def _normal_sum(rows: Any, _: Rng) -> float:
    return sum(min(max(row, -1.0), 1.0) for row in rows) + SYSTEM.gauss(0, 1)


PAPER = "Cebere et al., arXiv 2602.17454"
MISTAKES = (
    PublishedMistake(
        "LinearRegression: squares have sensitivity 0",
        "diffprivlib==0.6.6",
        "IBM/differential-privacy-library 105",
        frozenset({K.UNNOISED_RELEASE}),
        Pair("row", [[0.5, 0.1], [0.25, 0.9], [1.0, 1.0]], [[0.5, 0.1], [0.25, 0.9], [0.0, 1.0]], EXCHANGE),
        _fit_without_mean,
    ),
    PublishedMistake(
        "LinearRegression: two means for the budget of one",
        "diffprivlib==0.6.6",
        "IBM/differential-privacy-library 104",
        frozenset({K.LOSS}),
        Pair("row", [[0.5, 0.1], [0.2, 0.9], [1.0, 1.0]], [[0.5, 0.1], [0.2, 0.9], [-1.0, -1.0]], EXCHANGE),
        _fit_with_mean,
    ),
    PublishedMistake(
        "GaussianNB: classes are read from the rows",
        "diffprivlib==0.6.6",
        PAPER,
        frozenset({K.UNNOISED_OUTPUT}),
        Pair("label", [[0.5, 0], [0.2, 0], [0.9, 1]], [[0.5, 0], [0.2, 0], [0.9, 2]], EXCHANGE),
        _naive_bayes,
    ),
    PublishedMistake(
        "sum: NaN passes the bounds",
        "diffprivlib==0.6.6",
        PAPER,
        frozenset({K.UNNOISED_OUTPUT, K.UNNOISED_RELEASE}),
        Pair("NaN", [0.5, math.nan], [0.5, 1.0], EXCHANGE),
        _sum,
    ),
    PublishedMistake(
        "RdpAccountant: cost of a Gaussian where one row is replaced",
        "",
        "google/differential-privacy 378",
        frozenset({K.LOSS}),
        Pair("-1 against 1", [-1.0], [1.0], EXCHANGE),
        _normal_sum,
        # What dp-accounting 0.6.0 states for a standard deviation of 1 under REPLACE_ONE is below this.
        epsilon=4.8,
        delta=1e-5,
    ),
)


def is_imported(package: str) -> bool:
    """Import a package, and return whether it has this version; the empty string stands for no package.

    Libraries that are imported within a run are not recorded.
    """
    name, _, version = package.partition("==")
    try:
        if name and importlib.metadata.version(name) == version:
            importlib.import_module(name)
        return not name or name in sys.modules
    except importlib.metadata.PackageNotFoundError:
        return False


def show_mistakes(only: str, *, audits: bool) -> Iterator[str]:
    """Yield what a replay finds of each mistake, and what an audit does."""
    missed = 0
    for mistake in MISTAKES:
        if only not in mistake.name:
            continue
        if not is_imported(mistake.package):
            yield f"{mistake.name} ({mistake.source}): skipped, {mistake.package} is not installed"
            continue
        claim = {"epsilon": mistake.epsilon, "delta": mistake.delta}
        started = time.process_time()
        result = replay(mistake.release, mistake.pair, seed=1, **claim)
        seconds = time.process_time() - started
        findings = {finding.kind: finding for finding in result.pairs[0].findings}
        found = [findings[kind] for kind in mistake.kinds if kind in findings]
        missed += not found
        says = ", ".join(sorted(f"{finding.kind} at {finding.site}" for finding in found)) or "MISSED"
        line = f"{mistake.name} ({mistake.source}): {says}; {result.pairs[0].runs} runs, {seconds:.2f} CPU s"
        if audits:
            started = time.process_time()
            told = audit(mistake.release, mistake.pair, calls=20_000, seed=1, stop=True, **claim)
            line += f"; audit {told.verdict}, {told.calls:,} calls, {time.process_time() - started:.1f} CPU s"
        yield line
    if missed:
        raise SystemExit(f"{missed} missed")


def _sound() -> dict[str, tuple[str, Callable[[Any, Rng], Any]]]:
    """Return sound functions of rows in [0, 1], with the relation under which they are private."""
    from diffprivlib import mechanisms, models, tools

    laplace, geometric = mechanisms.Laplace(epsilon=1, sensitivity=1), mechanisms.Geometric(epsilon=1)
    choice = mechanisms.Exponential(epsilon=1, sensitivity=1, utility=[0.0, 0.5, 1.0])

    def scale(rows: Any, _: Rng) -> Any:
        return models.StandardScaler(epsilon=1, bounds=([0.0], [1.0])).fit(np.array(rows)[:, None]).mean_

    return {
        "mean": (EXCHANGE, lambda rows, _: float(tools.mean(np.array(rows), epsilon=1, bounds=(0, 1)))),
        "sum": (EXCHANGE, lambda rows, _: float(tools.sum(np.array(rows), epsilon=1, bounds=(0, 1)))),
        "StandardScaler": (EXCHANGE, scale),
        "histogram": (
            ADD_REMOVE,
            lambda rows, _: tools.histogram(np.array(rows), epsilon=1, bins=4, range=(0, 1))[0].tolist(),
        ),
        "Laplace": (ADD_REMOVE, lambda rows, _: laplace.randomise(float(sum(rows)))),
        "Geometric": (ADD_REMOVE, lambda rows, _: geometric.randomise(len(rows))),
        "Exponential beside a count": (
            ADD_REMOVE,
            lambda rows, _: [choice.randomise(), geometric.randomise(len(rows))],
        ),
    }


def show_sound(n_pairs: int) -> Iterator[str]:
    """Yield the verdicts on hostile pairs of sound functions."""
    if not is_imported("diffprivlib==0.6.6"):
        yield "skipped, diffprivlib==0.6.6 is not installed"
        return
    total: Counter[str] = Counter()
    for name, (relation, function) in _sound().items():
        size = ",size=6" if relation == EXCHANGE else ""
        result = replay(
            function,
            inputs=f"vector:6,low=0,high=1{size}",
            relation=relation,
            epsilon=1.0,
            seed=1,
            n_pairs=n_pairs,
        )
        counts = Counter(str(entry.verdict) for entry in result.pairs)
        total += counts
        yield f"{name:28}  {', '.join(f'{verdict} {count}' for verdict, count in sorted(counts.items()))}"
        accused = [entry for entry in result.pairs if entry.verdict is ReplayVerdict.FINDING]
        yield from (f"    {entry.pair.name}: {entry.findings[0]}" for entry in accused[:2])
    yield ", ".join(f"{verdict} {count}" for verdict, count in sorted(total.items()))


def main() -> None:
    """Run one measurement and print it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("measurement", choices=("mistakes", "sound"))
    parser.add_argument("--only", default="", help="mistakes whose name contains this")
    parser.add_argument("--audit", action="store_true", help="audit the mistakes by calls, too")
    parser.add_argument("--pairs", type=int, default=170, help="pairs of each sound function")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    is_sound = options.measurement == "sound"
    lines = show_sound(options.pairs) if is_sound else show_mistakes(options.only, audits=options.audit)
    for line in lines:
        print(line)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
