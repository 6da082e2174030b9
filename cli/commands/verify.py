"""Check epsilon-DP exactly, on all neighbouring samples of a tiny domain.

The privacy loss of one tree is computed for every pair of samples and every output, without any sampling. The
default is the protocol of PrivateBoostedTreesClassifier(), for which --tree 2 checks a second tree after
every possible release of the first. With --delta the noise is Gaussian, and the exact delta of one tree, or
of two together, is compared with the claim.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from privboost.cli.arguments import add_option, number_between, unit_number, whole_number
from privboost.errors import PreconditionError, UsageError
from privboost.limits import ALPHA_RULES, EXCHANGE, LEAF_RULES, PROTOCOLS, RELATIONS, SPLIT_LAWS
from privboost.printing import say
from privboost.progress import counting
from privboost.tables import Table

from .leaks import loss_string

if TYPE_CHECKING:
    from privboost.reference.exact import Extended
    from privboost.reference.learners.privacy_loss import ExactLoss
    from privboost.reference.learners.protocol import Parameters, Protocol
    from privboost.reference.learners.verification import Verification

COLUMNS = ("quantity", "value")
GRID_OF_DELTA = Fraction(1, 64)
"""The grid of weights and noise with --delta, coarser than that of fits, so that laws have fewer values."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the protocol, the domain and the size that are verified."""
    option = partial(add_option, parser)
    for name, choices, default, description in (
        ("--protocol", PROTOCOLS, PROTOCOLS[0], "learner to check"),
        ("--relation", RELATIONS, EXCHANGE, "neighbouring relation"),
        ("--split-law", SPLIT_LAWS, None, "mechanism that selects splits"),
        ("--leaf-rule", LEAF_RULES, None, "mechanism of leaf values"),
        ("--alpha-rule", ALPHA_RULES, None, "rule that sets alpha"),
    ):
        described = f"{description}: {', '.join(choices)} (default: {default or 'that of the protocol'})"
        parser.add_argument(name, choices=choices, default=default, metavar="NAME", help=described)
    for name, greatest, count, description in (
        ("--attributes", 3, 2, "number of binary attributes of the domain"),
        ("--size", 6, 3, "number of examples, or the bound on it under add_remove"),
        ("--depth", 3, 2, "depth of the tree"),
        ("--tree", 2, 1, "1 to check the first tree, 2 to check the second given the first"),
    ):
        option(f"{name} N", whole_number(1, greatest), description, default=count)
    option(
        "--epsilon NUMBER",
        number_between(0, 1000),
        "privacy budget of all trees together",
        default=Fraction(1),
    )
    option(
        "--delta NUMBER",
        number_between(0, 1),
        "delta of all trees together, for Gaussian noise; --tree 2 then judges two trees together",
        default=Fraction(0),
    )
    option(
        "--alpha NUMBER",
        unit_number,
        "public alpha of a level; repeat it for further levels (default 1 and 1/2)",
        action="append",
    )


def run(options: argparse.Namespace) -> Table:
    """Verify the protocol that the options describe."""
    from privboost.reference.learners.protocol import Parameters
    from privboost.reference.learners.verify import PUBLIC_WEIGHTS

    if options.epsilon <= 0:
        raise UsageError(f"--epsilon: expected a number above 0, got {options.epsilon}")
    protocol = protocol_of(options)
    if options.tree == 2 and (protocol.leaf, protocol.beta) not in PUBLIC_WEIGHTS:
        choice = f"leaf rule {protocol.leaf.value} and coefficient {protocol.beta.value}"
        raise UsageError(f"--tree 2: expected weights that follow from noisy masses or nets, got {choice}")
    parameters = Parameters(
        trees=options.tree,
        depth=options.depth,
        epsilon=options.epsilon,
        bound=Fraction(1),
        alphas=tuple(options.alpha or (Fraction(1), Fraction(1, 2))),
    )
    if options.delta:
        return verification_of_delta(protocol, parameters, options)
    return verification(protocol, parameters, options.attributes, options.size)


def protocol_of(options: argparse.Namespace) -> Protocol:
    """Return the preset that the options name, with the choices that they change.

    A leaf rule changes the coefficient as it does in the estimators: noisy nets have a constant one, and
    noisy masses replace a constant one.
    """
    from privboost.reference.data import Relation
    from privboost.reference.learners.protocol import PRESETS, AlphaRule, BetaRule, LeafRule, SplitLaw

    preset = PRESETS[options.protocol]
    law = SplitLaw(options.split_law or preset.split_law)
    for option, value in (("--alpha", options.alpha), ("--alpha-rule", options.alpha_rule)):
        if law is SplitLaw.UNIFORM and value:
            raise UsageError(f"{option}: expected splits that read alpha, got split law uniform")
    leaf, beta = LeafRule(options.leaf_rule or preset.leaf), preset.beta
    if leaf is LeafRule.NOISY_NET:
        beta = BetaRule.CONSTANT
    elif leaf is LeafRule.NOISY_MASSES and beta is BetaRule.CONSTANT:
        beta = BetaRule.NOISY_MASSES
    return replace(
        preset,
        relation=Relation(options.relation),
        split_law=law,
        alpha=AlphaRule(options.alpha_rule or preset.alpha),
        leaf=leaf,
        beta=beta,
    )


def verification(protocol: Protocol, parameters: Parameters, attributes: int, size: int) -> Table:
    """Verify the last tree on all samples with binary attributes, and return the greatest privacy loss.

    The table conforms if the loss is within the claim.
    """
    from privboost.reference.data import binary_domain, text_of
    from privboost.reference.learners.protocol import SplitLaw
    from privboost.reference.learners.verify import verify_bounded, verify_second_tree

    check = verify_bounded if parameters.trees == 1 else verify_second_tree
    judged: list[tuple[int, int, ExactLoss]] = []

    def note(done: int, of: int, greatest: ExactLoss) -> None:
        judged[:] = [(done, of, greatest)]
        watch(done, of)

    try:
        with counting("classes of cases judged", steady=True) as watch:
            result = check(protocol, parameters, binary_domain(attributes), size, note)
    except KeyboardInterrupt:
        for done, of, loss in judged:
            say(f"{done:,} of {of:,} classes of cases judged, greatest loss so far {_loss(loss.total)}")
        raise
    share = 0 if protocol.split_law is SplitLaw.UNIFORM else parameters.beta_tree
    greatest = result.greatest
    rows = [
        ("claim, epsilon / T", str(result.claim)),
        ("greatest loss", _loss(greatest.total)),
        ("slack to the claim", _loss(result.claim - greatest.total)),
        ("of it, splits", _loss(greatest.splits)),
        ("budget of the splits", str(result.claim * share)),
        ("of it, released alphas", _loss(greatest.alphas)),
        ("of it, leaves and coefficient", _loss(greatest.leaves)),
        ("attained by", f"{text_of(result.first)} against {text_of(result.second)}"),
        ("at the tree", str(greatest.tree)),
    ]
    if result.given is not None:
        values = ", ".join(str(value) for _, value in result.given.values)
        rows.append(("after the first tree", f"{result.given.tree}; leaves {values}"))
    rows += [
        ("pairs of neighbours", f"{result.pairs:,}"),
        ("classes of pairs", f"{result.classes:,}"),
        ("releases before the tree", _releases(result)),
        ("trees", f"{result.trees:,}"),
        ("combinations of these", f"{result.combinations:,}"),
        ("cases judged", f"{result.cases:,}"),
    ]
    verdict = "holds" if result.holds else "does not hold"
    summary = f"the claim {verdict}: {extent(result, protocol, parameters, size)}"
    return Table("verify", COLUMNS, tuple(rows), conforming=result.holds, summary=summary)


def verification_of_delta(protocol: Protocol, parameters: Parameters, options: argparse.Namespace) -> Table:
    """Verify the delta of all trees together on all samples with binary attributes, as a fit spends it."""
    from privboost.fast.concentrated import greatest_rho
    from privboost.reference.data import binary_domain, text_of
    from privboost.reference.learners.protocol import LeafRule, SplitLaw
    from privboost.reference.learners.verify_gaussian import verify_delta

    if (protocol.split_law, protocol.leaf) != (SplitLaw.UNIFORM, LeafRule.NOISY_NET):
        raise UsageError(f"--delta: expected uniform splits and noisy nets, got {protocol.name}")
    if options.delta == 1:
        raise UsageError("--delta: expected a number below 1, got 1")
    try:
        rho = greatest_rho(options.epsilon, options.delta)
    except PreconditionError as error:
        raise UsageError(f"--{error}") from None
    gaussian = replace(parameters, delta=options.delta, rho=rho, grid=GRID_OF_DELTA)
    with counting("changes of nets judged", steady=True) as watch:
        result = verify_delta(protocol, gaussian, binary_domain(options.attributes), options.size, watch)
    rows = (
        ("claim, delta at epsilon", f"{options.delta} at {options.epsilon}"),
        ("rho of all trees", str(rho)),
        ("greatest delta", f"{float(result.greatest.hi):.6g}"),
        ("attained by", f"{text_of(result.first)} against {text_of(result.second)}"),
        ("at the tree", str(result.tree)),
        ("trees together", str(parameters.trees)),
        ("grid of the noise", str(GRID_OF_DELTA)),
        ("pairs of neighbours", f"{result.pairs:,}"),
        ("trees", f"{result.trees:,}"),
        ("changes of nets judged", f"{result.moves:,}"),
    )
    verdict = "holds" if result.holds else "does not hold"
    size = f"{result.pairs:,} pairs of samples and all trees"
    many = "" if parameters.trees == 1 else ", each changed as much as one tree can be"
    judged = "1 tree" if parameters.trees == 1 else "2 trees"
    summary = (
        f"the claim {verdict}: the exact delta of {judged} of depth {parameters.depth}{many}, on all {size}; "
        "by theorem only: that later trees may depend on releases, post-processing of noisy nets to values"
    )
    return Table("verify", COLUMNS, rows, conforming=result.holds, summary=summary)


def extent(result: Verification, protocol: Protocol, parameters: Parameters, size: int) -> str:
    """Return a sentence that says which pairs, releases, trees and outputs were judged, and what was not."""
    from privboost.reference.data import Relation
    from privboost.reference.learners.protocol import LeafRule

    examples = "1 example" if size == 1 else f"{size} examples"
    if protocol.relation is Relation.EXCHANGE:
        pairs = f"samples of {examples} that differ in one example"
    else:
        pairs = f"samples of 0 to {examples}, one of which has one example more"
    noisy = {LeafRule.NOISY_NET: "noisy nets", LeafRule.NOISY_MASSES: "noisy masses"}.get(protocol.leaf)
    second = parameters.trees == 2
    parts = f"all {result.pairs:,} pairs of {pairs}, "
    if result.releases > 1:
        parts += f"{_releases(result)} releases of {'a first tree' if second else 'alphas'}, "
    parts += f"all {result.trees:,} {'second ' if second else ''}trees of depth {parameters.depth} "
    parts += f"and all {noisy or 'values'} of their leaves were judged exactly"
    if result.cases < result.pairs * result.releases:
        parts += f", by computing {result.cases:,} cases to which all others are equivalent"
    if not result.all_releases:
        parts += ", and no other releases were judged"
    theorems = [
        *(["composition of the trees"] if second else []),
        *([f"post-processing of {noisy} to values"] if noisy else []),
        *(["trees after the second"] if second else []),
    ]
    return parts + (f"; by theorem only: {', '.join(theorems)}" if theorems else "")


def _releases(result: Verification) -> str:
    """Return the number of releases before the tree that a check covers."""
    if result.releases == 1:
        return "none"
    return f"{'all' if result.all_releases else 'a grid of'} {result.releases:,}"


def _loss(loss: Extended) -> str:
    """Return a rational loss exactly, and another one with six decimals."""
    return str(loss) if isinstance(loss, Fraction) else loss_string(loss)
