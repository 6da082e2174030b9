"""What is compared between runs beside the output: numbers, order and scales of draws and releases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from privboost.auditor.values.plain_values import plain_value

from .laws import LAWS, largest_log_ratio
from .outputs import Leaves, same_leaf
from .recording import RecordedDraw, RecordedEvents, RecordedRelease
from .result import FindingKind, ReplayFinding

OUTPUT, NUMBER, ORDER, SCALE = "output", "number", "order", "scale"
Feature = tuple[str, str, str, int]
"""A kind of feature, a call site or a part of the output, a name, and which of several."""


def features_of(leaves: Leaves, tape: RecordedEvents) -> dict[Feature, Any]:
    """Return the features of a run."""
    features: dict[Feature, Any] = {(OUTPUT, path, "", 0): value for path, value in leaves.items()}
    seen: Counter[tuple[str, str]] = Counter()
    numbers: Counter[tuple[str, str]] = Counter()
    for draw in tape.draws:
        numbers[draw.key] += draw.size if draw.law in LAWS else 1
        scale = LAWS[draw.law].scale if draw.law in LAWS else ""
        if scale:
            value = draw.parameters.get(scale, LAWS[draw.law].parameters[scale])
            features[SCALE, draw.site, f"{draw.law}, {scale}", seen[draw.key]] = _plain(value)
        seen[draw.key] += 1
    for release in tape.releases:
        numbers[release.key] += 1
        for name in ("epsilon", "delta", "sensitivity"):
            features[SCALE, release.site, f"{release.name}, {name}", seen[release.key]] = getattr(
                release, name
            )
        seen[release.key] += 1
    features |= {(NUMBER, site, law, 0): count for (site, law), count in numbers.items()}
    features[ORDER, "", "", 0] = list(dict.fromkeys(tape.order))
    return features


def _plain(value: Any) -> Any:
    return plain_value(np.asarray(value).tolist())


def same_feature(key: Feature, left: Any, right: Any) -> bool:
    """Return whether two values of a feature are equal, scales up to rounding."""
    if key[0] == OUTPUT:
        return same_leaf(left, right, exact=True)
    if key[0] == SCALE:
        return same_leaf(left, right)
    return bool(left == right)


def is_noise(key: Feature, tapes: Sequence[RecordedEvents]) -> bool:
    """Return whether a feature is about noise or releases, and not about draws that select or shuffle."""
    releases = {release.key for tape in tapes for release in tape.releases}
    return key[2].partition(",")[0] in LAWS or (key[1], key[2].partition(",")[0]) in releases


def finding_of(key: Feature, left: Any, right: Any, runs: int) -> ReplayFinding:
    """Return the finding for a feature that does not vary with the coins and differs between the inputs."""
    kinds = {
        OUTPUT: FindingKind.UNNOISED_OUTPUT,
        NUMBER: FindingKind.NUMBER_OF_DRAWS,
        ORDER: FindingKind.ORDER_OF_DRAWS,
        SCALE: FindingKind.SCALE_FROM_DATA,
    }
    return ReplayFinding(kinds[key[0]], key[1], left, right, name=key[2], runs=runs)


# Releases -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Spent:
    """The releases of a pair: findings, the loss of the pair, and the sum of all budgets."""

    findings: tuple[ReplayFinding, ...]
    loss: float
    total: float
    is_known: bool
    """Whether every release whose value differs states its epsilon."""
    sites: tuple[str, ...] = ()
    """The call sites of the releases whose values differ."""


def compare_releases(left: Sequence[RecordedRelease], right: Sequence[RecordedRelease]) -> Spent:
    """Compare what mechanisms get on both inputs after the same releases.

    The loss adds up epsilon times move over sensitivity, for the releases whose values differ.
    """
    later: dict[tuple[str, str], list[RecordedRelease]] = {}
    for release in right:
        later.setdefault(release.key, []).append(release)
    findings: list[ReplayFinding] = []
    sites: list[str] = []
    loss, is_known = 0.0, True
    for before in left:
        partners = later.get(before.key)
        if not partners:
            continue
        after = partners.pop(0)
        share, kind, moved = _share(before, after)
        sites += [before.site] if share else []
        if kind is not None:
            limit = before.sensitivity
            findings.append(
                ReplayFinding(kind, before.site, before.value, after.value, moved, limit, before.name)
            )
        if share and before.epsilon is None:
            is_known = False
        elif share and kind is not FindingKind.UNNOISED_RELEASE:
            loss += share * (before.epsilon or 0.0)
    total = sum(release.epsilon or 0.0 for release in left)
    return Spent(tuple(findings), loss, total, is_known, tuple(dict.fromkeys(sites)))


def _share(before: RecordedRelease, after: RecordedRelease) -> tuple[float, FindingKind | None, float | None]:
    """Return how many times the budget of a release is spent by a move of its value, and what is wrong."""
    one, other = before.value, after.value
    if one is None and other is None:
        return (0.0 if repr(before.inner) == repr(after.inner) else 1.0), None, None
    try:
        values = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    except (TypeError, ValueError):
        values = None
    if values is None or values[0].shape != values[1].shape or values[0].size == 0:
        return (0.0 if repr((one, before.inner)) == repr((other, after.inner)) else 1.0), None, None
    if np.array_equal(*values, equal_nan=True):
        return (0.0 if repr(before.inner) == repr(after.inner) else 1.0), None, None
    if not np.array_equal(np.isfinite(values[0]), np.isfinite(values[1])):
        return 1.0, FindingKind.UNNOISED_RELEASE, None
    finite = np.isfinite(values[0])
    if not np.array_equal(values[0][~finite], values[1][~finite], equal_nan=True):
        return 1.0, FindingKind.UNNOISED_RELEASE, None
    # A sensitivity of several numbers is that of their sum for pure privacy, else that of their root.
    moves, limit = np.abs(values[0] - values[1])[finite], before.sensitivity
    moved = float(np.linalg.norm(moves, 2 if before.delta else 1))
    if limit == 0 or before.epsilon == np.inf:
        return 1.0, FindingKind.UNNOISED_RELEASE, moved
    if limit is None:
        return 1.0, None, moved
    too_far = FindingKind.MOVED_TOO_FAR if moved > limit * (1 + 1e-9) else None
    return moved / limit, too_far, moved


# Draws ----------------------------------------------------------------------------------------------------


def reused_coins(draws: Sequence[RecordedDraw]) -> list[ReplayFinding]:
    """Return a finding for draws of different generators, or after others, that start from the same state."""
    first: dict[str, RecordedDraw] = {}
    last: dict[int, str] = {}
    findings = []
    for draw in draws:
        coins = repr(draw.coins) if isinstance(draw.coins, dict | tuple) else ""
        if isinstance(draw.coins, dict):
            coins = _coins_of(draw.coins)
        if not coins or draw.generator == 0 or not draw.size:
            continue
        before = first.setdefault(coins, draw)
        # A draw that uses no coins, such as a shuffle of one row, leaves the state as it is.
        if before is not draw and last.get(draw.generator) != coins:
            findings.append(
                ReplayFinding(FindingKind.REUSED_COINS, draw.site, before.site, draw.site, name=draw.law)
            )
        last[draw.generator] = coins
    return findings[:1]


def _coins_of(state: dict[str, Any]) -> str:
    """Return the state of a generator of NumPy as a string."""
    return repr(
        {
            key: (value["key"].tobytes(), value["pos"])
            if isinstance(value, dict) and "key" in value
            else value
            for key, value in state.items()
        }
    )


def same_coins(left: RecordedDraw, right: RecordedDraw) -> bool:
    """Return whether two draws start from the same state of a generator of the target."""
    if left.generator == 0 or left.key != right.key:
        return False
    if isinstance(left.coins, dict):
        return _coins_of(left.coins) == _coins_of(right.coins)
    return bool(left.coins == right.coins)


def choice_loss(left: Sequence[RecordedDraw], right: Sequence[RecordedDraw]) -> float:
    """Return the loss of choices with given probabilities, which differ between the inputs."""
    loss = 0.0
    for one, other in zip(left, right, strict=False):
        weights = one.parameters.get("weights"), other.parameters.get("weights")
        if one.key == other.key and all(each is not None for each in weights):
            loss += one.size * largest_log_ratio(*weights)
    return loss
