"""Measure bounds where the loss is in weak coordinates or rare events, beside the best that calls can show.

    python benchmarks/weak.py [--seeds 10] [--first-seed 9000] [--only WORDS] [--known] [--out FILE]

Every mechanism brings the log ratio of its two laws. With `--known` the audit reads this number in place of
the output: the same test with a guesser that knows both laws, up to the law of the ratio. The results are
JSON lines; runs that FILE already has are not repeated. All confidence levels are 95 %.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from privboost.auditor.audit import audit
from privboost.auditor.mechanisms.mechanism import Array, Mechanism, OneCall, Rng
from privboost.tables import Format, Table, render

CALLS = 20_000


@dataclass(frozen=True, slots=True)
class Case:
    """A mechanism on the inputs 0 and 1, whose laws are known."""

    release: Callable[[int, Rng, int], Array]
    """Return outputs for one of the inputs."""
    log_ratio: Callable[[Array], Array]
    """Return the log of the density on the right divided by that on the left, for every output."""
    exact: float
    delta: float = 0.0
    claim: float | None = None
    """The claim of the audit, if it is not the exact loss."""

    def mechanism(self, *, known: bool) -> Mechanism:
        """Return the mechanism, or that of its log ratios."""
        batch = self._ratios if known else self.release
        return Mechanism("weak", OneCall(batch), batch)

    def _ratios(self, given: int, rng: Rng, calls: int) -> Array:
        # Sums of floats differ in their last digits, which would tell the sides apart.
        return np.round(self.log_ratio(self.release(given, rng, calls)), 9) + 0.0


# Laplace noise -------------------------------------------------------------------------------------------


def _laplaces(shifts: Array, scales: Array, given: int, rng: Rng, calls: int) -> Array:
    return given * shifts + rng.laplace(scale=scales, size=(calls, scales.size))


def _ratio_of_laplaces(shifts: Array, scales: Array, outputs: Array) -> Array:
    ratios: Array = ((np.abs(outputs) - np.abs(outputs - shifts)) / scales).sum(axis=1)
    return ratios


def laplaces(shifts: Array, scales: Array) -> Case:
    """Return several numbers with Laplace noise."""
    return Case(
        partial(_laplaces, shifts, scales),
        partial(_ratio_of_laplaces, shifts, scales),
        float((np.abs(shifts) / scales).sum()),
    )


# Sparse vector -------------------------------------------------------------------------------------------

QUERIES = 10
ANSWERS = (np.repeat([0.0, 1.0], [7, 3]), np.repeat([1.0, 0.0], [7, 3]))
"""Seven queries go up by 1, three go down."""

THRESHOLD = 2.0
OPEN = -1.0
"""What stands in place of an answer after the last one."""

STEP = 0.01
GRID = np.arange(-100.0, 100.0, STEP) + STEP / 2


def _sparse_vector(scales: tuple[float, float], most: int, given: int, rng: Rng, calls: int) -> Array:
    """Answer 1 for above and 0 for below; stop after some answers of 1."""
    threshold = THRESHOLD + rng.laplace(scale=scales[0], size=(calls, 1))
    above = ANSWERS[given] + rng.laplace(scale=scales[1], size=(calls, QUERIES)) >= threshold
    asked = np.cumsum(above, axis=1) - above < most
    return np.where(asked, above, OPEN)


@cache
def _log_probability(scales: tuple[float, float], given: int, answers: tuple[float, ...]) -> float:
    """Return the log probability of answers: the integral over the threshold."""
    mass = np.exp(-np.abs(GRID - THRESHOLD) / scales[0]) / (2 * scales[0])
    for mean, answer in zip(ANSWERS[given], answers, strict=True):
        tail = 0.5 * np.exp(-np.abs(GRID - mean) / scales[1])
        above = np.where(mean < GRID, tail, 1 - tail)
        mass = mass * (above if answer == 1 else 1 - above if answer == 0 else 1.0)
    return math.log(float(mass.sum()) * STEP)


def _ratio_of_answers(scales: tuple[float, float], outputs: Array) -> Array:
    kinds, index = np.unique(outputs, axis=0, return_inverse=True)
    logs = [[_log_probability(scales, given, tuple(kind)) for given in range(2)] for kind in kinds.tolist()]
    ratio: Array = np.diff(np.array(logs), axis=1).ravel()[index.ravel()]
    return ratio


def _all_answers(most: int) -> Array:
    """Return all answers of a sparse vector."""
    every = np.array(list(product((0.0, 1.0), repeat=QUERIES)))
    asked = np.cumsum(every, axis=1) - every < most
    return np.unique(np.where(asked, every, OPEN), axis=0)


def sparse_vector(most: int) -> Case:
    """Return the answers of a sparse vector with epsilon 1, of which `most` are above."""
    scales = (2.0, 4.0 * most)
    ratio = partial(_ratio_of_answers, scales)
    return Case(partial(_sparse_vector, scales, most), ratio, float(np.abs(ratio(_all_answers(most))).max()))


def _values(scales: tuple[float, float], own: float, given: int, rng: Rng, calls: int) -> Array:
    """Return the answers up to the first one above, and its value with fresh noise; 0 if there is none."""
    answers = _sparse_vector(scales, 1, given, rng, calls)
    found, index = (answers == 1).any(axis=1), np.argmax(answers == 1, axis=1)
    values = np.where(found, ANSWERS[given][index] + rng.laplace(scale=own, size=calls), 0.0)
    return np.column_stack([answers, values])


def _ratio_of_values(scales: tuple[float, float], own: float, outputs: Array) -> Array:
    answers, values = outputs[:, :-1], outputs[:, -1]
    found, index = (answers == 1).any(axis=1), np.argmax(answers == 1, axis=1)
    left, right = (np.abs(values - side[index]) / own for side in ANSWERS)
    ratio: Array = _ratio_of_answers(scales, answers) + np.where(found, left - right, 0.0)
    return ratio


def sparse_vector_values() -> Case:
    """Return a sparse vector that ends with a noisy value; three noises share epsilon 1."""
    scales, own = (3.0, 6.0), 3.0
    ratios = _ratio_of_answers(scales, answers := _all_answers(1))
    found = (answers == 1).any(axis=1)
    exact = float((np.abs(ratios) + np.where(found, 1 / own, 0.0)).max())
    return Case(partial(_values, scales, own), partial(_ratio_of_values, scales, own), exact)


# Randomised bits, smooth sensitivity, normal noise, images -----------------------------------------------


def _bits(chances: tuple[Array, Array], given: int, rng: Rng, calls: int) -> Array:
    bits: Array = (rng.random((calls, chances[0].size)) < chances[given]).astype(np.float64)
    return bits


def _ratio_of_bits(chances: tuple[Array, Array], outputs: Array) -> Array:
    left, right = chances
    ratio: Array = outputs @ np.log(right / left) + (1 - outputs) @ np.log((1 - right) / (1 - left))
    return ratio


def rappor(bits: int, hashes: int, stay: float, told: tuple[float, float]) -> Case:
    """Return a Bloom filter of which every bit is kept or drawn once, then reported at two chances.

    `stay` is the chance that a bit is kept; `told` are the chances of reporting 1 for a 0 and for a 1.
    """
    low, high = ((1 - stay) / 2 * sum(told) + stay * chance for chance in told)
    chances = []
    for given in range(2):
        own = np.full(bits, low)
        own[[3 + 5 * (hashes * given + k) for k in range(hashes)]] = high
        chances.append(own)
    pair = (chances[0], chances[1])
    exact = hashes * math.log(high * (1 - low) / (low * (1 - high)))
    return Case(partial(_bits, pair), partial(_ratio_of_bits, pair), exact)


def _two_scales(scales: tuple[float, float], given: int, rng: Rng, calls: int) -> Array:
    return given + rng.laplace(scale=scales[given], size=calls)


def _ratio_of_scales(scales: tuple[float, float], outputs: Array) -> Array:
    left, right = scales
    ratio: Array = np.abs(outputs) / left - np.abs(outputs - 1) / right + math.log(left / right)
    return ratio


def smooth_sensitivity(left: float, right: float) -> Case:
    """Return Laplace noise whose scale follows the data; no epsilon holds for it."""
    scales = (left, right)
    return Case(partial(_two_scales, scales), partial(_ratio_of_scales, scales), math.inf, claim=1.0)


def _normal(mu: float, given: int, rng: Rng, calls: int) -> Array:
    return mu * given + rng.standard_normal(calls)


def classic_normal(epsilon: float, delta: float) -> Case:
    """Return normal noise by the formula for epsilon below 1, whose true epsilon is larger here."""
    mu = epsilon / math.sqrt(2 * math.log(1.25 / delta))

    def excess(true: float) -> float:
        return float(ndtr(mu / 2 - true / mu) - math.exp(true) * ndtr(-mu / 2 - true / mu)) - delta

    exact = float(brentq(excess, 0.0, 60.0))
    return Case(partial(_normal, mu), partial(_ratio_of_normals, mu), exact, delta=delta, claim=epsilon)


def _ratio_of_normals(mu: float, outputs: Array) -> Array:
    return mu * outputs - mu**2 / 2


SIDE = 8
PIXELS = (np.arange(SIDE**2) * 37) % 256
MOVED = 27


def _image(moved: str, width: int, given: int, rng: Rng, calls: int) -> Array:
    """Return an image of bytes with uniform noise; 5 is added to some entries on the right, modulo 256."""
    outputs = PIXELS + rng.integers(0, width, (calls, SIDE**2))
    if given and moved == "all":
        outputs += 5
    elif given:
        entries = MOVED if moved == "one" else rng.integers(0, SIDE**2, calls)
        outputs[np.arange(calls), entries] += 5
    return (outputs % 256).reshape(calls, SIDE, SIDE).astype(np.float64)


def _ratio_of_images(moved: str, width: int, outputs: Array) -> Array:
    noise = (outputs.reshape(len(outputs), -1) - PIXELS) % 256
    on_left = noise < width
    on_right = (noise - 5) % 256 < width
    # An entry moved alone needs all others as on the left.
    alone = (~on_left).sum(axis=1)[:, None] - ~on_left == 0
    each = on_right & alone
    right = {"one": each[:, MOVED], "any": each.mean(axis=1), "all": on_right.all(axis=1)}[moved]
    with np.errstate(divide="ignore"):
        ratio: Array = np.log(right.astype(float)) - np.log(on_left.all(axis=1).astype(float))
    return np.clip(ratio, -50, 50)


def image(moved: str, width: int = 20) -> Case:
    """Return an image; some values of entries are impossible on the other side."""
    return Case(partial(_image, moved, width), partial(_ratio_of_images, moved, width), math.inf, claim=1.0)


_SIGNS = np.where(np.arange(16) % 3 == 1, -1.0, 1.0)

CASES: dict[str, Callable[[], Case]] = {
    "sparse vector, one of ten above": lambda: sparse_vector(1),
    "sparse vector, three of ten above": lambda: sparse_vector(3),
    "sparse vector with values": sparse_vector_values,
    "prefix sums of 12": lambda: laplaces(np.ones(12), np.full(12, 12.0)),
    "RAPPOR, 32 bits": lambda: rappor(32, 2, 0.5, (0.45, 0.525)),
    "one-time RAPPOR, 32 bits": lambda: rappor(32, 2, 0.075, (0.0, 1.0)),
    "Laplace, 24 numbers": lambda: laplaces(np.ones(24), np.full(24, 24.0)),
    "Laplace, 16 numbers of several signs and scales": lambda: laplaces(
        _SIGNS, np.where(np.arange(16) < 4, 8.0, 24.0)
    ),
    "smooth sensitivity, Laplace": lambda: smooth_sensitivity(4.0, 4.8),
    "classic formula, normal": lambda: classic_normal(9.0, 0.01),
    "image, one entry": lambda: image("one"),
    "image, any entry": lambda: image("any"),
    "image, all entries": lambda: image("all"),
    "image, one entry, wide noise": lambda: image("one", 246),
    "image, all entries, wide noise": lambda: image("all", 246),
}


def measure(name: str, seed: int, *, known: bool) -> dict[str, Any]:
    """Return one audit as a record."""
    case = CASES[name]()
    claim = case.exact if case.claim is None else case.claim
    started = time.process_time()
    settings: dict[str, Any] = {"delta": case.delta, "calls": CALLS, "seed": seed, "stop": False}
    result = audit(case.mechanism(known=known), (0, 1), epsilon=claim, **settings)
    seconds = time.process_time() - started
    return {
        "case": name,
        "known": known,
        "seed": seed,
        "bound": result.bound,
        "exact": case.exact if math.isfinite(case.exact) else None,
        "verdict": result.verdict.value,
        "seconds": round(seconds, 2),
    }


def table_of(records: list[dict[str, Any]]) -> Table:
    """Return means by case."""
    rows = []
    for name in CASES:
        own = [r for r in records if r["case"] == name]
        if own:
            exact = own[0]["exact"]
            row = [name, "∞" if exact is None else f"{exact:.3f}"]
            for known in (False, True):
                bounds = [r["bound"] / (exact or 1) for r in own if r["known"] == known]
                error = statistics.stdev(bounds) / len(bounds) ** 0.5 if len(bounds) > 1 else math.nan
                row.append(f"{statistics.fmean(bounds):.3f} ± {error:.3f}" if bounds else "")
            times = [r["seconds"] for r in own if not r["known"]]
            row.append(f"{statistics.fmean(times):.1f}" if times else "")
            rows.append(tuple(row))
    columns = ("mechanism", "exact", "bound / exact", "with both laws known", "CPU s")
    return Table("weak", columns, tuple(rows), summary=f"{CALLS:,} calls; where exact is ∞, the bound")


def main() -> None:
    """Measure what is asked for and not in the file yet, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=9_000)
    parser.add_argument("--only", default="", help="mechanisms whose name contains this")
    parser.add_argument("--known", action="store_true", help="the test that knows both laws")
    parser.add_argument("--out", type=Path, help="a file of JSON lines to be continued")
    options = parser.parse_args()
    records: list[dict[str, Any]] = []
    if options.out and options.out.exists():
        records = [json.loads(line) for line in options.out.read_text().splitlines()]
    done = {(r["case"], r["known"], r["seed"]) for r in records}
    for seed in range(options.first_seed, options.first_seed + options.seeds):
        for name in CASES:
            if options.only in name and (name, options.known, seed) not in done:
                records.append(measure(name, seed, known=options.known))
                if options.out:
                    with options.out.open("a") as file:
                        file.write(json.dumps(records[-1]) + "\n")
    print(render(table_of(records), Format.TEXT), flush=True)


if __name__ == "__main__":
    main()
