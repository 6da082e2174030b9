"""What `privboost audit` tests: given pairs, or described inputs, of which pairs are chosen by calls."""

from __future__ import annotations

import argparse
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from privboost.errors import PreconditionError, UsageError
from privboost.limits import INPUT_RELATIONS

from .audit_options import accept_pairs, choose_pairs, name_target, relation_of, search_pairs, select_pairs

if TYPE_CHECKING:
    from privboost.auditor.described import DescribedInputs
    from privboost.auditor.mechanisms.mechanism import Claimed
    from privboost.auditor.pairs.pair import Pair
    from privboost.auditor.running.plan import AuditPlan

OTHERS = ("pairs", "pattern", "table")
"""Options that give pairs."""


@dataclass(frozen=True, slots=True)
class Tested:
    """What is tested: pairs, or described inputs."""

    inputs: tuple[Pair, ...] | DescribedInputs
    relation: str | None
    """The relation of the claim, if it is stated or chosen."""
    candidates: int
    """The number of pairs from which was chosen."""
    refused: dict[str, str] = field(default_factory=dict)
    """Why pairs are left out, by their names."""

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Return all pairs; of described inputs also those that are not tested."""
        return self.inputs if isinstance(self.inputs, tuple) else self.inputs.pairs

    @property
    def shares(self) -> int:
        """Return the number of pairs that share the calls."""
        return len(self.inputs) if isinstance(self.inputs, tuple) else self.inputs.shares

    @property
    def summary(self) -> str:
        """Return what is tested, in words."""
        count = f"{len(self.pairs)} pair{'' if len(self.pairs) == 1 else 's'}"
        if isinstance(self.inputs, tuple):
            return count
        return f"the worst of {count} of inputs described by {self.inputs.text}"


def find_pairs(options: argparse.Namespace, target: Claimed) -> tuple[Pair, ...]:
    """Return the pairs of the options or of the target; none if inputs are described instead.

    Ensures: UsageError for options that do not go with a description.
    """
    given = next((name for name in OTHERS if getattr(options, name)), None)
    if options.input and given:
        raise UsageError(f"--input: expected no --{given} besides it")
    if options.input or (target.inputs is not None and not given and not target.pairs):
        return ()
    pairs = choose_pairs(options, target)
    if options.beyond:
        raise UsageError(f"--beyond: expected --input with it, since {name_target(options)} has pairs")
    return pairs


def choose_tested(
    options: argparse.Namespace,
    target: Claimed,
    pairs: tuple[Pair, ...],
    plan: AuditPlan,
    executor: Executor | None,
) -> Tested:
    """Return what is tested: pairs, of which a search may choose one, or without any described inputs."""
    if not pairs:
        described = _describe_inputs(options, target, plan)
        return Tested(described, described.relation, len(described.pairs))
    accepted, refused = accept_pairs(options, target, pairs, plan.seed, executor)
    tested = search_pairs(options, target, accepted, plan, executor)
    return Tested(tested, relation_of(options, target), len(accepted), refused)


def _describe_inputs(options: argparse.Namespace, target: Claimed, plan: AuditPlan) -> DescribedInputs:
    """Return the inputs that the options or the target describe, with their pairs.

    Ensures: UsageError for a description that cannot be read, or has no such pairs.
    """
    from privboost.auditor.described import make_pairs
    from privboost.auditor.inputs.description import describe

    relation = relation_of(options, target)
    if relation is not None and relation not in INPUT_RELATIONS:
        wanted = f"one of {', '.join(INPUT_RELATIONS)} with --input"
        raise UsageError(f"--relation: expected {wanted}, got {relation}")
    try:
        description = describe(options.input or target.inputs)
        made = make_pairs(description, relation, plan, constants=target.constants, beyond=options.beyond)
    except (UsageError, PreconditionError) as error:
        raise UsageError(f"--{error}") from None
    chosen = select_pairs(options, made.pairs)
    if all(pair.outside for pair in chosen):
        raise UsageError("--only: expected a pair of inputs that are as described, got others only")
    return replace(made, pairs=chosen, search_calls=options.search)
