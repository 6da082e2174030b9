"""An implementation of the profile in small methods; a mistake replaces one of them.

`answer` reads the arguments and calls the method of the operation's name. Draws are floats of Python's own
generator: what is checked here is the gate, and not these samplers.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any

from privboost.gate.mechanisms.operations.table import OPERATIONS
from privboost.targets.values import to_json_values

from .model_numbers import Accountant

Args = Mapping[str, Any]
Source = random.Random
GRID_BITS = 20
"""Steps of the grid of results in the scale of the noise, as a power of 2."""
WIDE = 12
"""Standard deviations beyond which discrete Gaussian noise is left out."""


class PlainLibrary(Accountant):
    """The implementation without a mistake."""

    def __init__(self) -> None:
        self.memory: dict[Any, Any] = {}
        """What a mistake keeps from earlier requests."""
        self._request: Args = {}
        self._prepared: dict[str, Any] = {}

    def answer(self, op: str, args: Args) -> Any:
        """Return the result of an operation."""
        if op == "hello":
            hello = {"name": "plain", "version": "1", "protocol": 1, "operations": list(OPERATIONS)}
            return hello | {"claims": ["low_bits"]}
        if op not in OPERATIONS:
            raise NotImplementedError(f"there is no operation {op!r}")
        a = OPERATIONS[op].read(args)
        if op == "map":
            return {side: to_json_values(self.step(a, a[side])) for side in ("left", "right")}
        if op == "accounting":
            return to_json_values(self.account(a))
        draw, source = getattr(self, op), self.generator(a["seed"])
        return to_json_values(self.repeat(draw, a, source, a["count"]))

    def generator(self, seed: int) -> Source:
        """Return a source of randomness."""
        return Source(seed)

    def repeat(
        self, draw: Callable[[Args, Source], Any], a: Args, source: Source, count: int
    ) -> Sequence[Any]:
        """Return independent draws."""
        return [draw(a, source) for _ in range(count)]

    def prepare(self, a: Args, name: str, compute: Callable[[], Any]) -> Any:
        """Return what all draws of a request share, computed for the first of them."""
        if self._request is not a:
            self._request, self._prepared = a, {}
        if name not in self._prepared:
            self._prepared[name] = compute()
        return self._prepared[name]

    def account(self, a: Args) -> float:
        """Return a number of accounting."""
        given = {name: _plain(value) for name, value in a.items() if name != "rule"}
        return float(getattr(self, a["rule"])(**given))

    # Noise ------------------------------------------------------------------------------------------------

    def laplace_noise(self, scale: float, source: Source) -> float:
        """Return Laplace noise."""
        return scale * (source.expovariate(1) - source.expovariate(1))

    def geometric_noise(self, scale: float, source: Source) -> int:
        """Return two-sided geometric noise."""
        return self.steps(scale, source) - self.steps(scale, source)

    def steps(self, scale: float, source: Source) -> int:
        """Return k >= 0 with a probability proportional to exp(-k / scale)."""
        return math.floor(-math.log(1 - source.random()) * scale)

    def normal_noise(self, sigma: float, source: Source) -> float:
        """Return normal noise."""
        return source.gauss(0, sigma)

    def add_noise(self, noise: str, value: float, scale: float, source: Source) -> float:
        """Return a value with noise of a kind."""
        if noise == "laplace":
            return self.release(value, self.laplace_noise(scale, source), scale)
        return value + self.geometric_noise(scale, source)

    def release(self, value: float, noise: float, scale: float) -> float:
        """Return a noisy value on a grid that depends on nothing but the scale of the noise."""
        grid = math.ldexp(1.0, math.frexp(scale)[1] - GRID_BITS)
        return math.floor((value + noise) / grid + 0.5) * grid

    def scale(self, sensitivity: Fraction, epsilon: Fraction) -> float:
        """Return the scale of noise."""
        return float(sensitivity / epsilon)

    def laplace(self, a: Args, source: Source) -> float:
        """Return a draw."""
        scale = self.scale(a["sensitivity"], a["epsilon"])
        return self.add_noise("laplace", float(a["value"]), scale, source)

    def geometric(self, a: Args, source: Source) -> int:
        """Return a draw."""
        return int(a["value"]) + self.geometric_noise(self.scale(a["sensitivity"], a["epsilon"]), source)

    def gaussian(self, a: Args, source: Source) -> float:
        """Return a draw."""
        sigma = self.prepare(
            a,
            "sigma",
            lambda: self.gaussian_sigma(float(a["epsilon"]), float(a["delta"]), float(a["sensitivity"])),
        )
        return self.release(float(a["value"]), self.normal_noise(sigma, source), sigma)

    def discrete_gaussian(self, a: Args, source: Source) -> int:
        """Return a draw."""
        sigma = float(a["sigma"])
        reach = math.ceil(WIDE * sigma)

        def weights() -> list[float]:
            return [math.exp(-(k * k) / (2 * sigma * sigma)) for k in range(-reach, reach + 1)]

        return int(a["value"]) + self.choose(self.prepare(a, "weights", weights), source) - reach

    # Choices ----------------------------------------------------------------------------------------------

    def choose(self, weights: Sequence[float], source: Source) -> int:
        """Return an index with a probability proportional to its weight."""
        return source.choices(range(len(weights)), cum_weights=list(accumulate(weights)))[0]

    def rate(self, a: Args) -> Fraction:
        """Return by what the scores are multiplied in the exponent."""
        return Fraction(a["epsilon"] / a["sensitivity"] / (1 if a["monotonic"] == "yes" else 2))

    def powers(self, a: Args) -> list[float]:
        """Return the exponents of all candidates, of which the greatest is 0."""
        powers: list[float] = self.prepare(a, "powers", lambda: self.exponents(a))
        return powers

    def exponents(self, a: Args) -> list[float]:
        """Return the scores, less the greatest and times the rate."""
        rate, scores = float(self.rate(a)), [float(score) for score in a["scores"].values()]
        best = max(scores)
        return [rate * (score - best) for score in scores]

    def exponential(self, a: Args, source: Source) -> Any:
        """Return a candidate."""
        return list(a["scores"])[self.choose(list(map(math.exp, self.powers(a))), source)]

    def permute_and_flip(self, a: Args, source: Source) -> Any:
        """Return a candidate."""
        candidates = list(zip(a["scores"], self.powers(a), strict=True))
        source.shuffle(candidates)
        return next(name for name, power in candidates if source.random() <= math.exp(power))

    def noisy_max(self, a: Args, source: Source) -> Any:
        """Return the candidate with the greatest noisy score."""
        noisy = [power + self.noise_of_score(a["noise"], source) for power in self.powers(a)]
        return list(a["scores"])[noisy.index(max(noisy))]

    def noise_of_score(self, noise: str, source: Source) -> float:
        """Return noise of scale 1."""
        if noise == "laplace":
            return self.laplace_noise(1.0, source)
        return source.expovariate(1) if noise == "exponential" else -math.log(source.expovariate(1))

    def randomised_response(self, a: Args, source: Source) -> int:
        """Return a category."""
        others = a["categories"] - 1
        odds = math.exp(a["epsilon"])
        if source.random() < odds / (odds + others):
            return int(a["truth"])
        return int((a["truth"] + 1 + source.randrange(others)) % a["categories"])

    def above_threshold(self, a: Args, source: Source) -> int:
        """Return the index of the first noisy answer that is not below the noisy threshold."""
        scale = self.scale(a["sensitivity"], a["epsilon"])
        threshold = float(a["threshold"]) + self.laplace_noise(2 * scale, source)
        for index, answer in enumerate(a["answers"]):
            if float(answer) + self.laplace_noise(4 * scale, source) >= threshold:
                return index
        return len(a["answers"])

    # Aggregates -------------------------------------------------------------------------------------------

    def count(self, a: Args, source: Source) -> float:
        """Return a draw."""
        return self.add_noise(a["noise"], len(a["rows"]), self.scale(Fraction(1), a["epsilon"]), source)

    def sensitivity_of_sum(self, a: Args) -> Fraction:
        """Return how far one row moves a sum."""
        if a["relation"] == "exchange":
            return Fraction(a["upper"] - a["lower"])
        return Fraction(max(abs(a["lower"]), abs(a["upper"])))

    def bounded_sum(self, a: Args, source: Source) -> float:
        """Return a draw."""
        total = self.prepare(a, "total", lambda: self.clamped_sum(a))
        scale = self.scale(self.sensitivity_of_sum(a), a["epsilon"])
        return self.add_noise("laplace", float(total), scale, source) if scale else float(total)

    def clamped_sum(self, a: Args) -> Fraction:
        """Return the sum of the clamped rows."""
        return sum(self.clamp(a["rows"], a["lower"], a["upper"]), Fraction(0))

    def bounded_mean(self, a: Args, source: Source) -> float:
        """Return a draw."""
        size = len(a["rows"])
        scale = self.scale(a["upper"] - a["lower"], size * a["epsilon"])
        mean = float(self.prepare(a, "total", lambda: self.clamped_sum(a)) / size)
        return self.add_noise("laplace", mean, scale, source) if scale else mean

    def histogram(self, a: Args, source: Source) -> list[float]:
        """Return a draw."""
        scale = self.scale(Fraction(1 if a["relation"] == "add_remove" else 2), a["epsilon"])
        counts = Counter[int](a["rows"])
        return [self.add_noise(a["noise"], counts[code], scale, source) for code in range(a["categories"])]

    def stable_histogram(self, a: Args, source: Source) -> list[int]:
        """Return the categories whose noisy count is above the threshold."""
        threshold = self.laplace_threshold(float(a["epsilon"]), float(a["delta"]))
        scale = self.scale(Fraction(1), a["epsilon"])
        counts = sorted(Counter[int](a["rows"]).items())
        return [code for code, n in counts if n + self.laplace_noise(scale, source) > threshold]

    def quantile(self, a: Args, source: Source) -> int:
        """Return the index of a candidate."""

        def weights() -> list[float]:
            scores = self.quantile_scores(a["rows"], a["candidates"], a["quantile"])
            best = max(scores)
            return [math.exp(a["epsilon"] * (score - best) / 2) for score in scores]

        return self.choose(self.prepare(a, "weights", weights), source)

    # Steps ------------------------------------------------------------------------------------------------

    def step(self, a: Args, rows: Sequence[Any]) -> Any:
        """Return the result of a step on one data set."""
        return getattr(self, f"step_{a['step']}")(a, rows)

    def clamp(self, rows: Sequence[Any], lower: Fraction, upper: Fraction) -> list[Fraction]:
        """Return clamped numbers; what is no number is the lower bound."""
        return [min(max(self.number(row, lower, upper), lower), upper) for row in rows]

    def number(self, row: Any, lower: Fraction, upper: Fraction) -> Fraction:
        """Return a cell as a number within the bounds, or beyond one of them."""
        if row in (None, "nan", "-infinity"):
            return lower
        return upper if row == "infinity" else Fraction(row)

    def step_clamp(self, a: Args, rows: Sequence[Any]) -> list[Fraction]:
        """Return the clamped rows."""
        return self.clamp(rows, a["lower"], a["upper"])

    def step_impute(self, a: Args, rows: Sequence[Any]) -> list[Any]:
        """Return the rows without missing ones."""
        return [a["constant"] if row in (None, "nan") else row for row in rows]

    def step_resize(self, a: Args, rows: Sequence[Any]) -> list[Any]:
        """Return a fixed number of rows: the first ones in an order that does not depend on their place."""
        chosen = sorted(rows, key=str)[: a["size"]]
        return chosen + [a["constant"]] * (a["size"] - len(chosen))

    def step_count(self, a: Args, rows: Sequence[Any]) -> int:
        """Return the number of rows."""
        return len(rows)

    def step_count_distinct(self, a: Args, rows: Sequence[str]) -> int:
        """Return the number of distinct rows."""
        return len(set(rows))

    def step_sum(self, a: Args, rows: Sequence[Any]) -> Fraction:
        """Return the sum of the clamped rows."""
        return sum(self.clamp(rows, a["lower"], a["upper"]), Fraction(0))

    def step_mean(self, a: Args, rows: Sequence[Any]) -> Fraction:
        """Return the mean of the clamped rows."""
        return Fraction(self.step_sum(a, rows) / a["size"])

    def step_histogram(self, a: Args, rows: Sequence[str]) -> list[int]:
        """Return the counts of the names."""
        return [rows.count(name) for name in a["names"]]

    def step_cast(self, a: Args, rows: Sequence[str]) -> list[int]:
        """Return the strings as integers."""
        return [self.integer(row) for row in rows]

    def integer(self, row: str) -> int:
        """Return a string as an integer."""
        return int(row) if row.isascii() and row.removeprefix("-").isdigit() else 0

    def step_scores(self, a: Args, rows: Sequence[Any]) -> list[Fraction]:
        """Return the scores of all candidates."""
        low = min(a["candidates"], default=Fraction(0)) - 1
        numbers = [self.number(row, low, max(a["candidates"], default=low) + 1) for row in rows]
        return self.quantile_scores(numbers, a["candidates"], a["quantile"])

    def quantile_scores(
        self, rows: Sequence[Fraction], candidates: Sequence[Fraction], quantile: Fraction
    ) -> list[Fraction]:
        """Return how well every candidate splits the rows."""
        return [-abs(sum(row < each for row in rows) - quantile * len(rows)) for each in candidates]


def _plain(value: Any) -> Any:
    """Return a number as an int or a float, also within a list, and a word as it is."""
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    return value if isinstance(value, int | str) else float(value)
