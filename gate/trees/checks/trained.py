"""Check `train` with seeds: the numbers of a run agree with each other and with `predict`.

Splits, released values and coefficients are read from the answer; the reference computes all other numbers
from them. The noise itself is judged by `trained_laws`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

from privboost.gate.check import Case, Outcome, Target
from privboost.gate.checks.asking import Judged, ask_all, failure, judge_case
from privboost.gate.checks.comparing import format_number
from privboost.gate.checks.evidence import seed_string
from privboost.gate.checks.remembering import recall
from privboost.gate.protocol.kinds import REPEATED
from privboost.gate.protocol.wire import WireError, read_finite, read_list
from privboost.gate.trees.cases.cases_train import (
    AS_PRINTED,
    BINARY_DOMAIN,
    MIXED_DOMAIN,
    PARAMETERS,
    rows_of,
)
from privboost.gate.trees.expected.learner import split_of
from privboost.gate.trees.levels import Level
from privboost.gate.trees.operations.candidates import Candidate
from privboost.gate.trees.operations.operations import OPERATIONS
from privboost.gate.trees.operations.operations_of_learner import SOUND

from .tapes import trees_of
from .trained_numbers import wrong_numbers

RUNS = 6
MIXED_ROWS = rows_of("000+", "110+", "221-", "301-", "120+", "200-", "311+")


@dataclass(frozen=True, slots=True)
class ConsistencyCheck:
    """Check runs of one protocol with seeds: all numbers follow from the draws."""

    id: str
    args: Mapping[str, Any]
    label: str = "sec-solv"
    level: Level = Level.LEARNER
    changes_arguments: bool = False
    """Whether runs with the same seed and other parameters follow."""
    flags: tuple[str, ...] = ("weight-bound", "accumulated-weights", "expenses")
    false_alarm: float = 0.0

    def run(self, target: Target, seed: int) -> Iterator[Outcome]:
        """Train with several seeds, and recompute every run."""
        seeds = [{"seed": seed_string(seed, self.id, index)} for index in range(RUNS)]
        changes: dict[str, dict[str, Any]] = {f"run {index}": each for index, each in enumerate(seeds)}
        # A model that is cached by its seed does not fit other rows.
        turned = [row | {"y": -row["y"]} for row in self.args["rows"][1:]]
        changes["other rows"] = {"rows": turned, **seeds[0]}
        changes |= {f"other {name}": change | seeds[0] for name, change in self._changes()}
        earlier: list[tuple[Mapping[str, Any], Any]] = []
        for name, change in changes.items():
            args = dict(self.args) | change
            case = Case(f"{self.id}/{name}", "train", args, self.label, self.level, self.flags)
            yield judge_case(case, partial(self._complaint, target, case, earlier))

    def _changes(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield every argument within `parameters` and `protocol` changed, if they are to be changed."""
        for name in ("parameters", "protocol") if self.changes_arguments else ():
            for change, value, flag in OPERATIONS["train"].arguments[name].right(self.args[name]):
                if flag == REPEATED and not change.startswith("grid="):
                    yield change, {name: value}
            if "grid" in self.args[name]:
                # The bound stays a multiple of the grid.
                yield "grid=1/512", {name: self.args[name] | {"grid": "1/512"}}

    @staticmethod
    def _complaint(target: Target, case: Case, earlier: list[tuple[Mapping[str, Any], Any]]) -> str:
        result = ask_all(target, case, [("train", case.args)])[0]
        complaint = wrong_numbers(case.args, result)
        recalled = recall(case.args, result, earlier) if complaint else None
        earlier.append((case.args, result))
        if recalled is not None:
            raise Judged(failure(case, f"{complaint}{recalled.note}", recalled.args))
        return complaint


@dataclass(frozen=True, slots=True)
class PredictionCheck:
    """Check the margins of a model that the target has trained."""

    id: str = "learner/seeded/predict"
    label: str = "sec-solv"
    level: Level = Level.LEARNER
    flags: tuple[str, ...] = ("side", "categorical")
    false_alarm: float = 0.0

    def run(self, target: Target, seed: int) -> Outcome:
        """Train, then predict on the whole domain with the unchanged result."""
        args = training(SOUND, {}, MIXED_ROWS) | {"seed": seed_string(seed, self.id)}
        rows = [{"x": [a, b, c]} for a in range(4) for b in range(3) for c in range(2)]
        case = Case(self.id, "train", args, self.label, self.level, self.flags)

        def complaint() -> str:
            model = ask_all(target, case, [("train", args)])[0]
            request = {"model": model, "domain": args["domain"], "rows": rows}
            margins = read_list(ask_all(target, case, [("predict", request)])[0], length=len(rows))
            for row, margin in zip(rows, margins, strict=True):
                expected, value = margin_of(model, row["x"]), read_finite(margin)
                if abs(value - expected) > OPERATIONS["predict"].tolerance.slack(request)(expected):
                    right = f"{format_number(expected)} from the model"
                    message = f"H(x) at x = {row['x']}: expected {right}, got {format_number(value)}"
                    raise Judged(failure(replace(case, op="predict", args=request), message))
            return ""

        return judge_case(case, complaint)


def margin_of(model: Any, x: Sequence[int]) -> Fraction:
    """Return H(x) of a result of `train`."""
    total = Fraction(0)
    for tree in trees_of(model):
        node, splits = 0, tree["splits"]
        while node < len(splits):
            split = split_of(Candidate.read(splits[node], "splits"))
            if split.attribute >= len(x):
                raise WireError("splits", f"tests of {len(x)} attributes", splits[node])
            node = 2 * node + 1 + split(tuple(x))
        total += read_finite(tree["beta"]) * read_finite(tree["values"][node - len(splits)])
    return total


def training(protocol: Mapping[str, str], parameters: Mapping[str, Any], rows: Any) -> dict[str, Any]:
    """Return arguments of `train`; the width of the rows selects the mixed or a binary domain."""
    width = len(rows[0]["x"])
    domain = MIXED_DOMAIN if width == len(MIXED_DOMAIN) else BINARY_DOMAIN[:1] * width
    return {
        "protocol": dict(protocol),
        "parameters": dict(PARAMETERS) | dict(parameters),
        "domain": domain,
        "rows": rows,
    }


@dataclass(frozen=True, slots=True)
class SeedCheck:
    """Check that runs with different seeds are not all equal."""

    id: str = "learner/seeded/seeds matter"
    label: str = "sec-solv"
    level: Level = Level.LEARNER
    false_alarm: float = 1e-12
    """Two runs agree with probability below 1/100, as coefficients follow from noise on a fine grid."""

    def run(self, target: Target, seed: int) -> Outcome:
        """Train with eight seeds."""
        args = training(SOUND, {}, MIXED_ROWS)
        requests = [("train", args | {"seed": seed_string(seed, self.id, index)}) for index in range(8)]
        (_, first), (_, second), *_ = requests
        case = Case(self.id, "train", second, self.label, self.level)

        def complaint() -> str:
            models = map(trees_of, ask_all(target, case, requests))
            coefficients = {tuple(read_finite(tree["beta"]) for tree in trees) for trees in models}
            same = "expected different noise for every seed, got the same coefficients for all eight seeds"
            if len(coefficients) == 1:
                raise Judged(failure(case, same, first))
            return ""

        return judge_case(case, complaint)


def trained_checks() -> Iterator[ConsistencyCheck | PredictionCheck | SeedCheck]:
    """Yield the checks of `train` with seeds."""
    protocols = {
        "SOUND": SOUND,
        "AS_PRINTED": AS_PRINTED,
        "SOUND permute_and_flip": SOUND | {"split_law": "permute_and_flip"},
        "SOUND add_remove": SOUND | {"relation": "add_remove"},
        "SOUND link_clamp_noise": SOUND | {"leaf": "link_clamp_noise"},
        "AS_PRINTED raw_minority": AS_PRINTED | {"alpha": "raw_minority"},
    }
    for name, protocol in protocols.items():
        args = training(protocol, {}, MIXED_ROWS)
        yield ConsistencyCheck(f"learner/seeded/{name}", args, changes_arguments=name == "SOUND")
    yield PredictionCheck()
    yield SeedCheck()
