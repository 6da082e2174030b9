"""The loss of a pair: what releases state, what selections weigh, and what additive noise hides."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .constant import CONTROL, MOST_RUNS, ConstantFeatures, runs_needed
from .features import OUTPUT, choice_loss, compare_releases
from .laws import LAWS
from .outputs import Vector, different, is_finite, vector_of
from .recording import Moves
from .result import Doubt, FindingKind, ReplayFinding
from .runs import LEFT, RIGHT, SIDES, PairRuns
from .weighing import TOLERANCE, NoiseValue, drawn_vector, follow, gaussian_delta, noise_values, weigh

COUPLINGS = 10
"""Number of further coins with which draws beside the releases are frozen."""


class PairLoss:
    """The findings, doubts and the loss of a pair, from its runs."""

    def __init__(self, runs: PairRuns, constant: ConstantFeatures, known: Sequence[ReplayFinding]) -> None:
        self._runs, self._constant, self._known = runs, constant, known
        self._draws = runs.left.tape.draws
        spent = compare_releases(runs.left.tape.releases, runs.right.tape.releases)
        self.findings, self.doubts = [*spent.findings], list[Doubt]()
        self.total, self._sites = spent.total, spent.sites
        self.loss: float | None = None
        self._stated = spent.loss + choice_loss(self._draws, runs.right.tape.draws)
        doubt = self._weigh()
        self.doubts += [doubt] if doubt is not None else []
        if not spent.is_known:
            self.doubts.append(Doubt.OTHER_LAW)

    def _weigh(self) -> Doubt | None:
        """Weigh the pair by the first way that applies; return why there is none."""
        tape = self._runs.left.tape
        if tape.is_full:
            return Doubt.TOO_MANY
        if not tape.draws and not tape.releases:
            return Doubt.NO_DRAW
        if different(self._runs.left.leaves, self._runs.again.leaves):
            return Doubt.HIDDEN_COINS
        if self._constant.varied_in(*CONTROL):
            return Doubt.CONTROL_FLOW
        has_noise = any(draw.law in LAWS for draw in self._draws)
        # Releases, and selections with given probabilities, are frozen by their values.
        by_value = bool(tape.releases)
        by_value |= not has_noise and any(draw.parameters.get("weights") is not None for draw in self._draws)
        if by_value and not has_noise and not self._constant.differs_in(OUTPUT):
            if not self._is_frozen():
                return Doubt.NOT_LINEAR
            self._judge(self._stated)
            return None
        if self._constant.differs_in(*CONTROL):
            return Doubt.CONTROL_FLOW
        return Doubt.NOT_LINEAR if tape.releases or not has_noise else self._weigh_noise()

    def _is_frozen(self) -> bool:
        """Return whether draws beside the releases leave the outputs equal, also with other coins."""
        if all(draw.parameters.get("weights") is not None for draw in self._draws):
            return True
        for _ in range(COUPLINGS):
            left = self._runs.live(LEFT)
            if different(left.leaves, self._runs.frozen(RIGHT, tape=left.tape).leaves):
                return False
        return True

    def _judge(self, loss: float) -> None:
        """Note a loss, and a finding if it is more than the claim; delta is that of one Laplace number."""
        self.loss, plan = loss, self._runs.plan
        excess = 1 - math.exp(min(0.0, (plan.epsilon - loss) / 2))
        if loss > plan.epsilon * (1 + 1e-6) and excess > plan.delta:
            noise = [draw.site for draw in self._draws if draw.law in LAWS or draw.law == "choice"]
            where = ", ".join([*dict.fromkeys(self._sites or noise)][:3])
            self.findings.append(
                ReplayFinding(FindingKind.LOSS, where, amount=loss, limit=plan.epsilon, name="epsilon")
            )

    # Additive noise --------------------------------------------------------------------------------------

    def _weigh_noise(self) -> Doubt | None:
        values = noise_values(self._draws)
        if values is None:
            return Doubt.OTHER_LAW
        left, right = self._runs.left.leaves, self._runs.right.leaves
        paths = [path for path in left if is_finite(left[path]) and is_finite(right.get(path))]
        factors = [self._follow(side, values, paths) for side in SIDES]
        if factors[0] is None or factors[1] is None:
            return Doubt.NOT_LINEAR
        if not np.allclose(factors[0], factors[1], rtol=TOLERANCE, atol=0):
            self._note_scale(factors[0], factors[1], values)
            return None
        bases = vector_of(left, paths), vector_of(right, paths)
        if not np.all(np.any(factors[0] != 0, axis=0)):
            # Noise that no output follows may decide it in another way, as in a noisy maximum.
            return Doubt.NOT_LINEAR
        moved = bases[1] - bases[0]
        # What is shown to have no noise is found already.
        unnoised = {each.site for each in self._known if each.kind is FindingKind.UNNOISED_OUTPUT}
        moved[[index for index, path in enumerate(paths) if path in unnoised]] = 0.0
        weighed = weigh(factors[0], moved, values)
        if weighed.cancelled is not None:
            return self._show_cancelled(paths, bases, weighed.cancelled)
        if weighed.loss is None:
            return Doubt.MIXED_LAWS
        if weighed.is_gaussian:
            self._judge_gaussian(weighed.loss)
        else:
            self._judge(self._stated + weighed.loss)
        return None

    def _follow(self, side: int, values: Sequence[NoiseValue], paths: list[str]) -> Vector | None:
        """Return how the output on one side follows the noise, if that predicts a run with fresh coins."""
        run, fresh = (self._runs.left, self._runs.right)[side], self._runs.fresh[side]
        base = vector_of(run.leaves, paths)

        def rerun(moves: Moves) -> Vector:
            return vector_of(self._runs.frozen(side, moves).leaves, paths)

        start, end = (drawn_vector(each.tape.draws, values) for each in (run, fresh))
        if start is None or end is None:
            return None
        factors = follow(rerun, base, self._draws, values)
        if factors is None:
            return None
        predicted = base + factors @ (end - start)
        room = TOLERANCE * max(1e-3, float(np.max(np.abs(predicted - base), initial=0.0)))
        errors = np.abs(vector_of(fresh.leaves, paths) - predicted)
        others = set(different(run.leaves, fresh.leaves)) - set(paths)
        return None if others or not np.all(errors <= room + 1e-9 * np.abs(predicted)) else factors

    def _note_scale(self, left: Vector, right: Vector, values: Sequence[NoiseValue]) -> None:
        """Add a finding for noise that is multiplied by what depends on the data."""
        row, column = (int(index) for index in np.unravel_index(np.argmax(np.abs(left - right)), left.shape))
        draw = self._draws[values[column].draw]
        sizes = [abs(float(each[row, column])) * values[column].scale for each in (left, right)]
        name = f"{draw.law}, scale in the output"
        self.findings.append(
            ReplayFinding(FindingKind.SCALE_FROM_DATA, draw.site, sizes[0], sizes[1], name=name)
        )

    def _judge_gaussian(self, mu: float) -> None:
        """Add a finding if Gaussian noise needs a greater delta than the claim has."""
        plan = self._runs.plan
        least = gaussian_delta(plan.epsilon, mu)
        if least > plan.delta * (1 + 1e-6):
            site = next(draw.site for draw in self._draws if draw.law in LAWS)
            self.findings.append(
                ReplayFinding(FindingKind.LOSS, site, amount=least, limit=plan.delta, name="delta")
            )

    def _show_cancelled(
        self, paths: Sequence[str], bases: tuple[Vector, Vector], sums: Vector
    ) -> Doubt | None:
        """Show by fresh runs that a sum of outputs has no noise, although each of them may have."""
        ends = [float(sums @ base) for base in bases]
        room = abs(ends[1] - ends[0]) / 3
        needed = runs_needed(self._runs.plan.epsilon, self._runs.plan.delta)
        if needed > MOST_RUNS:
            return Doubt.NOT_LINEAR
        for side in SIDES * needed:
            seen = vector_of(self._runs.live(side).leaves, list(paths))
            if not abs(float(sums @ seen) - ends[side]) <= room:
                return Doubt.NOT_LINEAR
        used = np.flatnonzero(sums).tolist()
        shown = " + ".join(f"{sums[index]:.4g} {paths[index]}" for index in used[:3])
        more = f" + … ({len(used)} outputs)" if len(used) > 3 else ""
        self.findings.append(
            ReplayFinding(
                FindingKind.UNNOISED_OUTPUT, shown + more, ends[0], ends[1], name="sum", runs=needed
            )
        )
        return None
