"""Check `train` with seeds: splits and leaf values follow their exact laws, and noise is fresh."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privboost.gate.check import Case, Level, Outcome
from privboost.gate.expected.learner import setting_and_sample, split_of
from privboost.gate.protocol.requests import Arguments, Candidate
from privboost.gate.protocol.training import read_data
from privboost.gate.protocol.wire import WireError, read_finite, read_list, read_object
from privboost.gate.targets.target import Target
from privboost.gate.vectors.cases_train import SOUND, rows_of
from privboost.reference.data import initial_weights
from privboost.reference.exact import enclose
from privboost.reference.learners.leaves import centre_of_leaf, leaf_scale
from privboost.reference.learners.splitting import split_law
from privboost.reference.trees.risks import Mass, leaf_masses
from privboost.reference.trees.tree import ROOT, Tree

from .asking import ask_all, judged
from .evidence import Evidence, evidence_against, evidence_for, evidence_of_draws, mean_evidence, seed_string
from .judging import nearby_fraction
from .laws import SCALES, GridLaw, cell_of_value, noisy_leaf_law
from .tapes import trees_of
from .trained import training

ERROR = 1e-8
DRAWS = 800
FEW_BINS = 8
UNEVEN_ROWS = rows_of("000+", "000+", "101-", "101-", "100+", "011-")
"""Rows that some candidates do not separate; those candidates have positive probability, too."""
FEW_ROWS = rows_of("00+", "01+", "10-", "11-", "00+")
NOISE_PARAMETERS = {"trees": "2", "depth": "1", "epsilon": "16", "beta_tree": "1/16"}
NOISE_SCALE = Fraction(32, 15)
"""2 M leaves / B of these parameters, M = 4."""


@dataclass(frozen=True, slots=True)
class LawCheck:
    """Compare splits and leaf values of many runs with their exact law."""

    name: str
    label: str
    args: Mapping[str, Any]
    flags: tuple[str, ...]
    level: Level = Level.LEARNER
    false_alarm: float = ERROR

    @property
    def id(self) -> str:
        """Return the unique id of the check."""
        return f"learner/law/{self.name}"

    def run(self, target: Target, seed: int) -> Outcome:
        """Train many times, and bet against the laws."""
        requests = [
            ("train", dict(self.args) | {"seed": seed_string(seed, self.id, index)}) for index in range(DRAWS)
        ]
        case = Case(self.id, "train", requests[0][1], self.label, self.level, self.flags)

        def complaint() -> str:
            trees = [trees_of(result)[0] for result in ask_all(target, case, requests)]
            evidence = (
                _split_evidence(self.args, trees)
                if self.label == "expSPLIT"
                else _leaf_evidence(self.args, trees)
            )
            if evidence.log_wealth < -math.log(ERROR):
                return ""
            return f"{evidence.description} (a correct learner fails this with probability {ERROR:g})"

        return judged(case, complaint)


def _split_evidence(args: Mapping[str, Any], trees: Sequence[Mapping[str, Any]]) -> Evidence:
    setting, sample = setting_and_sample(read_data(Arguments("train", args)))
    exact = split_law(setting, initial_weights(sample), Tree(), ROOT)
    law: dict[Hashable, float] = {
        str(split): float(enclose(chance, 96).hi) for split, chance in exact.items()
    }
    return evidence_of_draws(law, [tree["splits"][0] for tree in trees], "splits at the root")


def _leaf_evidence(args: Mapping[str, Any], trees: Sequence[Mapping[str, Any]]) -> Evidence:
    """Return the mean evidence over all splits and leaves, and for noise of another scale."""
    parts: list[Evidence] = []
    wealth = dict.fromkeys(SCALES, 0.0)
    for split in sorted({tree["splits"][0] for tree in trees}):
        runs = [tree["values"] for tree in trees if tree["splits"][0] == split]
        leaves = _leaves(args, split, runs)
        for leaf in leaves:
            parts.append(evidence_against(leaf.law, leaf.cells, leaf.name))
            for name, rival in evidence_for(leaf.rivals, leaf.law, leaf.cells).items():
                wealth[name] += rival.log_wealth
        together: dict[Hashable, float] = {
            (left, right): leaves[0].law[left] * leaves[1].law[right]
            for left in leaves[0].law
            for right in leaves[1].law
        }
        both = f"values of the two leaves under {split}, which must be independent"
        pairs = zip(leaves[0].cells, leaves[1].cells, strict=True)
        parts.append(evidence_against(together, pairs, both))
    message = "the values of all leaves do not have the required noise. Closer to them: noise of {} the scale"
    return mean_evidence([*parts, *(Evidence(won, message.format(name)) for name, won in wealth.items())])


@dataclass(frozen=True, slots=True)
class _Leaf:
    """The values of one leaf in many runs: their law, their laws with other scales of noise, their cells."""

    name: str
    law: Mapping[Hashable, float]
    rivals: Mapping[str, Mapping[Hashable, float]]
    cells: Sequence[Hashable]


def _leaves(args: Mapping[str, Any], split: str, runs: Sequence[Any]) -> list[_Leaf]:
    """Return both leaves under a split."""
    setting, sample = setting_and_sample(read_data(Arguments("train", args)))
    masses = leaf_masses(
        Tree().grow(ROOT, split_of(Candidate.read(split, "splits"))), initial_weights(sample)
    )
    scale = nearby_fraction(leaf_scale(setting, len(masses)))

    def law_of(mass: Mass, factor: float) -> tuple[dict[Hashable, float], CellOf]:
        noise = GridLaw(scale * Fraction(factor), setting.parameters.grid)
        if args["protocol"]["leaf"] == "noisy_masses":
            return _cells_of_masses(args, mass, noise), _sign_cells(args)
        return _cells_of_values(nearby_fraction(centre_of_leaf(setting, mass)), noise, args)

    leaves = []
    for index, mass in enumerate(masses.values()):
        law, cell = law_of(mass, 1.0)
        rivals = {name: law_of(mass, factor)[0] for name, factor in SCALES.items()}
        cells = [cell(read_finite(read_list(run, "values", len(masses))[index])) for run in runs]
        name = f"values of leaf {index} under {split}, masses {mass.positive} and {mass.negative}"
        leaves.append(_Leaf(name, law, rivals, cells))
    return leaves


CellOf = Callable[[Fraction], Hashable]


def _sign_cells(args: Mapping[str, Any]) -> CellOf:
    bound = Fraction(args["parameters"]["bound"])
    return lambda value: cell_of_value(value, bound)


def _cells_of_masses(args: Mapping[str, Any], mass: Mass, noise: GridLaw) -> dict[Hashable, float]:
    masses = nearby_fraction(mass.positive), nearby_fraction(mass.negative)
    bound = float(Fraction(args["parameters"]["bound"]))
    return noisy_leaf_law(masses, noise, bound, lambda q: (2 * q - 1) / math.sqrt(q * (1 - q)))


def _cells_of_values(
    centre: Fraction, noise: GridLaw, args: Mapping[str, Any]
) -> tuple[dict[Hashable, float], CellOf]:
    """Return the law of clamped noisy values in cells, and the function from a value to its cell."""
    bound = Fraction(args["parameters"]["bound"])
    least, most = (int((end - centre) / noise.step) for end in (-bound, bound))
    inner = sorted({least + (most - least) * i // FEW_BINS for i in range(1, FEW_BINS)})
    edges = [least, *inner, most - 1]
    ends: list[int | None] = [None, *edges, None]
    names = [_range_name(ends[i : i + 2], centre, noise.step) for i in range(len(ends) - 1)]
    law: dict[Hashable, float] = {}
    for i, name in enumerate(names):
        lo = ends[i]
        law[name] = noise.between(None if lo is None else lo + 1, ends[i + 1])
    return law, lambda value: names[bisect_left(edges, round((value - centre) / noise.step))]


def _range_name(ends: Sequence[int | None], centre: Fraction, step: Fraction) -> str:
    """Return the description of a cell of values."""
    lo, hi = (None if end is None else float(centre + end * step) for end in ends)
    return f"up to {hi:g}" if lo is None else f"above {lo:g}" + ("" if hi is None else f", up to {hi:g}")


@dataclass(frozen=True, slots=True)
class NoiseCheck:
    """Check that no two leaves of a run have the same noise, within a tree or across trees."""

    id: str = "learner/seeded/noise is fresh"
    label: str = "sec-solv"
    level: Level = Level.LEARNER
    flags: tuple[str, ...] = ()
    runs: int = 40
    allowed: int = 5
    """Number of runs in which two leaves may have the same noise by chance."""

    @property
    def false_alarm(self) -> float:
        """Return a bound on the probability that more runs have two leaves with equal noise."""
        pair = 1 / (2 * 1024 * float(NOISE_SCALE))
        return math.comb(self.runs, self.allowed + 1) * (6 * pair) ** (self.allowed + 1)

    def run(self, target: Target, seed: int) -> Outcome:
        """Train two trees with noisy values, and subtract the values without noise."""
        args = training(SOUND | {"leaf": "link_clamp_noise", "beta": "constant"}, NOISE_PARAMETERS, FEW_ROWS)
        requests = [("train", args | {"seed": seed_string(seed, self.id, run)}) for run in range(self.runs)]
        case = Case(self.id, "train", requests[0][1], self.label, self.level, self.flags)

        def complaint() -> str:
            results = ask_all(target, case, requests)
            n_repeats = sum(_has_repeats(args, result) for result in results)
            repeats = f"the same noise in two leaves in {n_repeats} of {self.runs} runs"
            message = f"expected fresh noise for every leaf, got {repeats}"
            return message if n_repeats > self.allowed else ""

        return judged(case, complaint)


def _has_repeats(args: Mapping[str, Any], result: Any) -> bool:
    """Return whether two values of a run that are not clamped have the same noise."""
    setting, _ = setting_and_sample(read_data(Arguments("train", args)))
    noise = []
    for tree in trees_of(result):
        for value, given in zip(read_list(tree["values"]), read_list(tree["masses"]), strict=True):
            masses = read_object(given, "masses", ("positive", "negative"))
            parts = [read_finite(masses[name], name) for name in ("positive", "negative")]
            if min(parts) < 0:
                raise WireError("masses", "masses of at least 0", given)
            mass = Mass(*parts)
            noisy = read_finite(value)
            if abs(noisy) < setting.parameters.bound:
                noise.append(
                    round((noisy - nearby_fraction(centre_of_leaf(setting, mass))) / setting.parameters.grid)
                )
    return len(set(noise)) < len(noise)


def trained_law_checks() -> Iterator[LawCheck | NoiseCheck]:
    """Yield the checks of the draws of `train`."""
    yield NoiseCheck()
    one = {"trees": "1", "depth": "1"}
    for law in ("exponential", "permute_and_flip"):
        args = training(SOUND | {"split_law": law}, one | {"epsilon": "8"}, UNEVEN_ROWS)
        yield LawCheck(f"splits/{law}", "expSPLIT", args, ("factor-two", "score-sign", "permute-and-flip"))
    for leaf in ("noisy_masses", "link_clamp_noise"):
        share = {"beta_tree": "1/16", "epsilon": "4" if leaf == "noisy_masses" else "16"}
        args = training(SOUND | {"leaf": leaf}, one | share, FEW_ROWS)
        flags = ("factor-two", "exchange-two", "leaf-count", "weight-bound")
        yield LawCheck(f"leaves/{leaf}", "sec-solv", args, flags)
