"""Compare samples with exact laws: splits, noise, independence, dependence on the seed.

Each check has a false-alarm probability of at most 1e-8. The draws of one law are split over several requests
with different seeds, to test single draws, successive pairs, and pairs across requests.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import chain, pairwise
from typing import Any

from privboost.gate.check import Case, Outcome, Status, Target, outcome
from privboost.gate.checks.asking import (
    Judged,
    RunCache,
    ask_all,
    failure,
    judge_case,
    largest_count,
    unreadable,
)
from privboost.gate.checks.comparing import format_number
from privboost.gate.checks.evidence import (
    Evidence,
    evidence_against,
    evidence_for,
    evidence_of_requests,
    join_cells,
    mean_evidence,
    seed_string,
)
from privboost.gate.checks.remembering import recall
from privboost.gate.protocol.kinds import REPEATED
from privboost.gate.protocol.wire import WireError, read_finite, read_list, read_string
from privboost.gate.trees.levels import Level

from .laws import GridLaw, cells_of_noise, exact_split_law, remainders, rivals_of_noise, rivals_of_split
from .pooled import pooled_noise, pooled_splits

ERROR = 1e-8
REQUESTS = 4
"""Number of requests, each with its own seed, for one law."""
COUNT = 2500
"""Number of draws in one request."""

SPLITS: dict[str, tuple[dict[str, str], str, str]] = {
    "two": ({"x0 >= 1": "-1", "x1 = 0": "-3"}, "2", "1"),
    "near": ({f"x0 >= {cut}": f"-{cut}/4" for cut in range(1, 5)}, "4", "1"),
    "tied": ({"x0 >= 1": "-2", "x0 >= 2": "-2", "x1 = 0": "-4"}, "1", "1/2"),
    # Noisy max differs most from the exponential mechanism if many candidates are slightly worse.
    "many": ({f"x0 >= {cut}": "0" if cut == 1 else "-2" for cut in range(1, 17)}, "2", "1"),
    # A draw among equal scores must not favour the first, the last, or the names that sort first.
    "forty equal": ({f"x0 >= {cut}": "-2" for cut in range(1, 41)}, "1", "1"),
    "thirty best": ({f"x0 >= {cut}": "0" if cut <= 30 else "-4" for cut in range(1, 41)}, "4", "1"),
    "above 700": ({"x0 >= 1": "3000", "x0 >= 2": "2999", "x1 = 0": "2998"}, "2", "1"),
}
"""Scores, epsilon and sensitivity."""

NOISES = (
    *(("1", "1"), ("1/1024", "1/1024"), ("3", "1/1024")),
    *(("1000", "1/1024"), ("2/3", "1/2")),
)
"""Scales and grids."""


def seeded_requests(case: Case, target: Target, seed: int) -> list[tuple[str, dict[str, Any]]]:
    """Return requests for draws, each with its own seed and as many draws as the target allows."""
    parts = math.ceil(COUNT / largest_count(target))
    size = str(math.ceil(COUNT / parts))
    return [
        (case.op, dict(case.args) | {"seed": seed_string(seed, case.id, index), "count": size})
        for index in range(REQUESTS * parts)
    ]


def draw_all(case: Case, target: Target, seed: int) -> list[list[Any]]:
    """Return the draws of all requests for one law; raise Judged if a request has no result."""
    requests = seeded_requests(case, target, seed)
    size = int(requests[0][1]["count"])
    return [read_list(result, length=size) for result in ask_all(target, case, requests)]


@dataclass(frozen=True, slots=True)
class SampleCheck:
    """Draws of one law."""

    id: str
    op: str
    args: Mapping[str, Any]
    label: str
    cache: RunCache[list[list[Any]]]
    level: Level = Level.MECHANISMS
    false_alarm: float = ERROR

    @property
    def case(self) -> Case:
        """Return a request for draws, without a seed and a count."""
        return Case(self.id, self.op, self.args, self.label, self.level)

    def run(self, target: Target, seed: int) -> Outcome:
        """Draw, and judge the draws."""
        # The reported case is a request that was sent, so that it can be sent again.
        case = replace(self.case, args=seeded_requests(self.case, target, seed)[0][1])
        return judge_case(case, lambda: self._complaint(self.draws(target, seed)))

    def draws(self, target: Target, seed: int) -> list[list[Any]]:
        """Return the draws of all requests; raise Judged if a request has no result."""
        return self.cache.get(target, seed, self.id, partial(draw_all, self.case, target, seed))

    def _complaint(self, lists: Sequence[list[Any]]) -> str:
        evidence_of = _split_evidence if self.op == "sample_split" else _noise_evidence
        return _verdict(evidence_of(self.args, lists))


def _verdict(evidence: Evidence) -> str:
    if evidence.log_wealth < -math.log(ERROR):
        return ""
    chance = f"a correct sampler fails this with probability {ERROR:g}"
    return f"the draws do not follow the law ({chance}); {evidence.description}"


@dataclass(frozen=True, slots=True)
class PooledCheck:
    """The draws of all requests of one sampler together."""

    id: str
    op: str
    label: str
    parts: tuple[SampleCheck, ...]
    level: Level = Level.MECHANISMS
    false_alarm: float = ERROR

    def run(self, target: Target, seed: int) -> Outcome:
        """Bet on all draws; requests that the target does not support are left out."""
        lists: list[tuple[Mapping[str, Any], list[Any]]] = []
        cases: list[Case] = []
        for part in self.parts:
            case = replace(part.case, id=self.id, args=seeded_requests(part.case, target, seed)[0][1])
            try:
                drawn = part.draws(target, seed)
            except Judged as judgement:
                if judgement.outcome.status is not Status.SKIP or (part is self.parts[-1] and not lists):
                    return replace(judgement.outcome, check=self.id, request=case.request, flags=case.flags)
            except WireError as error:
                return unreadable(case, error)
            else:
                lists.append((part.case.args, [draw for draws in drawn for draw in draws]))
                cases.append(case)
        return self._judge(cases, lists)

    def _judge(self, cases: Sequence[Case], lists: Sequence[tuple[Mapping[str, Any], list[Any]]]) -> Outcome:
        """Judge all draws; a failure shows the request that contributed most to it."""

        def complaint() -> str:
            evidence = self.evidence(lists)
            verdict = _verdict(evidence)
            if verdict:
                raise Judged(failure(cases[int(evidence.request)], verdict))
            return ""

        return judge_case(cases[0], complaint)

    def evidence(self, lists: Sequence[tuple[Mapping[str, Any], list[Any]]]) -> Evidence:
        """Return the evidence of the draws of requests, which are given by their arguments."""
        if self.op == "sample_split":
            return pooled_splits([(args, _candidates(args, draws)) for args, draws in lists])
        noises = ((Fraction(args["scale"]), Fraction(args["grid"]), draws) for args, draws in lists)
        return pooled_noise([(GridLaw(scale, grid), _steps(grid, draws)) for scale, grid, draws in noises])


def _candidates(args: Mapping[str, Any], draws: Sequence[Any]) -> list[str]:
    """Return drawn candidates; raise WireError for another string."""
    for name in draws:
        if read_string(name) not in args["scores"]:
            raise WireError("result", f"candidates among {', '.join(args['scores'])}", name)
    return list(draws)


def _steps(grid: Fraction, draws: Sequence[Any]) -> list[int]:
    """Return drawn noise in steps; raise WireError for noise that is not on the grid."""
    steps = []
    for draw in draws:
        number = read_finite(draw) / grid
        steps.append(round(number))
        if abs(number - steps[-1]) > Fraction(1, 10**6):
            raise WireError("result", f"multiples of the grid {grid}", format_number(number * grid))
    return steps


def _split_evidence(args: Mapping[str, Any], results: Sequence[list[Any]]) -> Evidence:
    """Return the evidence of drawn candidates."""
    law = exact_split_law(args)
    lists = [_candidates(args, result) for result in results]
    of_rivals = evidence_for(rivals_of_split(args), law, chain.from_iterable(lists))
    return mean_evidence([*evidence_of_requests(law, lists, join_cells(law)), *of_rivals.values()])


def _noise_evidence(args: Mapping[str, Any], results: Sequence[list[Any]]) -> Evidence:
    """Return the evidence of drawn noise."""
    scale, grid = Fraction(args["scale"]), Fraction(args["grid"])
    law = GridLaw(scale, grid)
    steps = [_steps(grid, result) for result in results]
    edges, chances = cells_of_noise(law)
    names = [_range_name(edges, cell, grid) for cell in range(len(chances))]
    cells: dict[Hashable, float] = dict(zip(names, chances, strict=True))
    lists = [[names[bisect_left(edges, k)] for k in draws] for draws in steps]
    modulo = evidence_against(remainders(law), (k % 4 for draws in steps for k in draws), "steps modulo 4")
    rivals: dict[str, dict[Hashable, float]] = {
        name: dict(zip(names, rival, strict=True)) for name, rival in rivals_of_noise(law, edges).items()
    }
    of_rivals = evidence_for(rivals, cells, chain.from_iterable(lists))
    evidence = mean_evidence(
        [*evidence_of_requests(cells, lists, join_cells(cells)), modulo, *of_rivals.values()]
    )
    cut = describe_cut(law, [k for draws in steps for k in draws])
    return replace(evidence, description=f"{evidence.description}. {cut}") if cut else evidence


def describe_cut(law: GridLaw, steps: Sequence[int]) -> str:
    """Return a sentence if noise is clamped at its largest size, or missing beyond it; else empty."""
    top = max(map(abs, steps))
    at_top, size = sum(abs(k) == top for k in steps), format_number(top * law.step)
    expected = 2 * len(steps) * law.between(top, top)
    beyond = 2 * len(steps) * law.between(top + 1, None)
    if at_top >= CERTAIN and at_top > 4 * expected:
        return (
            f"The largest size, {size}, came {at_top} times, expected about {expected:.1g} times: noise is "
            "clamped there"
        )
    return f"No size is beyond {size}, expected about {beyond:.0f}: noise is cut off" if beyond > 20 else ""


def _range_name(edges: Sequence[int], cell: int, grid: Fraction) -> str:
    """Return the description of a cell of noise."""
    lo = None if cell == 0 else (edges[cell - 1] + 1) * grid
    hi = None if cell == len(edges) else edges[cell] * grid
    if lo is not None and lo == hi:
        return f"noise {lo}"
    return f"noise up to {hi}" if lo is None else f"noise from {lo}" + (f" to {hi}" if hi is not None else "")


REPEAT_OFFSETS = (*range(32), 1 << 8, 1 << 16, 1 << 32)
"""Differences of seeds: neighbours, and seeds that agree in their low bits."""
REPEAT_COUNT = 10
CERTAIN = 5
"""Number of draws with the largest size that are taken for a limit."""
REPEAT_SCALE, REPEAT_GRID = Fraction(1 << 20), Fraction(1, 1024)


@dataclass(frozen=True, slots=True)
class RepeatCheck:
    """Check that no noise is repeated, within a request or across seeds that differ in few bits."""

    id: str = "mechanisms/sample_laplace/no stream is repeated"
    label: str = "sec-solv"
    level: Level = Level.MECHANISMS

    @property
    def false_alarm(self) -> float:
        """Return a bound on the chance that two pairs of successive draws agree in size."""
        n_draws = len(REPEAT_OFFSETS) * REPEAT_COUNT
        # Each size has probability at most 2 P(K = k) <= step / scale.
        return n_draws * n_draws / 2 * float(REPEAT_GRID / REPEAT_SCALE) ** 2

    def run(self, target: Target, seed: int) -> Outcome:
        """Draw with related seeds, and look for a pair of successive sizes that occurs twice."""
        first = int(seed_string(seed, self.id))
        shared = {"scale": str(REPEAT_SCALE), "grid": str(REPEAT_GRID), "count": str(REPEAT_COUNT)}
        seeds = [first + offset for offset in REPEAT_OFFSETS]
        requests = [("sample_laplace", shared | {"seed": str(related)}) for related in seeds]
        case = Case(self.id, "sample_laplace", requests[1][1], self.label, self.level, ())
        return judge_case(case, lambda: _repeats(case, requests, ask_all(target, case, requests)))


def _repeats(case: Case, requests: Sequence[tuple[str, Mapping[str, Any]]], results: Sequence[Any]) -> str:
    """Raise Judged with both requests if two successive sizes occur twice."""
    seen: dict[tuple[Fraction, Fraction], tuple[Mapping[str, Any], int]] = {}
    noise = [read_finite(value) for result in results for value in read_list(result, length=REPEAT_COUNT)]
    cut = describe_cut(GridLaw(REPEAT_SCALE, REPEAT_GRID), [round(value / REPEAT_GRID) for value in noise])
    for (_, args), result in zip(requests, results, strict=True):
        sizes = [abs(read_finite(value)) for value in read_list(result, length=REPEAT_COUNT)]
        for index, pair in enumerate(pairwise(sizes)):
            if pair in seen:
                before, at = seen[pair]
                sizes_again = " and ".join(map(format_number, pair))
                cause = (pair[0] == pair[1] and cut) or "the seed is ignored, or streams overlap"
                wrong = (
                    f"expected different draws for every seed, got the sizes of seed {before['seed']} at "
                    f"index {at} again for seed {args['seed']} at index {index}, {sizes_again}: {cause}"
                )
                after = () if before is args else (before,)
                raise Judged(failure(replace(case, args=args), wrong, *after))
            seen[pair] = args, index
    return ""


FIRST_DRAWS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "sample_split": (
        "expSPLIT",
        {"scores": SPLITS["two"][0], "epsilon": "1", "sensitivity": "1", "law": "exponential"},
        {
            "scores": {"x0 >= 1": "-3", "x1 = 0": "-1"},
            "epsilon": "4",
            "sensitivity": "4",
            "law": "permute_and_flip",
        },
    ),
    "sample_laplace": ("sec-solv", {"scale": "1000", "grid": "1/1024"}, {"scale": "3000", "grid": "1/1000"}),
}
"""By operation: its label, arguments, and another value of each; the laws differ by at least 0.08."""
LEAST_DRAWS = 500
"""Number of draws of which all agree by chance with a probability below 1e-12."""


@dataclass(frozen=True, slots=True)
class ChangedDrawsCheck:
    """Check that draws with the same seed differ if another argument does."""

    op: str
    level: Level = Level.MECHANISMS
    false_alarm: float = 1e-12

    @property
    def id(self) -> str:
        """Return the id of the check."""
        return f"mechanisms/{self.op}/{REPEATED}"

    @property
    def label(self) -> str:
        """Return the label of the operation."""
        return FIRST_DRAWS[self.op][0]

    def run(self, target: Target, seed: int) -> Iterator[Outcome]:
        """Draw, and draw again with each argument changed."""
        _, first, changes = FIRST_DRAWS[self.op]
        shared = {"seed": seed_string(seed, self.id), "count": str(LEAST_DRAWS)}
        for name, value in changes.items():
            args = first | shared | {name: value}
            case = Case(f"{self.id}/{name}", self.op, args, self.label, self.level, (REPEATED,))
            if largest_count(target) < LEAST_DRAWS:
                yield outcome(case, Status.SKIP, f"fewer than {LEAST_DRAWS} draws in one request")
            else:
                yield judge_case(case, partial(self._complaint, target, case, first | shared))

    def _complaint(self, target: Target, case: Case, before: Mapping[str, Any]) -> str:
        earlier, draws = ask_all(target, case, [(self.op, before), (self.op, case.args)])
        recalled = recall(case.args, draws, [(before, earlier)])
        if recalled is None:
            return ""
        wrong = f"expected draws by another law, got the same {LEAST_DRAWS} draws{recalled.note}"
        raise Judged(failure(case, wrong, before))


def mechanism_checks() -> Iterator[SampleCheck | PooledCheck | RepeatCheck | ChangedDrawsCheck]:
    """Yield the checks of samples."""
    cache, splits, noises = RunCache[list[list[Any]]](), [], []
    for law in ("exponential", "permute_and_flip"):
        for name, (scores, epsilon, sensitivity) in SPLITS.items():
            args = {"scores": scores, "epsilon": epsilon, "sensitivity": sensitivity, "law": law}
            identity = f"mechanisms/sample_split/{law}/{name}"
            splits.append(SampleCheck(identity, "sample_split", args, "expSPLIT", cache))
    for scale, grid in NOISES:
        noise = {"scale": scale, "grid": grid}
        identity = f"mechanisms/sample_laplace/scale={scale} grid={grid}"
        noises.append(SampleCheck(identity, "sample_laplace", noise, "sec-solv", cache))
    for op, label, parts in (("sample_split", "expSPLIT", splits), ("sample_laplace", "sec-solv", noises)):
        yield from parts
        yield PooledCheck(f"mechanisms/{op}/all requests", op, label, tuple(parts))
    yield RepeatCheck()
    yield from map(ChangedDrawsCheck, FIRST_DRAWS)
