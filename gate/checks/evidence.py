"""Evidence against an exact law: bets that beat a correct sampler only with a known, tiny probability.

The counts n of N independent draws in cells of probabilities p are compared with a mixture of all other laws
with Dirichlet weights a, which are 1/2 each, or c p for several c, which favours laws close to p.

    wealth = B(n + a) / B(a) / (p_1^n_1 ... p_K^n_K).

A bet on the law q of a known mistake wins more if that mistake is made, and names it:

    wealth = (q_1 / p_1)^n_1 ... (q_K / p_K)^n_K.

Under p the mean of both is 1 whatever N is, so each reaches 1 / error with probability at most `error`
(Markov). The mean of several such wealths has the same property, so combined bets need no smaller error.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

PRIOR = 0.5
CLOSENESS = (50.0, 500.0, 5000.0)
"""The weights c; a larger c bets on laws closer to p."""
ROUNDING = 1e-9
"""Bound on the relative errors of the probabilities, which are computed in floats."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The log wealth of a bet, and a description of the cell that is furthest from its law."""

    log_wealth: float
    description: str
    request: int | str = ""
    """The request whose draws contributed most, by its name or index, if there are several."""


def evidence_against(
    law: Mapping[Hashable, float], draws: Iterable[Hashable], name: str = "draws"
) -> Evidence:
    """Return the evidence against a law; infinite if a draw has probability 0."""
    counts = Counter(draws)
    total = sum(counts.values())
    impossible = [cell for cell in counts if law.get(cell, 0.0) <= 0.0]
    if impossible:
        return Evidence(math.inf, f"{name}: {impossible[0]!r} was drawn, which has probability 0")
    priors = [dict.fromkeys(law, PRIOR)]
    priors += [{cell: closeness * chance for cell, chance in law.items()} for closeness in CLOSENESS]
    furthest = _furthest(law, counts, total, name)
    return mean_evidence([Evidence(_log_wealth(law, counts, prior), furthest) for prior in priors])


def _log_wealth(
    law: Mapping[Hashable, float], counts: Mapping[Hashable, int], prior: Mapping[Hashable, float]
) -> float:
    """Return the log wealth of the bet on one mixture of laws."""
    weight, total = sum(prior.values()), sum(counts.values())
    wealth = math.lgamma(weight) - math.lgamma(total + weight)
    for cell, count in counts.items():
        wealth += math.lgamma(count + prior[cell]) - math.lgamma(prior[cell])
        wealth -= count * (math.log(law[cell]) + ROUNDING)
    return wealth


def evidence_for(
    rivals: Mapping[str, Mapping[Hashable, float]], law: Mapping[Hashable, float], draws: Iterable[Hashable]
) -> dict[str, Evidence]:
    """Return the evidence for the laws of known mistakes, by the name of the mistake."""
    counts = Counter(draws)
    far = _furthest(law, counts, sum(counts.values()), "draws")
    return {
        mistake: Evidence(_log_ratio(rival, law, counts), f"{far}. Closer to the draws: {mistake}")
        for mistake, rival in rivals.items()
    }


def _log_ratio(
    rival: Mapping[Hashable, float], law: Mapping[Hashable, float], counts: Mapping[Hashable, int]
) -> float:
    if any(rival[cell] <= 0.0 for cell in counts):
        return -math.inf
    return math.fsum(count * (math.log(rival[cell] / law[cell]) - ROUNDING) for cell, count in counts.items())


def _furthest(law: Mapping[Hashable, float], counts: Mapping[Hashable, int], total: int, name: str) -> str:
    """Describe the cell whose count is furthest from the expected one."""

    def distance(cell: Hashable) -> float:
        mean = total * law[cell]
        return abs(counts.get(cell, 0) - mean) / math.sqrt(mean * (1 - law[cell]) + 1e-12)

    cell = max(law, key=distance)
    share = counts.get(cell, 0) / total if total else 0.0
    return f"{name}: {cell!r} has probability {law[cell]:.4g} and was {share:.4g} of {total} draws"


def shows_dependence(seen: Mapping[Any, float], expected: Mapping[Any, float]) -> bool:
    """Return whether counts of pairs deviate more than the deviations of their two parts explain."""

    def distance(index: int | None) -> float:
        cells: dict[Any, list[float]] = {}
        for pair, mean in expected.items():
            cell = cells.setdefault(pair if index is None else pair[index], [0.0, 0.0])
            cell[0] += seen.get(pair, 0)
            cell[1] += mean
        return sum((count - mean) ** 2 / (mean + 1e-12) for count, mean in cells.values())

    return distance(None) > 2 * (distance(0) + distance(1))


def evidence_of_pairs(
    law: Mapping[Hashable, float], pairs: Sequence[tuple[Hashable, Hashable]], name: str, bias: str
) -> Evidence:
    """Return the evidence of pairs of independent draws; described as `bias` if it is no dependence."""
    both = pair_law(law)
    evidence = evidence_against(both, pairs, name)
    expected = {pair: len(pairs) * chance for pair, chance in both.items()}
    return evidence if shows_dependence(Counter(pairs), expected) else replace(evidence, description=bias)


def evidence_of_draws(law: Mapping[Hashable, float], draws: Sequence[Hashable], name: str) -> Evidence:
    """Return the evidence of draws in all cells, and in the most likely cell against all others."""
    best = max(law, key=lambda cell: law[cell])
    others = f"not {best}"
    halves: dict[Hashable, float] = {best: law[best], others: 1 - law[best]}
    best_cell = evidence_against(halves, (draw if draw == best else others for draw in draws), name)
    all_cells = evidence_against(law, draws, name)
    return mean_evidence([all_cells, best_cell]) if len(law) > 2 and law[best] < 1 else all_cells


def mean_evidence(parts: Sequence[Evidence]) -> Evidence:
    """Return the mean wealth of several bets, with the description of the one that won most."""
    best = max(parts, key=lambda part: part.log_wealth)
    if math.isinf(best.log_wealth):
        return best
    total = sum(math.exp(part.log_wealth - best.log_wealth) for part in parts)
    return replace(best, log_wealth=best.log_wealth + math.log(total / len(parts)))


def pair_law(law: Mapping[Hashable, float]) -> dict[Hashable, float]:
    """Return the law of two independent draws."""
    return {(left, right): law[left] * law[right] for left in law for right in law}


def join_cells(law: Mapping[Hashable, float], most: int = 4) -> dict[Hashable, int]:
    """Map the outcomes of a law, in their order, to a few cells of about equal probability."""
    joined, reached = {}, 0.0
    for cell, chance in law.items():
        joined[cell] = min(most - 1, int(most * (reached + chance / 2)))
        reached += chance
    return joined


def law_of_cells(law: Mapping[Hashable, float], cells: Mapping[Hashable, int]) -> dict[Hashable, float]:
    """Return the probabilities of joined outcomes."""
    joined: dict[Hashable, float] = {}
    for cell, chance in law.items():
        joined[cells[cell]] = joined.get(cells[cell], 0.0) + chance
    return joined


def evidence_of_requests(
    law: Mapping[Hashable, float], lists: Sequence[Sequence[Hashable]], joined: Mapping[Hashable, int]
) -> list[Evidence]:
    """Return the evidence of draws, successive pairs, and pairs with the same index in two requests."""
    coarse_law = law_of_cells(law, joined)
    by_cell = [[joined[draw] for draw in draws] for draws in lists]
    successive = [(draws[i], draws[i + 1]) for draws in by_cell for i in range(0, len(draws) - 1, 2)]
    across = [pair for i in range(0, len(by_cell) - 1, 2) for pair in zip(*by_cell[i : i + 2], strict=True)]
    single = evidence_of_draws(law, [draw for draws in lists for draw in draws], "draws")
    pairs = {"successive draws": successive, "draws of two seeds": across}
    return [
        single,
        *(
            evidence_of_pairs(
                coarse_law, drawn, f"groups of {name}, which must be independent", single.description
            )
            for name, drawn in pairs.items()
        ),
    ]


def seed_string(seed: int, *names: object) -> str:
    """Return a seed for one request as a decimal string; different names give different seeds."""
    digest = hashlib.sha256(repr((seed, *names)).encode()).digest()
    return str(int.from_bytes(digest[:7], "big"))
