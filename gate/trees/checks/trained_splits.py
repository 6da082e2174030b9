"""Bet against the law of every split of seeded trainings, given the history of its run."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction

import numpy as np

from privboost.gate.checks.bets import RivalBets

from .float_laws import split_laws
from .histories import History, SplitDraw, TreeDraws
from .laws import Floats
from .trained_bets import Bet, Draw, TrainingBets

FACTORS = {f"{share} of": float(Fraction(share)) for share in ("1/6", "1/4", "1/3", "1/2", "2/3", "4/5")}
FACTORS |= {"5/4 times": 5 / 4, "3/2 times": 3 / 2, "twice": 2.0}
FACTORS |= {f"{factor} times": float(factor) for factor in (3, 4, 6)}
ALPHAS = {f"alpha = {alpha}": float(Fraction(alpha)) for alpha in ("0", "1/4", "1/2", "3/4", "1")}
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
BY_RANK = "candidates by their rank, the most likely first"
PURE = "candidates by their index in nodes where all scores are equal"
SAME = "candidates that are (True) or are not (False) the split of"
NEIGHBOUR = f"{SAME} the node to the left"
PARENT = f"{SAME} the parent"
LAST_TREE = f"{SAME} the same node in the tree before"
LAST_RUN = f"{SAME} the same node in the request before"


def split_bets(names: Sequence[str]) -> TrainingBets:
    """Return bets on the splits of all runs of several requests."""
    learned = (*map(_by_candidate, names), BY_RANK, PURE, NEIGHBOUR, PARENT, LAST_TREE)
    rivals = RivalBets(RIVALS, (*PARTS, *map(_request_part, names)))
    return TrainingBets(rivals, SENTENCE, learned, LAST_RUN, _draws)


def _by_candidate(name: str) -> str:
    return f"candidates in {_request_part(name)}, by their index"


def _request_part(name: str) -> str:
    return f"the protocol '{name}'"


def _draws(name: str, history: History, tree: TreeDraws) -> Iterator[Draw]:
    for split in tree.splits:
        yield Draw(
            (split.tree, split.node), split.choice, _bet(name, history, split) if split.known else None
        )


def _bet(name: str, history: History, split: SplitDraw) -> Bet:
    law, rivals = laws_of(history, split)
    indices = range(len(law))
    keys: dict[str, Sequence[Hashable]] = {
        _by_candidate(name): history.candidates,
        BY_RANK: np.argsort(np.argsort(-law, kind="stable")).tolist(),
    }
    if float(law.max()) - float(law.min()) < 1e-12:
        keys[PURE] = [(name, k) for k in indices]
    earlier = {PARENT: (split.tree, (split.node - 1) // 2), LAST_TREE: (split.tree - 1, split.node)}
    if split.node & (split.node + 1):
        earlier[NEIGHBOUR] = (split.tree, split.node - 1)
    parts = _parts(name, history, split)
    return Bet(law, rivals, split.choice, parts, keys, earlier, lambda other: [k == other for k in indices])


def _parts(name: str, history: History, split: SplitDraw) -> list[str]:
    level = {history.depth - 1: "the last level", 0: "roots"}.get(split.level, "inner levels")
    tree = "later trees" if split.tree else "the first tree"
    by_law = f"all nodes with the law {history.words['split_law']}"
    return ["all nodes", by_law, tree, level, _request_part(name)]


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
