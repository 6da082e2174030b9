"""Replay a mechanism on a pair: a recorded run on one input, a frozen run on the other, and a comparison."""

from __future__ import annotations

from privboost.auditor.mechanisms.mechanism import Mechanism
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.values.failures import failure_string

from .constant import ConstantFeatures
from .features import reused_coins
from .losses import PairLoss
from .result import Doubt, FindingKind, PairReplay
from .runs import PairRuns, ReplayPlan
from .seeds import find_fixed_seeds


def replay_pair(mechanism: Mechanism, pair: Pair, plan: ReplayPlan, index: int = 0) -> PairReplay:
    """Replay a mechanism on one pair; `index` tells the coins of pairs apart.

    Requires: `hooks()` is open.
    """
    runs = PairRuns(mechanism, pair, plan, index)
    if all("failed" in run.leaves for run in (runs.left, runs.right, *runs.fresh)):
        error = failure_string({name: runs.left.leaves.get(name) for name in ("failed", "error", "message")})
        return PairReplay(pair, doubts=(Doubt.NO_OUTPUT,), runs=runs.count, error=error or "")
    seeds = find_fixed_seeds(runs, index == 0)
    constant = ConstantFeatures(runs)
    # With a fixed seed nothing varies, and parts of the output look as if they had no noise.
    shown = [each for each in constant.findings if not seeds or each.kind is not FindingKind.UNNOISED_OUTPUT]
    loss = PairLoss(runs, constant, shown)
    tape = runs.left.tape
    return PairReplay(
        pair,
        (*seeds, *shown, *reused_coins(tape.draws), *loss.findings),
        tuple(loss.doubts),
        len(tape.draws),
        len(tape.releases),
        loss.loss,
        loss.total if tape.releases else None,
        runs.count,
    )
