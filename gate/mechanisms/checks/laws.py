"""Compare draws with the laws of the vectors: every column, its independence, and the laws of mistakes."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import chain, pairwise
from typing import Any

from privboost.gate.check import Case, Outcome, Target
from privboost.gate.checks.asking import ask_all, judge_case, largest_count
from privboost.gate.checks.evidence import (
    Evidence,
    evidence_against,
    evidence_for,
    evidence_of_requests,
    join_cells,
    law_of_cells,
    mean_evidence,
    seed_string,
)
from privboost.gate.mechanisms.levels import Level
from privboost.gate.profile import Profile
from privboost.gate.protocol.wire import WireError, read_finite, read_list, read_number, read_string
from privboost.gate.vectors.files import Vector, all_vectors

REQUESTS = 4
"""Number of requests, each with its own seed, for one law."""
RELEASES = "stable_histogram"
"""The operation whose draws are lists of the categories that were released."""

Law = dict[Hashable, float]
Draws = list[list[Hashable]]
"""The cells of the draws of one column, by request."""


def law_checks(profile: Profile) -> Iterator[DrawsCheck]:
    """Yield a check for every case that has a law."""
    for vector in all_vectors(profile):
        if vector.case.level == Level.LAWS and "probabilities" in str(vector.expected):
            yield DrawsCheck(profile, vector)


@dataclass(frozen=True)
class DrawsCheck:
    """The draws of one request."""

    profile: Profile
    vector: Vector

    @property
    def id(self) -> str:
        """Return the id of the case."""
        return self.vector.case.id

    @property
    def label(self) -> str:
        """Return the label of the operation."""
        return self.vector.case.label

    @property
    def level(self) -> str:
        """Return the level of laws."""
        return self.vector.case.level

    @property
    def false_alarm(self) -> float:
        """Return the probability at which a correct sampler fails."""
        return float(self.vector.expected["error"])

    @cached_property
    def laws(self) -> list[Law]:
        """Return the law of every column."""
        return [as_law(column, column["probabilities"]) for column in self.vector.expected["columns"]]

    def run(self, target: Target, seed: int) -> Outcome:
        """Draw in several requests, and judge the draws."""
        requests = self._requests(target, seed)
        case = replace(self.vector.case, args=requests[0][1])
        guessed: list[str] = []

        def judge() -> str:
            results = ask_all(target, case, requests)
            size = int(requests[0][1]["count"])
            evidence, flag = self._evidence([read_list(result, length=size) for result in results])
            if evidence.log_wealth < -math.log(self.false_alarm):
                return ""
            guessed.extend([flag] if flag else [])
            chance = f"a correct sampler fails this with probability {self.false_alarm:g}"
            return f"the draws do not follow the law ({chance}); {evidence.description}"

        outcome = judge_case(case, judge)
        return replace(outcome, flags=tuple(guessed), hints=tuple(guessed)) if outcome.is_bad else outcome

    def _requests(self, target: Target, seed: int) -> list[tuple[str, dict[str, Any]]]:
        """Return requests for draws, each with its own seed and as many as the target allows."""
        draws = self.vector.expected["draws"]
        size = min(math.ceil(draws / REQUESTS), largest_count(target))
        case = self.vector.case
        return [
            (case.op, dict(case.args) | {"seed": seed_string(seed, self.id, index), "count": str(size)})
            for index in range(math.ceil(draws / size))
        ]

    def _evidence(self, results: Sequence[list[Any]]) -> tuple[Evidence, str]:
        """Return the evidence against the law, and the flag of the mistake that explains it best, if any."""
        case, columns = self.vector.case, self.vector.expected["columns"]
        read = [[cells_of(case, columns, draw) for draw in result] for result in results]
        by_column: list[Draws] = [
            [[draw[index] for draw in result] for result in read] for index in range(len(columns))
        ]
        rivals = list(self._evidence_for_rivals(by_column))
        whole = self.vector.expected["test"] == "both sides"
        others = list(self._evidence_of_columns(by_column)) if whole else []
        best = max(rivals, key=lambda entry: entry[0].log_wealth, default=(Evidence(-math.inf, ""), ""))
        total = mean_evidence([*others, *(entry for entry, _ in rivals)])
        explains = best[0].log_wealth >= total.log_wealth - math.log(len(others) + len(rivals)) - 1e-9
        return (replace(total, description=best[0].description), best[1]) if explains else (total, "")

    def _evidence_of_columns(self, by_column: Sequence[Draws]) -> Iterator[Evidence]:
        """Yield the evidence of every column, and of neighbouring columns, which are independent."""
        parts = []
        for law, lists in zip(self.laws, by_column, strict=True):
            parts += evidence_of_requests(law, lists, join_cells(law))
        yield mean_evidence(parts)
        for (law, lists), (other, others) in pairwise(zip(self.laws, by_column, strict=True)):
            joined, joined_other = join_cells(law), join_cells(other)
            left, right = law_of_cells(law, joined), law_of_cells(other, joined_other)
            both: Law = {(i, j): p * q for i, p in left.items() for j, q in right.items()}
            pairs = [(joined[i], joined_other[j]) for i, j in zip(chain(*lists), chain(*others), strict=True)]
            yield evidence_against(both, pairs, "groups of two columns, which must be independent")

    def _evidence_for_rivals(self, by_column: Sequence[Draws]) -> Iterator[tuple[Evidence, str]]:
        """Yield the evidence for every mistake, with its flag."""
        for rival in self.vector.expected["rivals"]:
            flag = rival["flag"]
            hint = self.profile.flags[flag]
            parts = []
            for column, chances, law, lists in zip(
                self.vector.expected["columns"], rival["columns"], self.laws, by_column, strict=True
            ):
                other = as_law(column, chances)
                parts.append(evidence_for({hint: other}, law, chain(*lists))[hint])
            furthest = max(parts, key=lambda part: part.log_wealth)
            yield replace(furthest, log_wealth=math.fsum(part.log_wealth for part in parts)), flag


def as_law(column: Mapping[str, Any], chances: Sequence[str]) -> Law:
    """Return the probabilities of outcomes or cells as floats."""
    names = _intervals(tuple(column["edges"])) if "edges" in column else column["outcomes"]
    return dict(zip(names, map(float, chances), strict=True))


def cells_of(case: Case, columns: Sequence[Mapping[str, Any]], draw: Any) -> list[Hashable]:
    """Return the outcome or cell of every column of a draw; raise WireError if it has another form."""
    if case.op == RELEASES:
        return _releases(case.args["rows"], draw)
    parts = read_list(draw, length=len(columns)) if case.op == "histogram" else [draw]
    return [_cell(column, part) for column, part in zip(columns, parts, strict=True)]


@lru_cache(maxsize=256)
def _edges(edges: tuple[str, ...]) -> tuple[list[Fraction], list[float]]:
    """Return edges exactly, and as floats."""
    exact = [Fraction(edge) for edge in edges]
    return exact, [float(edge) for edge in exact]


@lru_cache(maxsize=256)
def _intervals(edges: tuple[str, ...]) -> list[str]:
    """Return the names of the cells between edges."""
    ends = ["-inf", *map(repr, _edges(edges)[1])]
    return [*(f"({low}, {high}]" for low, high in pairwise(ends)), f"({ends[-1]}, inf)"]


def _cell(column: Mapping[str, Any], part: Any) -> str:
    if "edges" in column:
        names = _intervals(tuple(column["edges"]))
        exact, near = _edges(tuple(column["edges"]))
        if isinstance(part, float) and part not in near:
            # Rounding keeps the order, so only a float that is a rounded edge needs to be compared exactly.
            return names[bisect_left(near, read_number(part))]
        return names[bisect_left(exact, read_finite(part))]
    outcome = str(part) if isinstance(part, int) else read_string(part)
    if outcome not in column["outcomes"]:
        raise WireError("result", f"draws among {', '.join(column['outcomes'])}", outcome)
    return outcome


def _releases(rows: Sequence[str], draw: Any) -> list[Hashable]:
    """Return for every category of one row whether it was released."""
    released = {str(read_finite(code)) for code in read_list(draw)}
    if strange := sorted(released - set(rows)):
        raise WireError("result", "categories of the rows only", strange[0])
    alone = sorted({code for code in rows if rows.count(code) == 1}, key=Fraction)
    return ["released" if code in released else "kept" for code in alone]
