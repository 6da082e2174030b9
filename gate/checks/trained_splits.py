"""Bet against the law of every split of seeded trainings, given the history of its run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from .bets import LearningBet, RivalBets
from .evidence import Evidence
from .float_laws import split_laws
from .histories import History, SplitDraw, TreeDraws
from .laws import Floats

FACTORS = {
    "1/6 of": 1 / 6,
    "1/4 of": 1 / 4,
    "1/3 of": 1 / 3,
    "1/2 of": 1 / 2,
    "2/3 of": 2 / 3,
    "4/5 of": 4 / 5,
    "5/4 times": 5 / 4,
    "3/2 times": 3 / 2,
    "twice": 2.0,
    "3 times": 3.0,
    "4 times": 4.0,
    "6 times": 6.0,
}
ALPHAS = {"alpha = 0": 0.0, "alpha = 1/4": 0.25, "alpha = 1/2": 0.5, "alpha = 3/4": 0.75, "alpha = 1": 1.0}
HALF_RATE = "the law with 1/2 of the right rate"
RIVALS = (
    *(f"the law with {name} the right rate" for name in FACTORS),
    *(f"the law with {name}" for name in ALPHAS),
    "the law with an alpha that is calibrated by raw labels",
    "the law with the alpha of the root",
    "the law with the alpha of the level below",
    "the law with the scores of the first weights",
    "the law with the scores of all rows, not only those of the node",
    "the law with the sensitivity at the number of rows in the node",
    "the other split law",
    "all candidates alike",
)
PARTS = (
    *("all nodes", "the first tree", "later trees", "roots", "inner levels", "the last level"),
    *("all nodes with the law exponential", "all nodes with the law permute_and_flip"),
)
SENTENCE = "the {count} splits of {part} do not follow their laws. Closer to them: {rival}"


class SplitBets:
    """Bets on the splits of all runs of several requests."""

    def __init__(self, names: Sequence[str]) -> None:
        self._before: dict[str, Mapping[tuple[int, int], int]] = {}
        self.rivals = RivalBets(RIVALS, (*PARTS, *map(_request_part, names)))
        self._by_candidate = {
            name: LearningBet(f"candidates in {_request_part(name)}, by their index") for name in names
        }
        self._by_rank = LearningBet("candidates by their rank, the most likely first")
        self._pure = LearningBet("candidates by their index in nodes where all scores are equal")
        same = "candidates that are (True) or are not (False) the split of"
        self._neighbour = LearningBet(f"{same} the node to the left")
        self._parent = LearningBet(f"{same} the parent")
        self._last_tree = LearningBet(f"{same} the same node in the tree before")
        self._last_run = LearningBet(f"{same} the same node in the request before")

    def add(self, name: str, history: History, runs: Sequence[Sequence[TreeDraws]]) -> None:
        """Bet on a batch of runs of one request."""
        before: Mapping[tuple[int, int], int] = self._before.get(name, {})
        for trees in runs:
            drawn: dict[tuple[int, int], int] = {}
            for tree in trees:
                for draw in tree.splits:
                    if draw.known:
                        self._bet(name, history, draw, drawn, before)
                    drawn[draw.tree, draw.node] = draw.choice
            before = drawn
        self._before[name] = before

    def _bet(
        self,
        name: str,
        history: History,
        draw: SplitDraw,
        drawn: Mapping[tuple[int, int], int],
        before: Mapping[tuple[int, int], int],
    ) -> None:
        law, rivals = laws_of(history, draw)
        self.rivals.add(
            float(law[draw.choice]), rivals[:, draw.choice], self._parts(name, history, draw), name
        )
        count = len(law)
        self._by_candidate[name].add(law, [history.candidates[k] for k in range(count)], draw.choice, name)
        ranks = np.argsort(np.argsort(-law, kind="stable"))
        self._by_rank.add(law, ranks.tolist(), draw.choice, name)
        if float(law.max()) - float(law.min()) < 1e-12:
            self._pure.add(law, [(name, k) for k in range(count)], draw.choice, name)
        others = (
            (self._neighbour, drawn.get((draw.tree, draw.node - 1)) if draw.node & (draw.node + 1) else None),
            (self._parent, drawn.get((draw.tree, (draw.node - 1) // 2))),
            (self._last_tree, drawn.get((draw.tree - 1, draw.node))),
            (self._last_run, before.get((draw.tree, draw.node))),
        )
        for bet, other in others:
            if other is not None:
                bet.add(law, [k == other for k in range(count)], draw.choice, name)

    @staticmethod
    def _parts(name: str, history: History, draw: SplitDraw) -> list[str]:
        level = (
            "roots"
            if not draw.level
            else "the last level"
            if draw.level == history.depth - 1
            else "inner levels"
        )
        tree = "later trees" if draw.tree else "the first tree"
        by_law = f"all nodes with the law {history.words['split_law']}"
        return ["all nodes", by_law, tree, level, _request_part(name)]

    def evidence(self) -> list[Evidence]:
        """Return the evidence of every bet."""
        learned = (self._by_rank, self._pure, self._neighbour, self._parent, self._last_tree, self._last_run)
        bets = [*self._by_candidate.values(), *learned]
        return [*self.rivals.wealths(SENTENCE), *(bet.evidence for bet in bets)]


def _request_part(name: str) -> str:
    return f"the protocol '{name}'"


def laws_of(history: History, draw: SplitDraw) -> tuple[Floats, Floats]:
    """Return the law of a split, and the laws of all rivals."""
    rate = history.rate(draw.tree, draw.level, draw.alpha)
    scores = draw.scores.at(draw.alpha)
    alphas = [
        *ALPHAS.values(),
        draw.raw_alpha,
        history.alphas[0],
        history.alphas[min(draw.level + 1, len(history.alphas) - 1)],
    ]
    exponents = [rate * scores]
    exponents += [factor * rate * scores for factor in FACTORS.values()]
    exponents += [history.rate(draw.tree, draw.level, alpha) * draw.scores.at(alpha) for alpha in alphas]
    exponents += [rate * other.at(draw.alpha) for other in (draw.first_scores, draw.root_scores)]
    exponents.append(rate * history.node_share(draw) * scores)
    kind = history.words["split_law"]
    laws = split_laws(kind, np.array(exponents))
    other = "permute_and_flip" if kind == "exponential" else "exponential"
    others = split_laws(other, np.array([rate * scores]))
    alike = np.full((1, len(scores)), 1 / len(scores))
    return laws[0], np.concatenate([laws[1:], others, alike])
