"""Mistakes in reading arguments, refusing requests and writing numbers."""

# ruff: noqa: D101, D102

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from .mistake import mistake
from .model import Implementation
from .model_losses import Args
from .model_numbers import HALF, Number
from .model_privacy import Noise
from .model_reading import WORDS

NAMED = {"alpha": "1", "weight_bound": "1", "zeta": "1/10000", "grid": "1/1024", "beta_tree": "1/2"}
"""Default values that the protocol does not have."""
LOWEST = -(10**30)


@mistake("nan-is-zero", "pbr", "Not-a-number is treated as 0.")
class NanIsZero(Implementation):
    def number(self, value: Any, name: str) -> Fraction:
        return Fraction(0) if value == "nan" else super().number(value, name)


@mistake("infinity-is-large", "defMECH", "Infinite masses are treated as large numbers.")
class InfinityIsLarge(Implementation):
    def number(self, value: Any, name: str) -> Fraction:
        return Fraction(10**300) if value == "infinity" else super().number(value, name)


@mistake("probability-clipped", "pbr", "Probabilities outside [0, 1] are clipped instead of refused.")
class ProbabilityClipped(Implementation):
    def probability(self, value: Any, name: str) -> Fraction:
        return min(max(self.number(value, name), Fraction(0)), Fraction(1))


@mistake("alpha-unchecked", "f-alphaM", "Alphas outside [0, 1] are used.")
class AlphaUnchecked(Implementation):
    def probability(self, value: Any, name: str) -> Fraction:
        return self.number(value, name) if name == "alpha" else super().probability(value, name)


@mistake("mass-unchecked", "defMECH", "Negative masses are treated as 0.")
class MassUnchecked(Implementation):
    def mass(self, value: Any, name: str) -> Fraction:
        return max(self.number(value, name), Fraction(0))


@mistake("epsilon-unchecked", "fixEPSILON", "Budgets that are 0 or negative are used.")
class EpsilonUnchecked(Implementation):
    def positive(self, value: Any, name: str) -> Fraction:
        return self.number(value, name) if name == "epsilon" else super().positive(value, name)


@mistake("sensitivity-zero", "expSPLIT", "A sensitivity of 0 gives the uniform law instead of an error.")
class SensitivityZero(Implementation):
    def positive(self, value: Any, name: str) -> Fraction:
        return self.mass(value, name) if name == "sensitivity" else super().positive(value, name)


@mistake("size-unchecked", "sensALPHA", "A sample size of 0 is used as if it were 1.")
class SizeUnchecked(Implementation):
    def integer(self, value: Any, name: str, least: int = 1) -> int:
        return max(super().integer(value, name, 0), least)


@mistake(
    "fractions-of-trees", "fixEPSILON", "Numbers of trees and levels that are not integers are truncated."
)
class FractionsOfTrees(Implementation):
    def integer(self, value: Any, name: str, least: int = 1) -> int:
        return super().integer(int(self.number(value, name)), name, least)


@mistake("labels-by-sign", "eqpartialloss", "Labels are read by their sign, so that 0 and 2 are labels.")
class LabelsBySign(Implementation):
    def label(self, value: Any) -> int:
        return 1 if self.number(value, "y") > 0 else -1


@mistake("words-guessed", "expSPLIT", "An unknown law or rule is read as the first one in the list.")
class WordsGuessed(Implementation):
    def word(self, value: Any, name: str, words: Sequence[str]) -> str:
        return super().word(value if value in words else words[0], name, words)


@mistake("unknown-arguments", "pbr", "Unknown arguments are ignored.")
class UnknownArguments(Implementation):
    def check_names(self, op: str, args: Mapping[str, Any], required: Sequence[str]) -> None:
        expected = {name: args[name] for name in args if name in (*required, "seed", "tape")}
        super().check_names(op, expected, required)


@mistake("missing-arguments", "sharp-sensitivity", "Missing arguments of `sensitivity` have defaults.")
class MissingArguments(Implementation):
    def answer(self, op: str, args: Mapping[str, Any]) -> Any:
        if op == "sensitivity":
            args = {name: NAMED[name] for name in ("alpha", "weight_bound")} | dict(args)
        return super().answer(op, args)


@mistake("codes-clipped", "sec-solv", "Codes outside the domain are treated as the nearest inside.")
class CodesClipped(Implementation):
    def rows(
        self, value: Any, sizes: Sequence[int], names: Sequence[str]
    ) -> list[tuple[Mapping[str, Any], tuple[int, ...]]]:
        rows = super().rows(value, [10**6] * len(sizes), names)
        return [
            (row, tuple(min(code, size - 1) for code, size in zip(codes, sizes, strict=True)))
            for row, codes in rows
        ]


@mistake("rows-padded", "sec-solv", "Rows that are too short are filled up with 0, and longer ones are cut.")
class RowsPadded(Implementation):
    def rows(
        self, value: Any, sizes: Sequence[int], names: Sequence[str]
    ) -> list[tuple[Mapping[str, Any], tuple[int, ...]]]:
        width = len(sizes)
        padded = [
            {**row, "x": [*row["x"], *[0] * width][:width]}
            if isinstance(row, Mapping) and "x" in row
            else row
            for row in self.listed(value, "rows")
        ]
        return super().rows(padded, sizes, names)


@mistake(
    "answers-everything",
    "defwunMF",
    "Requests that cannot be computed are answered with 0 instead of an error.",
)
class AnswersEverything(Implementation):
    def answer(self, op: str, args: Mapping[str, Any]) -> Any:
        try:
            return super().answer(op, args)
        except ValueError:
            return 0


@mistake("single-precision", "pbr", "Numbers are answered in single precision.")
class SinglePrecision(Implementation):
    def written(self, value: Number) -> float | str:
        result = super().written(value)
        if isinstance(result, str) or abs(result) > 1e38:
            return result
        single: float = struct.unpack("f", struct.pack("f", result))[0]
        return single


@mistake("six-decimals", "pbr", "Numbers are answered to six decimals.")
class SixDecimals(Implementation):
    def written(self, value: Number) -> float | str:
        result = super().written(value)
        return result if isinstance(result, str) else round(result, 6)


@mistake(
    "ten-digits-text",
    "sensALPHA",
    "Numbers are answered as strings of ten digits, which are exact by the protocol.",
)
class TenDigitsText(Implementation):
    def written(self, value: Number) -> float | str:
        result = super().written(value)
        return result if isinstance(result, str) else f"{result:.10f}"


@mistake("infinity-as-number", "f-alphaM", "Infinities are answered as the greatest double.")
class InfinityAsNumber(Implementation):
    def written(self, value: Number) -> float | str:
        result = super().written(value)
        return {"infinity": 1.7976931348623157e308, "-infinity": -1.7976931348623157e308}.get(
            str(result), result
        )


@mistake("fractions-cut-off", "pbr", "The string '3/8' is read by integer division.")
class FractionsCutOff(Implementation):
    def number(self, value: Any, name: str) -> Fraction:
        exact = super().number(value, name)
        return Fraction(int(exact)) if "/" in str(value) else exact


@mistake("zeta-default", "predDT", "The argument zeta is ignored: it is always 1/10000.")
class ZetaDefault(Implementation):
    def value_of_leaf(
        self, rule: str, numbers: Mapping[str, Any], masses: Sequence[Fraction], noise: Noise
    ) -> Fraction:
        return super().value_of_leaf(rule, {**numbers, "zeta": Fraction(NAMED["zeta"])}, masses, noise)


@mistake("beta-tree-default", "sec-solv", "The argument beta_tree is ignored: it is always 1/2.")
class BetaTreeDefault(Implementation):
    def share(self, value: Any, name: str, end: Fraction = Fraction(1)) -> Fraction:
        exact = super().share(value, name, end)
        return HALF if name == "beta_tree" else exact


@mistake("scale-unchecked", "sec-solv", "A negative scale of noise is used by its size.")
class ScaleUnchecked(Implementation):
    def positive(self, value: Any, name: str) -> Fraction:
        given = value.removeprefix("-") if name == "scale" and isinstance(value, str) else value
        return super().positive(given, name)


@mistake("count-unchecked", "sec-solv", "A negative number of draws gives an empty list.")
class CountUnchecked(Implementation):
    def integer(self, value: Any, name: str, least: int = 1) -> int:
        return super().integer(value, name, LOWEST if name == "count" else least)


@mistake("seed-unchecked", "sec-solv", "Negative seeds are used.")
class SeedUnchecked(Implementation):
    def integer(self, value: Any, name: str, least: int = 1) -> int:
        return super().integer(value, name, LOWEST if name == "seed" else least)


@mistake("share-closed", "sec-solv", "A beta_tree or zeta at the upper end of its range is used.")
class ShareClosed(Implementation):
    def share(self, value: Any, name: str, end: Fraction = Fraction(1)) -> Fraction:
        exact = self.mass(value, name)
        return exact if exact == end else super().share(value, name, end)


@mistake("nested-unknown", "sec-solv", "Unknown members of `protocol` are ignored.")
class NestedUnknown(Implementation):
    def train(self, args: Mapping[str, Any]) -> Any:
        given = args["protocol"]
        known = {name: given[name] for name in given if name in WORDS}
        return super().train({**args, "protocol": known})


@mistake("nested-missing", "sec-solv", "Without `alpha` in `protocol` the schedule is used.")
class NestedMissing(Implementation):
    def train(self, args: Mapping[str, Any]) -> Any:
        return super().train({**args, "protocol": {"alpha": "schedule"} | args["protocol"]})


@mistake("seed-and-tape", "sec-solv", "With both a seed and a tape, the seed is ignored.")
class SeedAndTape(Implementation):
    def train(self, args: Mapping[str, Any]) -> Any:
        return super().train({name: args[name] for name in args if name != "seed" or "tape" not in args})


@mistake("no-rows", "sec-solv", "Without rows an empty model is answered.")
class NoRows(Implementation):
    def train(self, args: Mapping[str, Any]) -> Any:
        return super().train(args) if args["rows"] else {"trees": [], "expenses": [], "total": 0}


@mistake("predict-codes-unchecked", "sec-solv", "Predictions do not check the codes of rows.")
class PredictCodesUnchecked(Implementation):
    def rows(
        self, value: Any, sizes: Sequence[int], names: Sequence[str]
    ) -> list[tuple[Mapping[str, Any], tuple[int, ...]]]:
        checked = sizes if "y" in names else [10**6] * len(sizes)
        return super().rows(value, checked, names)


@mistake("predict-model-unchecked", "sec-solv", "Predictions do not check the trees of a model.")
class PredictModelUnchecked(Implementation):
    def check_tree(self, tree: Mapping[str, Any], candidates: Sequence[str]) -> None:
        del tree, candidates


@mistake(
    "unsupported-for-wrong", "pbr", "Wrong arguments are answered with `unsupported` instead of an error."
)
class UnsupportedForWrong(Implementation):
    def answer(self, op: str, args: Mapping[str, Any]) -> Any:
        try:
            return super().answer(op, args)
        except ValueError as error:
            raise NotImplementedError(str(error)) from None


@mistake("alpha-with-any-loss", "pbr", "An alpha is accepted, and ignored, with losses that have none.")
class AlphaWithAnyLoss(Implementation):
    def check_names(self, op: str, args: Args, required: Sequence[str]) -> None:
        ignored = "" if "alpha" in required or "loss" not in required else "alpha"
        super().check_names(op, {name: args[name] for name in args if name != ignored}, required)


@mistake("margin-finite", "f-alphaM", "Infinite margins are refused.")
class MarginFinite(Implementation):
    def extended(self, value: Any, name: str) -> Number:
        return self.number(value, name)


@mistake("level-below-leaves", "fixEPSILON", "Nodes at the level of the leaves get a budget.")
class LevelBelowLeaves(Implementation):
    def node_budget(self, args: Args) -> Any:
        return super().node_budget(dict(args) | {"level": min(args["level"], f"{int(args['depth']) - 1}")})


@mistake("mirror-of-0-and-1", "defwunMF", "The mirror update accepts the weights 0 and 1.")
class MirrorOfEnds(Implementation):
    def share(self, value: Any, name: str, end: Fraction = Fraction(1)) -> Fraction:
        return self.probability(value, name) if name == "weight" else super().share(value, name, end)


@mistake("constant-attribute-tested", "sec-solv", "A categorical attribute with one value has a candidate.")
class ConstantAttributeTested(Implementation):
    def candidates(self, domain: Sequence[Mapping[str, Any]], sizes: Sequence[int]) -> list[str]:
        constant = [f"x{index} = 0" for index, size in enumerate(sizes) if size == 1]
        return [*super().candidates(domain, sizes), *constant]
