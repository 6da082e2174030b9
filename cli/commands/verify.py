"""Check epsilon-DP exactly, on all neighbouring samples of a tiny domain.

The privacy loss of one tree is computed for every pair of samples and every output, without any sampling.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from privboost.cli.arguments import number_between, unit_number, whole_number
from privboost.errors import PreconditionError, UsageError
from privboost.progress import Watch
from privboost.tables import Table

from .leaks import loss_string

if TYPE_CHECKING:
    from privboost.reference.learners.protocol import Parameters, Protocol

COLUMNS = ("quantity", "value")
PROTOCOLS = ("sound", "as_printed")
RELATIONS = ("exchange", "add_remove")
SPLIT_LAWS = ("exponential", "permute_and_flip", "uniform")
ALPHA_RULES = ("raw_strict", "raw_minority", "noisy_minority", "schedule")
"""Values of enumerations in the reference, repeated here to keep start-up fast."""

EXTENTS = {
    1: "every pair of samples, every tree and every output was judged exactly",
    2: "every pair, every first tree and every second tree was judged exactly, for a grid of the first one's "
    "noisy masses; that the losses of the two trees add is the composition theorem, not checked here",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--protocol", choices=PROTOCOLS, default="sound", help="learner to check (default sound)"
    )
    parser.add_argument(
        "--relation", choices=RELATIONS, default="exchange", help="neighbouring relation (default exchange)"
    )
    parser.add_argument(
        "--split-law",
        choices=SPLIT_LAWS,
        default="exponential",
        help="mechanism that selects splits (default exponential)",
    )
    parser.add_argument(
        "--alpha-rule", choices=ALPHA_RULES, help="rule that sets alpha (default: that of the protocol)"
    )
    for option, greatest, default, description in (
        ("--attributes", 3, 2, "number of binary attributes of the domain"),
        ("--size", 6, 3, "number of examples in the larger sample"),
        ("--depth", 3, 2, "depth of the tree"),
        ("--tree", 2, 1, "1 to check the first tree, 2 to check the second for a grid of noisy first trees"),
    ):
        parser.add_argument(
            option,
            type=whole_number(1, greatest),
            default=default,
            metavar="N",
            help=f"{description} (default {default})",
        )
    parser.add_argument(
        "--epsilon",
        type=number_between(0, 1000),
        default=Fraction(1),
        metavar="NUMBER",
        help="privacy budget of all trees together (default 1)",
    )
    parser.add_argument(
        "--alpha",
        type=unit_number,
        action="append",
        metavar="NUMBER",
        help="public alpha of a level; repeat it for further levels (default 1 and 1/2)",
    )


def run(options: argparse.Namespace) -> Table:
    """Verify the protocol that the options describe."""
    from privboost.reference.data import Relation
    from privboost.reference.learners.protocol import AS_PRINTED, SOUND, AlphaRule, Parameters, SplitLaw

    if options.epsilon <= 0:
        raise UsageError(f"--epsilon: expected a number above 0, got {options.epsilon}")
    protocol = replace(
        SOUND if options.protocol == "sound" else AS_PRINTED,
        relation=Relation(options.relation),
        split_law=SplitLaw(options.split_law),
    )
    if options.alpha_rule:
        try:
            protocol = replace(protocol, alpha=AlphaRule(options.alpha_rule))
        except PreconditionError as error:
            raise UsageError(f"--alpha-rule: {error}") from None
    parameters = Parameters(
        trees=options.tree,
        depth=options.depth,
        epsilon=options.epsilon,
        bound=Fraction(1),
        alphas=tuple(options.alpha or (Fraction(1), Fraction(1, 2))),
    )
    if options.tree == 2 and options.protocol != "sound":
        raise UsageError("--tree 2: expected --protocol sound, whose weights follow from noisy masses")
    return verification(protocol, parameters, options.attributes, options.size)


def verification(protocol: Protocol, parameters: Parameters, attributes: int, size: int) -> Table:
    """Verify the last tree on all samples with binary attributes, and return the greatest privacy loss.

    The table conforms if the loss is within the claim.
    """
    from privboost.reference.data import binary_domain, text_of
    from privboost.reference.learners.protocol import SplitLaw
    from privboost.reference.learners.verify import verify_bounded, verify_second_tree

    check = verify_bounded if parameters.trees == 1 else verify_second_tree
    with Watch[[int]](lambda seconds, done: f"{done} classes of pairs checked in {seconds:.0f} s") as watch:
        result = check(protocol, parameters, binary_domain(attributes), size, watch)
    share = 0 if protocol.split_law is SplitLaw.UNIFORM else parameters.beta_tree
    greatest = result.greatest
    rows = (
        ("claim", str(result.claim)),
        ("greatest loss", loss_string(greatest.total)),
        ("slack to the claim", loss_string(result.claim - greatest.total)),
        ("of it, splits", loss_string(greatest.splits)),
        ("budget of the splits", str(result.claim * share)),
        ("of it, released alphas", loss_string(greatest.alphas)),
        ("of it, leaves and coefficient", loss_string(greatest.leaves)),
        ("attained by", f"{text_of(result.first)} against {text_of(result.second)}"),
        ("at the tree", str(greatest.tree)),
        ("pairs of neighbours", str(result.pairs)),
        ("orbits of the symmetries", str(result.orbits)),
        ("weightings judged", str(result.releases)),
    )
    verdict = "holds" if result.holds else "does not hold"
    summary = f"the claim {verdict}: {EXTENTS[parameters.trees]}"
    return Table("verify", COLUMNS, rows, conforming=result.holds, summary=summary)
