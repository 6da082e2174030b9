"""Mistakes in reading arguments, refusing requests and writing numbers."""

from __future__ import annotations

import struct
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from .mistake import MistakesIn
from .model import Port
from .model_losses import Args
from .model_numbers import HALF, Number
from .model_privacy import PortLeaf
from .model_training import WORDS, RowsAndCodes

LOWEST = -(10**30)
wrong_answer = MistakesIn(Port.answer, "pbr")
wrong_names = MistakesIn(Port.check_names, "pbr")
wrong_number = MistakesIn(Port.read_number, "pbr")
wrong_probability = MistakesIn(Port.read_probability, "pbr")
wrong_positive = MistakesIn(Port.read_positive, "sec-solv")
wrong_share = MistakesIn(Port.read_share, "sec-solv")
wrong_integer = MistakesIn(Port.read_integer, "sec-solv")
wrong_rows = MistakesIn(Port.read_rows, "sec-solv")
wrong_training = MistakesIn(Port.answer_train, "sec-solv")
wrong_writing = MistakesIn(Port.write_number, "pbr")


@wrong_number("Not-a-number is treated as 0.")
def nan_is_zero(right: Port, value: Any, name: str) -> Fraction:
    return Fraction(0) if value == "nan" else right.read_number(value, name)


@wrong_number("Infinite masses are treated as large numbers.", label="defMECH")
def infinity_is_large(right: Port, value: Any, name: str) -> Fraction:
    return Fraction(10**300) if value == "infinity" else right.read_number(value, name)


@wrong_probability("Probabilities outside [0, 1] are clipped instead of refused.")
def probability_clipped(right: Port, value: Any, name: str) -> Fraction:
    return min(max(right.read_number(value, name), Fraction(0)), Fraction(1))


@wrong_probability("Alphas outside [0, 1] are used.", label="f-alphaM")
def alpha_unchecked(right: Port, value: Any, name: str) -> Fraction:
    return right.read_number(value, name) if name == "alpha" else right.read_probability(value, name)


@MistakesIn(Port.read_mass, "defMECH")("Negative masses are treated as 0.")
def mass_unchecked(right: Port, value: Any, name: str) -> Fraction:
    return max(right.read_number(value, name), Fraction(0))


@wrong_positive("Budgets that are 0 or negative are used.", label="fixEPSILON")
def epsilon_unchecked(right: Port, value: Any, name: str) -> Fraction:
    return right.read_number(value, name) if name == "epsilon" else right.read_positive(value, name)


@wrong_positive("A sensitivity of 0 gives the uniform law instead of an error.", label="expSPLIT")
def sensitivity_zero(right: Port, value: Any, name: str) -> Fraction:
    return right.read_mass(value, name) if name == "sensitivity" else right.read_positive(value, name)


@wrong_integer("A sample size of 0 is used as if it were 1.", label="sensALPHA")
def size_unchecked(right: Port, value: Any, name: str, least: int = 1) -> int:
    return max(right.read_integer(value, name, 0), least)


@wrong_integer("Numbers of trees and levels that are not integers are truncated.", label="fixEPSILON")
def fractions_of_trees(right: Port, value: Any, name: str, least: int = 1) -> int:
    return right.read_integer(int(right.read_number(value, name)), name, least)


@MistakesIn(Port.read_label, "eqpartialloss")("Labels are read by their sign, so that 0 and 2 are labels.")
def labels_by_sign(right: Port, value: Any, name: str) -> int:
    return 1 if right.read_number(value, name) > 0 else -1


@MistakesIn(Port.read_word, "expSPLIT")("An unknown law or rule is read as the first one in the list.")
def words_guessed(right: Port, value: Any, name: str, words: Sequence[str]) -> str:
    return right.read_word(value if value in words else words[0], name, words)


@wrong_names("Unknown arguments are ignored.")
def unknown_arguments(right: Port, op: str, args: Args, required: Sequence[str]) -> None:
    expected = {name: args[name] for name in args if name in (*required, "seed", "tape")}
    right.check_names(op, expected, required)


@wrong_answer("Missing arguments of `sensitivity` have defaults.", label="sharp-sensitivity")
def missing_arguments(right: Port, op: str, args: Args) -> Any:
    defaults = {"alpha": "1", "weight_bound": "1"} if op == "sensitivity" else {}
    return right.answer(op, {**defaults, **args})


@wrong_rows("Codes outside the domain are treated as the nearest inside.")
def codes_clipped(right: Port, value: Any, sizes: Sequence[int], names: Sequence[str]) -> RowsAndCodes:
    rows = right.read_rows(value, [10**6] * len(sizes), names)
    return [
        (row, tuple(min(code, size - 1) for code, size in zip(codes, sizes, strict=True)))
        for row, codes in rows
    ]


@wrong_rows("Rows that are too short are filled up with 0, and longer ones are cut.")
def rows_padded(right: Port, value: Any, sizes: Sequence[int], names: Sequence[str]) -> RowsAndCodes:
    width = len(sizes)
    padded = [
        {**row, "x": [*row["x"], *[0] * width][:width]} if isinstance(row, Mapping) and "x" in row else row
        for row in right.read_list(value, "rows")
    ]
    return right.read_rows(padded, sizes, names)


@wrong_answer("Requests that cannot be computed are answered with 0 instead of an error.", label="defwunMF")
def answers_everything(right: Port, op: str, args: Args) -> Any:
    try:
        return right.answer(op, args)
    except ValueError:
        return 0


@wrong_writing("Numbers are answered in single precision.")
def single_precision(right: Port, value: Number) -> float | str:
    result = right.write_number(value)
    if isinstance(result, str) or abs(result) > 1e38:
        return result
    single: float = struct.unpack("f", struct.pack("f", result))[0]
    return single


@wrong_writing("Numbers are answered to six decimals.")
def six_decimals(right: Port, value: Number) -> float | str:
    result = right.write_number(value)
    return result if isinstance(result, str) else round(result, 6)


@wrong_writing(
    "Numbers are answered as strings of ten digits, which are exact by the protocol.", label="sensALPHA"
)
def ten_digits_text(right: Port, value: Number) -> float | str:
    result = right.write_number(value)
    return result if isinstance(result, str) else f"{result:.10f}"


@wrong_writing("Infinities are answered as the greatest double.", label="f-alphaM")
def infinity_as_number(right: Port, value: Number) -> float | str:
    result = right.write_number(value)
    greatest = sys.float_info.max
    return {"infinity": greatest, "-infinity": -greatest}.get(str(result), result)


@wrong_number("The string '3/8' is read by integer division.")
def fractions_cut_off(right: Port, value: Any, name: str) -> Fraction:
    exact = right.read_number(value, name)
    return Fraction(int(exact)) if "/" in str(value) else exact


@MistakesIn(Port.leaf_value, "predDT")("The argument zeta is ignored: it is always 1/10000.")
def zeta_default(right: Port, leaf: PortLeaf) -> Fraction:
    return right.leaf_value(replace(leaf, zeta=Fraction(1, 10000)))


@wrong_share("The argument beta_tree is ignored: it is always 1/2.")
def beta_tree_default(right: Port, value: Any, name: str, end: Fraction = Fraction(1)) -> Fraction:
    share = right.read_share(value, name, end)
    return HALF if name == "beta_tree" else share


@wrong_positive("A negative scale of noise is used by its size.")
def scale_unchecked(right: Port, value: Any, name: str) -> Fraction:
    given = value.removeprefix("-") if name == "scale" and isinstance(value, str) else value
    return right.read_positive(given, name)


@wrong_integer("A negative number of draws gives an empty list.")
def count_unchecked(right: Port, value: Any, name: str, least: int = 1) -> int:
    return right.read_integer(value, name, LOWEST if name == "count" else least)


@wrong_integer("Negative seeds are used.")
def seed_unchecked(right: Port, value: Any, name: str, least: int = 1) -> int:
    return right.read_integer(value, name, LOWEST if name == "seed" else least)


@wrong_share("A beta_tree or zeta at the upper end of its range is used.")
def share_closed(right: Port, value: Any, name: str, end: Fraction = Fraction(1)) -> Fraction:
    share = right.read_mass(value, name)
    return share if share == end else right.read_share(value, name, end)


@wrong_training("Unknown members of `protocol` are ignored.")
def nested_unknown(right: Port, args: Args) -> Any:
    known = {name: word for name, word in args["protocol"].items() if name in WORDS}
    return right.answer_train({**args, "protocol": known})


@wrong_training("Without `alpha` in `protocol` the schedule is used.")
def nested_missing(right: Port, args: Args) -> Any:
    return right.answer_train({**args, "protocol": {"alpha": "schedule"} | args["protocol"]})


@wrong_training("With both a seed and a tape, the seed is ignored.")
def seed_and_tape(right: Port, args: Args) -> Any:
    return right.answer_train({name: args[name] for name in args if name != "seed" or "tape" not in args})


@wrong_training("Without rows an empty model is answered.")
def no_rows(right: Port, args: Args) -> Any:
    return right.answer_train(args) if args["rows"] else {"trees": [], "expenses": [], "total": 0}


@wrong_rows("Predictions do not check the codes of rows.")
def predict_codes_unchecked(
    right: Port, value: Any, sizes: Sequence[int], names: Sequence[str]
) -> RowsAndCodes:
    return right.read_rows(value, sizes if "y" in names else [10**6] * len(sizes), names)


@MistakesIn(Port.check_tree, "sec-solv")("Predictions do not check the trees of a model.")
def predict_model_unchecked(right: Port, tree: Mapping[str, Any], candidates: Sequence[str]) -> None:
    pass


@wrong_answer("Wrong arguments are answered with `unsupported` instead of an error.")
def unsupported_for_wrong(right: Port, op: str, args: Args) -> Any:
    try:
        return right.answer(op, args)
    except ValueError as error:
        raise NotImplementedError(str(error)) from None


@wrong_names("An alpha is accepted, and ignored, with losses that have none.")
def alpha_with_any_loss(right: Port, op: str, args: Args, required: Sequence[str]) -> None:
    ignored = "" if "alpha" in required or "loss" not in required else "alpha"
    right.check_names(op, {name: args[name] for name in args if name != ignored}, required)


@MistakesIn(Port.read_extended, "f-alphaM")("Infinite margins are refused.")
def margin_finite(right: Port, value: Any, name: str) -> Number:
    return right.read_number(value, name)


@MistakesIn(Port.answer_node_budget, "fixEPSILON")("Nodes at the level of the leaves get a budget.")
def level_below_leaves(right: Port, args: Args) -> Fraction:
    return right.answer_node_budget({**args, "level": min(args["level"], f"{int(args['depth']) - 1}")})


@wrong_share("The mirror update accepts the weights 0 and 1.", label="defwunMF")
def mirror_of_0_and_1(right: Port, value: Any, name: str, end: Fraction = Fraction(1)) -> Fraction:
    return right.read_probability(value, name) if name == "weight" else right.read_share(value, name, end)


@MistakesIn(Port.candidates, "sec-solv")("A categorical attribute with one value has a candidate.")
def constant_attribute_tested(
    right: Port, domain: Sequence[Mapping[str, Any]], sizes: Sequence[int]
) -> list[str]:
    constant = [f"x{index} = 0" for index, size in enumerate(sizes) if size == 1]
    return [*right.candidates(domain, sizes), *constant]
