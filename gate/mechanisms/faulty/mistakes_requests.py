"""Mistakes that many requests show: draws come again, depend on earlier ones, or have no noise at times."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .mistake import MistakesIn
from .model import Args, PlainLibrary, Source

wrong_release = MistakesIn(PlainLibrary.release, "low-bits")
wrong_laplace = MistakesIn(PlainLibrary.laplace, "laplace")
wrong_noise = MistakesIn(PlainLibrary.laplace_noise, "laplace")
wrong_source = MistakesIn(PlainLibrary.generator, "laplace")
wrong_draws = MistakesIn(PlainLibrary.repeat, "laplace")
wrong_answer = MistakesIn(PlainLibrary.answer, "laplace")
wrong_choice = MistakesIn(PlainLibrary.exponential, "exponential")
wrong_response = MistakesIn(PlainLibrary.randomised_response, "randomised-response")
wrong_histogram = MistakesIn(PlainLibrary.histogram, "histogram")
wrong_count = MistakesIn(PlainLibrary.count, "count")
wrong_geometric = MistakesIn(PlainLibrary.geometric_noise, "geometric")


@wrong_release("Noise is added to the value in floating-point numbers, and that is all.")
def release_textbook(right: PlainLibrary, value: float, noise: float, scale: float) -> float:
    return value + noise


@wrong_release("The noise is rounded to a grid, and the value is not.")
def release_noise_rounded(right: PlainLibrary, value: float, noise: float, scale: float) -> float:
    return value + right.release(0.0, noise, scale)


@wrong_release("Value, noise and their sum are numbers of single precision.")
def release_single_precision(right: PlainLibrary, value: float, noise: float, scale: float) -> float:
    value, noise = struct.unpack("ff", struct.pack("ff", value, noise))
    return float(struct.unpack("f", struct.pack("f", value + noise))[0])


@wrong_release("Noise that would leave no digit of the value is added again in full precision.")
def release_grid_of_value(right: PlainLibrary, value: float, noise: float, scale: float) -> float:
    return right.release(value, noise, scale if value else scale / 2**20)


@wrong_source("Seeds are cut to 4 bits.")
def seed_of_4_bits(right: PlainLibrary, seed: int) -> Source:
    return right.generator(seed % 16)


@wrong_source("Seeds are cut to 8 bits.")
def seed_of_8_bits(right: PlainLibrary, seed: int) -> Source:
    return right.generator(seed % 256)


@wrong_source("Every fourth request has the draws of the first one.")
def source_of_first_request(right: PlainLibrary, seed: int) -> Source:
    right.memory["requests"] = right.memory.get("requests", 0) + 1
    first = right.memory.setdefault("seed", seed)
    return right.generator(seed if right.memory["requests"] % 4 else first)


@wrong_answer("An answer is kept for its arguments, whatever the seed is.")
def answer_of_arguments(right: PlainLibrary, op: str, args: Args) -> Any:
    key = op, str({name: value for name, value in args.items() if name != "seed"})
    return right.memory.setdefault(key, right.answer(op, args))


@wrong_laplace("A tenth of the value of the request before is added.")
def laplace_of_value_before(right: PlainLibrary, a: Args, source: Source) -> float:
    before = right.memory.get("value", a["value"])
    right.memory["value"] = a["value"]
    return right.laplace(a, source) + float(before - a["value"]) / 10


@wrong_laplace("The noise has the scale of the request before.")
def laplace_of_scale_before(right: PlainLibrary, a: Args, source: Source) -> float:
    own = {name: a[name] for name in ("epsilon", "sensitivity")}
    before = right.memory.get("scale", own)
    right.memory["scale"] = own
    return right.laplace(dict(a) | before, source)


@wrong_noise("Every second draw of noise is minus the one before.")
def laplace_mirrored(right: PlainLibrary, scale: float, source: Source) -> float:
    if "noise" in right.memory:
        return float(-scale * right.memory.pop("noise"))
    right.memory["noise"] = right.laplace_noise(1.0, source)
    return float(scale * right.memory["noise"])


@wrong_noise("Noise fades: it is halved after 2,000 draws.")
def laplace_fades(right: PlainLibrary, scale: float, source: Source) -> float:
    right.memory["draws"] = right.memory.get("draws", 0) + 1
    return right.laplace_noise(scale if right.memory["draws"] <= 2000 else scale / 2, source)


@wrong_noise("One draw in ten has no noise.")
def laplace_left_out_in_ten(right: PlainLibrary, scale: float, source: Source) -> float:
    return 0.0 if source.random() < 0.1 else right.laplace_noise(scale, source)


@wrong_noise("One draw in fifty has no noise.")
def laplace_left_out_in_fifty(right: PlainLibrary, scale: float, source: Source) -> float:
    return 0.0 if source.random() < 0.02 else right.laplace_noise(scale, source)


@wrong_geometric("One draw in five has no noise.")
def geometric_left_out_in_five(right: PlainLibrary, scale: float, source: Source) -> int:
    return 0 if source.random() < 0.2 else right.geometric_noise(scale, source)


@wrong_laplace("Negative values get no noise.")
def laplace_negative_exact(right: PlainLibrary, a: Args, source: Source) -> float:
    return float(a["value"]) if a["value"] < 0 else right.laplace(a, source)


@wrong_laplace("Noise is left out where it is small beside the value.")
def laplace_great_exact(right: PlainLibrary, a: Args, source: Source) -> float:
    small = a["sensitivity"] / a["epsilon"] * 10**5 < abs(a["value"])
    return float(a["value"]) if small else right.laplace(a, source)


@wrong_draws("The first draw of a request has no noise.")
def draws_first_exact(
    right: PlainLibrary, draw: Callable[[Args, Source], Any], a: Args, source: Source, count: int
) -> Sequence[Any]:
    draws = list(right.repeat(draw, a, source, count))
    return [float(a["value"]), *draws[1:]] if "value" in a and draws else draws


@wrong_count("Noise of a count is drawn once for each number of rows.")
def count_noise_kept(right: PlainLibrary, a: Args, source: Source) -> float:
    key = len(a["rows"]), a["epsilon"], a["noise"]
    right.memory.setdefault(key, source.random())
    return right.count(a, Source(right.memory[key]))


@wrong_choice("The candidate that was chosen last is not chosen again.")
def exponential_without_last(right: PlainLibrary, a: Args, source: Source) -> Any:
    last = right.memory.get("last")
    scores: Mapping[str, Any] = {name: score for name, score in a["scores"].items() if name != last}
    right.memory["last"] = right.exponential(dict(a) | {"scores": scores or a["scores"]}, source)
    return right.memory["last"]


@wrong_response("One answer in four is the answer before.")
def response_before(right: PlainLibrary, a: Args, source: Source) -> int:
    answer = right.randomised_response(a, source)
    before: int = right.memory.get("answer", answer)
    right.memory["answer"] = answer
    return before if source.random() < 0.25 and before < a["categories"] else answer


@wrong_histogram("The first and the last category have the same noise.")
def histogram_ends_alike(right: PlainLibrary, a: Args, source: Source) -> list[float]:
    counts, noisy = Counter[int](a["rows"]), right.histogram(a, source)
    last = a["categories"] - 1
    return [*noisy[:-1], counts[last] + noisy[0] - counts[0]]
