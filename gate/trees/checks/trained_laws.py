"""Check `train` with seeds: splits and leaf values follow their exact laws, and noise is fresh.

Every draw is judged, in all trees and at all levels, under several protocols. The laws follow from what the
run has released before (`histories`); the bets are multiplied over all draws (`bets`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

from privboost.gate.check import Case, Outcome, Status, Target
from privboost.gate.checks.asking import Judged, RunCache, ask_all, failure, judge_case, unreadable
from privboost.gate.checks.evidence import Evidence, mean_evidence, seed_string
from privboost.gate.protocol.wire import WireError
from privboost.gate.trees.cases.cases_train import AS_PRINTED, rows_of
from privboost.gate.trees.levels import Level
from privboost.gate.trees.operations.operations_of_learner import SOUND

from .histories import History
from .trained import training
from .trained_bets import TrainingBets
from .trained_leaves import centre_of, leaf_bets, off_grid
from .trained_splits import HALF_RATE, split_bets

ERROR = 1e-8
BATCHES, RUNS = 4, 50
"""Number of batches, and of runs of every request in a batch."""
FEW_ROWS = rows_of("00+", "01+", "10-", "11-", "00+")
NOISE_PARAMETERS = {"trees": "2", "depth": "1", "epsilon": "16", "beta_tree": "1/16"}
NOISE_RUNS, MOST_REPEATS = 40, 5
"""Number of runs, and of those in which two leaves may have the same noise by chance."""
NOISE_SCALE = Fraction(32, 15)
"""2 M leaves / B of these parameters, M = 4."""
ROWS = rows_of(
    *("000+", "000+", "011+", "110+", "110-", "120+", "121-"),
    *("200-", "211-", "221-", "301-", "301-", "311+", "320-"),
)
"""Rows with duplicates. Deep nodes are often pure or empty, and their splits have a law, too."""

REQUESTS: dict[str, tuple[Mapping[str, str], Mapping[str, Any]]] = {
    "SOUND": (SOUND, {"depth": "3", "alphas": ["1", "1/4", "3/4"], "epsilon": "300", "beta_tree": "3/5"}),
    "add_remove": (
        SOUND | {"relation": "add_remove", "split_law": "permute_and_flip", "node_budget": "printed"},
        {"trees": "3", "alphas": ["1/2", "1"], "epsilon": "300", "beta_tree": "3/5", "boost_alpha": "1/2"},
    ),
    "printed budgets": (
        AS_PRINTED | {"alpha": "schedule", "leaf": "link_clamp_noise", "beta": "constant"},
        {"alphas": ["1", "1/4"], "epsilon": "400", "beta_tree": "3/4"},
    ),
    "printed sensitivity": (
        SOUND | {"relation": "add_remove", "sensitivity": "printed", "split_law": "permute_and_flip"},
        {"alphas": ["1/4", "1"], "epsilon": "300", "beta_tree": "2/3"},
    ),
    "raw alphas": (AS_PRINTED | {"alpha": "raw_minority"}, {"epsilon": "400", "beta_tree": "3/4"}),
    "one-sided exponential": (
        SOUND | {"relation": "add_remove"},
        {"alphas": ["1", "1/2"], "epsilon": "300", "beta_tree": "3/5"},
    ),
}
"""Protocols and parameters. Budgets are large, so that rates and scales that are off by a factor show."""
ONE_SIDED = ("one-sided exponential",)
TOGETHER = tuple(name for name in REQUESTS if name not in ONE_SIDED)
"""Requests whose bets are multiplied. Those of the others have checks of their own."""


Results = list[Any] | Outcome
"""The results of a batch of runs, or the outcome of the first run that has none."""


def train_batch(target: Target, seed: int, name: str, batch: int, case: Case) -> Results:
    """Return the results of a batch of runs of a request."""
    requests = [("train", request_of(seed, name, batch * RUNS + run)) for run in range(RUNS)]
    try:
        # The first answer shows whether the protocol is supported.
        return [*ask_all(target, case, requests[:1]), *ask_all(target, case, requests[1:])]
    except Judged as judgement:
        return judgement.outcome


def request_of(seed: int, name: str, run: int) -> dict[str, Any]:
    """Return the arguments of one run of a request."""
    return training(*REQUESTS[name], ROWS) | {"seed": seed_string(seed, "learner/law", name, run)}


@dataclass(frozen=True, slots=True)
class LawCheck:
    """Compare all splits, or all leaf values, of many runs with their exact laws.

    The wealth is looked at after every request: by Ville's inequality a correct target ever reaches
    1 / ERROR with probability at most ERROR. A request with a run that is not supported is left out from then
    on. The threshold then allows for every way to leave out batches of requests, because the target may have
    decided by its draws.
    """

    name: str
    label: str
    cache: RunCache[Results]
    bets: Callable[[Sequence[str]], TrainingBets]
    requests: tuple[str, ...] = TOGETHER
    level: Level = Level.LEARNER
    false_alarm: float = 3 * ERROR
    """ERROR for the bets, ERROR for requests left out, and less for noise beyond the reach of `off_grid`."""

    @property
    def id(self) -> str:
        """Return the unique id of the check."""
        return f"learner/law/{self.name}"

    def run(self, target: Target, seed: int) -> Outcome:
        """Train many times, and bet against the laws."""
        case = self._case(seed, self.requests[0])
        return judge_case(case, lambda: self._complaint(target, seed))

    def _case(self, seed: int, name: str, run: int = 0) -> Case:
        """Return the case of one run of a request, to be shown if it fails."""
        return Case(self.id, "train", request_of(seed, name, run), self.label, self.level)

    def _complaint(self, target: Target, seed: int) -> str:
        bets = self.bets(self.requests)
        histories = {name: History(training(*REQUESTS[name], ROWS)) for name in self.requests}
        threshold = -math.log(ERROR)
        for batch in range(BATCHES):
            for name, history in list(histories.items()):
                train = partial(train_batch, target, seed, name, batch, self._case(seed, name))
                results = self.cache.get(target, seed, (name, batch), train)
                if isinstance(results, Outcome):
                    del histories[name]
                    if results.status is not Status.SKIP or not histories:
                        raise Judged(replace(results, check=self.id, label=self.label))
                    threshold = -math.log(ERROR) + len(self.requests) * math.log(BATCHES + 1)
                    continue
                runs = []
                for run, result in enumerate(results, batch * RUNS):
                    try:
                        runs.append(history.draws(result))
                    except WireError as error:
                        raise Judged(unreadable(self._case(seed, name, run), error)) from None
                wrong = off_grid(history, runs) if self.name == "leaves" else ""
                if wrong:
                    raise Judged(failure(self._case(seed, name), f"protocol '{name}': {wrong}"))
                bets.add(name, history, runs)
                evidence = mean_evidence(bets.evidence())
                if evidence.log_wealth >= threshold:
                    request = str(evidence.request)
                    complaint = _describe(evidence) + _one_sided_hint(REQUESTS[request][0], evidence)
                    raise Judged(failure(self._case(seed, request), complaint))
        return ""


def _one_sided_hint(protocol: Mapping[str, str], evidence: Evidence) -> str:
    """Return a hint if half the rate fits splits of the one-sided law better."""
    one_sided = (protocol["relation"], protocol["sensitivity"]) == ("add_remove", "sharp")
    if not one_sided or HALF_RATE not in evidence.description:
        return ""
    return ". Likely: with sharp and add_remove the law is one-sided, with the rate epsilon / Delta"


def _describe(evidence: Evidence) -> str:
    return f"{evidence.description} (a correct learner fails this with probability {ERROR:g})"


@dataclass(frozen=True, slots=True)
class NoiseCheck:
    """Check that no two leaves of a run have the same noise, within a tree or across trees."""

    id: str = "learner/seeded/noise is fresh"
    label: str = "sec-solv"
    level: Level = Level.LEARNER

    @property
    def false_alarm(self) -> float:
        """Return a bound on the probability that more runs have two leaves with equal noise."""
        pair = 1 / (2 * 1024 * float(NOISE_SCALE))
        return math.comb(NOISE_RUNS, MOST_REPEATS + 1) * (6 * pair) ** (MOST_REPEATS + 1)

    def run(self, target: Target, seed: int) -> Outcome:
        """Train two trees with noisy values, and subtract the values without noise."""
        args = training(SOUND | {"leaf": "link_clamp_noise", "beta": "constant"}, NOISE_PARAMETERS, FEW_ROWS)
        requests = [("train", args | {"seed": seed_string(seed, self.id, run)}) for run in range(NOISE_RUNS)]
        case = Case(self.id, "train", requests[0][1], self.label, self.level)

        def complaint() -> str:
            history = History(args)
            results = zip(requests, ask_all(target, case, requests), strict=True)
            repeating = [request for (_, request), result in results if _has_repeats(history, result)]
            repeats = f"the same noise in two leaves in {len(repeating)} of {NOISE_RUNS} runs"
            if len(repeating) <= MOST_REPEATS:
                return ""
            wrong = f"expected fresh noise for every leaf, got {repeats}"
            raise Judged(failure(replace(case, args=repeating[0]), wrong))

        return judge_case(case, complaint)


def _has_repeats(history: History, result: Any) -> bool:
    """Return whether two values of a run that are not clamped have the same noise."""
    noise = []
    for leaf in (leaf for tree in history.draws(result) for leaf in tree.leaves):
        centre = centre_of(history, leaf.masses) if leaf.known else None
        if centre is not None and abs(leaf.value) < history.bound:
            noise.append(round(leaf.value / float(history.grid)) - centre)
    return len(set(noise)) < len(noise)


def trained_law_checks() -> Iterator[LawCheck | NoiseCheck]:
    """Yield the checks of the draws of `train`."""
    yield NoiseCheck()
    cache = RunCache[Results]()
    yield LawCheck("splits", "expSPLIT", cache, split_bets)
    yield LawCheck("leaves", "sec-solv", cache, leaf_bets)
    yield LawCheck("splits, one-sided exponential", "expSPLIT", cache, split_bets, ONE_SIDED)
