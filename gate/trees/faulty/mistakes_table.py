"""Mistakes in single members of objects, at the ends of ranges, in spellings, and in what is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import Any

from .mistake import MistakesIn, remember
from .model import Port
from .model_losses import Args, PortLoss
from .model_numbers import Number, RefusedError
from .model_privacy import PortLaw, PortLeaf

LARGEST = 2**31 - 1
"""The largest integer of 32 bits."""
wrong_training = MistakesIn(Port.answer_train, "sec-solv")
wrong_number = MistakesIn(Port.read_number, "pbr")
wrong_integer = MistakesIn(Port.read_integer, "sec-solv")
wrong_share = MistakesIn(Port.read_share, "sec-solv")
wrong_word = MistakesIn(Port.read_word, "sensALPHA")
wrong_splits = MistakesIn(Port.sample_splits, "expSPLIT")
wrong_surrogate = MistakesIn(Port.surrogate, "f-alphaM")
wrong_test = MistakesIn(Port.holds, "expSPLIT")
wrong_noise = MistakesIn(Port.answer_sample_laplace, "sec-solv")


@wrong_training("Without `relation` in `protocol` it is `exchange`.")
def relation_default(right: Port, args: Args) -> Any:
    return right.answer_train({**args, "protocol": {"relation": "exchange", **args["protocol"]}})


@wrong_training("Without `grid` in `parameters` it is 1/1024.")
def grid_default(right: Port, args: Args) -> Any:
    return right.answer_train({**args, "parameters": {"grid": "1/1024", **args["parameters"]}})


@wrong_training("Rows without a label have the label 1.")
def label_default(right: Port, args: Args) -> Any:
    rows = [{"y": 1, **row} if isinstance(row, Mapping) else row for row in args["rows"]]
    return right.answer_train({**args, "rows": rows} if rows else args)


@MistakesIn(Port.read_domain, "sec-solv")("Attributes without a kind are quantised.")
def kind_default(right: Port, value: Any) -> list[int]:
    known = [{"kind": "quantised", **each} if isinstance(each, Mapping) else each for each in value]
    return right.read_domain(known if isinstance(value, list) else value)


@MistakesIn(Port.answer_leaf_value, "predDT")("Without `negative` in `noise` it is 0.")
def noise_default(right: Port, args: Args) -> Any:
    noise = args["noise"]
    is_partial = isinstance(noise, Mapping) and "positive" in noise
    return right.answer_leaf_value({**args, "noise": {"negative": "0", **noise}} if is_partial else args)


@MistakesIn(Port.answer_split_scores, "expSPLIT")("Rows without a weight have the weight 1.")
def weight_default(right: Port, args: Args) -> Any:
    rows = [{"w": "1", **row} if isinstance(row, Mapping) else row for row in args["rows"]]
    return right.answer_split_scores({**args, "rows": rows if isinstance(args["rows"], list) else {}})


@wrong_training("Training uses the size of a negative seed.")
def train_seed_negative(right: Port, args: Args) -> Any:
    seed = args.get("seed")
    return right.answer_train({**args, "seed": seed.removeprefix("-")} if isinstance(seed, str) else args)


@wrong_training("Training takes any string as a seed.")
def train_seed_any(right: Port, args: Args) -> Any:
    seed = args.get("seed")
    is_text = isinstance(seed, str) and not seed.isdigit()
    return right.answer_train({**args, "seed": str(len(str(seed)))} if is_text else args)


@MistakesIn(Port.read_probability, "pbr")("The range of a probability is checked after rounding to a double.")
def probability_rounded(right: Port, value: Any, name: str) -> Fraction:
    exact = right.read_number(value, name)
    right.read_probability(str(Fraction(float(exact))), name)
    return min(max(exact, Fraction(0)), Fraction(1))


@MistakesIn(Port.read_mass, "defMECH")("Masses are read as doubles, so that -2^-1100 is 0.")
def mass_rounded(right: Port, value: Any, name: str) -> Fraction:
    exact = right.read_number(value, name)
    return exact if exact >= 0 else right.read_mass(str(Fraction(float(exact))), name)


@wrong_integer("Integers are read as doubles, so that 1 - 2^-80 is 1.", label="fixEPSILON")
def integer_rounded(right: Port, value: Any, name: str, least: int = 1) -> int:
    exact = right.read_number(value, name)
    return right.read_integer(str(Fraction(float(exact))) if exact < 2**53 else value, name, least)


@wrong_integer(
    "Integers are read up to the first sign that is no digit, so that 8/2 is 8.", label="fixEPSILON"
)
def integer_prefix(right: Port, value: Any, name: str, least: int = 1) -> int:
    digits = value.partition("/")[0] if isinstance(value, str) else value
    right.read_integer(value, name, least)
    return right.read_integer(digits, name, least)


@wrong_share("Shares closer than 1e-12 to 0 or 1 are refused.")
def share_margin(right: Port, value: Any, name: str, end: Fraction = Fraction(1)) -> Fraction:
    share, margin = right.read_share(value, name, end), Fraction(1, 10**12)
    if not margin < share < end - margin:
        raise RefusedError(name, "a share", value)
    return share


@wrong_number("The JSON value true is read as 1.")
def true_is_one(right: Port, value: Any, name: str) -> Fraction:
    return Fraction(1) if value is True else right.read_number(value, name)


@wrong_number("The JSON value null is read as 0.", label="defMECH")
def null_is_zero(right: Port, value: Any, name: str) -> Fraction:
    return Fraction(0) if value is None else right.read_number(value, name)


@wrong_word("Words are read in any case.")
def words_in_any_case(right: Port, value: Any, name: str, words: Sequence[str]) -> str:
    return right.read_word(value.lower() if isinstance(value, str) else value, name, words)


@wrong_surrogate("Margins are clamped to [-10000, 10000] in the surrogate.")
def margin_clamped(right: Port, loss: PortLoss, z: Number) -> Number:
    is_infinite = isinstance(z, float)
    return right.surrogate(loss, z if is_infinite else min(max(z, Fraction(-(10**4))), Fraction(10**4)))


@wrong_surrogate("Margins are saturated as integers of 32 bits in the surrogate.")
def margin_saturated(right: Port, loss: PortLoss, z: Number) -> Number:
    return right.surrogate(loss, z if isinstance(z, float) else max(z, Fraction(-LARGEST)))


@MistakesIn(Port.off_plateau, "f-alphaM")(
    "The square of a great margin overflows, and the inverse link is 1/2."
)
def inverse_square_overflows(right: Port, alpha: Fraction, z: Fraction, beyond: Fraction) -> Fraction:
    return Fraction(1, 2) if beyond > 2**512 else right.off_plateau(alpha, z, beyond)


@wrong_test("Codes are integers of 32 bits, and greater ones wrap around.")
def codes_wrap(right: Port, candidate: str, codes: Sequence[int]) -> bool:
    return right.holds(candidate, [(code + 2**31) % 2**32 - 2**31 for code in codes])


@wrong_test("Codes are saturated as integers of 32 bits.")
def codes_saturated(right: Port, candidate: str, codes: Sequence[int]) -> bool:
    return right.holds(candidate, [min(code, LARGEST) for code in codes])


@wrong_splits("Of more than 16 candidates with the same score the first 16 are drawn.")
def draws_16_of_a_tie(right: Port, law: PortLaw, source: Random, count: int) -> list[str]:
    by_score: dict[Fraction, list[str]] = {}
    for name, score in law.scores.items():
        by_score.setdefault(score, []).append(name)
    names = right.sample_splits(law, source, count)
    return [by_score[law.scores[name]][by_score[law.scores[name]].index(name) % 16] for name in names]


@wrong_splits("Candidates beyond the 32nd are drawn as the 32nd.")
def draws_32_candidates(right: Port, law: PortLaw, source: Random, count: int) -> list[str]:
    names = list(law.scores)
    return [names[min(names.index(name), 31)] for name in right.sample_splits(law, source, count)]


@MistakesIn(Port.sharp, "sharp-sensitivity")(
    "The sharp sensitivity is kept by alpha and m, whatever w_bar is."
)
def sharp_cached(right: Port, alpha: Fraction, m: int, bound: Fraction) -> Fraction:
    value: Fraction = remember(right, f"{alpha} {m}", right.sharp(alpha, m, bound))
    return value


@MistakesIn(Port.leaf_value, "predDT")("The value of a leaf is kept by its masses and noise.")
def leaf_value_cached(right: Port, leaf: PortLeaf) -> Fraction:
    value: Fraction = remember(right, repr((leaf.rule, leaf.masses, leaf.noise)), right.leaf_value(leaf))
    return value


@MistakesIn(Port.split_law, "expSPLIT")("The law of a split is kept by its scores.")
def law_cached(right: Port, law: PortLaw) -> dict[str, Fraction]:
    chances: dict[str, Fraction] = remember(right, repr((law.kind, law.scores)), right.split_law(law))
    return chances


@wrong_training("A model is kept by its rows and its tape, whatever the parameters are.")
def model_cached_by_rows_and_tape(right: Port, args: Args) -> Any:
    result = right.answer_train(args)
    return remember(right, repr((args["rows"], args["tape"])), result) if "tape" in args else result


@wrong_training("A model is kept by its rows and its seed, whatever the parameters are.")
def model_cached_by_rows_and_seed(right: Port, args: Args) -> Any:
    result = right.answer_train(args)
    return remember(right, repr((args["rows"], args["seed"])), result) if "seed" in args else result


@wrong_noise("Noise is kept by its seed and number of draws, whatever the scale is.")
def noise_cached_by_seed(right: Port, args: Args) -> list[str]:
    noise: list[str] = remember(
        right, repr((args["seed"], args["count"], args["grid"])), right.answer_sample_laplace(args)
    )
    return noise


@MistakesIn(Port.answer_sample_split, "expSPLIT")("Draws are kept by seed and scores, whatever epsilon is.")
def draws_cached_by_seed(right: Port, args: Args) -> list[str]:
    key = repr([args[name] for name in ("seed", "count", "scores", "law", "sensitivity")])
    draws: list[str] = remember(right, key, right.answer_sample_split(args))
    return draws


@wrong_noise("Without draws there is one.")
def count_zero_is_one(right: Port, args: Args) -> list[str]:
    return right.answer_sample_laplace({**args, "count": "1"} if args["count"] == "0" else args)


@wrong_integer("The number of draws 0 is refused.")
def count_zero_refused(right: Port, value: Any, name: str, least: int = 1) -> int:
    return right.read_integer(value, name, 1 if name == "count" else least)


@MistakesIn(Port.sample_laplace, "sec-solv")("Noise is saturated at 2^31 - 1 steps of the grid.")
def noise_saturated(right: Port, scale: Fraction, grid: Fraction, source: Random) -> Fraction:
    return right.clamp(right.sample_laplace(scale, grid, source), grid * LARGEST)
